"""A club: many tables, one league. Takes what the tables tell from the broker into a database, and shows it.

Needs SQLAlchemy, Alembic and, for PostgreSQL, psycopg (`pip install ringmaster[club]`); a table needs none of them.
"""
