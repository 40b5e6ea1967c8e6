"""What a search of a scenario needs that may take a reduction by itself."""
