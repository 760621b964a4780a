// Two models on the same questions.

function startCompare() {
  const box = section("compare", "Two models");
  const names = data.content.models;
  if (names.length < 2) {
    box.append(el("p", { class: "quiet", text: "There is only one model." }));
    return;
  }
  box.append(
    el("p", {
      text:
        "Both on the questions that both answered. The interval is that of the " +
        "mean difference, clustered by problem, and no test: with many comparisons, some of 95 % " +
        "intervals miss.",
    }),
  );
  const one = choice("One", models(), { change: show });
  const other = choice("Other", models(), { change: show });
  other.select.selectedIndex = 1;
  const task = choice("Problem by problem", tasks(), { change: showPoints });
  const place = el("div");
  const points = el("div");
  box.append(controls(one.box, other.box), place, controls(task.box), points);
  show();

  function show() {
    const rows = data.content.pairs
      .map((pair) => turned(pair, one.select.value, other.select.value))
      .filter(Boolean);
    place.replaceChildren(
      rows.length
        ? pairTable(rows)
        : el("p", { class: "quiet", text: "These two have no question in common." }),
    );
    showPoints();
  }

  function showPoints() {
    replaced(points, pointsOf(one.select.value, other.select.value, task.select.value));
  }
}

/** Return a pair with `one` first; null where it is about others. */
function turned(pair, one, other) {
  if (pair.one === one && pair.other === other) return pair;
  if (pair.one !== other || pair.other !== one) return null;
  const minus = (value) => (value === null ? null : -value);
  return {
    ...pair,
    one,
    other,
    better: pair.worse,
    worse: pair.better,
    mean_one: pair.mean_other,
    mean_other: pair.mean_one,
    difference: -pair.difference,
    low: minus(pair.high),
    high: minus(pair.low),
  };
}

function pairTable(rows) {
  const { one, other } = rows[0];
  const signed = (value) => `${value > 0 ? "+" : ""}${score(value)}`;
  return table(
    `${visible(one)} and ${visible(other)} on what both answered`,
    [
      { title: "task", header: true, by: (row) => row.task, cell: (row) => shortTask(row.task) },
      { title: "score", cell: (row) => data.content.scores[row.score].label },
      { title: "n", number: true, by: (row) => row.n, cell: (row) => count(row.n) },
      {
        title: "problems",
        number: true,
        by: (row) => row.problems,
        cell: (row) => count(row.problems),
      },
      {
        title: "one better",
        number: true,
        by: (row) => row.better,
        cell: (row) => count(row.better),
      },
      { title: "same", number: true, by: (row) => row.same, cell: (row) => count(row.same) },
      {
        title: "other better",
        number: true,
        by: (row) => row.worse,
        cell: (row) => count(row.worse),
      },
      {
        title: "mean of one",
        number: true,
        by: (row) => row.mean_one,
        cell: (row) => score(row.mean_one),
      },
      {
        title: "of other",
        number: true,
        by: (row) => row.mean_other,
        cell: (row) => score(row.mean_other),
      },
      {
        title: "difference",
        number: true,
        by: (row) => row.difference,
        cell: (row) => signed(row.difference),
      },
      {
        title: "95 % interval",
        number: true,
        cell: (row) => (row.low === null ? "–" : `[${signed(row.low)}, ${signed(row.high)}]`),
      },
    ],
    rows,
  );
}

/** Return the questions that both models answered, as points and as a list. */
function pointsOf(one, other, task) {
  const found = matched(one, other, task);
  if (!found.length) {
    return el("p", {
      class: "quiet",
      text: "The responses in this page have no such question of both.",
    });
  }
  const groups = new Map();
  for (const { x, y } of found) {
    const key = `${x} ${y}`;
    groups.set(key, { x, y, n: (groups.get(key)?.n ?? 0) + 1 });
  }
  const measured = data.content.scores[found[0].score];
  const [low, high] = measured.bounds;
  const label =
    `${measured.label} of ${one} (across) and ${other} (up) on ${count(found.length)} ` +
    "questions that are in this page";
  const chart = figure("", label, () => ({
    width: 300,
    height: 300,
    layer: [
      {
        data: { values: [{ x: low, y: low, x2: high, y2: high }] },
        mark: { type: "rule", color: ink(), strokeDash: [4, 4], opacity: 0.5 },
        encoding: {
          x: { field: "x", type: "quantitative" },
          y: { field: "y", type: "quantitative" },
          x2: { field: "x2" },
          y2: { field: "y2" },
        },
      },
      {
        data: { values: [...groups.values()] },
        mark: { type: "circle", opacity: 0.75, color: hues()[0] },
        encoding: {
          x: {
            field: "x",
            type: "quantitative",
            title: visible(one),
            scale: { domain: [low, high] },
          },
          y: {
            field: "y",
            type: "quantitative",
            title: visible(other),
            scale: { domain: [low, high] },
          },
          size: {
            field: "n",
            type: "quantitative",
            title: "questions",
            scale: { range: [20, 500] },
          },
        },
      },
    ],
  }));
  chart.append(
    el("p", {
      class: "quiet told",
      text:
        `${visible(label)}. Below the line the first one ` +
        `${measured.lower ? "is worse" : "is better"}.`,
    }),
  );
  const apart = [...found].sort((a, b) => Math.abs(b.x - b.y) - Math.abs(a.x - a.y)).slice(0, 100);
  const list = table(
    "Where they differ most (up to 100 questions)",
    [
      { title: "question", header: true, by: (row) => row.sample, cell: (row) => row.sample },
      { title: one, number: true, by: (row) => row.x, cell: (row) => scoreLink(row.one, row.x) },
      {
        title: other,
        number: true,
        by: (row) => row.y,
        cell: (row) => scoreLink(row.other, row.y),
      },
    ],
    apart,
    { class: "short" },
  );
  return el("div", { class: "panels large" }, chart, list);
}

function scoreLink(number, value) {
  const response = data.responses[number];
  return el("a", {
    href: response.href,
    "aria-label": visible(
      `${score(value)}: the response of ${response.model} to ${response.sample.id}`,
    ),
    text: score(value),
  });
}

/** Return the scores of two models on the same questions and epochs. */
function matched(one, other, task) {
  const found = new Map();
  data.responses.forEach((response, number) => {
    if (response.sample.task !== task || response.score === null || response.nth > 1) return;
    const key = `${response.sampleNumber} ${response.epoch}`;
    const both = found.get(key) ?? {};
    if (response.model === one) Object.assign(both, { x: response.score, one: number });
    if (response.model === other) Object.assign(both, { y: response.score, other: number });
    found.set(key, { ...both, sample: response.sample.id, score: response.primary });
  });
  return [...found.values()].filter(({ x, y }) => x !== undefined && y !== undefined);
}
