"""Games: the rules, each a readable Python module with a Rust kernel beside it."""
