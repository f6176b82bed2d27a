"""The web page: one page on every phone at the table, and each device's permissions. Served without a build."""
