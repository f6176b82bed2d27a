"""The web page: one page on every phone at the table, and who may do what on it. Served from here, without a build."""
