// The list of responses: what is chosen of them, in which order, a page at a time.

const LINES = 50;

const list = { first: 0, address: "#responses" };

function startList() {
  const box = section("responses", "Responses");
  const { records, held } = data.content;
  box.append(
    el("p", {
      text:
        held < records
          ? `This page holds ${count(held)} of the ${count(records)} responses: ` +
            `${data.content.which}. Tables and figures above are about all, whatever is chosen ` +
            "here."
          : `All ${count(records)} responses. Tables and figures above are about all, ` +
            "whatever is chosen here.",
    }),
  );
  const fields = filterFields(changed);
  const ignored = el("p", { role: "alert" });
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
      grouped(fields),
      el("button", {
        type: "button",
        text: "Clear",
        click: () => {
          clear();
          changed();
        },
      }),
    ),
    ignored,
    told,
    pager,
    place,
  );
  let order = { title: "", up: true };
  const columns = listColumns();
  list.choose = (query) => {
    clear();
    const lost = Object.entries(query).filter(([key, given]) => {
      const field = fields.find((each) => each.key === key);
      return !field || !fill(field.input, given);
    });
    apply();
    if (lost.length) {
      const named = lost.map(([key, given]) => `${key}=${given}`).join(", ");
      const text = visible(`Of the address this is not understood: ${named}.`);
      ignored.append(el("span", { class: "bad", text }));
    }
  };
  apply();

  /** Show what the reader has chosen, and keep it in the address. */
  function changed() {
    apply();
    const usual = (key) => (key === "by" ? (data.sizes[0] ?? "") : "");
    const chosen = Object.entries(list.given).filter(([key, given]) => given !== usual(key));
    list.address = chosen.length ? `#responses?${new URLSearchParams(chosen)}` : "#responses";
    replaceAddress(list.address);
  }

  function clear() {
    fields.forEach(({ input }) => {
      input.value = "";
    });
    fields.find(({ key }) => key === "by").input.selectedIndex = 0;
  }

  function apply() {
    list.given = Object.fromEntries(fields.map(({ key, input }) => [key, input.value]));
    list.first = 0;
    list.address = "#responses";
    ignored.replaceChildren();
    show();
  }

  async function show() {
    const { given, first } = list;
    const wanted = (list.wanted = {});
    list.order = order;
    told.textContent = "…";
    place.setAttribute("aria-busy", "true"); // what stands there was wanted before
    const { total, rows } = await chosenRows(given, order, first, LINES);
    if (list.wanted !== wanted) return; // something else has been chosen meanwhile
    const last = Math.min(first + LINES, total);
    told.textContent = total
      ? `${count(first + 1)} to ${count(last)} of ${count(total)} responses`
      : "No response fits.";
    pager.replaceChildren(
      button("first", 0, first > 0),
      button("previous", first - LINES, first > 0),
      button("next", first + LINES, last < total),
      button("last", LINES * Math.floor((total - 1) / LINES), last < total),
    );
    const heads = columns.map((column) => ({ ...column, by: undefined }));
    const made = table("The chosen responses", heads, rows, { class: "list" });
    made.querySelectorAll("thead th").forEach((head, at) => sortable(head, columns[at]));
    place.replaceChildren(made);
    place.removeAttribute("aria-busy");
  }

  function sortable(head, { title }) {
    const now = order.title === title ? (order.up ? "ascending" : "descending") : "none";
    head.setAttribute("aria-sort", now);
    head.replaceChildren(
      el("button", {
        type: "button",
        class: "sort",
        text: title,
        click: async () => {
          order = { title, up: order.title === title ? !order.up : true };
          list.first = 0;
          await show();
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
      click: async () => {
        list.first = Math.max(0, to);
        await show();
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

/**
 * Fill in a field, and return whether it could be. A task may lack its version; what a field has no
 * such choice for is a choice that nothing fits.
 */
function fill(input, given) {
  input.value = given;
  if (input.tagName !== "SELECT") return input.value === given;
  if (input.selectedIndex >= 0) return true;
  const whole = [...input.options].filter(({ value }) => value.replace(/-v[0-9]+$/, "") === given);
  if (input.name === "task" && whole.length === 1) {
    input.value = whole[0].value;
    return true;
  }
  if (input.name === "by") {
    input.selectedIndex = 0;
    return false;
  }
  const text = visible(`${given} (not in this page)`);
  input.append(el("option", { value: given, text }));
  input.value = given;
  return true;
}

/** Return the boxes of the fields; those of a range stay together. */
function grouped(fields) {
  const together = [
    ["least", "most"],
    ["by", "smallest", "largest"],
  ];
  const boxOf = (key) => fields.find((field) => field.key === key).box;
  return fields.map(({ key, box }) => {
    const group = together.find((keys) => keys.includes(key));
    if (!group) return box;
    return group[0] === key ? el("span", { class: "pair" }, group.map(boxOf)) : null;
  });
}

/** Return the fields by which responses are chosen. */
function filterFields(change) {
  const { names } = data.index;
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
      data.sizes.map((size) => [size, data.content.sizes[size]?.label ?? size]),
    ),
    field("smallest", "from", { type: "number", step: "any" }),
    field("largest", "to", { type: "number", step: "any" }),
    field("search", "Search", { type: "search", placeholder: "question, model, fault or message" }),
  ];
}
