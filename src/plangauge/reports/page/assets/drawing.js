// States of blocksworld and depots as drawings.

const BOX = { width: 46, height: 26, gap: 10 };

/** Return a drawing of a state; null where its facts do not tell where everything is. */
function drawing(kind, facts, objects, changed) {
  const found = facts.map(termOf);
  if (kind === "blocksworld") return blocks(found, changed);
  if (kind === "depots") return depots(found, objects, changed);
  return null;
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

function blocks(found, changed) {
  const above = upsideDown(pairsOf(found, "on"));
  const lowest = found.filter((fact) => fact.predicate === "ontable").map(({ args }) => args[0]);
  const held = found.filter((fact) => fact.predicate === "holding").map(({ args }) => args[0]);
  const towers = lowest.sort(natural).map((block) => stackOn(block, above));
  const wide = boxWidth(towers.flat().concat(held));
  const tall = Math.max(1, ...towers.map((tower) => tower.length));
  const floor = 50 + tall * BOX.height;
  const width = Math.max(1, towers.length) * (wide + BOX.gap) + BOX.gap + wide + 40;
  const parts = [
    svg("line", { class: "floor", x1: 0, x2: width - wide - 36, y1: floor, y2: floor }),
  ];
  towers.forEach((tower, column) =>
    tower.forEach((block, row) => {
      parts.push(
        ...box(
          BOX.gap + column * (wide + BOX.gap),
          floor - (row + 1) * BOX.height,
          wide,
          block,
          changed,
        ),
      );
    }),
  );
  const x = width - wide - 12;
  parts.push(
    svg("path", { class: "arm", d: `M ${x + wide / 2} 0 V 14 M ${x} 26 V 14 H ${x + wide} V 26` }),
  );
  held.forEach((block) => parts.push(...box(x, 16, wide, block, changed)));
  const label =
    towers.map((tower) => tower.join(" under ")).join("; ") +
    (held.length ? `; the arm holds ${held.join(", ")}` : "; the arm is empty");
  return canvas(width, floor + 6, label, parts);
}

function depots(found, objects, changed) {
  const at = pairsOf(found, "at");
  const above = upsideDown(pairsOf(found, "on"));
  const inside = pairsOf(found, "in");
  const lifting = pairsOf(found, "lifting");
  const ofType = (...types) =>
    Object.keys(objects)
      .filter((each) => types.includes(objects[each]))
      .sort(natural);
  const wide = boxWidth(Object.keys(objects));
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
  const told = [];
  let x = BOX.gap;
  let lowest = floor;
  for (const place of places) {
    const own = stacks(place);
    const width = Math.max(own.length, 1) * (wide + BOX.gap) + BOX.gap;
    own.forEach((stack, column) =>
      stack.forEach((thing, row) => {
        parts.push(
          ...box(
            x + column * (wide + BOX.gap),
            floor - (row + 1) * BOX.height,
            wide,
            thing,
            changed,
            row === 0 ? "pallet" : "crate",
          ),
        );
      }),
    );
    parts.push(
      svg("line", { class: "floor", x1: x - 4, x2: x + width - BOX.gap, y1: floor, y2: floor }),
      svg("text", { class: "place", x, y: floor + 16, text: visible(place) }),
    );
    const rows = movers(place).map((mover) => {
      const load =
        objects[mover] === "truck"
          ? [...inside].filter(([, truck]) => truck === mover).map(([crate]) => crate)
          : [lifting.get(mover)].filter(Boolean);
      return `${mover}${load.length ? ` [${load.join(", ")}]` : ""}`;
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
    told.push(`${place}: ${[...own.map((stack) => stack.join(" under ")), ...rows].join("; ")}`);
    x += Math.max(width, ...rows.map((text) => text.length * 7 + 16), place.length * 8 + 16);
  }
  return canvas(x, lowest + 4, told.join(". "), parts);
}

function boxWidth(texts) {
  return Math.max(BOX.width, ...texts.map((text) => Math.min(text.length, 14) * 8 + 12));
}

function box(x, y, width, text, changed, kind = "block") {
  const shown = text.length > 14 ? `${text.slice(0, 13)}…` : text;
  return [
    svg("rect", {
      class: `${kind}${changed.has(text) ? " moved" : ""}`,
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
      text: visible(shown),
    }),
  ];
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
