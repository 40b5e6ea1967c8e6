"""Search of actor programs: interned states, canonical renaming, learned summaries and stubborn sets."""
