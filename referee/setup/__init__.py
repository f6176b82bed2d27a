"""Setting a table up: a pure module a step (measures in; what was found, and a sentence, out), and the walk."""
