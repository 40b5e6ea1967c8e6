"""placeholder"""

AVAILABLE = False
