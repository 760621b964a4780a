"""Data of other benchmarks: their files become problems, suites and responses of ours."""
