// A single response: what was asked, what was said, how it was read, and what became of it.

/** Show the response of a link, or say that there is none. */
async function showResponse(link) {
  const place = byId("response");
  byId("report").hidden = true;
  place.hidden = false;
  place.replaceChildren(el("p", { text: "…" }));
  const { title, shown } = await lookedUp(link).catch(notShown);
  if (whereabouts().link !== link) return;
  place.replaceChildren(...shown);
  document.title = visible(`${title} – ${data.content.title}`);
  place.querySelector("h1").focus();
  scrollTo({ top: 0, behavior: "instant" });
}

/** Return what is shown for a link, and what it is called. */
async function lookedUp(link) {
  const found = await responseOf(link);
  if (!found.response) return noResponse(found);
  const { sample, model } = found.response;
  const shown = responseView(found, await neighboursOf(found.response));
  return { title: `${sample.id}, ${model}`, shown };
}

function notShown(error) {
  const title = "A response";
  return { title, shown: [back(), el("h1", { text: title, tabindex: "-1" }), failed(error)] };
}

function noResponse({ candidates, otherSuite }) {
  const title = "No such response";
  const { records, held } = data.content;
  const told = otherSuite
    ? "This link was made for another suite, whose questions may have the same names as those of " +
      "this page. What has this name here:"
    : "This page holds no response of this address" +
      (held < records ? ", but only some of all responses." : ".") +
      (candidates.length ? " Responses to a question of this name:" : "");
  const head = el("h1", { text: title, tabindex: "-1" });
  return { title, shown: [back(), head, el("p", { text: told }), responseList(candidates)] };
}

function back() {
  return el("p", { class: "back" }, el("a", { href: list.address, text: "← all responses" }));
}

function responseView({ response, others, sample, told, problem, renamed }, around) {
  const { sample: about } = response;
  return [
    el("nav", { class: "controls", "aria-label": "Responses" }, back(), neighbours(around)),
    el("h1", { tabindex: "-1" }, name(about.id)),
    renamed
      ? el("p", {
          class: "quiet",
          text:
            "The link calls the model otherwise: it was made in a page of other runs. Nothing " +
            "else here fits it.",
        })
      : null,
    el(
      "p",
      { class: "headline" },
      outcomeBadge(response.outcome),
      " ",
      `${measured(response)} ${score(response.score)}`,
      " · ",
      name(response.model),
    ),
    facts([
      ["task", shortTask(about.task)],
      ["domain", name(about.domain)],
      ["problem", name(about.problem)],
      ["epoch", String(response.epoch)],
      ["reading", response.status],
      ["stopped because of", told.stop],
      [
        told.run?.turns ? "first mistake in turn" : "fails at step",
        response.step === null ? null : String(response.step),
      ],
      ["message", told.notes.message ? name(told.notes.message) : null],
      ["address", el("a", { href: response.href }, name(decodeURIComponent(response.href)))],
    ]),
    othersBox(others),
    attempt(() => turnsBox(told)),
    attempt(() => runs(sample, told, problem)),
    el(
      "section",
      { class: "block" },
      el("h2", { text: "The answer" }),
      response.status === "missing" ? null : howRead(told),
      attempt(() =>
        answerBox(told.read, sample.truth, told.run || "step" in told.notes, told.matched),
      ),
    ),
    el(
      "div",
      { class: "beside" },
      textBlock(
        told.run?.turns ? "The transcript, as it was written" : "The response",
        told.text,
        missingText(response),
        told.marks ?? [],
      ),
      promptBlock(about, sample),
    ),
    attempt(() => more(sample, told, response.primary)),
  ].filter(Boolean);
}

/** Return what the score of a response is called. */
function measured({ primary }) {
  return data.content.scores[primary]?.label ?? primary;
}

function neighbours(around) {
  const link = (text, to) => (to ? el("a", { href: to.href, rel: text, text }) : null);
  if (!around) return null;
  return el(
    "p",
    {},
    link("previous", around.before),
    ` ${count(around.at + 1)} of ${count(around.total)} `,
    link("next", around.after),
  );
}

/** Return links to what others answered to the same question. */
function othersBox(own) {
  if (!own.length) return null;
  return el(
    "details",
    { class: "others" },
    el("summary", { text: `${count(own.length)} other responses to this question` }),
    responseList(own),
  );
}

function responseList(responses) {
  return el(
    "ul",
    {},
    responses.map((each) =>
      el(
        "li",
        {},
        el("a", { href: each.href }, name(`${each.model}, epoch ${each.epoch}`)),
        ` ${score(each.score)} `,
        outcomeBadge(each.outcome),
      ),
    ),
  );
}

/** Return the run of the plan, and of the reference; for other questions that of their actions. */
function runs(sample, told, problem) {
  const reference = sample.references?.find(Boolean);
  const own = told.run ?? (reference ? null : sample.asked);
  const lost =
    "step" in told.notes && told.notes.fault !== "parsing" && !told.run
      ? el("p", {
          class: "quiet",
          text:
            told.notes.fault && told.notes.step === null
              ? "Nothing of this plan was executed."
              : `The run cannot be shown: ${whyNoRun(sample, told, problem)}.`,
        })
      : null;
  if (!problem || (!own && !reference)) return lost;
  const together = el("input", { type: "checkbox", checked: true });
  const made = [];
  const follow = (from) => (step) => {
    made.filter((each) => each !== made[from] && together.checked).forEach((each) => each.go(step));
  };
  if (own) {
    const planned = told.run && !told.run.turns ? "The plan" : "The actions";
    const title = told.run ? planned : "The actions of the question";
    made.push(trajectory(title, problem, own, follow(0), Boolean(told.run)));
  }
  if (reference) made.push(trajectory("The reference", problem, reference, follow(made.length)));
  return el(
    "section",
    { class: "block" },
    el("h2", { text: "Step by step" }),
    lost,
    made.length > 1 ? el("label", { class: "choice" }, together, " move both together") : null,
    el("div", { class: "beside" }, made),
  );
}

/** Return why there is no run of a plan that was scored. */
function whyNoRun(sample, { notes, text }, problem) {
  if (typeof sample.prompt !== "string" && !Array.isArray(sample.prompt)) {
    return "its suite is not at hand";
  }
  if (!problem) return "its problem cannot be read";
  if (!notes.policy) return "the plan as recorded does not fail as it was scored";
  return text === null ? "its transcript is not at hand" : "its transcript cannot be played again";
}

function howRead({ notes }) {
  return facts([
    ["found as", notes.how],
    ["notation", notes.notation],
    ["in doubt because", notes.doubts?.length ? value(notes.doubts) : null],
    ["passed over", notes.skipped?.length ? value(notes.skipped) : null],
    ["repeated terms", notes.repeated || null],
    ["terms that nothing can be", notes.unknown?.length ? value(notes.unknown) : null],
  ]);
}

function textBlock(title, text, lackingText, spans) {
  return el(
    "section",
    { class: "block" },
    el("h2", { text: title }),
    legend(spans),
    rawText(text, title, spans) ?? el("p", { class: "quiet", text: lackingText }),
  );
}

function missingText(response) {
  return response.status === "missing"
    ? "There is no response."
    : "The text is not at hand: the file of responses was not found when this page was made.";
}

function promptBlock(about, sample) {
  const lackingText = "The prompt is not at hand: the suite was not found when this page was made.";
  return el(
    "section",
    { class: "block" },
    el("h2", { text: "The prompt" }),
    about.system
      ? el(
          "details",
          {},
          el("summary", { text: "System prompt" }),
          rawText(about.system, "System prompt"),
        )
      : null,
    rawText(sample.prompt, "The prompt") ?? el("p", { class: "quiet", text: lackingText }),
  );
}

const TOLD = new Set([
  "how",
  "notation",
  "skipped",
  "doubts",
  "repeated",
  "unknown",
  "fault",
  "step",
  "message",
]);

function more(sample, told, primary) {
  const notes = Object.fromEntries(Object.entries(told.notes).filter(([key]) => !TOLD.has(key)));
  return el(
    "section",
    { class: "block" },
    el("h2", { text: "All scores" }),
    facts(
      Object.entries(told.scores).map(([key, each]) => [key.replaceAll("_", " "), score(each)]),
    ),
    Object.keys(notes).length ? [el("h3", { text: "Notes" }), value(notes)] : null,
    el("h3", { text: "What makes the score interpretable" }),
    value(metaOf(sample.meta, primary)),
  );
}

/** Return what is noted of a question, with the score of which it states baselines. */
function metaOf({ baselines, ...meta }, primary) {
  if (!baselines || !Object.keys(baselines).length) return meta;
  const of = primary === "iou" ? "IoU" : "the share of the goal that holds";
  return { ...meta, [`baselines of ${of}`]: baselines };
}
