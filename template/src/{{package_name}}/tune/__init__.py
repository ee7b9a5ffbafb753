"""Tries numbers of workers and of reading threads on the real data set, and says what came of it."""
