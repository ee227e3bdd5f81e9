"""Questions made to be slow."""

import pytest

from orchestration.routing.keywords import MAX_HITS, Keywords
from orchestration.routing.text import fold
from tests.support.routing_cards import workshop


@pytest.mark.parametrize(
    "question",
    [
        "P0171 " * 5_300,
        "我的车熄火了，故障码是P0171，帮我预约。" * 1_400,
        " ".join(f"P{number:04d}" for number in range(4_000)),
    ],
)
def test_a_question_that_repeats_itself_gives_a_bounded_number_of_hits(question: str) -> None:
    directory = workshop()
    keywords = sum(len(entry.card.routing_keywords) for entry in directory)
    assert 0 < len(Keywords(directory).find(fold(question))) <= MAX_HITS * keywords
