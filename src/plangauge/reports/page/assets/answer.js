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
function answerBox({ read, matched, notes }, { truth, options }, ordered, problem) {
  if (options) return optionList(options, read, truth, problem);
  const given = listsOf(read);
  const wanted = listsOf(truth);
  const groups = listsOf(matched);
  const names = [...new Set([...wanted.keys(), ...given.keys()])];
  if (!names.length) {
    return el("p", { class: "soft", text: "Nothing could be read as an answer." });
  }
  const known = truth !== undefined && truth !== null;
  const lists = (each) => {
    const [mine, true_] = [given.get(each), wanted.get(each)];
    if (ordered || !known) return plainList("As read", mine, problem);
    if (isJudgedByItself(notes)) {
      const example = plainList("One right answer", true_, problem);
      return el("div", { class: "sets" }, plainList("As read", mine, problem), example);
    }
    return asSets(groups.get(each) ?? matchedTerms(mine, true_), problem);
  };
  return el(
    "div",
    {},
    names.map((each) =>
      el("div", { class: "answer" }, each ? el("h3", {}, name(each)) : null, lists(each)),
    ),
  );
}

/** Return the options of a question by their letters: which one was chosen, and which is right. */
function optionList(options, read, truth, problem) {
  const items = options.map((option, at) => {
    const letter = String.fromCharCode(65 + at);
    const [chosen, right] = [letter === read, letter === truth];
    const said = chosen ? (right ? "chosen, right" : "chosen, wrong") : right ? "right" : "";
    const kind = right ? "both" : chosen ? "extra" : "";
    const note = said ? el("b", { class: "choice", text: ` ${right ? "✓" : "✗"} ${said}` }) : null;
    return el("li", { class: kind }, `${letter}. `, sayTerm(option, problem), note);
  });
  const known = typeof read === "string" || typeof read === "boolean";
  return el(
    "div",
    { class: "answer" },
    el("h3", { text: "Options" }),
    el("ul", { class: "terms options", "aria-label": "Options" }, items),
    known ? null : el("p", { class: "soft", text: "No option could be read as the answer." }),
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

function asSets(groups, problem) {
  const kinds = [
    ["In both", "both", "✓"],
    ["Missing", "missed", "−"],
    ["Extra", "extra", "+"],
  ];
  const lists = kinds.map(([title, kind, sign], at) => {
    const item = (term) => el("li", { class: kind }, `${sign} `, sayTerm(term, problem));
    return termList("ul", title, groups[at], item);
  });
  return el("div", { class: "sets" }, lists);
}

function plainList(title, values, problem) {
  return termList("ol", title, values, (term) => el("li", {}, sayTerm(term, problem)));
}

/** Return a term of an answer in words: a fact, an action, or what a model made up. */
function sayTerm(term, problem) {
  const fact = sayFact(term, problem);
  return spoken(term, fact === term ? inWords(term, problem?.words, "actions") : fact);
}

/** Return a list of terms below how many there are, though some may have been cut away. */
function termList(tag, title, values, item) {
  const { terms, more } = termsOf(values);
  return el(
    "div",
    {},
    el("h3", { class: "count", text: `${title}: ${count(terms.length + more)}` }),
    el(tag, { class: "terms long", tabindex: "0", "aria-label": title }, terms.map(item)),
    more ? el("p", { class: "soft", text: `… and ${count(more)} more, not in this page` }) : null,
  );
}

/** Return any value of JSON as nodes: for what a record notes. */
function value(told) {
  if (told === null || told === "") return el("span", { class: "soft", text: "–" });
  if (typeof told !== "object") return name(typeof told === "number" ? score6(told) : String(told));
  if (Array.isArray(told)) {
    if (!told.length) return el("span", { class: "soft", text: "none" });
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
