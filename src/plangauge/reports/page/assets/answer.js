// How an answer was read, beside the true one.

/** Return the lists of an answer by name: one without a name, or several. */
function listsOf(answer) {
  if (answer === null || answer === undefined) return new Map();
  if (typeof answer !== "object") return new Map([["", [String(answer)]]]);
  return new Map(Array.isArray(answer) ? [["", answer]] : Object.entries(answer));
}

/**
 * Return the answer as it was read and the true one, with what is missing and extra. Where one of
 * them is cut, `matched` has what whole ones have in common, and each of them alone.
 */
function answerBox(read, truth, ordered, matched) {
  const given = listsOf(read);
  const wanted = listsOf(truth);
  const groups = listsOf(matched);
  const names = [...new Set([...wanted.keys(), ...given.keys()])];
  if (!names.length)
    return el("p", { class: "quiet", text: "Nothing could be read as an answer." });
  const known = truth !== undefined && truth !== null;
  const lists = (each) => {
    const [mine, true_] = [given.get(each), wanted.get(each)];
    const level = each ? "h4" : "h3";
    if (ordered) return inOrder(mine, true_, level);
    if (!known) return plainList("As read", mine, level);
    return asSets(groups.get(each) ?? matchedTerms(mine, true_), level);
  };
  return el(
    "div",
    {},
    names.map((each) =>
      el("div", { class: "answer" }, each ? el("h3", {}, name(each)) : null, lists(each)),
    ),
  );
}

/** Return the terms in both of two lists, in the true one alone, and in the given one alone. */
function matchedTerms(given, wanted) {
  const mine = new Set(given ?? []);
  const true_ = new Set(wanted ?? []);
  return [
    [...true_].filter((term) => mine.has(term)),
    [...true_].filter((term) => !mine.has(term)),
    [...mine].filter((term) => !true_.has(term)),
  ];
}

/** Return the terms of a list, and how many more there were before it was cut. */
function termsOf(values) {
  const terms = (values ?? []).filter((each) => typeof each === "string");
  const last = (values ?? []).at(-1);
  return { terms, more: typeof last === "number" ? last : 0 };
}

function asSets(groups, level) {
  const kinds = [
    ["In both", "both", "✔"],
    ["Missing", "missed", "−"],
    ["Extra", "extra", "+"],
  ];
  return el(
    "div",
    { class: "sets" },
    kinds.map(([title, kind, sign], at) => {
      const item = (term) => el("li", { class: kind }, `${sign} `, code(term));
      return termList("ul", title, groups[at], item, level);
    }),
  );
}

function inOrder(given, wanted, level) {
  return el(
    "div",
    { class: "sets" },
    plainList("Plan as read", given, level, { start: 0 }),
    wanted ? plainList("Reference", wanted, level, { start: 0 }) : null,
  );
}

function plainList(title, values, level, given = {}) {
  return termList("ol", title, values, (term) => el("li", {}, code(term)), level, given);
}

/**
 * Return a list of terms below how many there are, though some may have been cut away; `level` is
 * that of the heading.
 */
function termList(tag, title, values, item, level, given = {}) {
  const { terms, more } = termsOf(values);
  return el(
    "div",
    {},
    el(level, { text: `${title}: ${count(terms.length + more)}` }),
    el(
      tag,
      { class: "terms long", tabindex: "0", "aria-label": title, ...given },
      terms.map(item),
    ),
    more ? el("p", { class: "quiet", text: `… and ${count(more)} more, not in this page` }) : null,
  );
}

/** Return any value of JSON as nodes: for what a record notes. */
function value(told) {
  if (told === null || told === "") return el("span", { class: "quiet", text: "–" });
  if (typeof told !== "object") return name(typeof told === "number" ? score6(told) : String(told));
  if (Array.isArray(told)) {
    if (!told.length) return el("span", { class: "quiet", text: "none" });
    return el(
      "ul",
      { class: "terms" },
      told.slice(0, 200).map((each) => el("li", {}, value(each))),
    );
  }
  const known = Object.entries(told).filter(([, each]) => !isEmpty(each));
  return facts(known.map(([key, each]) => [key.replaceAll("_", " "), value(each)]));
}

/** Return whether a value is an object without anything in it, of which nothing can be said. */
function isEmpty(told) {
  return told !== null && typeof told === "object" && !Object.keys(told).length;
}

function score6(number) {
  return Number.isInteger(number) ? String(number) : String(Number(number.toPrecision(6)));
}
