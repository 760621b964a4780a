// The table of models by tasks, with intervals drawn and baselines as marks.

function startOverview() {
  const box = section("overview", "Overview");
  const { overview } = data.content;
  const intro =
    "Means are of all records, with 95% intervals clustered by problem. In the column " +
    "“where it lies”, the dot is the mean, the bar its interval, and each tick a baseline of the " +
    "same score. The numbers in the column “n” lead to the responses.";
  box.append(el("p", { text: intro }));
  const domain = domainChoice(show);
  const task = choice("Task", [["", "all tasks"], ...tasks()], { change: show });
  const place = el("div");
  const remarks = overview.remarks.map((text) =>
    el(
      "p",
      { class: "remark" },
      name(text),
      ", or ",
      el("a", { href: "#compare", text: "Two models" }),
    ),
  );
  box.append(controls(task.box, domain?.box), ...remarks, place);
  const hints = [...overview.caveats, ...READING].map((text) => el("li", {}, name(text)));
  box.append(el("ul", { class: "notes reading" }, hints));
  const definitions = el(
    "details",
    {},
    el("summary", { text: "What the columns mean" }),
    el(
      "ul",
      {},
      overview.definitions.map((text) => el("li", { text })),
    ),
  );
  box.append(definitions);
  show();

  function show() {
    const chosen = overview.rows.filter((row) =>
      fits(row, domain?.select.value, task.select.value),
    );
    place.replaceChildren(
      table("Scores by model and task", columns(), chosen, {
        class: "overview",
        row: (row) => (isBaseline(row.model) ? "baseline" : null),
      }),
    );
  }

  function fits(row, domain, task) {
    const here = domain === undefined || row.domain === domain;
    return here && (!task || row.task === task);
  }

  function columns() {
    const number = new Set([
      "n",
      "problems",
      "mean",
      "right",
      "exact",
      "near",
      "far",
      "unread",
      "missing",
      "uncertain",
      "sure mean",
      "sure right",
    ]);
    const value = (heading) => (row) =>
      ({
        unread: row.unreadable,
        "sure mean": row.mean_certain,
        "sure right": row.right_certain,
        score: row.label,
        faults: null,
      })[heading] ??
      row[heading] ??
      null;
    const told = overview.headings.map((heading, at) => ({
      title: heading,
      number: number.has(heading) || heading.endsWith("interval"),
      by:
        heading === "faults"
          ? null
          : heading.endsWith("interval")
            ? (row) => (row.low === null ? null : row.high - row.low)
            : value(heading),
      cell: (row) => (heading === "n" ? responsesLink(row, row.cells[at]) : row.cells[at]),
    }));
    const at = told.findIndex((column) => column.title.endsWith("interval"));
    told.splice(at + 1, 0, { title: "where it lies (better →)", cell: lies });
    return [
      { title: "model", header: true, by: (row) => row.model, cell: modelCell },
      { title: "task", by: (row) => row.task, cell: (row) => shortTask(row.task) },
      ...told,
    ];
  }
}

/** What stands below the table, for whoever compares its columns. */
const READING = [
  "“Where it lies” has the better end at the right: of a score with ↓, where lower is better, " +
    "that is 0.",
  "“exact” can exceed “right”: a plan with the very actions of the reference has distance 0, and " +
    "fails if their order does. “right” can exceed “exact”: a valid plan may differ from the " +
    "reference.",
];

function isBaseline(model) {
  return owned(data.content.baseline_models, model) !== undefined;
}

function modelCell(row) {
  const badge = el("span", { class: "badge", text: "baseline" });
  return el("span", {}, name(row.model), isBaseline(row.model) ? [" ", badge] : null);
}

/** Return a link to the responses that a row is about. */
function responsesLink(row, number) {
  const query = new URLSearchParams({ model: row.model, task: row.task });
  if (row.domain) query.set("domain", row.domain);
  const text = `${row.model}, ${shortTask(row.task)}${row.domain ? `, ${row.domain}` : ""}`;
  return el("a", {
    href: `#responses?${query}`,
    text: number,
    "aria-label": visible(`${number} responses of ${text}`),
  });
}

/** Return the marks of baselines for a task: those that the samples state, and models that are. */
function marksFor(task, domain, measured) {
  const stated = data.content.marks
    .filter((mark) => mark.task === task && mark.domain === domain && mark.score === measured)
    .map((mark) => ({ name: mark.name.replaceAll("_", " "), value: mark.mean }));
  const rows = data.content.overview.rows.filter(
    (row) =>
      row.task === task &&
      row.domain === wholeDomain(domain) &&
      row.score === measured &&
      isBaseline(row.model),
  );
  const known = new Set(stated.map((mark) => mark.name.replaceAll(" ", "-")));
  const played = rows
    .filter((row) => !known.has(owned(data.content.baseline_models, row.model)))
    .map((row) => ({ name: row.model, value: row.mean }));
  return [...stated, ...played].filter((mark) => mark.value !== null);
}

/** Return what the rows of a domain are called: with a single one there are none for all. */
function wholeDomain(domain) {
  return domain === "" && data.content.domains.length === 1 ? data.content.domains[0] : domain;
}

/** Return a small drawing of a mean, its interval, and the baselines: the right end is better. */
function lies(row) {
  const measured = data.content.scores[row.score];
  const [worst, best] = measured.lower ? [...measured.bounds].reverse() : measured.bounds;
  const width = 120;
  const x = (value) => 6 + ((value - worst) / (best - worst)) * (width - 12);
  const marks = marksFor(
    row.task,
    row.domain && data.content.domains.length > 1 ? row.domain : "",
    row.score,
  ).filter((mark) => mark.name !== row.model);
  const told = marks.map((mark) => `${mark.name} ${score(mark.value)}`).join(", ");
  const better = measured.lower ? ", lower is better" : "";
  const label =
    `mean ${measured.label} ${score(row.mean)}${better}` +
    (told ? `; baselines of ${measured.label}: ${told}` : "");
  const drawing = svg(
    "svg",
    {
      class: "lies",
      width,
      height: 20,
      viewBox: `0 0 ${width} 20`,
      role: "img",
      "aria-label": visible(label),
    },
    svg("title", { text: visible(label) }),
    svg("line", { class: "base", x1: 6, x2: width - 6, y1: 10, y2: 10 }),
    marks.map((mark) =>
      svg("line", { class: "mark", x1: x(mark.value), x2: x(mark.value), y1: 3, y2: 17 }),
    ),
  );
  if (row.low !== null) {
    drawing.append(
      svg("line", { class: "interval", x1: x(row.low), x2: x(row.high), y1: 10, y2: 10 }),
    );
  }
  if (row.mean !== null)
    drawing.append(svg("circle", { class: "mean", cx: x(row.mean), cy: 10, r: 4 }));
  return drawing;
}
