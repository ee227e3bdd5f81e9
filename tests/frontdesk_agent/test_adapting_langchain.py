"""LangChain Runnables as agents."""

from typing import Any

import pytest
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder, PromptTemplate
from langchain_core.runnables import RunnableLambda

from frontdesk_agent import AgentRequest, AgentResponse, Context, Done, HistoryItem, Token, Tool, Usage, adapt
from tests.frontdesk_agent.scripted_model import ScriptedModel, Turn

REQUEST = AgentRequest(
    input="hi",
    session_id="s-1",
    user_id="u-1",
    context=Context(
        history=(HistoryItem(role="user", content="before"), HistoryItem(role="assistant", content="answer")),
        metadata={"locale": "en"},
    ),
)
CONVERSATION = [("human", "before"), ("ai", "answer"), ("human", "hi")]


def model(*words: str, **turn: Any) -> ScriptedModel:
    return ScriptedModel(turns=[Turn(words=list(words), **turn)])


async def told(target: Any) -> list[Any]:
    return [event async for event in adapt(target)(REQUEST)]


def asked(scripted: ScriptedModel) -> list[tuple[str, str]]:
    return [(message.type, message.text) for message in scripted.asked[0]]


async def test_a_model_gets_the_conversation() -> None:
    scripted = model("Hello", " there", input_tokens=5, output_tokens=2)
    assert await told(scripted) == [
        Token("Hello"),
        Token(" there"),
        Done(usage=Usage(input_tokens=5, output_tokens=2)),
    ]
    assert asked(scripted) == CONVERSATION


async def test_tool_calls_are_joined_from_their_pieces() -> None:
    scripted = model(calls=[("search", {"q": "cars", "n": 3}), ("look", {"at": "x"})])
    assert await told(scripted) == [
        Tool(name="search", arguments={"q": "cars", "n": 3}),
        Tool(name="look", arguments={"at": "x"}),
        Done(),
    ]


PROMPTS = [
    (
        ChatPromptTemplate([("system", "Be kind."), ("user", "{input}")]),
        [("system", "Be kind."), ("human", "hi")],
    ),
    (ChatPromptTemplate([("user", "Q: {question}")]), [("human", "Q: hi")]),
    (ChatPromptTemplate([("user", "Q: {anything}")]), [("human", "Q: hi")]),
    (ChatPromptTemplate([MessagesPlaceholder("messages")]), CONVERSATION),
    (ChatPromptTemplate([MessagesPlaceholder("history"), ("user", "{question}")]), CONVERSATION),
    (
        ChatPromptTemplate([MessagesPlaceholder("chat_history", optional=True), ("user", "{input}")]),
        CONVERSATION,
    ),
    (ChatPromptTemplate([("user", "no variable")]), [("human", "no variable")]),
    (PromptTemplate.from_template("Say {text}"), [("human", "Say hi")]),
]


@pytest.mark.parametrize(("prompt", "expected"), PROMPTS)
async def test_a_prompt_gets_its_variables(prompt: Any, expected: list[tuple[str, str]]) -> None:
    scripted = model("ok")
    assert await told(prompt | scripted.with_config(tags=["x"])) == [Token("ok"), Done()]
    assert asked(scripted) == expected


async def test_a_parser_at_the_end_streams_text() -> None:
    chain = ChatPromptTemplate([("user", "{input}")]) | model("a", "b") | StrOutputParser()
    assert await told(chain) == [Token("a"), Token("b"), Done()]


def test_a_prompt_that_asks_for_more_is_refused_at_once() -> None:
    chain = ChatPromptTemplate([("user", "{input} {colour}")]) | model("x")
    with pytest.raises(TypeError, match=r"colour.*put a function in front"):
        adapt(chain)


async def test_a_lambda_gets_the_question() -> None:
    assert await told(RunnableLambda(str.upper)) == [Token("HI"), Done()]


async def test_a_lambda_may_return_a_response() -> None:
    def respond(question: str) -> AgentResponse:
        return AgentResponse(output=question, usage=Usage(input_tokens=1))

    assert await told(RunnableLambda(respond)) == [Token("hi"), Done(usage=Usage(input_tokens=1))]


async def test_who_asks_is_in_the_configuration() -> None:
    seen: dict[str, Any] = {}

    def look(question: str, config: dict[str, Any]) -> str:
        seen.update(config)
        return question

    from langchain_core.runnables import RunnableConfig

    look.__annotations__["config"] = RunnableConfig
    await told(RunnableLambda(look))
    assert seen["configurable"] == {
        "thread_id": "s-1",
        "session_id": "s-1",
        "user_id": "u-1",
        "frontdesk": {"locale": "en"},
    }
    assert seen["recursion_limit"] == 50


async def test_other_results_are_a_fault() -> None:
    (error,) = await told(RunnableLambda(lambda _: 7))
    assert error.code == "AGENT_FAILED"
