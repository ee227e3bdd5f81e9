"""Words that say nothing about a question's subject, and words that show what kind of message it is."""

import re
from typing import Final

from orchestration.routing.text import RUNS

_ENGLISH = """
a about am an and any are as at be been being but by can could d did do does for from get give had
has have he her his how i if in into is it its just know let like ll m may me mean means might my
need no not of on or our out please re s shall she should so some t tell than that the their them
then there these they this those to us ve want was we were what when where which who why will with
would write you your
"""
_CHINESE = """
请问 帮我 帮忙 麻烦 我想 我要 想要 想问 想知道 知道 告诉 一下 什么 怎么样 怎么 怎样 如何 为什么 是不是 有没有
能不能 可不可以 可以 多少 哪些 哪个 哪里 这个 那个 这些 那些 现在 目前 还有 一个 一些 意思
吗 呢 吧 啊 呀 的 了 是 我 你 您 它 们 请
"""

STOP_WORDS: Final = frozenset(_ENGLISH.split())
CJK_FILLERS: Final = re.compile("|".join(sorted(_CHINESE.split(), key=len, reverse=True)))

ANAPHORA: Final = re.compile(
    r"^(那|那么|它|这|该|其|还有|还|再|继续|然后|接着|具体|详细|为什么|为啥|怎么|好的|嗯|对|不|如果|要是|万一)"
    r"|(它|这个|那个|上述|上面|刚才|前面|呢[?？]?$)"
    r"|^(and|but|so|then|also|ok|okay|yes|no|why|how|what about|what if|more|again|continue|go on)\b"
    r"|\b(it|its|that|this|these|those|them|they|same|instead|above)\b"
)
"""In folded text: a word that points back to what was said before."""

NEW_TASK: Final = re.compile(
    r"^(请|麻烦)?(你|您)?(帮我|给我|替我|帮忙)?(写|画|讲|编|翻译|推荐|唱|创作|生成|介绍|作一?首)"
    r"|^(please |can you |could you )*"
    r"(write|draw|tell me a|translate|compose|recommend|sing|create|generate|make me)\b"
)
"""In folded text: a message that opens a task of its own."""


def has_subject(text: str) -> bool:
    """Whether folded `text` holds any word that says what it is about."""
    runs = RUNS.finditer(CJK_FILLERS.sub(" ", text))
    return any(run["cjk"] or run["word"] not in STOP_WORDS for run in runs)
