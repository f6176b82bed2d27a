"""Pairing codes: how they are said, used up, run out and how slowly they are guessed."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from page_tools import FakeClock, PageUnderTest

from referee.web.pairing import LIFETIME_S, Pairing, TooManyTriesError, WrongCodeError, new_code

HOUR_S = 3600.0


@settings(max_examples=40)
@given(st.lists(st.floats(0.0, 400.0), min_size=30, max_size=90))
def test_no_hour_holds_twenty_tries_however_they_are_spread(pauses_s: list[float]) -> None:
    clock = FakeClock()
    pairing = Pairing(clock, lambda: "123456")
    tried_s: list[float] = []
    for pause_s in pauses_s:
        clock.now_s += pause_s
        pairing.ask()
        try:
            pairing.redeem("654321")
        except WrongCodeError:
            tried_s.append(clock.now_s)
        except TooManyTriesError:
            continue
    for start_s in tried_s:
        assert sum(start_s <= at_s < start_s + HOUR_S for at_s in tried_s) < 20


def test_whoever_tries_without_a_break_gets_few_tries() -> None:
    clock = FakeClock()
    pairing = Pairing(clock)
    looked_at = 0
    for _ in range(6 * 720):
        clock.now_s += 5
        pairing.ask()
        try:
            pairing.redeem("000000")
        except WrongCodeError:
            looked_at += 1
        except TooManyTriesError as error:
            assert error.wait_s > 0
    assert 6 <= looked_at < 20 * 6


def test_while_codes_may_not_be_tried_the_right_one_helps_nobody() -> None:
    clock = FakeClock()
    pairing = Pairing(clock, lambda: "123456")
    pairing.ask()
    for _ in range(3):
        with pytest.raises(WrongCodeError):
            pairing.redeem("000000")
    with pytest.raises(TooManyTriesError):
        pairing.redeem("123456")
    clock.now_s += pairing.wait_s()
    pairing.redeem("123456")


def test_a_family_that_mistypes_once_goes_on_at_once() -> None:
    pairing = Pairing(FakeClock(), lambda: "123456")
    pairing.ask()
    with pytest.raises(WrongCodeError):
        pairing.redeem("123465")
    pairing.redeem("123456")


def test_a_code_serves_once_and_for_five_minutes() -> None:
    clock = FakeClock()
    pairing = Pairing(clock)
    code, _ = pairing.ask()
    pairing.redeem(code)
    with pytest.raises(WrongCodeError):
        pairing.redeem(code)
    code, _ = pairing.ask()
    clock.now_s += LIFETIME_S + 1
    assert pairing.code is None
    with pytest.raises(WrongCodeError):
        pairing.redeem(code)


def test_before_a_code_is_asked_for_none_is_right() -> None:
    with pytest.raises(WrongCodeError):
        Pairing(FakeClock()).redeem("none")


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
    for _ in range(6):
        clock.now_s += pairing.wait_s()
        with pytest.raises(WrongCodeError):
            pairing.redeem("000000")
    assert pairing.ask()[0] == "222222"


def test_codes_have_six_digits() -> None:
    codes = {new_code() for _ in range(200)}
    assert all(len(code) == 6 and code.isdecimal() for code in codes)
    assert len(codes) > 150


def test_the_page_says_how_long_to_wait(page: PageUnderTest) -> None:
    phones = [page.phone() for _ in range(4)]
    phones[0].post("/api/pair/ask", {})
    wrong = f"{(int(page.said[-1]) + 1) % 10**6:06}"
    answers = [phone.post("/api/pair", {"code": wrong}) for phone in phones]
    assert [answer.status for answer in answers] == [403, 403, 403, 429]
    assert answers[3].data["values"]["seconds"] >= 1
    assert answers[3].headers["retry-after"] == str(answers[3].data["values"]["seconds"])
