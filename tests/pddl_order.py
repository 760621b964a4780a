"""PDDL files that say the same, with declarations, objects, facts and goals in another order."""

from __future__ import annotations

from plangauge.pddl.tree import Node, Source

SHUFFLED = (":init", ":objects", ":constants", ":predicates", ":types", ":goal")


def reordered(text: str, random) -> str:
    """Return a PDDL file that says the same in another order."""
    _, header, *sections = Source(text).read()
    first, rest = sections[:1], sections[1:]  # the name of the domain, or what it requires
    actions = [part for part in rest if part.head == ":action"]
    random.shuffle(actions)
    others = [part for part in rest if part.head != ":action"]
    parts = [written(header), *map(written, first)]
    parts += [another_order(part, random) for part in others]
    return "(define " + "\n ".join((*parts, *map(written, actions))) + ")"


def another_order(section: Node, random) -> str:
    head, *parts = section
    if head not in SHUFFLED:
        return written(section)
    if head == ":goal":
        (goal,) = parts
        conjuncts = [*goal[1:]] if goal.head == "and" else [goal]
        random.shuffle(conjuncts)
        return f"(:goal (and {' '.join(map(written, conjuncts))}))"
    groups = typed(parts)
    random.shuffle(groups)
    return f"({head} {' '.join(groups)})"


def typed(parts) -> list[str]:
    """Return names each with its own type, where there are types."""
    groups: list[str] = []
    names: list[str] = []
    waiting = iter(parts)
    for part in waiting:
        if part == "-":
            type_ = written(next(waiting))
            groups += [f"{name} - {type_}" for name in names]
            names = []
        else:
            names.append(written(part))
    return groups + [f"{name} - object" if groups else name for name in names]


def written(tree) -> str:
    return tree if isinstance(tree, str) else f"({' '.join(map(written, tree))})"
