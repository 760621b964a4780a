// By what responses are chosen: chips that say how many each would leave, and a search.

/** The fields that have chips, in order, and what each is called. */
const FACETS = {
  model: "Model",
  task: "Task",
  domain: "Domain",
  outcome: "Outcome",
  status: "Reading",
};

/** What else can be chosen, by marks of figures and by addresses, and how it is said. */
const OTHERS = {
  step: ({ step }) => `failed at step ${step}`,
  differ: ({ differ }) => `scored differently from ${differ}`,
  scores: ({ scores }) => `measured by ${scores.split(",").map(scoreLabel).join(", ")}`,
  range: ({ least, most }) => `score ${between(least, most)}`,
  size: ({ by, smallest, largest }) => `${data.content.sizes[by]} ${between(smallest, largest)}`,
};

/** The fields of the address that are chosen and cleared together. */
const TOGETHER = { range: ["least", "most"], size: ["by", "smallest", "largest"] };

/** Beyond so many values a field is a list to choose from. */
const MOST_CHIPS = 9;

function scoreLabel(of) {
  return owned(data.content.scores, of)?.label ?? of;
}

function between(low, high) {
  if (low === high) return low;
  return low && high ? `${low} to ${high}` : low ? `from ${low}` : `up to ${high}`;
}

/** Return what an address gives as fields, and those parts of it that are not understood. */
function understood(query) {
  const given = {};
  const lost = [];
  const numbers = ["least", "most", "smallest", "largest", "step"];
  for (const [key, value] of Object.entries(query)) {
    const known =
      key in FACETS ||
      key === "search" ||
      key in OTHERS ||
      Object.values(TOGETHER).flat().includes(key);
    const fine =
      known &&
      !(key in TOGETHER) &&
      !(numbers.includes(key) && (value === "" || Number.isNaN(Number(value)))) &&
      !(key === "by" && !data.sizes.includes(value));
    if (!fine) lost.push(`${key}=${value}`);
    else given[key] = key === "task" ? wholeTask(value) : value;
  }
  if (!given.by) ["smallest", "largest"].forEach((key) => delete given[key]);
  if (!given.smallest && !given.largest) delete given.by;
  return { given, lost };
}

/** Return a task by its name, which may lack its version. */
function wholeTask(given) {
  const { tasks } = data.content;
  const whole = tasks.filter((task) => task.replace(/-v[0-9]+$/, "") === given);
  return tasks.includes(given) || whole.length !== 1 ? given : whole[0];
}

/** Return the values of a field that can be chosen, as pairs with what each is called. */
function valuesOf(field, given) {
  const { names } = data.index;
  const all = {
    model: () => data.content.models.map((each) => [each, each]),
    task: () => data.content.tasks.map((each) => [each, shortTask(each)]),
    domain: () => data.content.domains.map((each) => [each, each]),
    outcome: () => [
      ["wrong", "all but right"],
      ...[...(names.outcomes ?? [])]
        .sort((one, other) => outcomeOrder(one) - outcomeOrder(other))
        .map((each) => [each, said(each)]),
    ],
    status: () => (names.statuses ?? []).map((each) => [each, each]),
  }[field]();
  const value = given[field];
  const known = !value || all.some(([each]) => each === value);
  return known ? all : [...all, [value, `${value} (not in this page)`]];
}

/** Return the chips of all fields; `choose` is called with a field and its new value. */
function filterChips(given, counts, choose) {
  const facets = Object.keys(FACETS).map((field) => facetOf(field, given, counts[field], choose));
  const others = Object.entries(OTHERS)
    .filter(([key]) => (TOGETHER[key] ?? [key]).some((each) => given[each]))
    .map(([key, text]) => removable(text(given), () => choose(TOGETHER[key] ?? [key], "")));
  return [...facets, others.length ? el("div", { class: "bar" }, others) : null].filter(Boolean);
}

function removable(text, remove) {
  return el(
    "button",
    {
      type: "button",
      class: "chip",
      "aria-pressed": "true",
      "aria-label": visible(`${text}: remove`),
      click: remove,
    },
    name(text),
    " ×",
  );
}

function facetOf(field, given, counts, choose) {
  const values = valuesOf(field, given);
  if (values.length < 2 || (field === "outcome" && values.length < 3)) return null;
  const total = (value) =>
    value === "wrong" && field === "outcome"
      ? [...counts].reduce((sum, [each, n]) => sum + (each === "right" ? 0 : n), 0)
      : (counts.get(value) ?? 0);
  const label = FACETS[field];
  if (values.length > MOST_CHIPS) {
    const options = values.map(([value, text]) => [value, `${text} (${count(total(value))})`]);
    const made = choice(label, [["", "all"], ...options], {
      "data-field": field,
      change: (event) => choose([field], event.target.value),
    });
    made.select.value = given[field] ?? "";
    return el("div", { class: "bar" }, made.box);
  }
  const chips = values.map(([value, text]) => {
    const pressed = given[field] === value;
    return el(
      "button",
      {
        type: "button",
        class: total(value) ? "chip" : "chip zero",
        "aria-pressed": String(pressed),
        "data-field": field,
        "data-value": value,
        click: () => choose([field], pressed ? "" : value),
      },
      name(text),
      el("span", { class: "n", text: count(total(value)) }),
    );
  });
  return el(
    "div",
    { class: "bar", role: "group", "aria-label": label },
    el("span", { text: label }),
    chips,
  );
}

function outcomeOrder(outcome) {
  const place = data.content.outcomes.indexOf(outcome);
  return place < 0 ? data.content.outcomes.length : place;
}
