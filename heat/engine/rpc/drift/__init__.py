"""What the engine answers about drift."""
