"""Text from anywhere becomes text that databases and encoders take."""

import pytest

from frontdesk_agent.jsontext import dumps, loads
from frontdesk_agent.text import TextCleaner, clean, clean_json

CASES = [
    ("", ""),
    ("plain", "plain"),
    ("汉字 😀", "汉字 😀"),
    ("\ud83d\ude00", "😀"),
    ("\ud83d", "\ufffd"),
    ("\ude00", "\ufffd"),
    ("\ude00\ud83d", "\ufffd\ufffd"),
    ("a\ud83dx\ude00b", "a\ufffdx\ufffdb"),
    ("\ud83d\ud83d\ude00", "\ufffd😀"),
    ("nul\x00l", "null"),
    ("\ud83d\x00\ude00", "😀"),
]


@pytest.mark.parametrize(("dirty", "expected"), CASES)
def test_clean(dirty: str, expected: str) -> None:
    assert clean(dirty) == expected
    clean(dirty).encode()


@pytest.mark.parametrize(("dirty", "expected"), CASES)
def test_cut_anywhere_it_is_the_same(dirty: str, expected: str) -> None:
    for cut in range(len(dirty) + 1):
        cleaner = TextCleaner()
        assert cleaner.feed(dirty[:cut]) + cleaner.feed(dirty[cut:]) + cleaner.flush() == expected
    cleaner = TextCleaner()
    assert "".join([*map(cleaner.feed, dirty), cleaner.flush()]) == expected


def test_only_a_half_is_held_back() -> None:
    cleaner = TextCleaner()
    assert cleaner.feed("ok\ud83d") == "ok"
    assert cleaner.feed("") == ""
    assert cleaner.feed("\ude00!") == "😀!"
    assert cleaner.flush() == ""


def test_json_values() -> None:
    assert clean_json({"\ud83d": ["\x00a", {"b": "\ud83d\ude00"}], "n": 1}) == {
        "\ufffd": ["a", {"b": "😀"}],
        "n": 1,
    }


def test_json_with_halves_goes_out_and_comes_in() -> None:
    assert loads(dumps({"a": "\ud83d"})) == {"a": "\ud83d"}
    assert loads('"\\ud83d"') == "\ud83d"


@pytest.mark.parametrize(
    "text", ["", "{", "nul", "NaN", '["\\u12"]', '{"a": NaN, "b": "\\ud83d"}', "[" * 5000 + '"\\ud83d"']
)
def test_no_json(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        loads(text)
    with pytest.raises(ValueError):  # noqa: PT011
        loads(text.encode())


@pytest.mark.parametrize(
    ("number", "kept"),
    [
        (float("inf"), None),
        (float("-inf"), None),
        (float("nan"), None),
        (1.5, 1.5),
        (2**64 - 1, 2**64 - 1),
        (-(2**63), -(2**63)),
        (2**64, float(2**64)),
        (-(2**63) - 1, float(-(2**63))),
        (10**400, None),
        (True, True),
    ],
)
def test_numbers_that_no_column_holds(number: float, kept: float | None) -> None:
    found = clean_json({"a": [number]})
    assert found == {"a": [kept]}
    assert type(found["a"][0]) is type(kept)
    assert loads(dumps(found)) == found


def test_endless_nesting_has_an_end() -> None:
    value: object = "deep"
    for _ in range(900):
        value = {"a": [value]}
    assert "deep" not in dumps(clean_json(value)).decode()
    shallow = {"a": [{"a": [1]}]}
    assert clean_json(shallow) == shallow
