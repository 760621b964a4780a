// A plan step by step: the state after each, what changed, and why it goes no further.

/**
 * Return a run that can be moved through. Steps are counted from 0, as everywhere. `problem` tells
 * how it starts, `run` what each step changes; `moved` is called with the number of the frame. A
 * plan is judged by the goal, the actions of a question are not.
 */
function trajectory(title, problem, run, moved = () => {}, isPlan = true) {
  const { frames } = run;
  const states = statesOf(run.start ?? problem.start ?? [], frames);
  const range = el("input", {
    type: "range",
    min: 0,
    max: frames.length,
    value: 0,
    step: 1,
    "aria-label": `Step of: ${title}`,
    input: () => go(Number(range.value)),
  });
  const steps = el("ol", { class: "steps", start: 0 });
  const stage = el("div", { class: "stage" });
  const view = el("div", { class: "frame" });
  const told = el("p", { class: "step", "aria-live": "polite" });
  const button = (text, label, to) =>
    el("button", { type: "button", text, "aria-label": label, click: () => go(to()) });
  const made = el(
    "section",
    { class: "trajectory", "aria-label": title },
    el("h3", { text: title }),
    isPlan ? summary(run) : null,
    el(
      "div",
      { class: "controls stepper" },
      button("|◀", "to the start", () => 0),
      button("◀", "one step back", () => now - 1),
      range,
      button("▶", "one step on", () => now + 1),
      button("▶|", "to the end", () => frames.length),
    ),
    told,
    stage,
    el("div", { class: "running" }, stepsBox(), view),
  );
  let now = 0;
  made.go = (to) => go(to, true);
  made.frames = frames.length;
  go(0, true);
  return made;

  function stepsBox() {
    frames.forEach((frame, place) => {
      const text = frame.does.join(", ");
      const mark = frame.fault ? " ✘" : "";
      steps.append(
        el(
          "li",
          { class: frame.fault ? "failed" : null },
          el("button", { type: "button", click: () => go(place + 1) }, code(text), mark),
        ),
      );
    });
    run.rest.forEach((does) => steps.append(el("li", { class: "rest" }, code(does.join(", ")))));
    const shown = frames.length + run.rest.length;
    const more = run.steps - shown;
    return el(
      "div",
      { class: "plan", tabindex: "0", role: "region", "aria-label": `Steps of: ${title}` },
      steps,
      run.rest.length ? el("p", { class: "quiet", text: "Grey steps were not tried." }) : null,
      more > 0
        ? el("p", { class: "quiet", text: `${count(more)} more steps are not shown.` })
        : null,
    );
  }

  function go(to, quiet = false) {
    now = Math.max(0, Math.min(frames.length, to));
    range.value = now;
    const frame = frames[now - 1];
    const turn = frame?.turn === undefined ? "" : `, in turn ${frame.turn}`;
    const text = now === 0 ? "Initial state" : `Step ${now - 1}${turn}: ${frame.does.join(", ")}`;
    range.setAttribute("aria-valuetext", visible(text));
    told.replaceChildren(name(text));
    [...steps.children].forEach((item, place) => {
      const button = item.querySelector("button");
      if (place === now - 1) button?.setAttribute("aria-current", "step");
      else button?.removeAttribute("aria-current");
    });
    showStep(steps.children[Math.max(0, now - 1)]);
    const changed = new Set((frame?.add ?? []).flatMap((fact) => termOf(fact).args));
    stage.replaceChildren(
      ...[
        frame?.fault ? faultBox(frame, (step) => go(step)) : null,
        attempt(() => stateDrawing(problem, states[now], changed)),
      ].filter(Boolean),
    );
    // What stands below shall not jump up and down from step to step.
    const highest = Math.max(parseFloat(stage.style.minHeight) || 0, stage.offsetHeight);
    stage.style.minHeight = `${highest}px`;
    view.replaceChildren(
      ...frameView(problem, isPlan ? run : { ...run, conditions: [] }, states, now),
    );
    if (!quiet) moved(now);
  }
}

/** Scroll a list of steps, and nothing around it, so that one of them is seen. */
function showStep(item) {
  const box = item?.closest(".plan");
  if (!box) return;
  const [inner, outer] = [item, box].map((each) => each.getBoundingClientRect());
  if (inner.top < outer.top) box.scrollTop -= outer.top - inner.top;
  if (inner.bottom > outer.bottom) box.scrollTop += inner.bottom - outer.bottom;
}

function statesOf(start, frames) {
  const states = [new Set(start)];
  for (const { add = [], delete: gone = [] } of frames) {
    const state = new Set(states.at(-1));
    gone.forEach((fact) => state.delete(fact));
    add.forEach((fact) => state.add(fact));
    states.push(state);
  }
  return states;
}

function summary(run) {
  const told = run.turns ? ofEpisode(run) : ofPlan(run);
  const cost = run.cost === null ? "" : `, cost ${run.cost}`;
  return el("p", {
    class: run.valid ? "good" : "bad",
    text: `${count(run.steps)} ${run.steps === 1 ? "step" : "steps"}${cost}: ${told}`,
  });
}

function ofPlan(run) {
  if (run.valid) return "valid: it reaches the goal";
  if (run.frames.at(-1)?.fault || run.rest.length) {
    return `it fails${run.reached ? ", though the goal holds where it stops" : ""}`;
  }
  return run.reached ? "the goal holds at the end" : "it can be executed, but misses the goal";
}

/** Return what becomes of an episode, which goes on after an action that fails. */
function ofEpisode(run) {
  const failed = run.failed
    ? `${count(run.failed)} of ${count(run.steps)} actions could not be executed; `
    : run.steps
      ? "all could be executed; "
      : "";
  if (run.valid) return `${failed}it reaches the goal`;
  if (run.reached) return `${failed}the goal holds at the end, but it is not solved`;
  return `${failed}it misses the goal`;
}

/** Return the drawing of a state; null for a domain that has none. */
function stateDrawing(problem, state, changed) {
  if (!problem.drawing) return null;
  const facts = [...state, ...problem.static];
  const made = drawing(problem.drawing, facts, problem.objects, changed, problem.called);
  return (
    made &&
    el(
      "div",
      { class: "wide", tabindex: "0", role: "region", "aria-label": "Drawing of the state" },
      made,
    )
  );
}

function frameView(problem, run, states, now) {
  const frame = run.frames[now - 1] ?? {};
  const added = new Set(frame.add ?? []);
  return [
    run.touched ? touched(run.touched, states[now], added) : null,
    changes(frame),
    goalBox(run, frame.goal ?? run.goal),
    run.touched ? null : stateBox(states[now], added, problem.static),
    now === run.frames.length && run.later.length ? laterBox(run.later) : null,
  ].filter(Boolean);
}

function faultBox(frame, go) {
  const reasons = (frame.unmet ?? []).map((unmet) => {
    const item = el("li", {}, name(unmet.message ?? unmet.text));
    if (unmet.until !== null && unmet.until !== undefined) {
      item.append(
        " ",
        el("button", {
          type: "button",
          text: `go to step ${unmet.until}, which destroyed it`,
          click: () => go(unmet.until + 1),
        }),
      );
    }
    return item;
  });
  const told = (frame.unmet ?? []).some((unmet) => unmet.message === frame.message);
  return el(
    "div",
    { class: "fault" },
    el(
      "p",
      {},
      el("strong", { text: said(frame.fault) }),
      told ? null : [": ", name(frame.message ?? "")],
    ),
    reasons.length ? el("ul", {}, reasons) : null,
  );
}

function changes({ add = [], delete: gone = [] }) {
  if (!add.length && !gone.length) return null;
  const items = [
    ...gone.map((fact) => ["−", "gone", fact]),
    ...add.map((fact) => ["+", "new", fact]),
  ];
  return el(
    "div",
    {},
    el("h4", { text: "What this step changes" }),
    el(
      "ul",
      { class: "terms" },
      items.map(([sign, kind, fact]) => el("li", { class: kind }, `${sign} `, code(fact))),
    ),
  );
}

function goalBox(run, marks = "") {
  if (!run.conditions.length) return null;
  const met = [...marks].filter((mark) => mark === "1").length;
  return el(
    "div",
    {},
    el("h4", { text: `Goal: ${met} of ${run.conditions.length} hold` }),
    el(
      "ul",
      { class: "terms" },
      run.conditions.map((text, place) =>
        el(
          "li",
          {
            class: marks[place] === "1" ? "new" : "missed",
          },
          marks[place] === "1" ? "✔ " : "✘ ",
          code(text),
        ),
      ),
    ),
  );
}

function stateBox(state, added, fixed) {
  const list = (facts) =>
    el(
      "ul",
      { class: "terms" },
      [...facts]
        .sort(natural)
        .map((fact) => el("li", { class: added.has(fact) ? "new" : null }, code(fact))),
    );
  const always = fixed.length
    ? el(
        "details",
        {},
        el("summary", { text: `${count(fixed.length)} facts that never change` }),
        list(fixed),
      )
    : null;
  return el(
    "div",
    {},
    el("h4", { text: `State: ${count(state.size)} facts` }),
    list(state),
    always,
  );
}

/** Return what holds of the objects that a plan names, in a world of too many facts to list all. */
function touched(objects, state, added) {
  const rows = objects.map((object) => ({
    object,
    facts: [...state].filter((fact) => termOf(fact).args.includes(object)).sort(natural),
  }));
  return table(
    "What holds of the objects that the plan touches",
    [
      { title: "object", header: true, cell: (row) => code(row.object) },
      {
        title: "facts",
        cell: (row) =>
          el(
            "ul",
            { class: "terms" },
            row.facts.map((fact) =>
              el("li", { class: added.has(fact) ? "new" : null }, code(fact)),
            ),
          ),
      },
    ],
    rows,
    { class: "touched" },
  );
}

function laterBox(later) {
  return el(
    "details",
    {},
    el("summary", { text: `${count(later.length)} later steps that no state could make right` }),
    el(
      "ul",
      {},
      later.map(({ step, message }) => el("li", {}, `step ${step}: `, name(message))),
    ),
  );
}
