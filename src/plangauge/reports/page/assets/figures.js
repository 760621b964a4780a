// How scores are distributed, and what they depend on.

function startDistributions() {
  const box = section("distributions", "Distributions");
  box.append(
    el("p", {
      text:
        "At the left of each panel the graded score of all answers in bins of " +
        "0.05, at the right the share of the same answers that a binary criterion accepts. The " +
        "dashed line is the mean; dotted lines are baselines.",
    }),
  );
  const side = choice(
    "Side by side",
    [
      ["model", "models, of one task"],
      ["task", "tasks, of one model"],
    ],
    {
      change: () => {
        fillOther();
        show();
      },
    },
  );
  const other = choice("", [], { change: show, "aria-label": "of which" });
  const domain = domainChoice(show);
  const place = el("div", { class: "panels" });
  box.append(controls(side.box, other.box, domain?.box), place);
  fillOther();
  show();

  function fillOther() {
    const options = side.select.value === "model" ? tasks() : models();
    other.select.replaceChildren(
      ...options.map(([value, text]) => el("option", { value, text: visible(text) })),
    );
  }

  function show() {
    const found = owned(data.content.histograms, domain?.select.value ?? "");
    const part = side.select.value === "model" ? "column" : "row";
    const panels = (found?.panels ?? []).filter((panel) =>
      sameName(panel, part, other.select.value),
    );
    const none = el("p", { class: "quiet", text: "No score of these lies between 0 and 1." });
    replaced(
      place,
      panels.map((panel) =>
        histogram(
          panel,
          found.edges,
          part === "column" ? panel.row : shortTask(taskOf(panel.column)),
          domain?.select.value ?? "",
        ),
      ),
      panels.length ? null : none,
    );
  }
}

/** Return whether a panel is about a row or a column; its title may add the score to its name. */
function sameName(panel, part, wanted) {
  return part === "row" ? panel.row === wanted : taskOf(panel.column) === wanted;
}

/** Return the task that a column is about. */
function taskOf(column) {
  return (
    data.content.tasks.find((task) => column === task) ??
    data.content.tasks.find((task) => column.startsWith(`${task} `)) ??
    column
  );
}

function histogram(panel, edges, title, domain) {
  const task = taskOf(panel.column);
  const marks = marksFor(task, domain, panel.score).filter((mark) => mark.name !== panel.row);
  const label =
    `${panel.row}, ${task}: mean ${score(panel.mean)}, right ${percent(panel.right)}, ` +
    `${panel.n} answers`;
  const bins = panel.counts.map((n, place) => ({
    low: edges[place],
    high: edges[place + 1],
    n,
    share: panel.scored ? n / panel.scored : 0,
  }));
  const made = figure(title, label, () => spec(bins, panel, marks), {
    caption: label,
    columns: [
      { title: "score from", number: true, cell: (bin) => bin.low.toFixed(2) },
      { title: "to", number: true, cell: (bin) => bin.high.toFixed(2) },
      { title: "answers", number: true, cell: (bin) => count(bin.n) },
      { title: "share", number: true, cell: (bin) => percent(bin.share) },
    ],
    rows: bins,
  });
  const lines = marks.map((mark) => `${visible(mark.name)} ${score(mark.value)}`).join(", ");
  made
    .querySelector(".chart")
    .after(
      el(
        "p",
        { class: "quiet told" },
        `${data.content.scores[panel.score].label}: mean ${score(panel.mean)}, ` +
          `right ${percent(panel.right)}, n ${count(panel.n)}` +
          (lines ? `; baselines of ${data.content.scores[panel.score].label}: ${lines}` : ""),
      ),
    );
  return made;
}

function spec(bins, panel, marks) {
  const [blue, orange] = hues();
  const percentAxis = { title: "answers", format: ".0%", tickCount: 5 };
  const scale = { domain: [0, 1], nice: false };
  const layer = [
    {
      data: { values: bins },
      mark: { type: "bar", color: blue },
      encoding: {
        x: {
          field: "low",
          type: "quantitative",
          bin: { binned: true, step: 0.05 },
          scale,
          title: null,
          axis: { values: [0, 0.25, 0.5, 0.75, 1], format: "~g", labelFlush: false },
        },
        x2: { field: "high" },
        y: { field: "share", type: "quantitative", scale, axis: percentAxis },
      },
    },
  ];
  if (panel.mean !== null) layer.push(line([panel.mean], ink(), [6, 3], 1.5));
  if (marks.length)
    layer.push(
      line(
        marks.map((mark) => mark.value),
        orange,
        [2, 2],
        1.5,
      ),
    );
  const right = panel.right ?? 0;
  const binary = {
    width: 26,
    height: 130,
    data: { values: [{ x: "right", share: right }] },
    mark: { type: "bar", color: orange, stroke: ink(), strokeWidth: 0.5 },
    encoding: {
      x: { field: "x", type: "nominal", title: null, axis: { labelAngle: 0 } },
      y: {
        field: "share",
        type: "quantitative",
        scale,
        title: null,
        axis: { labels: false, ticks: false, tickCount: 5 },
      },
    },
  };
  return { spacing: 8, hconcat: [{ width: 190, height: 130, layer }, binary] };
}

function line(values, color, strokeDash, strokeWidth) {
  return {
    data: { values: values.map((value) => ({ value })) },
    mark: { type: "rule", color, strokeDash, strokeWidth },
    encoding: { x: { field: "value", type: "quantitative" } },
  };
}

function startSizes() {
  const box = section("sizes", "Size and length");
  const { sizes } = data.content;
  if (!Object.keys(sizes).length) {
    box.append(el("p", { class: "quiet", text: "No record tells a size." }));
    return;
  }
  box.append(
    el("p", {
      text:
        "Mean scores with 95% intervals, by the size of the problem or of the question. A hollow " +
        "point rests on a single problem, so that it has no interval. Where a task has more than " +
        "12 different sizes in the chosen domains, they are grouped into 12 equal ranges.",
    }),
  );
  const size = choice(
    "By",
    Object.entries(sizes).map(([key, { label }]) => [key, label]),
    { change: show },
  );
  const task = choice("Task", [["", "all tasks"], ...tasks()], { change: show });
  const domain = domainChoice(show);
  const place = el("div", { class: "panels large" });
  box.append(controls(size.box, task.box, domain?.box), place);
  show();

  function show() {
    const found = owned(sizes[size.select.value].curves, domain?.select.value ?? "");
    const columns = (found?.columns ?? []).filter(
      (column) => !task.select.value || taskOf(column) === task.select.value,
    );
    const panels = columns
      .map((column) =>
        curves(
          column,
          found.curves.filter((curve) => curve.column === column),
          sizes[size.select.value].label,
        ),
      )
      .filter(Boolean);
    replaced(
      place,
      panels,
      panels.length
        ? null
        : el("p", { class: "quiet", text: "No record of these tells this size." }),
    );
  }
}

/** In the legend points have no outline, which would be dashed as their line is. */
const FILLED = { symbolStrokeWidth: 0 };

/** Return the layers of points: hollow are those of one problem, which have no interval. */
function pointsBy(points) {
  const layer = (values, mark) => ({
    data: { values },
    mark: { type: "point", size: 40, opacity: 1, ...mark },
    encoding: {
      y: { field: "mean", type: "quantitative" },
      shape: byModel(points, SHAPES, FILLED),
    },
  });
  const alone = points.filter((point) => point.low === null);
  const others = points.filter((point) => point.low !== null);
  return [
    ...(others.length ? [layer(others, { filled: true })] : []),
    ...(alone.length
      ? [layer(alone, { filled: false, fill: "var(--paper)", strokeWidth: 1.5 })]
      : []),
  ];
}

function curves(column, found, label) {
  if (!found.length) return null;
  const points = found.flatMap((curve) =>
    curve.points.map((point) => ({
      ...point,
      model: visible(curve.row),
      number: modelNumber(curve.row),
    })),
  );
  const measured = found[0].score;
  const told = data.content.scores[measured].label;
  return figure(
    shortTask(taskOf(column)),
    `mean ${told} by ${label}, a line for each model`,
    () => ({
      width: 340,
      height: 200,
      params: modelParams(),
      data: { values: points },
      encoding: {
        x: {
          field: "size",
          type: "quantitative",
          title: label,
          scale: { zero: false, nice: false, padding: 12 },
          axis: { tickCount: 6, tickMinStep: 1 },
        },
        color: byModel(points, hues(), FILLED),
      },
      layer: [
        {
          mark: { type: "line" },
          encoding: {
            y: {
              field: "mean",
              type: "quantitative",
              title: `mean ${told}`,
              scale: { domain: data.content.scores[measured].bounds },
            },
            strokeDash: byModel(points, DASHES, FILLED),
          },
        },
        ...(points.some((point) => point.low !== null)
          ? [
              {
                mark: { type: "rule", opacity: 0.6 },
                encoding: {
                  y: { field: "low", type: "quantitative" },
                  y2: { field: "high" },
                },
              },
            ]
          : []),
        ...pointsBy(points),
      ],
    }),
    {
      caption: `Mean ${told} by ${label}`,
      columns: [
        { title: "model", header: true, by: (point) => point.model, cell: (point) => point.model },
        {
          title: label,
          number: true,
          by: (point) => point.size,
          cell: (point) =>
            point.least === point.most ? String(point.least) : `${point.least}–${point.most}`,
        },
        { title: "n", number: true, cell: (point) => count(point.n) },
        { title: "problems", number: true, cell: (point) => count(point.problems) },
        {
          title: "mean",
          number: true,
          by: (point) => point.mean,
          cell: (point) => score(point.mean),
        },
        {
          title: "95% interval",
          number: true,
          cell: (point) =>
            point.low === null ? "–" : `[${score(point.low)}, ${score(point.high)}]`,
        },
      ],
      rows: points,
    },
  );
}
