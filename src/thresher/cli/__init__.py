"""The command line: one module for each subcommand; each reads its input, makes one call and shows the answer."""
