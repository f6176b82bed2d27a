"""Every device, behind a small Protocol, with back-ends as peers."""
