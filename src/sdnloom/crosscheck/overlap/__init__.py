"""Where two partitions overlap: classes as groups and trees, and the inputs on which their outputs differ."""
