// Figures: drawn by Vega-Lite when they come into view, each with its numbers as a table.

const HUES = {
  light: ["#0072B2", "#D55E00", "#009E73", "#B8569A", "#B07A00", "#2B8CC4", "#7A6A00", "#444444"],
  dark: ["#4BA3E3", "#FF8A4C", "#2CC79A", "#E39AC6", "#F0B93A", "#8CCBF2", "#E6DC5A", "#CCCCCC"],
};
const SHAPES = [
  "circle",
  "square",
  "triangle-up",
  "diamond",
  "cross",
  "triangle-down",
  "triangle-right",
  "triangle-left",
];
const DASHES = [
  [1, 0],
  [6, 2],
  [2, 2],
  [8, 2, 2, 2],
  [1, 2],
  [4, 4],
  [10, 3],
  [3, 1],
];

/** Return the colours of figures as they are now. */
function hues() {
  return HUES[isDark() ? "dark" : "light"];
}

const drawn = new Set();
const watcher = new IntersectionObserver(
  (entries) => {
    entries.filter((entry) => entry.isIntersecting).forEach((entry) => entry.target.draw?.());
  },
  { rootMargin: "300px" },
);

/**
 * Return a figure. `spec()` returns what Vega-Lite draws, `label` says it in words, and `numbers`
 * are the caption, columns and rows of the table that says the same.
 */
function figure(title, label, spec, numbers) {
  const canvas = el("div", { class: "chart", role: "img", "aria-label": visible(label) });
  const made = el("figure", {}, title ? el("figcaption", {}, name(title)) : null, canvas);
  if (numbers) made.append(asTable(numbers));
  let wanted = null;
  canvas.draw = async () => {
    if (wanted) return wanted;
    const inner = el("div", { "aria-hidden": "true" }); // Vega gives its element a role of its own
    canvas.replaceChildren(inner);
    wanted = drawnIn(inner, spec).then(
      (view) => {
        canvas.view = view;
      },
      (error) => canvas.replaceChildren(failed(error)), // the others are drawn all the same
    );
    return wanted;
  };
  canvas.redraw = () => {
    if (wanted) {
      wanted = null;
      canvas.view?.finalize();
      canvas.view = null;
      canvas.draw();
    }
  };
  drawn.add(canvas);
  watcher.observe(canvas);
  return made;
}

/** Draw a figure; return what Vega knows of it. */
async function drawnIn(element, spec) {
  const options = {
    mode: "vega-lite",
    actions: false,
    ast: true,
    defaultStyle: false,
    renderer: "svg",
    tooltip: false,
  };
  const { view } = await plangaugeCharts(element, { ...spec(), config: look() }, options);
  return view;
}

/** Put figures, or whatever else, in the place of others. */
function replaced(box, ...children) {
  for (const canvas of box.querySelectorAll(".chart")) {
    watcher.unobserve(canvas);
    drawn.delete(canvas);
    canvas.view?.finalize();
  }
  box.replaceChildren(...children.flat().filter(Boolean));
}

function asTable({ caption, columns, rows }) {
  const box = el("details", {}, el("summary", { text: "The numbers as a table" }));
  box.addEventListener("toggle", () => {
    if (box.open && box.children.length === 1) box.append(table(caption, columns, rows));
  });
  return box;
}

/** Draw all figures that are not drawn yet, one after another, so that they can be printed. */
async function drawAll() {
  for (const canvas of [...drawn]) {
    if (drawn.has(canvas)) await canvas.draw();
    await new Promise((done) => setTimeout(done));
  }
  document.documentElement.dataset.drawn = "";
}

/** Return how figures look, in the colours of the page. */
function look() {
  const style = getComputedStyle(document.documentElement);
  const ink = isDark() ? "#e4e6ea" : "#1c1f24";
  const faint = isDark() ? "#3a3f47" : "#dfe2e7";
  const font = style.fontFamily;
  return {
    background: null,
    font,
    view: { stroke: null },
    axis: {
      labelColor: ink,
      titleColor: ink,
      gridColor: faint,
      domainColor: faint,
      tickColor: faint,
      labelFontSize: 11,
      titleFontSize: 11,
      titleFontWeight: "normal",
      labelLimit: 160,
    },
    legend: {
      labelColor: ink,
      titleColor: ink,
      labelFontSize: 11,
      labelLimit: 200,
      orient: "top",
      columns: 4,
      symbolLimit: 60,
      symbolOpacity: 1,
    },
    title: { color: ink, fontSize: 12 },
    text: { color: ink, fill: ink },
  };
}

function ink() {
  return isDark() ? "#e4e6ea" : "#1c1f24";
}

/**
 * Models have numbers in figures, since Vega looks some names up in plain objects, where
 * `constructor` is something else; a figure with `params: modelParams()` writes their names.
 */
function modelNumber(model) {
  return data.content.models.indexOf(model);
}

function modelParams() {
  return [{ name: "modelNames", value: data.content.models.map(visible) }];
}

const MODEL_NAME = "modelNames[datum.value]";

/** Return how the field `number` of points is shown: each model in every figure in the same way. */
function byModel(points, looks, legend = {}) {
  const domain = [...new Set(points.map(({ number }) => number))].sort((a, b) => a - b);
  const range = domain.map((number) => lookOf(number, looks));
  const encoding = { field: "number", type: "nominal", title: null, sort: null };
  return { ...encoding, scale: { domain, range }, legend: { ...modelLegend(domain), ...legend } };
}

/**
 * Return one of eight looks for a model. Where they begin anew, colours, shapes and dashes are each
 * shifted against the others, so that no two of 64 models have the same of all.
 */
function lookOf(number, looks) {
  const round = Math.floor(number / looks.length);
  const turn = looks === DASHES ? round : looks === SHAPES ? 3 * round : 0;
  return looks[(number + turn) % looks.length];
}

/** Return how the names of models are set in a legend: side by side as far as there is room. */
function modelLegend(numbers) {
  const lengths = numbers.map((number) => Math.min(data.content.models[number].length, 28));
  const columns = Math.max(1, Math.floor(400 / (Math.max(...lengths) * 6.5 + 30)));
  return { columns, labelExpr: MODEL_NAME };
}

themeListeners.push(() => drawn.forEach((canvas) => canvas.redraw()));
