"""How the club's database came to be what it is, step by step (Alembic)."""
