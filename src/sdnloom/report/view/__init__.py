"""Results as values that pictures and exports are made from."""
