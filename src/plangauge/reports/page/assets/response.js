// A single response: what became of it, what was written, how it was read, and what it led to.

const responseKeys = {};

/** Show the response of a link, or say that there is none. */
async function showResponse(link) {
  const place = byId("response");
  byId("report").hidden = true;
  place.hidden = false;
  if (!place.children.length) place.replaceChildren(el("p", { text: "…" }));
  const { title, shown, keys } = await lookedUp(link).catch(notShown);
  if (whereabouts().link !== link) return;
  hideTip();
  Object.assign(responseKeys, { j: null, k: null, plan: null }, keys);
  place.replaceChildren(...shown);
  document.title = visible(`${title} – ${data.content.title}`);
  place.querySelector("h1").focus({ preventScroll: true });
  scrollTo({ top: 0, behavior: "instant" });
}

/** Return what is shown for a link, what it is called, and what keys do. */
async function lookedUp(link) {
  const found = await responseOf(link);
  if (!found.response) return noResponse(found);
  const { sample, model } = found.response;
  const around = await neighboursOf(found.response);
  const { shown, plan } = responseView(found, around);
  const keys = { j: around?.after?.href, k: around?.before?.href, plan };
  return { title: `${sample.id}, ${model}`, shown, keys };
}

/** Do what a key stands for while a response is shown. */
addEventListener("keydown", (event) => {
  const typing = ["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName);
  if (typing || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (byId("response").hidden) return;
  const { plan } = responseKeys;
  const deeds = {
    ArrowLeft: plan && (() => plan.walk(-1)),
    ArrowRight: plan && (() => plan.walk(1)),
    f: plan && (() => plan.fail()),
    j: responseKeys.j && (() => (location.hash = responseKeys.j)),
    k: responseKeys.k && (() => (location.hash = responseKeys.k)),
    Escape: () => (location.hash = list.address),
  };
  const deed = owned(deeds, event.key);
  if (!deed) return;
  event.preventDefault();
  deed();
});

function notShown(error) {
  const title = "A response";
  return { title, shown: [back(), el("h1", { text: title, tabindex: "-1" }), failed(error)] };
}

function noResponse({ candidates, otherSuite }) {
  const title = "No such response";
  const { records, held } = data.content;
  const text = otherSuite
    ? "This link was made for another suite, whose questions may have the same names as those of " +
      "this page. Responses of this name here:"
    : "This page contains no response with this address" +
      (held < records ? "; it has only some of all responses." : ".") +
      (candidates.length ? " Responses to a question of this name:" : "");
  const head = el("h1", { text: title, tabindex: "-1" });
  return { title, shown: [back(), head, el("p", { text }), responseList(candidates)] };
}

function back() {
  return el("a", { class: "link", href: list.address, text: "‹ All responses" });
}

/** Return what is shown of a response, and how its plan is walked through, if it has one. */
function responseView(found, around) {
  const { response, others, sample, told, problem, renamed } = found;
  const raw = textBlock(response, told, problem);
  const plan = problem ? attempt(() => walkOf(found, raw.look)) : null;
  const broken = plan instanceof Node ? plan : null;
  const walk = broken ? null : plan;
  raw.link(walk);
  const shown = [
    topBar(around, walk),
    headline(found, walk),
    renamed
      ? el("p", {
          class: "soft",
          text:
            "The link uses another name for the model, because it was made on a page of other " +
            "runs. No other response here matches it.",
        })
      : null,
    el(
      "div",
      { class: "columns" },
      el(
        "section",
        { class: "left" },
        leftBoxes(told, raw.box),
        promptBox(response.sample, sample),
      ),
      el("section", { class: "middle" }, broken ?? attempt(() => middle(found, walk))),
      walk ? el("section", { class: "right" }, walk.stage) : null,
    ),
    othersBox(others),
    attempt(() => scoresBox(found)),
  ];
  return { shown: shown.flat().filter(Boolean), plan: walk };
}

/** Return what was written; of an episode its turns, and the transcript to be opened. */
function leftBoxes(told, raw) {
  if (!told.run?.turns) return raw;
  const summary = el("summary", { text: "Transcript as written" });
  return [attempt(() => turnsBox(told)), el("details", {}, summary, raw)];
}

/** Return how the plan, or the actions of the question, are walked through. */
function walkOf({ response, sample, told, problem }, moved) {
  const run = told.run ?? sample.asked;
  if (!run) return null;
  if (!told.run) return planView("Actions of the question", problem, run, { judged: false });
  const first = run.frames.findIndex((frame) => frame.fault);
  const noted = told.run.turns || told.run.timed ? null : response.step;
  const failing = noted !== null && noted < run.frames.length ? noted : first < 0 ? null : first;
  return planView("Steps", problem, run, { failing, moved });
}

function middle(found, walk) {
  const { response, sample, told, problem } = found;
  const isPlan = told.run || "step" in told.notes;
  const reference = sample.references?.find(Boolean);
  const unread = response.status === "missing" || told.read === null || told.read === undefined;
  return [
    !isPlan && sample.asked
      ? [el("h2", { class: "h3" }, "Actions of the question"), walk.steps]
      : null,
    el(
      "h2",
      { class: "h3 split" },
      el(
        "span",
        {},
        told.run?.turns ? "Actions as read " : isPlan ? "Plan as read " : "Answer as read ",
        told.run ? el("span", { text: steps(told.run) }) : null,
      ),
      told.run?.conditions.length ? el("span", { class: "soft", text: "goal progress" }) : null,
    ),
    told.run ? walk?.steps : isPlan ? noRun(found) : null,
    isPlan && (told.run || unread)
      ? null
      : attempt(() =>
          isWritten(sample, told.notes)
            ? writtenBox(told, sample)
            : answerBox(told, sample, isPlan, problem),
        ),
    response.status === "missing" ? null : howRead(told),
    reference && isPlan ? referenceBox(reference, problem) : null,
  ];
}

function steps({ steps: times, timed }) {
  const what = timed ? "happening" : "step";
  return times === 1 ? `1 ${what}` : `${count(times)} ${what}s`;
}

function noRun({ sample, told, problem }) {
  const text =
    told.notes.fault && told.notes.step === null
      ? told.notes.fault === "parsing"
        ? "No plan was found in this answer."
        : "Nothing of this plan was executed."
      : `The run cannot be shown: ${whyNoRun(sample, told, problem)}.`;
  return el("p", { class: "soft", text });
}

/** Return why there is no run of a plan that was scored. */
function whyNoRun(sample, { notes, text }, problem) {
  if (typeof sample.prompt !== "string" && !Array.isArray(sample.prompt)) {
    return "its suite was not found";
  }
  if (!problem) return "its problem cannot be read";
  if (!notes.policy) return "the recorded plan does not fail as it was scored";
  return text === null ? "its transcript was not found" : "its transcript cannot be played again";
}

function referenceBox(run, problem) {
  const items = [...run.frames, ...run.rest.map(frameOf)].map((frame) =>
    el("li", {}, frame.time === undefined ? null : `${frame.time}: `, saidOf(frame, problem)),
  );
  return el(
    "details",
    {},
    el("summary", {}, "Reference plan ", el("span", { text: steps(run) })),
    el("ol", { class: "reference" }, items),
  );
}

function topBar(around, walk) {
  const key = (text) => el("kbd", { text });
  const link = (text, to, keyed) =>
    el(to ? "a" : "span", to ? { href: to.href, rel: text } : { class: "soft" }, keyed);
  return el(
    "nav",
    { class: "rtop", "aria-label": "Responses" },
    back(),
    el(
      "span",
      { class: "soft" },
      around
        ? [
            key("k"),
            " ",
            link("prev", around.before, "previous"),
            el("span", {
              class: "place",
              text: `${count(around.at + 1)} of ${count(around.total)}`,
            }),
            link("next", around.after, "next"),
            " ",
            key("j"),
          ]
        : null,
      el(
        "span",
        { class: "keys-help" },
        walk ? [key("←"), key("→"), " step ", key("f"), " failing step "] : null,
        key("Esc"),
        " back",
      ),
    ),
  );
}

/** Return links to what others answered to the same question. */
function othersBox(own) {
  if (!own.length) return null;
  const title = own.length === 1 ? "1 other response" : `${count(own.length)} other responses`;
  return el(
    "details",
    { class: "others" },
    el("summary", { text: `${title} to this question` }),
    responseList(own),
  );
}

function responseList(responses) {
  return el(
    "ul",
    { class: "plain" },
    responses.map((each) =>
      el(
        "li",
        {},
        el("a", { class: "link", href: each.href }, name(`${each.model}, epoch ${each.epoch}`)),
        " ",
        outcomeBadge(each.outcome),
      ),
    ),
  );
}

function howRead({ notes }) {
  const rows = [
    ["found as", notes.how],
    ["notation", notes.notation],
    ["in doubt because", notes.doubts?.length ? value(notes.doubts) : null],
    ["passed over", notes.skipped?.length ? value(notes.skipped) : null],
    ["repeated terms", notes.repeated || null],
    ["terms that nothing matches", notes.unknown?.length ? value(notes.unknown) : null],
  ];
  return el("details", {}, el("summary", { text: "How it was read" }), facts(rows));
}

function missingText(response) {
  return response.status === "missing"
    ? "There is no response."
    : "The text is missing: the file of responses was not found when this page was made.";
}

/**
 * Return the raw answer, with what was read as a step numbered; `look` marks the step looked at,
 * `link` lets clicks on the numbered parts move to their step.
 */
function textBlock(response, { run, text, read, marks }, problem) {
  const spans = withSteps(marks ?? [], text, run && !run.turns ? read : [], problem);
  const numbered = spans.some((span) => span.length > 3);
  const title = run?.turns ? "Transcript" : "Raw answer";
  const box = el(
    "div",
    {},
    el(
      "h2",
      { class: "h3" },
      `${title} `,
      numbered ? el("span", { text: "numbers: the steps that were read" }) : null,
    ),
    legend(spans),
    rawText(text, title, spans) ?? el("p", { class: "soft", text: missingText(response) }),
  );
  box.querySelectorAll(".piece").forEach(numberLines);
  const failing = Number.isInteger(response.step) ? response.step : -1;
  const look = (at) =>
    box.querySelectorAll("mark[data-step]").forEach((mark) => {
      const place = Number(mark.dataset.step) - 1;
      mark.classList.toggle("failed", place === failing);
      mark.classList.toggle("on", place === at);
    });
  const link = (walk) =>
    walk &&
    box.addEventListener("click", ({ target }) => {
      const mark = target.closest("mark[data-step]");
      if (mark) walk.go(Number(mark.dataset.step) - 1);
    });
  return { box, look, link };
}

/** Mark the first step of each line, whose number has room beside it. */
function numberLines(piece) {
  let fresh = true;
  for (const node of piece.childNodes) {
    if (node.dataset?.step) {
      node.classList.toggle("first", fresh);
      fresh = false;
    }
    if (node.textContent.includes("\n")) fresh = true;
  }
}

function promptBox(about, sample) {
  const lacking = "The prompt is missing: the suite was not found when this page was made.";
  return el(
    "details",
    {},
    el("summary", {}, "Prompt ", el("span", { text: "as the model was asked" })),
    about.system
      ? [el("h3", { text: "System prompt" }), rawText(about.system, "System prompt")]
      : null,
    rawText(sample.prompt, "The prompt") ?? el("p", { class: "soft", text: lacking }),
  );
}

const TOLD = new Set([
  ...["how", "notation", "skipped", "doubts", "repeated", "unknown"],
  ...["fault", "step", "message", "difference"],
]);

/** Return all scores, what the record notes, and details of the question. */
function scoresBox({ response, sample, told }) {
  const notes = Object.fromEntries(Object.entries(told.notes).filter(([key]) => !TOLD.has(key)));
  return el(
    "details",
    {},
    el("summary", {}, "All scores ", el("span", { text: "and details of the question" })),
    facts(
      Object.entries(told.scores).map(([key, each]) => [key.replaceAll("_", " "), score(each)]),
    ),
    facts([
      ["reading", response.status],
      ["stop reason", told.stop],
      ["problem", name(response.sample.problem)],
      ["address", el("a", { href: response.href }, name(decodeURIComponent(response.href)))],
    ]),
    Object.keys(notes).length ? [el("h3", { text: "Notes" }), value(notes)] : null,
    el("h3", { text: "The question" }),
    value(metaOf(sample.meta, response.primary)),
  );
}

/** Return what is noted of a question, with the score of which it states baselines. */
function metaOf({ baselines, ...meta }, primary) {
  if (!baselines || !Object.keys(baselines).length) return meta;
  const of = primary === "iou" ? "IoU" : "the share of the goal that holds";
  return { ...meta, [`baselines of ${of}`]: baselines };
}
