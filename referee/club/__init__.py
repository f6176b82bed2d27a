"""A club: many tables, one league. Stores the tables' messages in a database, and shows them.

Needs SQLAlchemy, Alembic and, for PostgreSQL, psycopg (`pip install ringmaster[club]`); a table needs none of them.
"""
