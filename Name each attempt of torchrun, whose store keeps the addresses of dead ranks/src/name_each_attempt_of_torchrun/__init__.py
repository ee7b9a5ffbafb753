"""A PyTorch project that reads handwritten digits."""
