"""Seals: by them a table and its club know each other on a broker that others use, too.

An invitation's code never goes over the line. Both ends make one key of it and of the table's name, and put under each
message what only that key can make (HMAC, RFC 2104). Pure.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets

ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
"""Letters and digits that nobody takes for one another."""
CODE_LENGTH = 10


def new_code() -> str:
    """Give an invitation's code: 50 bits."""
    return "".join(secrets.choice(ALPHABET) for _ in range(CODE_LENGTH))


def shown_code(code: str) -> str:
    """Give a code as people read it: "K7QF2-M9P4X"."""
    return f"{code[: CODE_LENGTH // 2]}-{code[CODE_LENGTH // 2 :]}"


def code_in(text: str) -> str | None:
    """Give the code that somebody has typed, None if it is none."""
    code = text.upper().translate(str.maketrans("", "", " -–"))
    return code if len(code) == CODE_LENGTH and set(code) <= set(ALPHABET) else None


def secret_of(code: str) -> bytes:
    """Give the secret that an invitation's code stands for; slow on purpose: some 50 ms."""
    return hashlib.scrypt(code.encode(), salt=b"ringmaster club", n=1 << 14, r=8, p=1, dklen=32)


def key_of(secret: bytes, table: str) -> bytes:
    """Give the key of a table that was invited by a code with this secret; quick, so that guests may try in vain."""
    return hmac.digest(secret, f"ringmaster {table}".encode(), "sha256")


def seal(key: bytes, topic: str, payload: bytes) -> str:
    """Give what goes under a message, 64 hexadecimal digits."""
    return hmac.digest(key, topic.encode() + b"\n" + payload, "sha256").hex()


def is_sealed(key: bytes, topic: str, payload: bytes, given: str | None) -> bool:
    """Tell whether a message comes from who has the key."""
    return given is not None and hmac.compare_digest(seal(key, topic, payload).encode(), given.encode())
