"""Programs of actors: `async def` tasks, unordered mailboxes, futures and barriers; every order is searched."""
