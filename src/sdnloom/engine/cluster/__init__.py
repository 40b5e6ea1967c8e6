"""The search in several processes: each expands a stretch of every level and keeps a part of the visited states."""
