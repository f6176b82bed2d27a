"""What `ringmaster doctor` checks: devices and the machine, each check a function that gives findings."""
