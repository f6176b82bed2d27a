"""Migrations of the club's database (Alembic)."""
