"""Server-sent events come out whole, however the bytes are cut."""

import pytest

from frontdesk_agent.errors import ErrorCode, FrontdeskError
from frontdesk_agent.sse import SSEDecoder, encode

STREAM = (
    "\ufeff: a comment\n\n"
    'event: token\ndata: {"text": "héllo 汉字 😀"}\n\n'
    "event:token\ndata:no space\n\n"
    "data: first\ndata:  second\ndata\n\n"
    "event: nothing\n\n"
    "id: 7\nretry: 10\nunknown: x\ndata: named message\n\n"
    "event: crlf\r\ndata: a\r\n\r\n"
    "event: cr\rdata: b\r\r"
    "event: mixed\r\ndata: c\n\r\n"
    ":\n"
    "event: done\ndata: {}\n\n"
).encode()
EVENTS = [
    ("token", '{"text": "héllo 汉字 😀"}'),
    ("token", "no space"),
    ("message", "first\n second\n"),
    ("message", "named message"),
    ("crlf", "a"),
    ("cr", "b"),
    ("mixed", "c"),
    ("done", "{}"),
]


def decode(*chunks: bytes) -> list[tuple[str, str]]:
    decoder = SSEDecoder()
    events = [event for chunk in chunks for event in decoder.feed(chunk)]
    assert not decoder.close()
    return events


def test_whole() -> None:
    assert decode(STREAM) == EVENTS


def test_cut_at_every_byte() -> None:
    for cut in range(len(STREAM) + 1):
        assert decode(STREAM[:cut], STREAM[cut:]) == EVENTS, cut


@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_in_small_pieces(size: int) -> None:
    assert decode(*(STREAM[start : start + size] for start in range(0, len(STREAM), size))) == EVENTS


def test_an_event_comes_with_its_last_byte() -> None:
    decoder = SSEDecoder()
    assert decoder.feed(b"data: x\n") == []
    assert decoder.feed(b"\n") == [("message", "x")]
    assert decoder.feed(b"data: y\r\r") == [("message", "y")]
    assert decoder.feed(b"\ndata: z\n\n") == [("message", "z")]


@pytest.mark.parametrize("rest", [b"d", b"data: x", b"data: x\n", b"event: a\ndata: x\n"])
def test_bytes_left_over(rest: bytes) -> None:
    decoder = SSEDecoder()
    decoder.feed(b"data: whole\n\n" + rest)
    assert decoder.close()


def test_a_bom_in_mid_stream_is_text() -> None:
    assert decode("data: x\n\ndata: \ufeffy\n\n".encode()) == [("message", "x"), ("message", "\ufeffy")]


def test_bytes_that_are_no_utf8() -> None:
    assert decode(b"data: a\xe6\xb1z\xff\n\n") == [("message", "a\ufffdz\ufffd")]


@pytest.mark.parametrize("filler", [b"x" * 50, b"data: 1234567890\n" * 3, b": comment" * 9])
def test_an_endless_event_is_refused(filler: bytes) -> None:
    decoder = SSEDecoder(limit=100)
    with pytest.raises(FrontdeskError) as caught:
        assert not any(decoder.feed(filler) for _ in range(10))
    assert caught.value.code is ErrorCode.LIMIT_EXCEEDED


def test_events_before_an_endless_one_are_kept() -> None:
    decoder = SSEDecoder(limit=100)
    assert decoder.feed(b"data: x\n\ndata: " + b"y" * 200) == [("message", "x")]
    with pytest.raises(FrontdeskError):
        decoder.feed(b"z")


def test_many_small_events_are_no_large_one() -> None:
    decoder = SSEDecoder(limit=100)
    assert len(decoder.feed(b"data: x\n\n" * 1000)) == 1000


def test_encode() -> None:
    assert encode("token", {"text": "汉"}) == 'event: token\ndata: {"text":"汉"}\n\n'.encode()
    assert decode(encode("x", b"one\ntwo\r\nthree")) == [("x", "one\ntwo\nthree")]
    assert decode(encode("x", {"half": "\ud83d"})) == [("x", '{"half":"\\ud83d"}')]
