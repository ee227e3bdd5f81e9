import assert from "node:assert/strict";
import test, { beforeEach } from "node:test";

import { Session, titleOf } from "../../conversations/static/conversations/js/session.js";
import { RUN, delegationStarted, delta, messageStarted, question, runFinished, started } from "./support.mjs";

const CONVERSATION = { id: "c1", title: "", agent: null };
const hello = (state = {}, conversation = CONVERSATION) =>
  ({ type: "hello", conversation, state: { messages: [], run: null, runs: [], ...state } });
const underWay = () => {
  const { trace_id, at } = started();
  return { id: RUN, status: "running", seq: 1, trace_id, message_id: "q1", delegations: [], answer_id: null, started_at: at };
};

function setup({ create = async () => CONVERSATION } = {}) {
  const seen = { sent: [], urls: [], refused: [], created: [], pinned: [] };
  const socket = {
    isOpen: true,
    connect: (url) => seen.urls.push(url),
    close: () => seen.urls.push(null),
    send(frame) {
      if (this.isOpen) seen.sent.push(frame);
      return this.isOpen;
    },
  };
  const session = new Session({
    socket,
    api: { createConversation: create, pinAgent: async (id, agent) => seen.pinned.push([id, agent]) },
    socketUrl: (id) => `/ws/chat/${id}/`,
    changed: () => {},
    heard: () => {},
    created: (conversation) => seen.created.push(conversation.id),
    refused: (refusal) => seen.refused.push(refusal),
  });
  return { session, socket, seen };
}

beforeEach(() => {
  const kept = new Map();
  globalThis.sessionStorage = {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => kept.set(key, value),
    removeItem: (key) => kept.delete(key),
  };
});

async function asked() {
  const all = setup();
  all.session.show("c1");
  all.session.hear(hello());
  await all.session.send("P0171?", "");
  return { ...all, start: all.seen.sent[0] };
}

const confirmed = (start) => started({ message: question("q1", { client_id: start.client_id }) });

test("the first message makes the conversation, then opens its socket, then starts the run", async () => {
  const { session, socket, seen } = setup();
  session.show(null);
  socket.isOpen = false;
  await session.send("P0171?", "diagnosis_agent");
  assert.deepEqual(seen.created, ["c1"]);
  assert.equal(seen.urls.at(-1), "/ws/chat/c1/");
  assert.deepEqual(seen.sent, []);
  socket.isOpen = true;
  session.hear(hello());
  const [{ client_id: clientId, ...start }] = seen.sent;
  assert.deepEqual(start, { type: "run.start", input: "P0171?", agent: "diagnosis_agent" });
  assert.match(clientId, /^[0-9a-f-]{36}$/);
  assert.equal(session.busy, true);
});

test("a start whose socket dropped is sent again with the same client id", async () => {
  const { session, seen, start } = await asked();
  session.hear(hello());
  assert.deepEqual(seen.sent, [start, start]);
  session.hear(confirmed(start));
  session.hear(hello({ messages: [question("q1", { client_id: start.client_id })], run: underWay() }));
  assert.equal(seen.sent.length, 2);
  assert.equal(session.pending, null);
});

test("a refused message comes back with its text", async () => {
  const { session, seen, start } = await asked();
  session.hear({ type: "error", code: "CONVERSATION_LOCKED", message: "busy", client_id: start.client_id });
  assert.deepEqual(seen.refused, [{ code: "CONVERSATION_LOCKED", message: "busy", text: "P0171?" }]);
  assert.equal(session.busy, false);
});

test("a conversation that cannot be made gives the text back", async () => {
  const { session, seen } = setup({ create: async () => { throw Object.assign(new Error("off"), { code: "OFFLINE" }); } });
  session.show(null);
  await session.send("P0171?", "");
  assert.deepEqual(seen.refused, [{ code: "OFFLINE", message: "off", text: "P0171?" }]);
  assert.equal(session.busy, false);
});

test("a socket that is refused gives the text back", async () => {
  const { session, seen } = await asked();
  session.drop();
  assert.deepEqual(seen.refused, [{ code: null, message: null, text: "P0171?" }]);
  assert.equal(session.busy, false);
});

test("nothing is sent while a run is under way", async () => {
  const { session, seen } = setup();
  session.show("c1");
  session.hear(hello({ messages: [question()], run: underWay() }));
  assert.equal(await session.send("more", ""), false);
  assert.deepEqual(seen.sent, []);
});

test("stop before the run is known cancels it as soon as it is", async () => {
  const { session, seen, start } = await asked();
  session.stop();
  assert.equal(seen.sent.length, 1);
  session.hear(confirmed(start));
  assert.deepEqual(seen.sent[1], { type: "run.cancel", run: RUN });
  session.hear(runFinished(2, { status: "cancelled" }));
  assert.equal(session.stopping, false);
  assert.equal(session.busy, false);
});

test("stop while the socket is away is said when it is back", async () => {
  const { session, socket, seen, start } = await asked();
  session.hear(confirmed(start));
  socket.isOpen = false;
  session.stop();
  socket.isOpen = true;
  session.hear(hello({ messages: [question()], run: underWay() }));
  assert.deepEqual(seen.sent.at(-1), { type: "run.cancel", run: RUN });
});

test("after a gap the run is followed again from its last event", async () => {
  const { session, seen, start } = await asked();
  session.hear(confirmed(start));
  session.hear(messageStarted(3));
  session.hear(messageStarted(4));
  assert.deepEqual(seen.sent.slice(1), [{ type: "run.follow", run: RUN, after: 1 }]);
  for (const event of [delegationStarted(2), messageStarted(3), delta(0, "lean")]) session.hear(event);
  assert.equal(session.state.messages[1].content, "lean");
});

test("a page left before its message arrived gives the text back, once", async () => {
  await asked();
  const { session, seen } = setup();
  session.show("c1");
  session.hear(hello());
  session.hear(hello());
  assert.deepEqual(seen.refused.map(({ text }) => text), ["P0171?"]);
});

test("a page left after its message arrived does not", async () => {
  const { start } = await asked();
  const { session, seen } = setup();
  session.show("c1");
  session.hear(hello({ messages: [question("q1", { client_id: start.client_id })], run: underWay() }));
  assert.deepEqual(seen.refused, []);
});

test("an agent is chosen for the conversation before the next message goes out", async () => {
  const { session, seen } = setup();
  session.show("c1");
  session.hear(hello());
  session.pin("knowledge_agent");
  await session.send("where?", "knowledge_agent");
  assert.deepEqual(seen.pinned, [["c1", "knowledge_agent"]]);
  assert.equal(seen.sent[0].agent, "knowledge_agent");
});

test("a title is the first line, cut at whole characters", () => {
  assert.equal(titleOf("  one\ntwo"), "one");
  assert.equal(titleOf("🔧".repeat(80)), `${"🔧".repeat(60)}…`);
});
