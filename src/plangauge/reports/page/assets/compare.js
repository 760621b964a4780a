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
        "Both on the questions that both were asked, as plangauge compare-runs compares them. " +
        "Intervals and p are those of the mean difference, clustered by problem; Holm is p " +
        "adjusted for all tasks of these two, not for several pairs that one looks at.",
    }),
  );
  const [first] = data.content.shared; // those that share most
  if (!first) {
    box.append(el("p", { text: "No two models were asked the same question." }));
    return;
  }
  const one = choice("One", models(), { change: show });
  const other = choice("Other", models(), { change: show });
  one.select.value = first.one;
  other.select.value = first.other;
  const task = choice("Problem by problem", [], { change: showPoints });
  const place = el("div");
  const points = el("div");
  box.append(controls(one.box, other.box), place, controls(task.box), points);
  show();

  async function show() {
    const wanted = (place.wanted = {});
    const shared = sharedTasks(one.select.value, other.select.value);
    offer(shared);
    showPoints();
    if (!Object.keys(shared).length) {
      place.replaceChildren(el("p", { text: nothingShared(one.select.value, other.select.value) }));
      return;
    }
    place.replaceChildren(el("p", { text: "…" }));
    const rows = await comparisonOf(one.select.value, other.select.value);
    if (place.wanted !== wanted) return;
    place.replaceChildren(
      ...(rows.length
        ? [verdicts(rows), pairTable(rows)]
        : [
            el("p", {
              class: "quiet",
              text: "These two are not compared in this page: see plangauge compare-runs.",
            }),
          ]),
    );
  }

  /** Offer the tasks that both were asked. */
  function offer(shared) {
    const { value } = task.select;
    const options = tasks().filter(([each]) => Object.hasOwn(shared, each));
    task.select.replaceChildren(
      ...options.map(([each, text]) =>
        el("option", { value: each, text: `${text} (${questions(shared[each])})` }),
      ),
    );
    if (Object.hasOwn(shared, value)) task.select.value = value;
    task.box.hidden = !options.length;
  }

  async function showPoints() {
    const wanted = (points.wanted = {});
    if (task.box.hidden) {
      replaced(points);
      return;
    }
    const chosen = [one.select.value, other.select.value, task.select.value];
    const found = await matched(...chosen, 100);
    if (points.wanted === wanted) replaced(points, pointsOf(...chosen, found));
  }
}

/** Return how many questions of which tasks two models were both asked. */
function sharedTasks(one, other) {
  const both = new Set([one, other]);
  if (both.size < 2) return {};
  const found = data.content.shared.find((pair) => both.has(pair.one) && both.has(pair.other));
  return found?.tasks ?? {};
}

function questions(times) {
  return times === 1 ? "1 question" : `${count(times)} questions`;
}

function nothingShared(one, other) {
  return one === other
    ? "Choose two different models."
    : visible(`${one} and ${other} were asked no question in common: nothing can be compared.`);
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
    ahead: pair.behind,
    behind: pair.ahead,
    mean_one: pair.mean_other,
    mean_other: pair.mean_one,
    difference: -pair.difference,
    low: minus(pair.high),
    high: minus(pair.low),
  };
}

/** Return in words what can be said about two models: the verdicts name both of them. */
function verdicts(rows) {
  return el(
    "ul",
    { class: "verdicts" },
    rows.map((row) =>
      el(
        "li",
        {},
        el("strong", { text: shortTask(row.task) }),
        ` (${row.label}): `,
        name(row.verdict),
        row.caveats.length
          ? el("span", { class: "quiet" }, "; ", name(row.caveats.join("; ")))
          : null,
      ),
    ),
  );
}

function pairTable(rows) {
  const { one, other } = rows[0];
  const signed = (value) => `${value > 0 ? "+" : ""}${score(value)}`;
  return table(
    `${visible(one)} and ${visible(other)} on what both answered`,
    [
      { title: "task", header: true, by: (row) => row.task, cell: (row) => shortTask(row.task) },
      { title: "score", cell: (row) => row.label },
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
        by: (row) => row.ahead,
        cell: (row) => count(row.ahead),
      },
      { title: "same", number: true, by: (row) => row.same, cell: (row) => count(row.same) },
      {
        title: "other better",
        number: true,
        by: (row) => row.behind,
        cell: (row) => count(row.behind),
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
        title: "95% interval",
        number: true,
        cell: (row) => (row.low === null ? "–" : `[${signed(row.low)}, ${signed(row.high)}]`),
      },
      { title: "p", number: true, by: (row) => row.p, cell: (row) => chance(row.p) },
      { title: "Holm", number: true, by: (row) => row.holm, cell: (row) => chance(row.holm) },
      { title: "test", cell: (row) => row.test },
    ],
    rows,
  );
}

function chance(p) {
  return p < 0.001 ? "<0.001" : p.toFixed(3);
}

/** Return the questions that both models answered, as points and as a list. */
function pointsOf(one, other, task, { total, score: scored, points, apart }) {
  if (!total) {
    return el("p", {
      class: "quiet",
      text: "The responses in this page have no such question of both.",
    });
  }
  const measured = data.content.scores[scored];
  const [low, high] = measured.bounds;
  const most = Math.max(...points.map((point) => point.n));
  const label =
    `${measured.label} of ${one} (across) and ${other} (up) on ${count(total)} ` +
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
        data: { values: points },
        mark: { type: "circle", opacity: 0.75, color: hues()[0] },
        encoding: {
          x: {
            field: "x",
            type: "quantitative",
            title: `one: ${visible(one)}`,
            scale: { domain: [low, high] },
            axis: { tickCount: 5, labelFlush: false },
          },
          y: {
            field: "y",
            type: "quantitative",
            title: `other: ${visible(other)}`,
            scale: { domain: [low, high] },
            axis: { tickCount: 5 },
          },
          size: {
            field: "n",
            type: "quantitative",
            title: "questions",
            scale: { domain: [1, most], range: [20, Math.max(20, Math.min(500, 20 * most))] },
            legend: most > 1 ? { values: [1, most], format: "d" } : null,
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
  return el("div", { class: "panels large points" }, chart, list);
}

function scoreLink(response, value) {
  return el("a", {
    href: response.href,
    "aria-label": visible(
      `${score(value)}: the response of ${response.model} to ${response.sample.id}`,
    ),
    text: score(value),
  });
}
