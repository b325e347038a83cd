"""What would an update do, and why?

Plans ask the decision of heat.engine.lifecycle about each resource, as the
drivers do, and change nothing. They import the published modules, the core
and the records, but no driver.
"""
