// The beginning: data is unpacked, sections are made, and the address says what is shown.

const STARTS = [
  startOverview,
  startDistributions,
  startFaults,
  startSizes,
  startCompare,
  startList,
  startProvenance,
];

async function start() {
  if (typeof DecompressionStream === "undefined") {
    byId("notes").append(
      el("p", {
        class: "bad",
        text: "This browser is too old for this page: it needs one of 2023 or later.",
      }),
    );
    return;
  }
  [data.content, data.index] = await Promise.all([unpack("content"), unpack("index")]);
  readIndex();
  startTheme();
  const { notes } = data.content;
  if (notes.length) {
    byId("notes").append(
      el(
        "ul",
        { class: "notes" },
        notes.map((text) => el("li", {}, name(text))),
      ),
    );
  }
  if (data.content.models.length) STARTS.forEach(begin);
  else byId("notes").append(el("p", { text: "There are no records." }));
  addEventListener("hashchange", follow);
  addEventListener("beforeprint", drawAll);
  await follow();
  document.documentElement.dataset.ready = "";
  (window.requestIdleCallback ?? setTimeout)(drawAll); // Safari has no requestIdleCallback
}

/** Make a section; where it cannot be made, say so, and go on. */
function begin(make) {
  try {
    make();
  } catch (error) {
    byId("report").append(failed(error));
  }
}

/** Show what the address says: a response, or a section of the report. */
async function follow() {
  const where = whereabouts();
  if (where.name === "response") {
    await showResponse(where.link);
    return;
  }
  const wasHidden = byId("report").hidden;
  byId("report").hidden = false;
  byId("response").hidden = true;
  if (where.query && Object.keys(where.query).length) list.choose?.(where.query);
  if (where.name && (wasHidden || where.query)) byId(where.name)?.scrollIntoView();
}

start().catch((error) => byId("notes").append(failed(error)));
