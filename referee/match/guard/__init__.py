"""The guard: notices what would make the referee see wrong, and says what to do before anything is misread."""
