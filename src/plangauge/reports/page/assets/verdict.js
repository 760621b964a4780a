// What became of a response, in a sentence.

/** Return the heading of a response: the verdict, and what it is about. */
function headline(found, walk) {
  const { response, told } = found;
  const { run } = told;
  const { sample } = response;
  const meta = [
    el("b", {}, name(response.model)),
    name(sample.id),
    `${shortTask(sample.task)}, ${visible(sample.domain)}`,
    response.epoch > 1 ? `epoch ${response.epoch}` : null,
    run?.conditions?.length ? `goal ${met(run)} of ${run.conditions.length}` : null,
    run?.frames && !run.turns ? `executable prefix ${prefix(run)} of ${stepsOf(run)}` : null,
    data.content.scores[response.primary]?.binary
      ? null
      : `${measured(response)} ${score(response.score)}`,
  ];
  return [
    el(
      "h1",
      { class: "rhead", tabindex: "-1" },
      attempt(() => verdictOf(found, walk)),
    ),
    el(
      "p",
      { class: "rmeta" },
      meta.filter(Boolean).map((part) => el("span", {}, part)),
    ),
  ];
}

function stepsOf(run) {
  return run.timed ? steps(run) : count(run.steps);
}

function met(run) {
  return [...(run.frames.at(-1)?.goal ?? run.goal ?? "")].filter((mark) => mark === "1").length;
}

function prefix(run) {
  return run.frames.length - (run.rest.length || run.frames.at(-1)?.fault ? 1 : 0);
}

/** Return what the score of a response is called. */
function measured({ primary }) {
  return data.content.scores[primary]?.label ?? primary;
}

function verdictOf({ response, sample, told, problem }, walk) {
  const { run } = told;
  const { outcome } = response;
  if (outcome === "missing")
    return [bad("No response."), " The model gave no answer to this question."];
  if (outcome === "unreadable") {
    return [
      bad("Unreadable."),
      ` No ${"step" in told.notes ? "plan" : "answer"} was found in this response.`,
    ];
  }
  if (run?.turns) return ofEpisode(run, outcome);
  if (isJudgedByItself(told.notes)) return ofJudged(told.notes, outcome);
  if ("step" in told.notes || run) return ofPlan(response, sample, told, problem, walk);
  return ofSet(told, sample, outcome);
}

function bad(text) {
  return el("b", { class: "bad", text });
}

function ofPlan(response, sample, { run, notes }, problem, walk) {
  const all = run
    ? run.steps === 1
      ? "Its only step"
      : `All ${steps(run)}`
    : "The steps";
  if (["right", "not optimal"].includes(response.outcome)) {
    const reference = sample.references?.find(Boolean);
    const than = reference ? `; the reference plan has ${steps(reference)}` : "";
    const first = response.outcome === "right" ? "Valid." : "Valid, but not optimal.";
    return [el("b", { text: first }), ` ${all} can be executed and the goal is reached${than}.`];
  }
  if (response.outcome === "goal missed") {
    const missed = run ? run.conditions.length - met(run) : 0;
    const which = run
      ? `${missed} of ${run.conditions.length} goal conditions do`
      : "the goal does";
    if (run && !run.steps)
      return [bad("Goal not reached."), ` The plan is empty, and ${which} not hold.`];
    const why =
      run && !missed
        ? "not all actions that the goal asks for are done, in that order"
        : `${which} not hold at the end`;
    return [bad("Goal not reached."), ` ${all} can be executed, but ${why}.`];
  }
  const place = response.step;
  const timed = run?.timed ? run.frames.find(({ fault }) => fault) : null;
  const where =
    place === null
      ? "Not executed."
      : timed
        ? `Failed at time ${timed.time}.`
        : `Failed at step ${place + 1}${run ? ` of ${count(run.steps)}` : ""}.`;
  const frame = timed ?? (place === null ? null : run?.frames[place]);
  return [bad(where), " ", ...whyFailed(response, frame ?? {}, notes, problem, walk)];
}

/** Return why a step fails; what destroyed its condition is a button that leads to that step. */
function whyFailed({ outcome }, { unmet = [], message }, notes, problem, walk) {
  const [first] = unmet.filter((each) => Number.isInteger(each.until)).concat(unmet);
  const sentence = said(outcome);
  const head = `${sentence[0].toUpperCase()}${sentence.slice(1)}`;
  if (!first) return [`${head}: `, name(message ?? notes.message ?? "the step cannot be executed")];
  const unmetOnly = ["missing_step", "wrong_order"].includes(outcome);
  const held = [
    unmetOnly ? "Unmet precondition: “" : `${head}: “`,
    spoken(first.text, sayFact(first.text, problem)),
    "” does not hold. ",
  ];
  if (!Number.isInteger(first.until)) {
    return [...held, first.static ? "No action can make it true." : "No step made it true."];
  }
  const link = el("button", {
    type: "button",
    class: "link",
    text: `Step ${first.until + 1}`,
    click: () => walk?.go(first.until),
  });
  const by = first.by.map((each) => sayAction(each, problem)).join(", ");
  const step = el("span", { class: "whole" }, link, ",");
  return [...held, step, " “", name(by), "”, destroyed it."];
}

/** Return what becomes of an episode, which goes on after an action that fails. */
function ofEpisode(run, outcome) {
  const wrong = run.turns.filter(({ mistake }) => mistake).length;
  const turns = run.n_turns === 1 ? "1 turn" : `${count(run.n_turns)} turns`;
  const slips = wrong ? `mistakes in ${count(wrong)} of ${turns}` : `no mistake in ${turns}`;
  const failing = run.failed
    ? `, ${count(run.failed)} of ${count(run.steps)} actions could not be executed`
    : "";
  if (outcome === "right")
    return [el("b", { text: "Solved." }), ` The goal is reached, with ${slips}${failing}.`];
  const why = run.reached
    ? "The goal holds at the end, but the episode does not count as solved"
    : "The goal is not reached";
  return [bad("Not solved."), ` ${why}: ${slips}${failing}.`];
}

/** Return whether an answer is judged by itself, not by comparison with one true answer. */
function isJudgedByItself(notes) {
  return ["proof", "why", "removed"].some((each) => each in notes);
}

function ofJudged({ proof, why }, outcome) {
  if (outcome === "not judged")
    return [el("b", { text: "Undecided." }), " It could not be decided whether this is right."];
  if (outcome === "right")
    return [el("b", { text: "Right." }), proof ? ` Proven by ${proof}.` : ""];
  return [bad("Wrong."), why ? name(` ${why[0].toUpperCase()}${why.slice(1)}.`) : ""];
}

function ofSet({ read, matched }, { truth }, outcome) {
  if (outcome === "right") return [el("b", { text: "Right." }), " The answer is the true one."];
  if (truth === undefined || truth === null || typeof truth !== "object") {
    return bad(`${said(outcome)[0].toUpperCase()}${said(outcome).slice(1)}.`);
  }
  const groups = listsOf(matched);
  const lists = new Set([...listsOf(truth).keys(), ...listsOf(read).keys()]);
  const sums = [0, 0, 0];
  for (const each of lists) {
    const own = groups.get(each) ?? matchedTerms(listsOf(read).get(each), listsOf(truth).get(each));
    own.forEach((terms, at) => {
      const { terms: shown, more } = termsOf(terms);
      sums[at] += shown.length + more;
    });
  }
  const [both, missing, extra] = sums;
  return [
    bad("Inexact."),
    ` ${count(both)} of ${count(both + missing)} true terms are named, ` +
      `${count(extra)} that are not true.`,
  ];
}
