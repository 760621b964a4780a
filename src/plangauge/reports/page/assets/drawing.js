// States of blocksworld and depots as drawings.

const BOX = { width: 46, height: 26, gap: 10 };

/**
 * Return a drawing of a state; null where its facts do not tell where everything is. Things are
 * labelled as the prompt calls them, where `called` tells a word for them.
 */
function drawing(kind, facts, objects, changed, called = {}) {
  const found = facts.map(termOf);
  const shown = { changed, label: (thing) => owned(called, thing) ?? thing };
  if (kind === "blocksworld") return blocks(found, shown);
  if (kind === "depots") return depots(found, objects, shown);
  return null;
}

/** Return how a thing is told of where both its word and its name have room. */
function inFull(thing, { label }) {
  return label(thing) === thing ? thing : `${label(thing)} (${thing})`;
}

/** Return a fact in parts: its predicate without hyphens, and its objects. */
function termOf(text) {
  const [predicate, ...args] = text.slice(1, -1).split(" ");
  return { predicate: predicate.toLowerCase().replace(/[-_]/g, ""), args };
}

function pairsOf(found, predicate) {
  return new Map(found.filter((fact) => fact.predicate === predicate).map(({ args }) => args));
}

/** Return a stack of things, the lowest first, without end where they form no circle. */
function stackOn(lowest, above) {
  const stack = [lowest];
  while (above.has(stack.at(-1)) && stack.length <= above.size) stack.push(above.get(stack.at(-1)));
  return stack;
}

function upsideDown(pairs) {
  return new Map([...pairs].map(([upper, lower]) => [lower, upper]));
}

function natural(one, other) {
  return one.localeCompare(other, "en", { numeric: true });
}

function blocks(found, shown) {
  const above = upsideDown(pairsOf(found, "on"));
  const lowest = found.filter((fact) => fact.predicate === "ontable").map(({ args }) => args[0]);
  const held = found.filter((fact) => fact.predicate === "holding").map(({ args }) => args[0]);
  const towers = lowest.sort(natural).map((block) => stackOn(block, above));
  const wide = boxWidth(towers.flat().concat(held).map(shown.label));
  const tall = Math.max(1, ...towers.map((tower) => tower.length));
  const floor = 50 + tall * BOX.height;
  const width = Math.max(1, towers.length) * (wide + BOX.gap) + BOX.gap + wide + 40;
  const parts = [
    svg("line", { class: "floor", x1: 0, x2: width - wide - 36, y1: floor, y2: floor }),
  ];
  towers.forEach((tower, column) =>
    tower.forEach((block, row) => {
      parts.push(
        box(
          BOX.gap + column * (wide + BOX.gap),
          floor - (row + 1) * BOX.height,
          wide,
          block,
          shown,
        ),
      );
    }),
  );
  const x = width - wide - 12;
  parts.push(
    svg("path", { class: "arm", d: `M ${x + wide / 2} 0 V 14 M ${x} 26 V 14 H ${x + wide} V 26` }),
  );
  held.forEach((block) => parts.push(box(x, 16, wide, block, shown)));
  const told = (things) => things.map((thing) => inFull(thing, shown));
  const label =
    towers.map((tower) => told(tower).join(" under ")).join("; ") +
    (held.length ? `; the arm holds ${told(held).join(", ")}` : "; the arm is empty");
  return canvas(width, floor + 6, label, parts);
}

function depots(found, objects, shown) {
  const told = (thing) => inFull(thing, shown);
  const at = pairsOf(found, "at");
  const above = upsideDown(pairsOf(found, "on"));
  const inside = pairsOf(found, "in");
  const lifting = pairsOf(found, "lifting");
  const ofType = (...types) =>
    Object.keys(objects)
      .filter((each) => types.includes(objects[each]))
      .sort(natural);
  const wide = boxWidth(Object.keys(objects).map(shown.label));
  const stacks = (place) =>
    ofType("pallet")
      .filter((pallet) => at.get(pallet) === place)
      .map((pallet) => stackOn(pallet, above));
  const movers = (place) => ofType("hoist", "truck").filter((each) => at.get(each) === place);
  const places = ofType("depot", "distributor", "place");
  const tall = Math.max(
    1,
    ...places.flatMap((place) => stacks(place).map((stack) => stack.length)),
  );
  const floor = 24 + tall * BOX.height;
  const parts = [];
  const texts = [];
  let x = BOX.gap;
  let lowest = floor;
  for (const place of places) {
    const own = stacks(place);
    const width = Math.max(own.length, 1) * (wide + BOX.gap) + BOX.gap;
    own.forEach((stack, column) =>
      stack.forEach((thing, row) => {
        parts.push(
          box(
            x + column * (wide + BOX.gap),
            floor - (row + 1) * BOX.height,
            wide,
            thing,
            shown,
            row === 0 ? "pallet" : "crate",
          ),
        );
      }),
    );
    parts.push(
      svg("line", { class: "floor", x1: x - 4, x2: x + width - BOX.gap, y1: floor, y2: floor }),
      svg("text", { class: "place", x, y: floor + 16, text: visible(told(place)) }),
    );
    const rows = movers(place).map((mover) => {
      const load =
        objects[mover] === "truck"
          ? [...inside].filter(([, truck]) => truck === mover).map(([crate]) => crate)
          : [lifting.get(mover)].filter(Boolean);
      return `${told(mover)}${load.length ? ` [${load.map(told).join(", ")}]` : ""}`;
    });
    rows.forEach((text, row) =>
      parts.push(
        svg("text", {
          class: "mover",
          x,
          y: floor + 34 + 16 * row,
          text: visible(text),
        }),
      ),
    );
    lowest = Math.max(lowest, floor + 34 + 16 * rows.length);
    const stacked = own.map((stack) => stack.map(told).join(" under "));
    texts.push(`${told(place)}: ${[...stacked, ...rows].join("; ")}`);
    x += Math.max(width, ...rows.map((text) => text.length * 7 + 16), told(place).length * 8 + 16);
  }
  return canvas(x, lowest + 4, texts.join(". "), parts);
}

function boxWidth(texts) {
  return Math.max(BOX.width, ...texts.map((text) => Math.min(text.length, 14) * 8 + 12));
}

function box(x, y, width, thing, shown, kind = "block") {
  const label = shown.label(thing);
  const text = label.length > 14 ? `${label.slice(0, 13)}…` : label;
  const part = svg(
    "g",
    {},
    label === thing ? null : svg("title", { text: visible(thing) }),
    svg("rect", {
      class: `${kind}${shown.changed.has(thing) ? " moved" : ""}`,
      x,
      y: y + 1,
      width,
      height: BOX.height - 2,
      rx: 3,
    }),
    svg("text", {
      class: "label",
      x: x + width / 2,
      y: y + BOX.height / 2 + 4,
      text: visible(text),
    }),
  );
  return part;
}

function canvas(width, height, label, parts) {
  return svg(
    "svg",
    {
      class: "state",
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      role: "img",
      "aria-label": visible(label),
    },
    svg("title", { text: visible(label) }),
    parts,
  );
}
