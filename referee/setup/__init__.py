"""Setting a table up: a pure module a step, from measurements to findings and sentences, and the walk."""
