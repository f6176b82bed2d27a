"""Files that replace others: whole, or as they were, and for good."""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path

import pytest

from referee.errors import WorkFailedError
from referee.files import kept_data, set_aside_files, whole_file, write_whole


@pytest.mark.parametrize("step", ["fsync", "fchmod"])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EROFS])
def test_a_disk_that_takes_nothing_leaves_the_old_file_and_nothing_else(
    step: str, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "kept.json"
    write_whole(path, b"old")

    def fails(*_: object) -> int:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, step, fails)
    with pytest.raises(WorkFailedError, match="cannot be written"):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"
    assert [one.name for one in tmp_path.iterdir()] == ["kept.json"]


def test_a_write_that_is_cut_short_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "kept.json"
    write_whole(path, b"old")
    # The device of Linux that is always full takes the first bytes into a buffer only.
    real = tempfile.NamedTemporaryFile

    def on_a_full_disk(**where: object) -> object:
        file = real(**where)  # type: ignore[call-overload]
        full = os.open("/dev/full", os.O_WRONLY)
        os.dup2(full, file.fileno())
        os.close(full)
        return file

    monkeypatch.setattr(tempfile, "NamedTemporaryFile", on_a_full_disk)
    for data in (b"new", b"x" * 1_000_000):
        with pytest.raises(WorkFailedError, match="No space left"):
            write_whole(path, data)
        assert path.read_bytes() == b"old"
        assert [one.name for one in tmp_path.iterdir()] == ["kept.json"]


def test_file_and_folder_are_synced_before_and_after_the_new_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "kept.json"
    done: list[tuple[str, bytes | None]] = []
    real_fsync, real_replace = os.fsync, Path.replace

    def fsync(descriptor: int) -> None:
        kind = "folder" if Path(f"/proc/self/fd/{descriptor}").resolve().is_dir() else "file"
        done.append((kind, path.read_bytes() if path.exists() else None))
        real_fsync(descriptor)

    def replace(self: Path, target: Path) -> Path:
        done.append(("name", None))
        return real_replace(self, target)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(Path, "replace", replace)
    with whole_file(path) as file:
        file.write(b"new")
    assert done == [("file", None), ("name", None), ("folder", b"new")]


def test_a_secret_file_is_never_readable_for_others(tmp_path: Path) -> None:
    path = tmp_path / "secret.json"
    with whole_file(path, secret=True) as file:
        assert os.fstat(file.fileno()).st_mode & 0o077 == 0
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("data", [b"", b"{", b"[" * 100_000, b"\xff", b"9" * 5000, b" " * 2000 + b"5"])
def test_data_that_make_no_sense_are_set_aside_as_they_are(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "kept.json"
    path.write_bytes(data)
    assert kept_data(path, 1000, lambda value: value["key"], "usual") == "usual"
    (aside,) = set_aside_files(tmp_path)
    assert aside.read_bytes() == data
    assert not path.exists()
