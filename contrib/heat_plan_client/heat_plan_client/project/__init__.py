"""What exists in a project, and the template that describes it."""
