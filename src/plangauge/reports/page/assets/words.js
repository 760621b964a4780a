// What a problem is spoken of: actions, facts and conditions in the words of its prompts.

/** Return a fact in parts: its predicate without hyphens, and its objects. */
function termOf(text) {
  const [predicate, ...args] = partsOf(text);
  return { predicate: predicate.toLowerCase().replace(/[-_]/g, ""), args };
}

/** Return the name of a fact and its objects; that of a value, as of `(= (fuel) 3)`, has a `=`. */
function partsOf(text) {
  const value = text.match(/^\(= \(([^()]+)\) ([^() ]+)\)$/);
  if (!value) return text.slice(1, -1).split(" ");
  const [key, ...args] = value[1].split(" ");
  return [`${key} =`, ...args, value[2]];
}

/** Return the first object of each fact or value in a condition. */
function firstObjects(text) {
  return [...text.matchAll(/\([^()\s]+ ([^()\s]+)/g)].map(([, object]) => object);
}

/** Return an action in words, as far as there are any; `problem` may be null. */
function sayAction(text, problem) {
  const said = inWords(text, problem?.words, "actions");
  return said[0] === "(" ? said : said[0].toUpperCase() + said.slice(1);
}

/** Return a condition in words, as far as there are any. */
function sayFact(text, problem) {
  if (text === "(or)") return "a condition that nothing satisfies";
  const group = groupOf(text);
  if (group) {
    const said = group.parts.map((part) => sayFact(part, problem));
    return isSentence(group) ? said.join(` ${group.kind} `) : `${group.how}: [${said.join("; ")}]`;
  }
  const denied = text.match(/^\(not (\(.*\))\)$/s);
  if (denied) return negated(sayFact(denied[1], problem));
  const said = inWords(text, problem?.words, "facts");
  return said === text && /^\([<>=]/.test(text) ? inFigures(nested(text), problem?.words) : said;
}

function negated(said) {
  const verbs = said[0] === "(" ? [] : (said.match(/ (is|are) /g) ?? []);
  return verbs.length === 1 ? said.replace(verbs[0], `${verbs[0]}not `) : `not: ${said}`;
}

/** Return the parts of a condition that has such, and how many of them must hold; else null. */
function groupOf(text) {
  if (!/^\((and|or|count) /.test(text)) return null;
  const [kind, ...rest] = nested(text);
  const parts = rest.filter(Array.isArray).map(asText).flatMap((part) => {
    const own = groupOf(part);
    return own && (own.kind === kind || own.parts.length === 1) && kind !== "count"
      ? own.parts
      : [part];
  });
  const [least, most] = rest.filter((each) => !Array.isArray(each));
  const range = least === most ? least : `${least} to ${most}`;
  const bounds = most === undefined ? `at least ${least}` : range;
  const how = { and: "all", or: "at least one", count: bounds }[kind];
  return { kind, parts, how: `${how} of these` };
}

/** Return whether the parts of a condition can be said one after another. */
function isSentence({ kind, parts }) {
  return kind !== "count" && (parts.length === 1 || !parts.some(groupOf));
}

/** Return a condition in words; one with several parts as a list, a long one folded. */
function spokenCondition(text, problem) {
  const group = groupOf(text);
  const first = sayFact(group?.parts[0] ?? text, problem);
  if (!group) return spoken(text, first);
  const { how, parts } = group;
  if (isSentence(group) && parts.length < 4) return spoken(text, sayFact(text, problem));
  const items = parts.map((part) => el("li", {}, spokenCondition(part, problem)));
  const list = el("ul", { class: "parts" }, items);
  if (parts.length < 4) return el("div", {}, `${how}:`, list);
  const summary = el("summary", { text: `${how} ${parts.length}: ${visible(first)}, …` });
  return el("details", {}, summary, list);
}

/** Return a term as lists of lists and names. */
function nested(text) {
  const open = [[]];
  for (const token of text.match(/[()]|[^()\s]+/g) ?? []) {
    if (token === "(") open.push([]);
    else open.at(token === ")" ? -2 : -1)?.push(token === ")" ? open.pop() : token);
  }
  return open[0][0];
}

function asText(term) {
  return Array.isArray(term) ? `(${term.map(asText).join(" ")})` : term;
}

/** Return a comparison or a sum with its signs in the middle, its numbers in words. */
function inFigures(term, words) {
  if (!Array.isArray(term)) return term;
  const [key, ...args] = term;
  if (/^([-+*/=]|[<>]=?)$/.test(key) && args.length > 1)
    return args.map((each) => inFigures(each, words)).join(` ${key} `);
  const value = `(= (${term.join(" ")}) 0)`;
  const said = inWords(value, words, "facts");
  return said === value ? term.join(" ") : said.replace(/ is 0$/, "");
}

function inWords(text, words, kind) {
  if (!words || !/^\(([^()]+|= \([^()]+\) [^() ]+)\)$/.test(text)) return text;
  const [key, ...args] = partsOf(text);
  const template = owned(words[kind], key);
  const slots = [...(template ?? "").matchAll(/\{(\d+)\}/g)].map((found) => Number(found[1]));
  if (!template || slots.some((slot) => slot >= args.length)) return text;
  return template.replace(
    /\{(\d+)\}/g,
    (_, slot) => owned(words.objects, args[slot]) ?? args[slot],
  );
}

/** Return words, with the term that they stand for as a tooltip. */
function spoken(text, said, given = {}) {
  return name(said, said === text ? given : { "data-tip": visible(text), ...given });
}

/** Return what became of an answer, as people say it. */
function said(outcome) {
  return owned(data.content.causes, outcome) ?? outcome.replaceAll("_", " ");
}
