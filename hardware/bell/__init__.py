"""The bell: buttons that bounce or are held, a microphone that hears it, and one press for each ring."""
