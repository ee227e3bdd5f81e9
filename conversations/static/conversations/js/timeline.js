// The order in which a conversation is shown: turn by turn, each with its run in its place.

/**
 * `[{ key, message, run, answer }]`, oldest first. `message` is the person's (null for a retry, whose
 * question is already shown above), `answer` the run's own message; a message without a known run stands alone.
 */
export function timeline({ messages, run, runs }) {
  const waiting = (run ? [...runs, run] : runs).map((item) => ({ key: item.id, run: item }));
  const byId = new Map(messages.map((message) => [message.id, message]));
  const asked = new Set(waiting.map((turn) => turn.run.message_id));
  const byAnswer = new Map(waiting.filter((turn) => turn.run.answer_id).map((turn) => [turn.run.answer_id, turn]));
  const shown = new Set();
  const turns = [];

  const showNext = () => {
    const turn = waiting.shift();
    const { message_id: question, answer_id: answer } = turn.run;
    turn.message = shown.has(question) ? null : (byId.get(question) ?? null);
    turn.answer = (answer && byId.get(answer)) ?? null;
    shown.add(question).add(answer);
    turns.push(turn);
  };

  for (const message of messages) {
    if (asked.has(message.id) || byAnswer.has(message.id)) {
      while (waiting.length && !shown.has(message.id)) showNext();
    } else {
      const side = message.role === "user" ? { message, answer: null } : { message: null, answer: message };
      turns.push({ key: message.id, run: null, ...side });
    }
  }
  while (waiting.length) showNext();
  return turns;
}
