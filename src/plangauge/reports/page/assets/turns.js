// An episode turn by turn: what was said, what came of it, and what was told in answer.

/** Return the turns as a table, the mistakes marked; null for what is no episode. */
function turnsBox({ run, notes }) {
  if (!run?.turns) return null;
  const rows = run.turns.map((turn, number) => ({ ...turn, number }));
  const wrong = rows.filter(({ mistake }) => mistake).length;
  const more = run.n_turns - rows.length;
  return el(
    "section",
    {},
    el("h2", { class: "h3", text: "Turn by turn" }),
    el("p", {
      text: `${count(run.n_turns)} ${run.n_turns === 1 ? "turn" : "turns"}; ${
        wrong ? `mistakes in ${count(wrong)} of them` : "no mistake"
      }${more > 0 ? `; ${count(more)} more are not shown` : ""}.`,
    }),
    notes.as_told === false
      ? el("p", {
          class: "bad",
          text:
            "For some turns, the transcript records another result. What counts, and is shown " +
            "here, is the result of playing them again.",
        })
      : null,
    el(
      "details",
      {},
      el("summary", { text: "What the model was told at the start" }),
      el("div", { class: "quoted" }, quoted(run.opening)),
    ),
    table(
      "What the model said, and the reply",
      [
        { title: "turn", header: true, cell: ({ number }) => String(number + 1) },
        { title: "said", cell: ({ said: text }) => quoted(text) },
        { title: "read as", cell: readAs },
        { title: "told", cell: ({ told }) => quoted(told) },
      ],
      rows,
      { class: "turns", row: ({ mistake }) => (mistake ? "mistaken" : null) },
    ),
  );
}

function readAs({ read, acts, mistake }) {
  const item = ([action, why]) =>
    el("li", { class: why ? "missed" : "new" }, why ? "✗ " : "✓ ", code(action));
  return el(
    "div",
    {},
    said(read),
    mistake ? el("strong", { class: "bad", text: " ✗ mistake" }) : null,
    acts.length ? el("ul", { class: "terms" }, acts.map(item)) : null,
  );
}

/** Return a text in a cell, of which the middle may not be held; of a long one the beginning. */
function quoted(given) {
  const [head, lacking, tail] = Array.isArray(given) ? given : [given, 0, ""];
  if (!head) return el("span", { class: "soft", text: "(empty)" });
  const [first] = pieces(head);
  const rest = head.length - first.length;
  const left = lacking + rest;
  return el(
    "div",
    { class: "piece", dir: "auto" },
    marked(first),
    left ? el("span", { class: "soft", text: ` … ${count(left)} characters … ` }) : null,
    rest ? null : marked(tail),
  );
}
