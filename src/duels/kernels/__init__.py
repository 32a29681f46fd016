"""Small compiled functions on arrays: arrays in, arrays out, one idea each."""
