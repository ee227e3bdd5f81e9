"""A chat model that streams what it is told, the way providers do."""

from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from pydantic import BaseModel, Field, PrivateAttr


class Turn(BaseModel):
    """One answer: words streamed one by one, then tool calls in pieces, then what it cost."""

    words: list[str] = Field(default_factory=list)
    calls: list[tuple[str, dict[str, Any]]] = Field(default_factory=list)
    input_tokens: int = 0
    output_tokens: int = 0


class ScriptedModel(BaseChatModel):
    """Answers its `turns` in order and keeps what it was `asked`."""

    turns: list[Turn]
    _asked: list[list[BaseMessage]] = PrivateAttr(default_factory=list)

    @property
    def asked(self) -> list[list[BaseMessage]]:
        return self._asked

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Runnable[Any, AIMessage]:
        return self

    def _chunks(self, messages: list[BaseMessage]) -> Iterator[AIMessageChunk]:
        turn = self.turns[len(self._asked)]
        self._asked.append(messages)
        for word in turn.words:
            yield AIMessageChunk(word)
        for index, (name, arguments) in enumerate(turn.calls):
            written = str(arguments).replace("'", '"')
            middle = len(written) // 2
            first = tool_call_chunk(name=name, args=written[:middle], id=f"{id(turn)}-{index}", index=index)
            rest = tool_call_chunk(args=written[middle:], index=index)
            yield AIMessageChunk("", tool_call_chunks=[first])
            yield AIMessageChunk("", tool_call_chunks=[rest])
        total = turn.input_tokens + turn.output_tokens
        yield AIMessageChunk(
            "",
            usage_metadata={
                "input_tokens": turn.input_tokens,
                "output_tokens": turn.output_tokens,
                "total_tokens": total,
            },
        )

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        for message in self._chunks(messages):
            chunk = ChatGenerationChunk(message=message)
            if run_manager:
                await run_manager.on_llm_new_token(message.text, chunk=chunk)
            yield chunk

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        whole = AIMessageChunk("")
        for chunk in self._chunks(messages):
            whole = whole + chunk
        return ChatResult(generations=[ChatGeneration(message=whole)])
