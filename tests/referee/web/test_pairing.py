"""Pairing codes: how they are said, used up, run out and how slowly they are guessed."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.web.pairing import LIFETIME_S, Pairing, TooManyTriesError, WrongCodeError, new_code
from referee.web.tokens import TokenStore
from tests.support.page_tools import FakeClock, PageUnderTest, Phone

HOUR_S = 3600.0


def codes() -> Iterator[str]:
    yield from (str(digit) * 6 for digit in range(1, 10))


def tried(pairing: Pairing, code: str, address: str = "a") -> str:
    """Try a code, and give what came of it."""
    try:
        pairing.redeem(code, address)
    except WrongCodeError:
        return "wrong"
    except TooManyTriesError as error:
        assert error.wait_s > 0
        return "wait"
    return "paired"


@settings(max_examples=60)
@given(
    st.lists(
        st.tuples(st.floats(0.0, 400.0), st.sampled_from(["a", "b", "c", "d", "e", "f"]), st.booleans()),
        min_size=30,
        max_size=90,
    )
)
def test_no_hour_holds_twenty_tries_by_any_device_and_however_often_the_bell_is_pressed(
    tries: list[tuple[float, str, bool]],
) -> None:
    clock = FakeClock()
    pairing = Pairing(clock, lambda: "123456")
    tried_s: list[float] = []
    for pause_s, address, bell in tries:
        clock.now_s += pause_s
        pairing.ask()
        if bell:
            pairing.renew()
        if tried(pairing, "654321", address) == "wrong":
            tried_s.append(clock.now_s)
    for start_s in tried_s:
        assert sum(start_s <= at_s < start_s + HOUR_S for at_s in tried_s) < 20


def try_until_refused(pairing: Pairing, clock: FakeClock, address: str) -> None:
    while pairing.wait_s(address) <= 400:
        clock.now_s += pairing.wait_s(address)
        assert tried(pairing, "000000", address) == "wrong"
    assert tried(pairing, "000000", address) == "wait"


def test_one_who_guesses_keeps_nobody_else_out_and_when_many_do_the_bell_gives_a_new_code() -> None:
    clock, coming = FakeClock(), codes()
    pairing = Pairing(clock, lambda: next(coming))
    pairing.ask()
    # Nobody was refused: the bell does nothing.
    assert pairing.renew() is None
    try_until_refused(pairing, clock, "guesser")
    assert tried(pairing, "111111", "family") == "paired"
    code, _ = pairing.ask()
    for guesser in "abcd":
        try_until_refused(pairing, clock, guesser)
    assert pairing.wait_s("family") > 60
    with pytest.raises(TooManyTriesError) as refused:
        pairing.redeem(code, "family")
    assert refused.value.may_renew
    fresh = pairing.renew()
    assert fresh is not None and fresh != code
    assert tried(pairing, code, "family") == "wrong"
    assert tried(pairing, fresh, "family") == "paired"


def test_a_code_has_six_digits_and_serves_once_and_for_five_minutes() -> None:
    made = {new_code() for _ in range(200)}
    assert all(len(code) == 6 and code.isdecimal() for code in made) and len(made) > 150
    clock = FakeClock()
    pairing = Pairing(clock)
    code, _ = pairing.ask()
    assert [tried(pairing, code), tried(pairing, code)] == ["paired", "wrong"]
    # Once mistyped, the right one is taken at once.
    code, _ = pairing.ask()
    assert [tried(pairing, "no code"), tried(pairing, code)] == ["wrong", "paired"]
    code, _ = pairing.ask()
    clock.now_s += LIFETIME_S + 1
    assert pairing.code is None and tried(pairing, code) == "wrong"


def test_a_code_is_not_said_again_and_again_and_is_replaced_when_it_was_guessed_at() -> None:
    clock, coming = FakeClock(), codes()
    pairing = Pairing(clock, lambda: next(coming))
    assert [pairing.ask(), pairing.ask()] == [("111111", True), ("111111", False)]
    clock.now_s += 11
    assert pairing.ask() == ("111111", True)
    assert [tried(pairing, "000000", address) for address in "aaabbb"] == ["wrong"] * 6
    assert pairing.ask()[0] == "222222"


def test_the_code_from_the_machines_own_terminal_counts_after_any_number_of_wrong_ones() -> None:
    pairing = Pairing(FakeClock())
    for number in range(60):
        tried(pairing, "no code", f"guesser {number % 12}")
    code, _ = pairing.ask(give=True)
    assert [tried(pairing, "no code", f"other {number}") for number in range(4)] == ["wrong"] * 4
    assert tried(pairing, code, "family") == "paired"


def test_guesses_of_any_number_of_addresses_at_a_code_that_was_given_are_few() -> None:
    pairing = Pairing(FakeClock(), lambda: "123456")
    pairing.ask(give=True)
    looked_at = [tried(pairing, "000000", f"guesser {number}") for number in range(2000)].count("wrong")
    assert looked_at < 500 and pairing.code is None


def entered(phone: Phone, code: str) -> int:
    return phone.post("/api/pair", {"code": code}).status


def test_pressing_the_bell_lets_a_locked_out_phone_on_and_the_code_is_spoken(page: PageUnderTest) -> None:
    phone = page.guest()
    phone.post("/api/pair/ask", {})
    first = page.said[-1]
    wrong = f"{(int(first) + 1) % 10**6:06}"
    answers = [phone.post("/api/pair", {"code": wrong}) for _ in range(4)]
    assert [answer.status for answer in answers] == [403, 403, 403, 429]
    assert answers[3].data["key"] == "ring_to_pair"
    # The page says how long to wait.
    assert answers[3].data["values"]["seconds"] >= 1
    assert answers[3].headers["retry-after"] == str(answers[3].data["values"]["seconds"])
    assert entered(phone, first) == 429
    page.app.state.bell_pressed(0)
    assert page.said[-1] != first
    assert entered(phone, page.said[-1]) == 200


def test_codes_that_others_guess_keep_out_nobody_whom_the_machine_or_a_phone_lets_in(page: PageUnderTest) -> None:
    mine = page.paired_phone()
    guessers = [page.phone(f"192.168.1.{number}") for number in range(30, 40)]

    def guess() -> int:
        return [entered(guesser, "000000") for guesser in guessers * 6][-1]

    guessers[0].post("/api/pair/ask", {})
    assert guess() == 429
    here = page.phone()
    here.post("/api/pair/ask", {})
    code = here.get("/api/me").data["code"]
    assert guess() == 429
    assert entered(here, code) == 200
    mine.post("/api/pair/ask", {})
    code = mine.get("/api/me").data["code"]
    assert code == page.said[-1]
    assert entered(guessers[0], code) == 200
    mine.post("/api/pair/ask", {})
    code = mine.get("/api/me").data["code"]
    guess()
    assert entered(page.phone("192.168.1.50"), code) == 200


def test_a_guest_has_the_code_said_aloud_seldom_and_a_paired_phone_when_it_wants(page: PageUnderTest) -> None:
    mine, guest = page.paired_phone(), page.guest()
    before = len(page.said)
    said = []
    for _ in range(360):
        said.append(guest.post("/api/pair/ask", {}).data["said"])
        page.clock.now_s += 10
    assert len(page.said) - before == sum(said) <= 10
    assert mine.post("/api/pair/ask", {}).data["said"]


@pytest.mark.parametrize("typed", ["12345", "1234567", "12 345", "abcdef", ""])
def test_a_code_of_other_length_is_answered_by_a_sentence_and_costs_no_try(page: PageUnderTest, typed: str) -> None:
    answer = page.phone().post("/api/pair", {"code": typed})
    assert (answer.status, answer.data["key"]) == (400, "code_digits")
    assert answer.data["error"] == "The code has six digits."
    assert page.app.state.auth.pairing.wait_s("127.0.0.1") == 0


def _full(_: int) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_all_devices_are_forgotten_on_a_full_disk(
    page: PageUnderTest, paired: Phone, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = [page.paired_phone() for _ in range(3)]
    monkeypatch.setattr("os.fsync", _full)
    assert paired.post("/api/pair/forget", {"all": True}).status == 200
    assert len(TokenStore(page.folder)) == 0
    assert {phone.get("/api/me").data["paired"] for phone in others} == {False}


def test_what_a_full_disk_cannot_keep_is_reported(
    page: PageUnderTest, paired: Phone, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(29):
        page.app.state.auth.tokens.add(f"phone {number}")
    monkeypatch.setattr("os.fsync", _full)
    answer = paired.post("/api/pair/forget", {"all": False})
    assert answer.status == 409
    assert "paired again after the next start" in answer.data["error"]
    assert not paired.get("/api/me").data["paired"]
    # None of the others was lost with it.
    assert len(TokenStore(page.folder)) == 30
    new = page.phone()
    new.post("/api/pair/ask", {})
    assert new.post("/api/pair", {"code": page.said[-1]}).data["kept"] is False
    monkeypatch.undo()
    new.csrf = new.get("/api/me").data["csrf"]
    assert new.post("/api/pair/forget", {"all": False}).status == 200
    assert len(TokenStore(page.folder)) == 29
