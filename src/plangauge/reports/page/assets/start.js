// The beginning: data is unpacked, sections are made, and the address says what is shown.

const STARTS = [
  startRanking,
  startFigures,
  startFaults,
  startDifferences,
  startList,
  startProvenance,
];

async function start() {
  if (typeof DecompressionStream === "undefined") {
    const text = "This browser is too old for this page: it needs one of 2023 or later.";
    byId("notes").append(el("p", { class: "bad", text }));
    return;
  }
  [data.content, data.index] = await Promise.all([unpack("content"), unpack("index")]);
  readIndex();
  startTheme();
  if (data.content.models.length) {
    STARTS.forEach(begin);
    const { name: section, query } = whereabouts();
    await select(section === "ranking" ? query : {});
  } else byId("notes").append(el("p", { text: "There are no records." }));
  const { notes } = data.content;
  const items = notes.map((text) => el("li", {}, name(text)));
  if (items.length)
    byId("report").append(
      el(
        "section",
        { id: "about-page", "aria-label": "Notes" },
        el("h2", { text: "Notes" }),
        el("ul", { class: "notes" }, items),
      ),
    );
  addEventListener("hashchange", follow);
  byId("sections").addEventListener("click", () => {
    reading.left = null; // a section is wanted, not where one was
  });
  await follow();
  document.documentElement.dataset.ready = "";
}

/** Make a section; where it cannot be made, say so, and go on. */
function begin(make) {
  try {
    make();
  } catch (error) {
    byId("report").append(failed(error));
  }
}

/** The address of what is shown, and where the reader was when a response was opened. */
const reading = { hash: null, left: null };

/** Show what the address says: a response, or a section of the report. */
async function follow() {
  const where = whereabouts();
  const report = byId("report");
  const before = reading.hash;
  reading.hash = location.hash;
  if (where.name === "response") {
    if (!report.hidden && before !== null) reading.left = placeInReport(before);
    await showResponse(where.link);
    return;
  }
  const left = report.hidden ? reading.left : null;
  report.hidden = false;
  byId("response").hidden = true;
  document.title = visible(data.content.title);
  if (left && [left.hash, left.inList ? list.address : null].includes(location.hash)) {
    comeBack(left, before);
    return;
  }
  if (where.name === "ranking") {
    if (before !== null) await select(where.query);
  } else if (where.name === "responses" && Object.keys(where.query).length) {
    list.choose?.(where.query);
    list.address = location.hash;
  } else if (where.name === "responses") {
    replaceAddress(list.address); // what was chosen before still is
  }
  const wanted = where.name ? byId(where.name) : null;
  if (where.name !== "ranking") arriveAt(wanted);
  else if (!Object.keys(where.query).length) scrollTo({ top: 0 });
  byId("nowhere")?.remove();
  if (where.name && !wanted) {
    const text = visible(`This page has no “${where.name}”.`);
    byId("notes").prepend(el("p", { id: "nowhere", class: "bad", role: "alert", text }));
  }
}

/** Show a section, from which the keys go on. */
function arriveAt(section) {
  const head = section?.querySelector("h2");
  section?.scrollIntoView();
  if (!head) return;
  head.tabIndex = -1;
  head.focus({ preventScroll: true });
}

/** Put what is chosen into the address, without going anywhere; a browser may refuse. */
function replaceAddress(hash) {
  try {
    history.replaceState(history.state, "", hash);
    reading.hash = location.hash;
  } catch {
    // It is not kept, but it is applied.
  }
}

/** Return where the reader is in the report, and by which link it is left. */
function placeInReport(hash) {
  const links = [document.activeElement, ...byId("report").querySelectorAll("a")];
  const link = links.find((each) => each?.hash === location.hash);
  return { hash, top: scrollY, link, inList: Boolean(link?.closest("#responses")) };
}

/** Show the report where it was left; in the list the row of the response that was seen last. */
function comeBack({ top, link, inList }, seen) {
  scrollTo({ top, behavior: "instant" });
  const rows = inList ? [...byId("responses").querySelectorAll("a")] : [];
  const row = rows.find((each) => each.hash === seen) ?? link;
  row?.focus({ preventScroll: true });
  row?.scrollIntoView({ block: "nearest", behavior: "instant" });
}

start().catch((error) => byId("notes").append(failed(error)));
