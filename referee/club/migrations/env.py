"""Run by Alembic, on a connection of `referee.club.database`."""

from __future__ import annotations

from alembic import context

from referee.club.models import Base

context.configure(connection=context.config.attributes["connection"], target_metadata=Base.metadata)
with context.begin_transaction():
    context.run_migrations()
