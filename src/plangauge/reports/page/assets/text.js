// Text that others wrote, shown as text: what cannot be seen is made visible, what is long is cut.

const HIDDEN = new RegExp(
  "[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b-\\u200f" +
    "\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}]|\\p{Cs}",
  "gu",
);

/** How many characters of a text are shown at first, and how many make a piece of it. */
const FIRST = 20000;

function codePoint(char) {
  return `U+${char.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
}

/** Return a text with what cannot be seen written out, so that no name can pose as another. */
function visible(text) {
  return String(text).replace(HIDDEN, (char) => `⟨${codePoint(char)}⟩`);
}

/** Return a name isolated from the direction of the text around it. */
function name(text, given = {}) {
  return el("bdi", { ...given, text: visible(text) });
}

/** Return a text as nodes, with a mark for each character that cannot be seen. */
function marked(text) {
  const nodes = [];
  let from = 0;
  for (const found of text.matchAll(HIDDEN)) {
    if (found[0] === "\r" && text[found.index + 1] === "\n") continue;
    nodes.push(text.slice(from, found.index));
    nodes.push(el("span", { class: "control", text: codePoint(found[0]) }));
    from = found.index + found[0].length;
  }
  nodes.push(text.slice(from));
  return nodes;
}

/** Return a text cut into pieces, at the ends of lines where there are such. */
function pieces(text) {
  const found = [];
  let from = 0;
  while (from < text.length) {
    let to = Math.min(from + FIRST, text.length);
    const line = text.lastIndexOf("\n", to - 1);
    if (to < text.length && line > from) to = line + 1;
    if (to < text.length && /[\ud800-\udbff]/.test(text[to - 1])) to -= 1;
    found.push(text.slice(from, to));
    from = to;
  }
  return found;
}

/**
 * Return a box with a text of any length. `given` is a text, or what is held of one: its beginning,
 * how many characters are left out, and its end. `spans` are parts of what is held, each with its
 * first place, the place behind its last, and what it was read as.
 */
function rawText(given, label, spans = []) {
  if (given === null || given === undefined) return null;
  const [head, lacking, tail] = Array.isArray(given) ? given : [given, 0, ""];
  const shown = el("div", { class: "raw", tabindex: "0", role: "region", "aria-label": label });
  const told = `… ${count(lacking)} characters are not in this page …`;
  const parts = [
    ...placed(pieces(head), 0, spans),
    ...(lacking
      ? [el("p", { class: "soft", text: told }), ...placed(pieces(tail), head.length, spans)]
      : []),
  ];
  const few = lacking ? 3 : 1;
  shown.append(...parts.slice(0, parts.length > few ? 1 : few));
  if (!head) shown.append(el("p", { class: "soft", text: "(empty)" }));
  const box = el("div", {}, shown);
  if (parts.length > few) {
    const more = el("button", {
      type: "button",
      text: `show all ${count(head.length + tail.length)} characters`,
      click: () => {
        shown.append(...parts.slice(1));
        more.remove();
        shown.focus();
      },
    });
    box.append(more);
  }
  return box;
}

/** Return pieces of a text that begins at a place, as elements. */
function placed(texts, place, spans) {
  let from = place;
  let next = 0;
  return texts.map((text) => {
    while (next < spans.length && spans[next][1] <= from) next += 1;
    const nodes = [];
    let at = 0;
    for (let n = next; n < spans.length && spans[n][0] < from + text.length; n += 1) {
      const [start, end, label, step] = spans[n];
      const first = Math.max(0, start - from);
      nodes.push(...marked(text.slice(at, first)));
      at = Math.min(text.length, end - from);
      nodes.push(span(text.slice(first, at), label, step));
    }
    nodes.push(...marked(text.slice(at)));
    from += text.length;
    return el("div", { class: "piece", dir: "auto" }, nodes);
  });
}

/**
 * Return a part of a text with what it was read as, which is said in words, too; `step` is the
 * number of the step that it was read as.
 */
function span(text, label, step = null) {
  const meaning = owned(data.content.labels, label) ?? "";
  const tip = step ? `read as step ${step}` : `${label}: ${meaning}`;
  const kind = label === "read" ? "read" : "other";
  return el("mark", { class: kind, "data-label": label, "data-step": step, "data-tip": tip }, [
    ...marked(text),
  ]);
}

/**
 * Return spans of a text, those that were read cut into one for each step of the plan where its
 * steps are found in them in order.
 */
function withSteps(spans, text, read, problem) {
  const terms = Array.isArray(read) ? read.filter((each) => typeof each === "string") : [];
  const own = spans.filter(([, , label]) => label === "read");
  if (!terms.length || !own.length || !problem) return spans;
  let number = 0;
  if (own.length === terms.length) {
    return spans.map((each) => (each[2] === "read" ? [...each, (number += 1)] : each));
  }
  if (typeof text !== "string") return spans;
  const cut = spans.flatMap((each) => {
    if (each[2] !== "read") return [each];
    const parts = [];
    let [from, end] = each;
    while (number < terms.length) {
      const found = wordsOf(terms[number]).exec(text.slice(from, end));
      if (!found) break;
      const start = from + found.index;
      if (start > from) parts.push([from, start, "read"]);
      from = start + found[0].length;
      number += 1;
      parts.push([start, from, "read", number]);
    }
    return from < end ? [...parts, [from, end, "read"]] : parts;
  });
  return number === terms.length ? cut : spans;
}

/** Return what matches the name and the objects of an action, however they are set apart. */
function wordsOf(term) {
  const escaped = term
    .slice(1, -1)
    .split(" ")
    .map((each) => each.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/[-_]/g, "[-_ ]"));
  return new RegExp(escaped.join("[^\\w]{1,8}"), "iu");
}

/** Return what the marks in a text mean, as far as there are any; null for none. */
function legend(spans) {
  const found = new Set(spans.map(([, , label]) => label));
  const shown = Object.entries(data.content.labels).filter(
    ([label]) => label !== "read" && found.has(label),
  );
  if (!shown.length) return null;
  return el(
    "ul",
    { class: "legend" },
    shown.map(([label, meaning]) => el("li", {}, el("i", { text: label }), `: ${meaning}`)),
  );
}

/** Return a whole number with its thousands set apart. */
function count(number) {
  return number.toLocaleString("en");
}

/** Return a score as the tables write it. */
function score(value) {
  if (value === null || value === undefined) return "–";
  return typeof value === "number" ? value.toFixed(3) : String(value);
}

/** Return a share as the tables write it: only nothing is 0%, and only all is 100%. */
function percent(value) {
  if (value === null || value === undefined) return "–";
  if ((value > 0 && value < 0.0005) || (value >= 0.9995 && value < 1)) {
    return value < 0.5 ? "<0.1%" : ">99.9%";
  }
  return `${(100 * value).toFixed(1)}%`;
}

/** Return a task without its version, where no other version of it is in the page. */
function shortTask(task) {
  const stem = task.replace(/-v[0-9]+$/, "");
  const same = data.content.tasks.filter((other) => other.replace(/-v[0-9]+$/, "") === stem);
  return visible(same.length > 1 ? task : stem);
}
