"""What the engine teaches itself by playing and searching."""
