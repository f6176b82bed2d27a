"""Which webcam is meant: by its lasting name, by a number that may stand for none, and never a node for remarks."""

from pathlib import Path

import pytest

from hardware.camera.camera import CameraMissingError
from hardware.camera.usb import Capability, node_of, query, usb_cameras


class Plugs:
    """A /dev in a folder. A node's text is its camera's name, its plug, and whether it gives pictures."""

    def __init__(self, folder: Path) -> None:
        self.dev = folder
        (folder / "v4l" / "by-id").mkdir(parents=True)

    def node(self, number: int, said: Capability | None) -> Path:
        path = self.dev / f"video{number}"
        path.write_text("" if said is None else f"{said.card}|{said.bus}|{said.gives_pictures}")
        return path

    def webcam(self, card: str, number: int, plug: str) -> Path:
        """Plug a webcam in: a node for pictures, one for remarks, and lasting names of both."""
        for index in (0, 1):
            node = self.node(number + index, Capability(card, plug, index == 0))
            (self.by_id(card, index)).symlink_to(node)
        return self.dev / f"video{number}"

    def by_id(self, card: str, index: int = 0) -> Path:
        return self.dev / "v4l" / "by-id" / f"usb-{card.replace(' ', '_')}-video-index{index}"

    def ask(self, path: Path) -> Capability | None:
        if not path.exists() or not (text := path.read_text()):
            return None
        card, bus, gives = text.split("|")
        return Capability(card, bus, gives == "True")

    def of(self, which: str) -> tuple[Path, str]:
        return node_of(which, self.dev, self.ask)


@pytest.fixture
def plugs(tmp_path: Path) -> Plugs:
    plugs = Plugs(tmp_path)
    # A Raspberry Pi has nodes of its own that give pictures, and one may hang.
    plugs.node(14, Capability("bcm2835-isp", "platform:bcm2835-isp", True))
    plugs.node(19, None)
    return plugs


def test_the_one_that_gives_pictures_is_taken_whatever_its_number(plugs: Plugs) -> None:
    node = plugs.webcam("HD Pro", 2, "usb-xhci-1.1")
    for which in ("", "0", "2", "3", "7"):
        assert plugs.of(which) == (node, "HD Pro")


def test_a_lasting_name_is_followed_to_where_the_camera_is_now(plugs: Plugs) -> None:
    plugs.webcam("HD Pro", 0, "usb-1")
    brio = plugs.webcam("Brio", 2, "usb-2")
    assert [camera.spec for camera in usb_cameras(plugs.dev, plugs.ask)] == [
        f"usb:{plugs.by_id('HD Pro')}",
        f"usb:{plugs.by_id('Brio')}",
    ]
    assert plugs.of(str(plugs.by_id("Brio"))) == (brio, "Brio")


def test_among_several_a_number_that_stands_for_none_is_not_guessed_at(plugs: Plugs) -> None:
    plugs.webcam("HD Pro", 0, "usb-1")
    plugs.webcam("Brio", 2, "usb-2")
    assert plugs.of("2")[1] == "Brio"
    with pytest.raises(CameraMissingError, match=r"camera 1 is not there; there are HD Pro \(usb:.*\), Brio"):
        plugs.of("1")


def test_a_camera_that_is_unplugged_or_a_node_for_remarks_is_said_with_the_others(plugs: Plugs) -> None:
    plugs.webcam("HD Pro", 0, "usb-1")
    with pytest.raises(CameraMissingError, match=r"USB camera Brio is not there.*Another one is: HD Pro"):
        plugs.of(str(plugs.by_id("Brio")))
    with pytest.raises(CameraMissingError, match=r"gives no pictures: choose HD Pro"):
        plugs.of(str(plugs.by_id("HD Pro", 1)))


def test_without_any_camera_one_sentence_says_so(tmp_path: Path) -> None:
    with pytest.raises(CameraMissingError, match=r"USB camera 0 is not there: is its cable in\?"):
        node_of("", tmp_path, lambda _: None)


def test_a_file_that_is_no_video_node_does_not_answer(tmp_path: Path) -> None:
    (tmp_path / "video0").write_text("nothing")
    assert query(tmp_path / "video0") is None
    assert query(tmp_path / "video1") is None
    assert usb_cameras(tmp_path) == ()
