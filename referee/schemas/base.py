"""Base types of answers."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Px = Annotated[list[float], Field(min_length=2, max_length=2, description="x and y in the picture, px")]
Mm = Annotated[list[float], Field(min_length=2, max_length=2, description="x and y on the table, or two sides, mm")]
Corners = Annotated[list[Px], Field(description="clockwise from the face's top-left")]
Share = Annotated[float, Field(ge=0, le=1)]
Seat = Annotated[int, Field(ge=0, description="counted from 0, clockwise")]
CardColours = Annotated[list[str], Field(min_length=3, max_length=3, description="small, medium, big")]


class JsonAnswer(BaseModel):
    """An object with these keys and no others."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Mark(JsonAnswer):
    """A mark of a known deck."""

    size: str
    colour: str
    shape: str
