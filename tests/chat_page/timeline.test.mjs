import assert from "node:assert/strict";
import test from "node:test";

import { timeline } from "../../conversations/static/conversations/js/timeline.js";

const user = (id) => ({ id, role: "user", content: id });
const answer = (id) => ({ id, role: "assistant", content: id });
const run = (id, message_id, answer_id = null, retry_of = null) => ({ id, message_id, answer_id, retry_of });
const brief = (state) =>
  timeline({ runs: [], run: null, ...state }).map(({ message, run: one, answer: said }) =>
    [message?.id ?? null, one?.id ?? null, said?.id ?? null]);

test("question, run and answer are one turn", () => {
  const state = { messages: [user("q1"), answer("a1"), user("q2")], runs: [run("r1", "q1", "a1")], run: run("r2", "q2") };
  assert.deepEqual(brief(state), [["q1", "r1", "a1"], ["q2", "r2", null]]);
});

test("a retry follows its question without repeating it", () => {
  const state = { messages: [user("q1"), answer("a2")], runs: [run("r1", "q1")], run: run("r2", "q1", "a2", "r1") };
  assert.deepEqual(brief(state), [["q1", "r1", null], [null, "r2", "a2"]]);
});

test("a failed retry without an answer stands where it happened", () => {
  const state = {
    messages: [user("q1"), user("q2"), answer("a3")],
    runs: [run("r1", "q1"), run("r2", "q1", null, "r1")],
    run: run("r3", "q2", "a3"),
  };
  assert.deepEqual(brief(state), [["q1", "r1", null], [null, "r2", null], ["q2", "r3", "a3"]]);
});

test("messages whose run is not known stand alone, in their place", () => {
  const state = { messages: [user("q0"), answer("a0"), user("q1")], run: run("r1", "q1") };
  assert.deepEqual(brief(state), [["q0", null, null], [null, null, "a0"], ["q1", "r1", null]]);
});
