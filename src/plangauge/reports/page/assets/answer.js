// How an answer was read, beside the true one.

/** Return the lists of an answer by name: one without a name, or several. */
function listsOf(answer) {
  if (answer === null || answer === undefined) return {};
  return Array.isArray(answer) ? { "": answer } : answer;
}

/** Return the answer as it was read and the true one, with what is missing and extra. */
function answerBox(read, truth, ordered) {
  const given = listsOf(read);
  const wanted = listsOf(truth);
  const names = [...new Set([...Object.keys(wanted), ...Object.keys(given)])];
  if (!names.length)
    return el("p", { class: "quiet", text: "Nothing could be read as an answer." });
  return el(
    "div",
    {},
    names.map((each) =>
      el(
        "div",
        { class: "answer" },
        each ? el("h4", { text: each }) : null,
        ordered
          ? inOrder(given[each], wanted[each])
          : truth === undefined || truth === null
            ? plainList("As read", given[each])
            : asSets(given[each], wanted[each]),
      ),
    ),
  );
}

function terms(values) {
  return (values ?? []).filter((value) => typeof value === "string");
}

function lacking(values) {
  const last = (values ?? []).at(-1);
  return typeof last === "number"
    ? el("p", { class: "quiet", text: `${count(last)} more are not in this page.` })
    : null;
}

function asSets(given, wanted) {
  const mine = new Set(terms(given));
  const true_ = new Set(terms(wanted));
  const groups = [
    ["In both", "both", "✔", [...true_].filter((term) => mine.has(term))],
    ["Missing", "missed", "−", [...true_].filter((term) => !mine.has(term))],
    ["Extra", "extra", "+", [...mine].filter((term) => !true_.has(term))],
  ];
  return el(
    "div",
    { class: "sets" },
    groups.map(([title, kind, sign, found]) =>
      el(
        "div",
        {},
        el("h5", { text: `${title}: ${count(found.length)}` }),
        el(
          "ul",
          { class: "terms long", tabindex: "0", "aria-label": title },
          found.map((term) => el("li", { class: kind }, `${sign} `, code(term))),
        ),
      ),
    ),
    lacking(given) ?? lacking(wanted),
  );
}

function inOrder(given, wanted) {
  return el(
    "div",
    { class: "sets" },
    plainList("Plan as read", given),
    wanted ? plainList("Reference", wanted) : null,
  );
}

function plainList(title, values) {
  return el(
    "div",
    {},
    el("h5", { text: `${title}: ${count(terms(values).length)}` }),
    el(
      "ol",
      { class: "terms long", tabindex: "0", "aria-label": title },
      terms(values).map((term) => el("li", {}, code(term))),
    ),
    lacking(values),
  );
}

/** Return any value of JSON as nodes: for what a record notes. */
function value(told) {
  if (told === null) return el("span", { class: "quiet", text: "–" });
  if (typeof told !== "object") return name(typeof told === "number" ? score6(told) : String(told));
  if (Array.isArray(told)) {
    if (!told.length) return el("span", { class: "quiet", text: "none" });
    return el(
      "ul",
      { class: "terms" },
      told.slice(0, 200).map((each) => el("li", {}, value(each))),
    );
  }
  return facts(Object.entries(told).map(([key, each]) => [key.replaceAll("_", " "), value(each)]));
}

function score6(number) {
  return Number.isInteger(number) ? String(number) : String(Number(number.toPrecision(6)));
}
