// What one chooses with, and tables that can be sorted.

/** Return a labelled choice; `options` are pairs of value and text. */
function choice(label, options, given = {}) {
  const select = el(
    "select",
    given,
    options.map(([value, text]) => el("option", { value, text: visible(text) })),
  );
  return { box: el("label", { class: "choice" }, `${label} `, select), select };
}

/** Return pairs for a choice of models. */
function models() {
  return data.content.models.map((model) => [model, model]);
}

/**
 * Return a table. Columns have a `title`, and `cell` gives what stands in a row; with `by`, which
 * gives what to sort by, the column can be sorted. A column `number` stands at the right.
 */
function table(caption, columns, rows, given = {}) {
  const body = el("tbody");
  const heads = columns.map((column, place) => head(column, place));
  const made = el(
    "table",
    { class: given.class },
    el("caption", {}, name(caption)),
    el("thead", {}, el("tr", {}, heads)),
    body,
  );
  let sorted = { place: -1, up: true };
  fill(rows);
  const label = visible(caption);
  return el("div", { class: "wide", tabindex: "0", role: "region", "aria-label": label }, made);

  function head(column, place) {
    const side = column.number ? "number" : null;
    if (!column.by) return el("th", { scope: "col", class: side }, name(column.title));
    return el(
      "th",
      { scope: "col", class: side, "aria-sort": "none" },
      el("button", { type: "button", class: "sort", click: () => sort(place) }, name(column.title)),
    );
  }

  function sort(place) {
    const { by, number } = columns[place];
    const up = sorted.place === place ? !sorted.up : !number;
    sorted = { place, up };
    heads.forEach((each, other) => {
      if (!columns[other].by) return;
      each.setAttribute("aria-sort", other !== place ? "none" : up ? "ascending" : "descending");
    });
    fill([...rows].sort((one, other) => compared(by(one), by(other), up)));
  }

  function fill(ordered) {
    body.replaceChildren(
      ...ordered.map((row) =>
        el(
          "tr",
          { class: given.row?.(row) },
          columns.map((column) => cell(column, row)),
        ),
      ),
    );
  }
}

function cell(column, row) {
  const told = column.cell(row);
  const content = told instanceof Node ? told : document.createTextNode(visible(told ?? ""));
  if (column.header) return el("th", { scope: "row" }, content);
  return el("td", { class: column.number ? "number" : null, "data-title": column.title }, content);
}

/** Compare two values for sorting; what is not defined comes last whatever the direction is. */
function compared(one, other, up) {
  const known = [one, other].map((value) => value !== null && value !== undefined);
  if (!known[0] || !known[1]) return known[1] - known[0];
  const order =
    typeof one === "number" && typeof other === "number"
      ? one - other
      : String(one).localeCompare(String(other), "en", { numeric: true });
  return up ? order : -order;
}

/** Return a row of what can be chosen. */
function controls(...boxes) {
  return el("div", { class: "controls" }, boxes.flat().filter(Boolean));
}

/** Return a list of terms with what each means. */
function facts(pairs) {
  return el(
    "dl",
    { class: "facts" },
    pairs
      .filter(([, told]) => told !== null && told !== undefined && told !== "")
      .map(([term, told]) =>
        el(
          "div",
          {},
          el("dt", { text: term }),
          el("dd", {}, told instanceof Node ? told : visible(told)),
        ),
      ),
  );
}
