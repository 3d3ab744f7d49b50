"""Pages of the human half: raters' (no account, a token in the path) and managers'. Parse, call, answer."""
