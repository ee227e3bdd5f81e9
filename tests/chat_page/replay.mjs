// Reads `[snapshot or null, [event, …]]` as JSON, writes what the page's reducer makes of it.

import { EMPTY, fromSnapshot, reduce } from "../../conversations/static/conversations/js/reducer.js";

let text = "";
for await (const chunk of process.stdin) text += chunk;
const [snapshot, events] = JSON.parse(text);
const { messages, run, runs } = events.reduce(reduce, snapshot ? fromSnapshot(snapshot) : EMPTY);
process.stdout.write(JSON.stringify({ messages, run, runs }));
