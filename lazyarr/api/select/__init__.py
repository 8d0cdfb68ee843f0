"""Elements by indices and masks, and elements combined by indices."""
