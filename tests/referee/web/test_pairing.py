"""Pairing codes: how they are said, used up, run out and how slowly they are guessed."""

from __future__ import annotations

import errno
import os
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.web.pairing import LIFETIME_S, Pairing, TooManyTriesError, WrongCodeError, new_code
from referee.web.tokens import TokenStore
from tests.support.page_tools import FakeClock, PageUnderTest, Phone

HOUR_S = 3600.0


@settings(max_examples=60)
@given(
    st.lists(
        st.tuples(st.floats(0.0, 400.0), st.sampled_from(["a", "b", "c", "d", "e", "f"]), st.booleans()),
        min_size=30,
        max_size=90,
    )
)
def test_no_hour_holds_twenty_tries_whoever_makes_them_and_however_often_the_bell_is_pressed(
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
        try:
            pairing.redeem("654321", address)
        except WrongCodeError:
            tried_s.append(clock.now_s)
        except TooManyTriesError:
            continue
    for start_s in tried_s:
        assert sum(start_s <= at_s < start_s + HOUR_S for at_s in tried_s) < 20


@pytest.mark.parametrize("addresses", [1, 2, 50])
def test_whoever_tries_without_a_break_gets_few_tries(addresses: int) -> None:
    clock = FakeClock()
    pairing = Pairing(clock)
    looked_at = 0
    for count in range(6 * 720):
        clock.now_s += 5
        pairing.ask()
        pairing.renew()
        try:
            pairing.redeem("000000", str(count % addresses))
        except WrongCodeError:
            looked_at += 1
        except TooManyTriesError as error:
            assert error.wait_s > 0
    assert 6 <= looked_at < 20 * 6


def try_until_refused(pairing: Pairing, clock: FakeClock, address: str) -> None:
    while True:
        if pairing.wait_s(address) > 400:
            with pytest.raises(TooManyTriesError):
                pairing.redeem("000000", address)
            return
        clock.now_s += pairing.wait_s(address)
        with pytest.raises(WrongCodeError):
            pairing.redeem("000000", address)


def test_one_who_guesses_keeps_nobody_else_out_and_leaves_the_code_valid() -> None:
    clock = FakeClock()
    pairing = Pairing(clock, lambda: "123456")
    pairing.ask()
    try_until_refused(pairing, clock, "guesser")
    pairing.redeem("123456", "family")


def test_when_many_have_guessed_the_bell_lets_the_family_on_at_once_with_a_new_code() -> None:
    clock = FakeClock()
    codes = iter(["111111", "222222", "333333"])
    pairing = Pairing(clock, lambda: next(codes))
    pairing.ask()
    for guesser in "abcd":
        try_until_refused(pairing, clock, guesser)
    assert pairing.wait_s("family") > 60
    with pytest.raises(TooManyTriesError) as refused:
        pairing.redeem("111111", "family")
    assert refused.value.may_renew
    fresh = pairing.renew()
    assert fresh is not None and fresh != "111111"
    with pytest.raises(WrongCodeError):
        pairing.redeem("111111", "family")
    pairing.redeem(fresh, "family")


def test_a_bell_that_is_pressed_while_nobody_was_refused_does_nothing() -> None:
    pairing = Pairing(FakeClock(), lambda: "123456")
    pairing.ask()
    assert pairing.renew() is None
    pairing.redeem("123456", "a")


def test_while_codes_may_not_be_tried_the_right_one_helps_nobody() -> None:
    clock = FakeClock()
    pairing = Pairing(clock, lambda: "123456")
    pairing.ask()
    for _ in range(3):
        with pytest.raises(WrongCodeError):
            pairing.redeem("000000", "a")
    with pytest.raises(TooManyTriesError):
        pairing.redeem("123456", "a")
    clock.now_s += pairing.wait_s("a")
    pairing.redeem("123456", "a")


def test_a_family_that_mistypes_once_goes_on_at_once() -> None:
    pairing = Pairing(FakeClock(), lambda: "123456")
    pairing.ask()
    with pytest.raises(WrongCodeError):
        pairing.redeem("123465", "a")
    pairing.redeem("123456", "a")


def test_a_code_serves_once_and_for_five_minutes() -> None:
    clock = FakeClock()
    pairing = Pairing(clock)
    code, _ = pairing.ask()
    pairing.redeem(code, "a")
    with pytest.raises(WrongCodeError):
        pairing.redeem(code, "a")
    code, _ = pairing.ask()
    clock.now_s += LIFETIME_S + 1
    assert pairing.code is None
    with pytest.raises(WrongCodeError):
        pairing.redeem(code, "a")


def test_before_a_code_is_asked_for_none_is_right() -> None:
    with pytest.raises(WrongCodeError):
        Pairing(FakeClock()).redeem("none", "a")


def test_a_code_is_not_said_again_and_again() -> None:
    clock = FakeClock()
    pairing = Pairing(clock)
    first, say = pairing.ask()
    assert say
    again, say = pairing.ask()
    assert again == first and not say
    clock.now_s += 11
    assert pairing.ask() == (first, True)


def test_a_code_that_was_guessed_at_is_replaced() -> None:
    clock = FakeClock()
    codes = iter(["111111", "222222"])
    pairing = Pairing(clock, lambda: next(codes))
    pairing.ask()
    for address in "aaabbb":
        with pytest.raises(WrongCodeError):
            pairing.redeem("000000", address)
    assert pairing.ask()[0] == "222222"


def test_codes_have_six_digits() -> None:
    codes = {new_code() for _ in range(200)}
    assert all(len(code) == 6 and code.isdecimal() for code in codes)
    assert len(codes) > 150


def test_pressing_the_bell_lets_a_locked_out_phone_on_and_the_code_is_spoken(page: PageUnderTest) -> None:
    phone = page.guest()
    phone.post("/api/pair/ask", {})
    first = page.said[-1]
    wrong = f"{(int(first) + 1) % 10**6:06}"
    answers = [phone.post("/api/pair", {"code": wrong}) for _ in range(4)]
    assert answers[-1].status == 429 and answers[-1].data["key"] == "ring_to_pair"
    assert phone.post("/api/pair", {"code": first}).status == 429
    page.app.state.bell_pressed(0)
    assert page.said[-1] != first
    assert phone.post("/api/pair", {"code": page.said[-1]}).status == 200


def test_a_paired_phone_lets_another_one_in_that_was_refused(page: PageUnderTest) -> None:
    mine, other = page.paired_phone(), page.phone()
    for _ in range(4):
        refused = other.post("/api/pair", {"code": "000000"})
    assert refused.status == 429
    assert mine.post("/api/pair/ask", {}).status == 200
    assert mine.get("/api/me").data["code"] == page.said[-1]
    assert other.post("/api/pair", {"code": page.said[-1]}).status == 200


def test_codes_that_others_guess_keep_out_nobody_at_the_machine_nor_whom_a_paired_phone_lets_in(
    page: PageUnderTest,
) -> None:
    mine = page.paired_phone()
    guessers = [page.phone(f"192.168.1.{number}") for number in range(30, 40)]

    def guess() -> list[int]:
        return [guesser.post("/api/pair", {"code": "000000"}).status for guesser in guessers * 6]

    guessers[0].post("/api/pair/ask", {})
    assert guess()[-1] == 429
    here = page.phone()
    here.post("/api/pair/ask", {})
    code = here.get("/api/me").data["code"]
    assert guess()[-1] == 429
    assert here.post("/api/pair", {"code": code}).status == 200
    mine.post("/api/pair/ask", {})
    code = mine.get("/api/me").data["code"]
    guess()
    assert page.phone("192.168.1.50").post("/api/pair", {"code": code}).status == 200


def test_the_code_from_the_machines_own_terminal_counts_after_any_number_of_wrong_ones() -> None:
    clock = FakeClock()
    pairing = Pairing(clock)
    for number in range(60):
        with suppress(WrongCodeError, TooManyTriesError):
            pairing.redeem("no code", f"guesser {number % 12}")
    code, _ = pairing.ask(give=True)
    for number in range(4):
        with pytest.raises(WrongCodeError):
            pairing.redeem("no code", f"other {number}")
    pairing.redeem(code, "family")


def test_guesses_of_any_number_of_addresses_at_a_code_that_was_given_are_few() -> None:
    pairing = Pairing(FakeClock(), lambda: "123456")
    pairing.ask(give=True)
    looked_at = 0
    for number in range(2000):
        try:
            pairing.redeem("000000", f"guesser {number}")
        except WrongCodeError:
            looked_at += 1
        except TooManyTriesError:
            continue
    assert looked_at < 500 and pairing.code is None


def test_a_guest_has_the_code_said_aloud_seldom_and_a_paired_phone_when_it_wants(page: PageUnderTest) -> None:
    mine, guest = page.paired_phone(), page.guest()
    before = len(page.said)
    said = []
    for _ in range(360):
        said.append(guest.post("/api/pair/ask", {}).data["said"])
        page.clock.now_s += 10
    assert len(page.said) - before == sum(said) <= 10
    assert mine.post("/api/pair/ask", {}).data["said"]


def test_the_page_says_how_long_to_wait(page: PageUnderTest) -> None:
    phones = [page.phone() for _ in range(4)]
    phones[0].post("/api/pair/ask", {})
    wrong = f"{(int(page.said[-1]) + 1) % 10**6:06}"
    answers = [phone.post("/api/pair", {"code": wrong}) for phone in phones]
    assert [answer.status for answer in answers] == [403, 403, 403, 429]
    assert answers[3].data["values"]["seconds"] >= 1
    assert answers[3].headers["retry-after"] == str(answers[3].data["values"]["seconds"])


@pytest.mark.parametrize("typed", ["12345", "1234567", "12 345", "abcdef", ""])
def test_a_code_of_other_length_is_answered_by_a_sentence_and_costs_no_try(page: PageUnderTest, typed: str) -> None:
    answer = page.phone().post("/api/pair", {"code": typed})
    assert (answer.status, answer.data["key"]) == (400, "code_digits")
    assert answer.data["error"] == "The code has six digits"
    assert page.app.state.who.pairing.wait_s("127.0.0.1") == 0


def test_on_a_full_disk_all_devices_are_forgotten_for_good(
    page: PageUnderTest, paired: Phone, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = [page.paired_phone() for _ in range(3)]
    monkeypatch.setattr("os.fsync", _full)
    assert paired.post("/api/pair/forget", {"all": True}).status == 200
    assert len(TokenStore(page.folder)) == 0
    assert {phone.get("/api/me").data["paired"] for phone in others} == {False}


def test_a_device_that_a_full_disk_cannot_forget_or_keep_is_reported(
    page: PageUnderTest, paired: Phone, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(29):
        page.app.state.who.tokens.add(f"phone {number}")
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


def _full(_: int) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
