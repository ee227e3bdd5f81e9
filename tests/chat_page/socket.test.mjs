import assert from "node:assert/strict";
import test from "node:test";

import { ChatSocket, pause } from "../../conversations/static/conversations/js/socket.js";

class FakeSocket extends EventTarget {
  readyState = 1;
  sent = [];
  closed = false;

  constructor(url) {
    super();
    this.url = url;
  }

  send(text) {
    this.sent.push(JSON.parse(text));
  }

  close() {
    this.closed = true;
  }

  says(frame) {
    this.dispatchEvent(Object.assign(new Event("message"), { data: JSON.stringify(frame) }));
  }

  drops(code) {
    this.dispatchEvent(Object.assign(new Event("close"), { code }));
  }
}

function setup(t) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const opened = [];
  const frames = [];
  const statuses = [];
  const socket = new ChatSocket({
    onFrame: (frame) => frames.push(frame),
    onStatus: (status, code) => statuses.push(code ? [status, code] : status),
    open: (url) => opened[opened.push(new FakeSocket(url)) - 1],
  });
  return { socket, opened, frames, statuses, tick: (ms) => t.mock.timers.tick(ms) };
}

test("it is open once the server has said hello, and not before", (t) => {
  const { socket, opened, statuses } = setup(t);
  socket.connect("/a");
  assert.equal(socket.send({ type: "run.start" }), false);
  opened[0].says({ type: "hello" });
  assert.equal(socket.send({ type: "run.start" }), true);
  assert.deepEqual(opened[0].sent, [{ type: "run.start" }]);
  assert.deepEqual(statuses, ["connecting", "open"]);
});

test("a lost connection comes back by itself, later each time", (t) => {
  const { socket, opened, tick } = setup(t);
  socket.connect("/a");
  opened[0].drops(1006);
  tick(400);
  assert.equal(opened.length, 2);
  opened[1].drops(1006);
  tick(399);
  assert.equal(opened.length, 2);
  tick(401);
  assert.equal(opened.length, 3);
});

test("a hurry does not wait for the pause", (t) => {
  const { socket, opened } = setup(t);
  socket.connect("/a");
  opened[0].drops(1006);
  socket.hurry();
  socket.hurry();
  assert.equal(opened.length, 2);
});

test("refused is final", (t) => {
  for (const code of [4403, 4404]) {
    const { socket, opened, statuses, tick } = setup(t);
    socket.connect("/a");
    opened[0].drops(code);
    tick(60_000);
    socket.hurry();
    assert.equal(opened.length, 1);
    assert.deepEqual(statuses.at(-1), ["refused", code]);
    t.mock.timers.reset();
  }
});

test("another conversation closes the first, whose late frames go nowhere", (t) => {
  const { socket, opened, frames, tick } = setup(t);
  socket.connect("/a");
  socket.connect("/b");
  assert.equal(opened[0].closed, true);
  opened[0].says({ type: "hello", from: "a" });
  opened[0].drops(1000);
  tick(60_000);
  opened[1].says({ type: "hello", from: "b" });
  assert.deepEqual(frames, [{ type: "hello", from: "b" }]);
  assert.equal(opened.length, 2);
});

test("pauses grow to a ceiling, and are random above their half", () => {
  assert.equal(pause(0, () => 0), 200);
  assert.equal(pause(0, () => 1), 400);
  assert.equal(pause(3, () => 1), 3200);
  assert.equal(pause(40, () => 1), 15_000);
});
