// Where plans fail and by what, which conditions they ignore, and which names they invent.

const AREAS = {
  right: "#009E73",
  "not optimal": "#8fd6bf",
  inexact: "#56B4E9",
  "goal missed": "#0072B2",
  missing_step: "#F0E442",
  wrong_order: "#E69F00",
  additional_step: "#f7dfa6",
  affordance: "#CC79A7",
  argument: "#e6c3d5",
  hallucination: "#D55E00",
  unreadable: "#8a8f98",
  missing: "#ffffff",
  "not judged": "#d5d8dd",
};
const OTHER_AREA = "#000000";

function startFaults() {
  const box = section("faults", "Faults");
  box.append(
    el("p", {
      text:
        "What became of each answer, counted once: a plan by its first fault. " +
        "Below, which share of all answers had failed by which step.",
    }),
  );
  const task = choice("Task", [["", "all tasks"], ...tasks()], { change: show });
  const domain = domainChoice(show);
  const place = el("div", { class: "panels large" });
  box.append(controls(task.box, domain?.box), place);
  startMistakes(box, domain);
  show();

  function show() {
    const found = owned(data.content.faults, domain?.select.value ?? "");
    const columns = (found?.columns ?? []).filter(
      (column) => !task.select.value || taskOf(column) === task.select.value,
    );
    replaced(
      place,
      columns.flatMap((column) => [
        bars(
          column,
          found.bars.filter((bar) => bar.column === column),
        ),
        steps(
          column,
          found.failing.filter((each) => each.column === column),
        ),
      ]),
    );
  }
}

function bars(column, found) {
  const rows = found.flatMap((bar) =>
    Object.entries(bar.outcomes).map(([outcome, n]) => ({
      model: visible(bar.row),
      number: modelNumber(bar.row),
      outcome: said(outcome),
      key: outcome,
      n,
      share: n / bar.n,
      place: outcomeOrder(outcome),
    })),
  );
  const outcomes = [...new Set(rows.map((row) => row.key))].sort(
    (one, other) => outcomeOrder(one) - outcomeOrder(other),
  );
  const title = shortTask(taskOf(column));
  return figure(
    `${title}: what became of the answers`,
    `what became of the answers to ${title}, a bar for each model`,
    () => ({
      width: 330,
      height: { step: 22 },
      params: modelParams(),
      data: { values: rows },
      mark: { type: "bar", stroke: ink(), strokeWidth: 0.4 },
      encoding: {
        y: {
          field: "number",
          type: "ordinal",
          title: null,
          axis: { labelExpr: MODEL_NAME },
        },
        x: {
          field: "share",
          type: "quantitative",
          title: "answers",
          stack: "zero",
          scale: { domain: [0, 1] },
          axis: { format: ".0%", tickCount: 5 },
        },
        order: { field: "place", type: "quantitative" },
        color: {
          field: "outcome",
          type: "nominal",
          title: null,
          legend: { columns: 3 },
          scale: {
            domain: outcomes.map(said),
            range: outcomes.map((each) => owned(AREAS, each) ?? OTHER_AREA),
          },
        },
      },
    }),
    {
      caption: `What became of the answers to ${title}`,
      columns: [
        { title: "model", header: true, by: (row) => row.model, cell: (row) => row.model },
        { title: "outcome", by: (row) => row.place, cell: (row) => row.outcome },
        { title: "answers", number: true, by: (row) => row.n, cell: (row) => count(row.n) },
        { title: "share", number: true, by: (row) => row.share, cell: (row) => percent(row.share) },
      ],
      rows,
    },
  );
}

function outcomeOrder(outcome) {
  const place = data.content.outcomes.indexOf(outcome);
  return place < 0 ? data.content.outcomes.length : place;
}

function steps(column, found) {
  if (!found.length) return null;
  const last = Math.max(1, ...found.map((each) => each.steps.at(-1) - 1));
  const points = found.flatMap((each) => {
    const [model, number] = [visible(each.row), modelNumber(each.row)];
    // The numbers are those of a figure that counts from 1; here steps count from 0.
    const own = each.steps.map((step, place) => ({
      model,
      number,
      step: step - 1,
      share: each.share[place],
    }));
    const first = each.steps[0] > 1 ? [{ model, number, step: 0, share: 0 }] : [];
    const end = { model, number, step: last, share: each.share.at(-1), end: true };
    return [...first, ...own, end];
  });
  const title = shortTask(taskOf(column));
  return figure(
    `${title}: the first fault so far`,
    `share of the answers to ${title} that had failed by each step, a line for each model`,
    () => ({
      width: 340,
      height: 180,
      params: modelParams(),
      data: { values: points },
      mark: { type: "line", interpolate: "step-after" },
      encoding: {
        x: {
          field: "step",
          type: "quantitative",
          scale: { domain: [0, last], nice: false },
          axis: { values: wholeNumbers(last), format: "d" },
        },
        y: {
          field: "share",
          type: "quantitative",
          title: "answers that failed",
          scale: { domain: [0, 1] },
          axis: { format: ".0%", tickCount: 5 },
        },
        color: byModel(points, hues()),
        strokeDash: byModel(points, DASHES),
      },
    }),
    {
      caption: `Share of the answers to ${title} that had failed by each step`,
      columns: [
        { title: "model", header: true, by: (row) => row.model, cell: (row) => row.model },
        { title: "step", number: true, by: (row) => row.step, cell: (row) => count(row.step) },
        {
          title: "failed so far",
          number: true,
          by: (row) => row.share,
          cell: (row) => percent(row.share),
        },
      ],
      rows: points.filter((point) => !point.end),
    },
  );
}

/** Return some whole numbers from 0 to the last. */
function wholeNumbers(last) {
  const step = Math.max(1, Math.ceil(last / 10));
  return Array.from({ length: Math.floor(last / step) + 1 }, (_, place) => place * step);
}

/** Show which conditions fail and which names do not exist, for one model or all. */
function startMistakes(box, domain) {
  const { mistakes } = data.content;
  if (!mistakes) return; // plans are executed only when they are looked at
  const plans = Object.values(mistakes.plans).reduce((sum, n) => sum + n, 0);
  if (!plans) {
    box.append(
      el("p", {
        class: "quiet",
        text:
          "Which conditions fail is not told: there are no plans, " +
          "or their suite is not at hand.",
      }),
    );
    return;
  }
  box.append(
    el("h3", { text: "Unmet conditions, and names that do not exist" }),
    el("p", {
      text:
        `Counted in what this page holds of plans and episodes, ${count(plans)} in all: what the ` +
        "first step that failed needed in vain (of episodes, which go on, each that failed), " +
        "and which actions and objects were made up.",
    }),
  );
  const model = choice("Model", [["", "all models"], ...models()], { change: show });
  const place = el("div", { class: "panels large" });
  box.append(controls(model.box), place);
  domain?.select.addEventListener("change", show);
  show();

  function show() {
    const fits = (row) =>
      (!model.select.value || row.model === model.select.value) &&
      (!domain?.select.value || row.domain === domain.select.value);
    place.replaceChildren(
      unmetTable(summed(mistakes.unmet.filter(fits), (row) => [row.action, row.condition])),
      nameTable(
        "Actions that do not exist",
        summed(mistakes.actions.filter(fits), (row) => [row.name]),
      ),
      nameTable(
        "Objects that do not exist",
        summed(mistakes.objects.filter(fits), (row) => [row.name]),
      ),
    );
  }
}

/** Return rows with the same key as one, their counts added up, the largest first. */
function summed(rows, key) {
  const found = new Map();
  for (const row of rows) {
    const at = JSON.stringify(key(row));
    const sum = found.get(at) ?? { ...row, n: 0, destroyed: 0 };
    sum.n += row.n;
    if (row.lost) sum.destroyed += row.n;
    found.set(at, sum);
  }
  return [...found.values()].sort((one, other) => other.n - one.n).slice(0, 50);
}

function unmetTable(rows) {
  if (!rows.length) return el("p", { class: "quiet", text: "No condition failed." });
  return table(
    "Conditions that failing steps needed in vain",
    [
      { title: "action", header: true, by: (row) => row.action, cell: (row) => code(row.action) },
      { title: "needs", by: (row) => row.condition, cell: (row) => code(row.condition) },
      { title: "plans", number: true, by: (row) => row.n, cell: (row) => count(row.n) },
      {
        title: "of these, held before",
        number: true,
        by: (row) => row.destroyed,
        cell: (row) => count(row.destroyed),
      },
    ],
    rows,
  );
}

function nameTable(caption, rows) {
  if (!rows.length) return el("p", { class: "quiet", text: `${caption}: none.` });
  return table(
    caption,
    [
      { title: "name", header: true, by: (row) => row.name, cell: (row) => code(row.name) },
      { title: "plans", number: true, by: (row) => row.n, cell: (row) => count(row.n) },
    ],
    rows,
  );
}

/** Return text in the letters of a program. */
function code(text) {
  return el("code", {}, name(text));
}
