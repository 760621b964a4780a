// The page as a whole: elements, data, and where one is.

const SVG = "http://www.w3.org/2000/svg";

/** Everything that is known: what is said of all records, the list of responses, unpacked parts. */
const data = { content: null, index: null, parts: new Map() };

/** Return an element. Text is always set as text: nothing here can take markup. */
function el(tag, given = {}, ...children) {
  return filled(document.createElement(tag), given, children);
}

/** Return an element of a drawing. */
function svg(tag, given = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), given, children);
}

function filled(element, given, children) {
  for (const [name, value] of Object.entries(given)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "text") element.textContent = value;
    else if (typeof value === "function") element.addEventListener(name, value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(
    ...children.flat(Infinity).filter((child) => ![null, undefined, false].includes(child)),
  );
  return element;
}

/** Return an element of the page by its id. */
function byId(id) {
  return document.getElementById(id);
}

/** Return what an object has by a name of any kind: `constructor` is none of its own. */
function owned(object, key) {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Return data that was packed: base 64 of deflated JSON. */
async function unpack(name) {
  const packed = atob(byId(`data-${name}`).textContent);
  const bytes = Uint8Array.from(packed, (char) => char.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

/** Return one of the parts that tell about single responses; each is unpacked once. */
function part(number) {
  if (!data.parts.has(number)) data.parts.set(number, unpack(`part${number}`));
  return data.parts.get(number);
}

/** Return what a function makes, or, where it fails, what says so in its place. */
function attempt(make) {
  try {
    return make();
  } catch (error) {
    return failed(error);
  }
}

function failed(error) {
  return el("p", { class: "bad", text: visible(`This cannot be shown: ${error.message}`) });
}

/** Add a section to the report and to the list of sections; return it. */
function section(id, title) {
  const made = el(
    "section",
    { id, "aria-labelledby": `${id}-title` },
    el("h2", { id: `${id}-title`, text: title }),
  );
  byId("report").append(made);
  listSection(id, title);
  return made;
}

/** Name a section at the top of the page. */
function listSection(id, title) {
  byId("sections").append(el("li", {}, el("a", { href: `#${id}`, text: title })));
}

/** Return what stands after a # as a name and the values given with it. */
function whereabouts() {
  const hash = location.hash.slice(1);
  if (hash.startsWith("response=")) return { name: "response", link: hash.slice(9) };
  const [name, query = ""] = hash.split("?");
  return { name, query: Object.fromEntries(new URLSearchParams(query)) };
}

/** Return whether the page is dark now. */
function isDark() {
  const chosen = document.documentElement.dataset.theme;
  if (chosen) return chosen === "dark";
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

/** Let the reader choose between light and dark; the choice is kept where the browser keeps it. */
function startTheme() {
  const { dataset } = document.documentElement;
  try {
    const kept = localStorage.getItem("plangauge-theme");
    if (["light", "dark"].includes(kept)) dataset.theme = kept;
  } catch {
    // The browser keeps nothing.
  }
  byId("theme").addEventListener("click", () => {
    dataset.theme = isDark() ? "light" : "dark";
    try {
      localStorage.setItem("plangauge-theme", dataset.theme);
    } catch {
      // It is not kept, but it is applied.
    }
  });
}
