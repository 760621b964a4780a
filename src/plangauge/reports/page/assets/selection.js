// What the whole page is about: all records, or those of one task or one domain, by one measure.

const chosen = { key: "", measure: "", numbers: null };
const selectionListeners = [];

/** Return the ranking that is looked at; null where no score is defined. */
function ranking() {
  const { rankings } = chosen.numbers;
  return rankings.find(({ measure }) => measure === chosen.measure) ?? rankings[0] ?? null;
}

/** Return the models in the order of the ranking, those that are not ranked last. */
function rankedModels() {
  const found = ranking();
  const known = found ? [...found.rows, ...found.references].map(({ model }) => model) : [];
  return [...known, ...data.content.models.filter((model) => !known.includes(model))];
}

/** Return what the address says of the selection: `part=name` as the numbers are kept by. */
function selectionKey({ task, domain }) {
  const { tasks, domains } = data.content;
  const whole =
    tasks.find((each) => each === task) ?? tasks.find((each) => shortTask(each) === task);
  if (whole && tasks.length > 1) return `task=${whole}`;
  if (domains.includes(domain) && domains.length > 1) return `domain=${domain}`;
  return "";
}

/** Return the filters of the list that stand for the selection. */
function selectionQuery() {
  const at = chosen.key.indexOf("=");
  return at < 0 ? {} : { [chosen.key.slice(0, at)]: chosen.key.slice(at + 1) };
}

/** Look at something else, in all tables and figures. */
async function select(query) {
  const key = selectionKey(query);
  const wanted = (select.wanted = {});
  const numbers = await numbersOf(key);
  if (select.wanted !== wanted) return;
  Object.assign(chosen, { key, numbers, measure: query.measure ?? "" });
  selectionListeners.forEach((listener) => listener());
}

/** Return the address of the ranking of a selection. */
function rankingAddress(query) {
  const given = Object.entries(query).filter(([, each]) => each);
  return given.length ? `#ranking?${new URLSearchParams(given)}` : "#ranking";
}

/** Return the address of responses: those of the selection, as far as nothing else is said. */
function responsesAddress(query) {
  const found = ranking();
  const scores = chosen.numbers.rankings.length > 1 && !query.task ? { scores: found.scores } : {};
  const given = Object.entries({ ...selectionQuery(), ...scores, ...query }).filter(
    ([, each]) => each !== "" && each !== null && each !== undefined,
  );
  return `#responses?${new URLSearchParams(given)}`;
}

/** Return a mark that leads to the responses behind it, with what it stands for as a tooltip. */
function toResponses(query, tip, given, ...children) {
  const label = visible(tip);
  return el(
    "a",
    {
      href: responsesAddress(query),
      "data-tip": label,
      "aria-label": label.replaceAll("\n", "; "),
      ...given,
    },
    ...children,
  );
}

/** Let the arrow keys move between the marks of a box, which are one stop for the tab key. */
function oneStop(box, selector = "a") {
  const marks = [...box.querySelectorAll(selector)];
  marks.forEach((mark, at) => mark.setAttribute("tabindex", at ? -1 : 0));
  box.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const at = marks.indexOf(document.activeElement);
    const to = marks[at + by];
    if (at < 0 || !to) return;
    event.preventDefault();
    marks.forEach((mark) => mark.setAttribute("tabindex", mark === to ? 0 : -1));
    to.focus();
  });
  return box;
}
