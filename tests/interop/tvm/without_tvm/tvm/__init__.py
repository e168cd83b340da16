raise ImportError("none here")
