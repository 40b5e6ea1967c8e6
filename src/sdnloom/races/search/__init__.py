"""Search for harmful races over abstract states, and the oracle that follows the definitions."""
