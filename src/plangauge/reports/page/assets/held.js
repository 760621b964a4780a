// Where responses come from: all that can be looked at are in the page.

const MOST_CANDIDATES = 20;

/** Make objects of the columns of the list: one for each response, with its sample. */
function readIndex() {
  const { names, samples, responses } = data.index;
  const sampleRows = rowsOf(samples).map((row) => ({
    ...row,
    task: names.tasks[row.task],
    domain: names.domains[row.domain],
    problem: names.problems[row.problem],
    system: names.systems[row.system],
    suite: names.suites[row.suite],
  }));
  data.samples = sampleRows;
  data.sizes = data.index.sizes.filter((size) => samples[size]?.some((value) => value !== null));
  data.epochs = Math.max(1, ...new Set(responses.epoch ?? []));
  data.byLink = new Map();
  data.byPlace = new Map();
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
    const [link, at] = [linkOf(made), placeOf(made)];
    made.href = `#response=${link}`;
    data.byLink.set(link, number);
    data.byPlace.set(at, [...(data.byPlace.get(at) ?? []), number]);
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

/** Return how many responses are chosen, and some of them, in an order. */
async function chosenRows(given, order, first, most) {
  const key = JSON.stringify([given, order]);
  if (data.chosenKey !== key) {
    data.chosenKey = key;
    data.chosen = data.responses.filter(fitting(given));
    const column = listColumns().find(({ title }) => title === order.title);
    if (column)
      data.chosen.sort((one, other) => compared(column.by(one), column.by(other), order.up));
  }
  return { total: data.chosen.length, rows: data.chosen.slice(first, first + most) };
}

/**
 * Return a response and all that is told of it; where there is none of this address, candidates,
 * and whether these are of another suite than the link.
 */
async function responseOf(link) {
  const { place, suite } = readLink(link);
  const found = data.byLink.has(link) ? [data.byLink.get(link)] : (data.byPlace.get(place) ?? []);
  const isHere = (number) => !suite || [suite, ""].includes(data.responses[number].sample.suite);
  const exact = found.filter(isHere);
  const alike = found.length ? [] : answersTo(place).filter(isHere).filter(isAlike(place));
  const here = found.length ? exact : alike;
  if (here.length !== 1) {
    const named = found.length ? found : answersTo(place);
    const candidates = named.slice(0, MOST_CANDIDATES).map((number) => data.responses[number]);
    return { candidates, otherSuite: found.length > 0 && !here.length };
  }
  const [number] = here;
  const renamed = alike.length > 0;
  const response = data.responses[number];
  const others = response.sample.own
    .filter((other) => other !== number)
    .map((other) => data.responses[other]);
  return { response, others, renamed, ...rowOf(await part(response.sample.chunk), response) };
}

/** Return the responses to the questions that a place may name. */
function answersTo(place) {
  const named = data.samples.filter(({ id }) => place.startsWith(`${wellFormed(id)}/`));
  return named.flatMap((sample) => sample.own);
}

/**
 * Return a function that tells whether a response is at a place but for what its model is called:
 * with the run behind its name here, or there, but not with two different ones.
 */
function isAlike(place) {
  return (number) => {
    const { sample, model, epoch, nth } = data.responses[number];
    const [before, after] = [`${wellFormed(sample.id)}/`, `/${epoch}${nth > 1 ? `/${nth}` : ""}`];
    const asked = place.match(/^(.*?)((?:\/[0-9]+){1,2})$/s);
    if (asked?.[2] !== after || !asked[1].startsWith(before)) return false;
    const other = asked[1].slice(before.length);
    const plain = wellFormed(owned(data.content.named, model) ?? model);
    return other === plain || (wellFormed(model) === plain && other.startsWith(`${plain} @ `));
  };
}

/** Return where a response is among the chosen ones, and those before and after it. */
async function neighboursOf(response) {
  const chosen = data.chosen?.length ? data.chosen : data.responses;
  const at = chosen.findIndex((each) => each.number === response.number);
  if (at < 0) return null;
  return { at, total: chosen.length, before: chosen[at - 1], after: chosen[at + 1] };
}

/** Return the numbers of a selection. */
async function numbersOf(key) {
  return data.content.selections[key];
}

/** Return how many responses each value of a field would leave, with all other fields as given. */
async function countsOf(given, fields) {
  return Object.fromEntries(
    fields.map((field) => {
      const counts = new Map();
      data.responses.filter(fitting({ ...given, [field]: "" })).forEach((row) => {
        const value = row[field] ?? row.sample[field];
        counts.set(value, (counts.get(value) ?? 0) + 1);
      });
      return [field, counts];
    }),
  );
}

/** Return whether a model scored otherwise on what a response is about. */
function differs(row, model) {
  const others = row.sample.own.map((number) => data.responses[number]);
  const other = others.find(
    (each) => each.model === model && each.epoch === row.epoch && each.nth === row.nth,
  );
  return other !== undefined && other.score !== row.score;
}

/** Return what a part tells about a response and its sample. */
function rowOf(found, { sample, place }) {
  const before = found.counts.slice(0, sample.place).reduce((sum, n) => sum + n, 0);
  const of = (columns, at) =>
    Object.fromEntries(Object.entries(columns).map(([key, values]) => [key, values[at]]));
  return {
    sample: of(found.samples, sample.place),
    told: of(found.responses, before + place),
    problem: found.problems[sample.about],
  };
}

/** Return a function that tells whether a response is one of those that are wanted. */
function fitting(given) {
  const words = (given.search ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const scores = given.scores ? given.scores.split(",") : null;
  const same = (wanted, value) => !wanted || wanted === value;
  const within = (value, low, high) =>
    (!low || (value !== null && value >= Number(low))) &&
    (!high || (value !== null && value <= Number(high)));
  const text = ({ sample, ...row }) =>
    [sample.id, sample.problem, row.model, sample.task, said(row.outcome), row.outcome, row.message]
      .join(" ")
      .toLowerCase();
  return (row) => {
    const { sample } = row;
    return (
      same(given.model, row.model) &&
      same(given.task, sample.task) &&
      same(given.domain, sample.domain) &&
      same(given.status, row.status) &&
      (given.outcome === "wrong" ? row.outcome !== "right" : same(given.outcome, row.outcome)) &&
      (!scores || scores.includes(row.primary)) &&
      (!given.step || row.step === Number(given.step) - 1) &&
      within(row.score, given.least, given.most) &&
      within(sample[given.by] ?? null, given.smallest, given.largest) &&
      (!given.differ || differs(row, given.differ)) &&
      words.every((word) => text(row).includes(word))
    );
  };
}
