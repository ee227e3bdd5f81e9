import assert from "node:assert/strict";
import test from "node:test";

import { EMPTY, fromSnapshot, isUnderWay, leavesGap, reduce } from "../../conversations/static/conversations/js/reducer.js";
import { countPoints, dropPoints } from "../../conversations/static/conversations/js/text.js";
import { RUN, delegationFinished, delegationStarted, delta, event, messageStarted, question, runFinished, started, story }
  from "./support.mjs";

const play = (events, state = EMPTY) => events.reduce(reduce, state);
const shape = ({ messages, run, runs }) => JSON.parse(JSON.stringify({ messages, run, runs }));

test("a run's events make its message, its delegation and its end", () => {
  const { messages, run } = play(story());
  assert.equal(messages[1].content, "混合气🔧 lean");
  assert.equal(messages[1].status, "complete");
  assert.equal(run.answer_id, "a1");
  assert.equal(run.route.tier, "keyword");
  assert.deepEqual(run.delegations.map(({ status, result }) => [status, result]), [["completed", "混合气🔧 lean"]]);
  assert.equal(run.seq, 7);
  assert.equal(isUnderWay(run), false);
});

test("each event twice, and all of them again, changes nothing", () => {
  const events = story();
  const once = play(events);
  assert.deepEqual(shape(play(events.flatMap((one) => [one, one]))), shape(once));
  assert.equal(play(events, once), once);
});

test("a snapshot taken anywhere, then everything again, ends the same", () => {
  const events = story();
  const whole = shape(play(events));
  for (let cut = 1; cut <= events.length; cut += 1) {
    const snapshot = fromSnapshot(shape(play(events.slice(0, cut))));
    assert.deepEqual(shape(play(events, snapshot)), whole, `cut after ${cut}`);
  }
});

test("a delta that overlaps adds only what is new, counted in code points", () => {
  const open = play([started(), delegationStarted(2), messageStarted(3), delta(0, "a🔧b")]);
  assert.equal(reduce(open, delta(1, "🔧bc")).messages[1].content, "a🔧bc");
  assert.equal(reduce(open, delta(0, "a🔧b🚗d")).messages[1].content, "a🔧b🚗d");
  assert.equal(reduce(open, delta(0, "a🔧")), open);
  assert.equal(reduce(open, delta(3, "!")).messages[1].content, "a🔧b!");
});

test("an event after a gap is recognised, and not applied by who asks first", () => {
  const open = play([started(), delegationStarted(2), messageStarted(3), delta(0, "abc")]);
  assert.equal(leavesGap(open, delta(4, "x")), true);
  assert.equal(leavesGap(open, delta(3, "x")), false);
  assert.equal(reduce(open, delta(4, "x")), open);
  assert.equal(leavesGap(open, delegationFinished(5)), true);
  assert.equal(leavesGap(open, delegationFinished(4)), false);
  assert.equal(leavesGap(open, delegationFinished(3)), false);
});

test("events of a run that is not the latest are dropped", () => {
  const state = play(story());
  assert.equal(reduce(state, { ...delta(0, "zzz"), run: "other" }), state);
  assert.equal(reduce(state, { ...runFinished(9), run: "other" }), state);
});

test("a second run moves the first to the earlier ones, and its log stays", () => {
  const first = play(story());
  const second = started({ run: "r2", message_id: "q2", message: question("q2", { run: "r2" }) });
  const state = reduce(first, second);
  assert.deepEqual(state.runs.map(({ id, delegations }) => [id, delegations.length]), [[RUN, 1]]);
  assert.equal(state.run.id, "r2");
  assert.equal(state.messages.length, 3);
  assert.equal(reduce(state, started()), state, "the first run's start, again");
});

test("a retry does not repeat the person's message", () => {
  const state = reduce(play(story()), started({ run: "r2", retry_of: RUN }));
  assert.equal(state.messages.filter(({ role }) => role === "user").length, 1);
  assert.equal(state.run.retry_of, RUN);
});

test("side by side, each delegation's own text grows", () => {
  const own = (id, offset, text) => ({ type: "delegation.delta", run: RUN, delegation_id: id, offset, text });
  const state = play([started(), delegationStarted(2), delegationStarted(3, "d2"), own("d2", 0, "two"), own("d1", 0, "one"),
    own("d2", 3, "!")]);
  assert.deepEqual(state.run.delegations.map(({ result }) => result), ["one", "two!"]);
});

test("nothing that was there is changed in place", () => {
  const freeze = (value) => {
    if (value && typeof value === "object") Object.values(Object.freeze(value)).forEach(freeze);
    return value;
  };
  assert.doesNotThrow(() => story().reduce((state, one) => freeze(reduce(state, one)), EMPTY));
});

test("an event of a kind that this page does not know moves only the sequence", () => {
  const state = reduce(play([started()]), event("approval.requested", 2, { approval_id: "x" }));
  assert.equal(state.run.seq, 2);
});

test("a delta costs what it brings, however long the text is", () => {
  let state = play([started(), delegationStarted(2), messageStarted(3)]);
  const text = "车".repeat(50);
  const began = performance.now();
  for (let n = 0; n < 20_000; n += 1) state = reduce(state, delta(n * 50, text));
  assert.equal(state.points.a1, 1_000_000);
  assert.ok(performance.now() - began < 2_000);
});

test("code points are counted and dropped over pairs", () => {
  assert.equal(countPoints("a🔧b🚗"), 4);
  assert.equal(countPoints(""), 0);
  assert.equal(dropPoints("a🔧b🚗", 2), "b🚗");
  assert.equal(dropPoints("🔧", 1), "");
  assert.equal(dropPoints("abc", 0), "abc");
});
