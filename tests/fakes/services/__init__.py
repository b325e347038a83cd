"""Services in memory that know what is peculiar to their things."""
