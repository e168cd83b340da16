"""One function run: values of the world outside in, an outcome out; traced, by several workers, from and to files."""
