// The list of responses: what is chosen of them, in which order, a page at a time.

const LINES = 50;

/** Make objects of the columns of the list: one for each response, with its sample. */
function readIndex() {
  const { names, samples, responses } = data.index;
  const sampleRows = rowsOf(samples).map((row) => ({
    ...row,
    task: names.tasks[row.task],
    domain: names.domains[row.domain],
    problem: names.problems[row.problem],
    system: names.systems[row.system],
  }));
  data.samples = sampleRows;
  data.byLink = new Map();
  data.responses = rowsOf(responses).map((row, number) => {
    const sample = sampleRows[row.sample];
    const made = {
      number,
      sample,
      sampleNumber: row.sample,
      place: row.place,
      epoch: row.epoch,
      nth: row.nth,
      score: row.score,
      step: row.step,
      model: names.models[row.model],
      primary: names.scores[row.primary],
      outcome: names.outcomes[row.outcome],
      status: names.statuses[row.status],
      message: names.messages[row.message],
    };
    made.link = linkOf(made);
    if (data.byLink.has(made.link)) made.link += `/suite-${sample.suite + 1}`;
    made.href = `#response=${made.link}`;
    data.byLink.set(made.link, number);
    (sample.own ??= []).push(number);
    return made;
  });
}

function rowsOf(columns) {
  const keys = Object.keys(columns);
  const length = keys.length ? columns[keys[0]].length : 0;
  return Array.from({ length }, (_, place) =>
    Object.fromEntries(keys.map((key) => [key, columns[key][place]])),
  );
}

/** Return what follows `#response=` in the address of a response, the same in every page. */
function linkOf({ sample, model, epoch, nth }) {
  const [where, who] = [sample.id, model].map((text) => encodeURIComponent(wellFormed(text)));
  return [where.replaceAll("%2F", "/"), who, epoch, ...(nth > 1 ? [nth] : [])].join("/");
}

function wellFormed(text) {
  return text.replace(/\p{Cs}/gu, (half) => `\\u${half.charCodeAt(0).toString(16)}`);
}

const list = { chosen: [], first: 0 };

function startList() {
  const box = section("responses", "Responses");
  const { records, held } = data.content;
  box.append(
    el("p", {
      text:
        held < records
          ? `This page holds ${count(held)} of the ${count(records)} responses, of every task ` +
            "and domain some. Tables and figures above are about all, whatever is chosen here."
          : `All ${count(records)} responses. Tables and figures above are about all, ` +
            "whatever is chosen here.",
    }),
  );
  const fields = filterFields(apply);
  const told = el("p", { class: "told", role: "status" });
  const place = el("div");
  const pager = el("nav", { class: "controls", "aria-label": "Pages of the list" });
  box.append(
    el(
      "form",
      {
        class: "controls filters",
        role: "search",
        "aria-label": "Choose responses",
        submit: (event) => event.preventDefault(),
      },
      fields.map(({ box: each }) => each),
      el("button", {
        type: "button",
        text: "Clear",
        click: () => {
          clear();
          apply();
        },
      }),
    ),
    told,
    pager,
    place,
  );
  let order = { title: "", up: true };
  const columns = listColumns();
  list.choose = (query) => {
    clear();
    fields.forEach(({ key, input }) => {
      if (query[key] !== undefined) input.value = query[key];
    });
    apply();
  };
  apply();

  function clear() {
    fields.forEach(({ input }) => {
      input.value = "";
    });
    fields.find(({ key }) => key === "by").input.selectedIndex = 0;
  }

  function apply() {
    const given = Object.fromEntries(fields.map(({ key, input }) => [key, input.value]));
    list.chosen = data.responses.filter(fitting(given));
    ordered();
    list.first = 0;
    show();
  }

  function ordered() {
    const column = columns.find(({ title }) => title === order.title);
    if (column)
      list.chosen.sort((one, other) => compared(column.by(one), column.by(other), order.up));
  }

  function show() {
    const { chosen, first } = list;
    const last = Math.min(first + LINES, chosen.length);
    told.textContent = chosen.length
      ? `${count(first + 1)} to ${count(last)} of ${count(chosen.length)} responses`
      : "No response fits.";
    pager.replaceChildren(
      button("first", 0, first > 0),
      button("previous", first - LINES, first > 0),
      button("next", first + LINES, last < chosen.length),
      button("last", LINES * Math.floor((chosen.length - 1) / LINES), last < chosen.length),
    );
    const heads = columns.map((column) => ({ ...column, by: undefined }));
    const made = table("Responses", heads, chosen.slice(first, last), { class: "list" });
    made.querySelectorAll("thead th").forEach((head, at) => sortable(head, columns[at]));
    place.replaceChildren(made);
  }

  function sortable(head, { title }) {
    const now = order.title === title ? (order.up ? "ascending" : "descending") : "none";
    head.setAttribute("aria-sort", now);
    head.replaceChildren(
      el("button", {
        type: "button",
        class: "sort",
        text: title,
        click: () => {
          order = { title, up: order.title === title ? !order.up : true };
          ordered();
          list.first = 0;
          show();
          [...place.querySelectorAll("button.sort")]
            .find((each) => each.textContent === title)
            ?.focus();
        },
      }),
    );
  }

  function button(text, to, possible) {
    return el("button", {
      type: "button",
      text,
      disabled: !possible,
      click: () => {
        list.first = Math.max(0, to);
        show();
        [...pager.children].find((each) => each.textContent === text && !each.disabled)?.focus();
      },
    });
  }
}

function listColumns() {
  return [
    {
      title: "question",
      header: true,
      by: (row) => row.sample.id,
      cell: (row) => el("a", { href: row.href }, name(row.sample.id)),
    },
    { title: "model", by: (row) => row.model, cell: (row) => name(row.model) },
    { title: "epoch", number: true, by: (row) => row.epoch, cell: (row) => String(row.epoch) },
    {
      title: "outcome",
      by: (row) => outcomeOrder(row.outcome),
      cell: (row) => outcomeBadge(row.outcome),
    },
    { title: "score", number: true, by: (row) => row.score, cell: (row) => score(row.score) },
    {
      title: "measured as",
      by: (row) => row.primary,
      cell: (row) => measured(row),
    },
    {
      title: "fails at step",
      number: true,
      by: (row) => row.step,
      cell: (row) => (row.step === null ? "" : String(row.step)),
    },
    { title: "reading", by: (row) => row.status, cell: (row) => row.status },
  ];
}

function outcomeBadge(outcome) {
  return el("span", {
    class: `outcome ${outcome === "right" ? "good" : "bad"}`,
    text: said(outcome),
  });
}

/** Return the fields by which responses are chosen. */
function filterFields(change) {
  const { names, sizes } = data.index;
  const known = sizes.filter((size) => data.index.samples[size]?.some((value) => value !== null));
  const select = (key, label, options) => {
    const made = choice(label, options, { change, name: key });
    return { key, box: made.box, input: made.select };
  };
  const field = (key, label, given) => {
    const input = el("input", { name: key, input: change, ...given });
    return { key, input, box: el("label", { class: "choice" }, `${label} `, input) };
  };
  const any = (all) => [["", all]];
  const all = (values) => values.map((value) => [value, said(value)]);
  return [
    select("model", "Model", [...any("all"), ...data.content.models.map((each) => [each, each])]),
    select("task", "Task", [...any("all"), ...tasks()]),
    select("domain", "Domain", [
      ...any("all"),
      ...data.content.domains.map((each) => [each, each]),
    ]),
    select("outcome", "Outcome or fault", [
      ...any("all"),
      ["wrong", "all but right"],
      ...all([...(names.outcomes ?? [])].sort((a, b) => outcomeOrder(a) - outcomeOrder(b))),
    ]),
    select("status", "Reading", [...any("all"), ...all(names.statuses ?? [])]),
    field("least", "Score from", { type: "number", step: "any" }),
    field("most", "to", { type: "number", step: "any" }),
    select(
      "by",
      "Size",
      known.map((size) => [size, data.content.sizes[size]?.label ?? size]),
    ),
    field("smallest", "from", { type: "number", step: "any" }),
    field("largest", "to", { type: "number", step: "any" }),
    field("search", "Search", { type: "search", placeholder: "question, model, fault or message" }),
  ];
}

/** Return a function that tells whether a response is one of those that are wanted. */
function fitting(given) {
  const words = given.search.toLowerCase().split(/\s+/).filter(Boolean);
  const within = (value, low, high) =>
    (low === "" || (value !== null && value >= Number(low))) &&
    (high === "" || (value !== null && value <= Number(high)));
  return (row) => {
    const { sample } = row;
    const outcome =
      !given.outcome ||
      row.outcome === given.outcome ||
      (given.outcome === "wrong" && row.outcome !== "right");
    if (!outcome || (given.model && row.model !== given.model)) return false;
    if (
      (given.task && sample.task !== given.task) ||
      (given.domain && sample.domain !== given.domain) ||
      (given.status && row.status !== given.status)
    )
      return false;
    if (!within(row.score, given.least, given.most)) return false;
    if (!within(sample[given.by] ?? null, given.smallest, given.largest)) return false;
    if (!words.length) return true;
    const text = [
      sample.id,
      sample.problem,
      row.model,
      sample.task,
      said(row.outcome),
      row.outcome,
      row.message,
    ]
      .join(" ")
      .toLowerCase();
    return words.every((word) => text.includes(word));
  };
}
