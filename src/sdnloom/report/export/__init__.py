"""Results in the languages of other tools: pure functions of `ResultView`s."""
