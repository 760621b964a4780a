"""The transitions of VirtualHome once more, on plain sets of facts: slow, and written from scratch.

Only the actions that change facts, without what they need.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

ME = "character_65"
Facts = set[tuple[str, ...]]
HANDS = ("holds_rh", "holds_lh")
MEETING = ("inside", "next_to", "facing")
STATES = {
    "OPEN": ("closed", "open"),
    "CLOSE": ("open", "closed"),
    "SWITCHON": ("off", "on"),
    "SWITCHOFF": ("on", "off"),
    "PLUGIN": ("plugged_out", "plugged_in"),
    "PLUGOUT": ("plugged_in", "plugged_out"),
    **dict.fromkeys(("WASH", "RINSE", "SCRUB", "WIPE"), ("dirty", "clean")),
}


class Naive:
    def __init__(self, things: dict[str, str], rooms: Iterable[str], published: bool) -> None:
        self.things = {name: set(has.split()) for name, has in things.items()}
        self.order = list(things)
        self.rooms = set(rooms)
        self.published = published

    def after(self, before: Facts, name: str, *args: str) -> Facts:
        facts = set(before)
        if name in STATES:
            end, start = STATES[name]
            facts.discard((end, args[0]))
            facts.add((start, args[0]))
            return facts
        getattr(self, f"_{name.lower()}")(facts, before, *args)
        return facts

    def _one(self, facts: Facts, which: Callable[[tuple[str, ...]], bool]) -> list[str]:
        found = {fact[2] for fact in facts if len(fact) == 3 and which(fact)}
        return [thing for thing in self.order if thing in found]

    def of(self, facts: Facts, relation: str, thing: str) -> list[str]:
        return self._one(facts, lambda fact: fact[:2] == (relation, thing))

    def room(self, facts: Facts, thing: str) -> str | None:
        if thing in self.rooms:
            return thing
        places = self.of(facts, "inside", thing)
        if len(places) > 1:
            places = [place for place in places if place in self.rooms]
        for _ in self.order:
            if not places:
                return None
            if places[0] in self.rooms:
                return places[0]
            places = self.of(facts, "inside", places[0])
        return None

    def near(self, facts: Facts, thing: str) -> bool:
        mine = self.of(facts, "next_to", ME)
        return thing in mine or any(
            ("next_to", other, thing) in facts or ("ontop", thing, other) in facts for other in mine
        )

    def part(self, facts: Facts, relations: Iterable[str], thing: str) -> None:
        for fact in list(facts):
            if fact[0] in relations and thing in fact[1:]:
                facts.discard(fact)

    def meet(self, facts: Facts, things: Iterable[str]) -> None:
        for thing in things:
            facts |= {("next_to", ME, thing), ("next_to", thing, ME)}

    def held(self, facts: Facts) -> list[str]:
        return self._one(facts, lambda fact: fact[0] in HANDS and fact[1] == ME)

    def release(self, facts: Facts, thing: str) -> None:
        for hand in HANDS:
            facts.discard((hand, ME, thing))

    def forget(self, facts: Facts, thing: str) -> None:
        for fact in list(facts):
            if fact[0].startswith("taken_from") and fact[1] == thing:
                facts.discard(fact)

    def _walk(self, facts: Facts, before: Facts, thing: str) -> None:
        old, new = self.room(before, ME), self.room(before, thing)
        self.part(facts, MEETING, ME)
        facts.add(("inside", ME, new))
        if thing not in self.rooms:
            self.meet(facts, set(self.of(facts, "inside", thing)) - self.rooms)
            self.meet(facts, (name for name, has in self.things.items() if "body_part" in has))
            self.meet(facts, [thing])
        along = self.held(before)
        if not self.published:
            along += [other for other in self.order if ("ontop", other, ME) in before]
        for other in along:
            self.part(facts, MEETING, other)
        for other in along:
            self.meet(facts, [other])
            room = old if self.published else new
            if room:
                facts.add(("inside", other, room))
        if "can_open" in self.things[thing]:
            self.meet(facts, [x for x in self.order if ("inside", x, thing) in facts])
        self.meet(facts, self.of(facts, "ontop", thing))
        if not self.published:
            self.bring(facts, before, along, new)

    def bring(self, facts: Facts, before: Facts, along: list[str], new: str | None) -> None:
        found = set(along)
        for _ in self.order:
            found |= {f[1] for f in before if f[0] in ("inside", "ontop") and f[2] in found}
            found.discard(ME)
        facts |= {f for f in before if f[0] == "inside" and f[2] in found and f[1] != ME}
        for other in found.difference(along):
            self.part(facts, ("next_to", "facing"), other)
            facts -= {("inside", other, room) for room in self.rooms}
            if new:
                facts.add(("inside", other, new))
        self.meet(facts, found.difference(along))

    _run = _walk

    def _find(self, facts: Facts, before: Facts, thing: str) -> None:
        if not self.near(before, thing):
            self._walk(facts, before, thing)
            return
        facts -= {fact for fact in facts if fact[:2] == ("facing", ME)}
        self.meet(facts, [thing])

    def _grab(self, facts: Facts, before: Facts, thing: str) -> None:
        hand = next(hand for hand in HANDS if not self.of(before, hand, ME))
        self.part(facts, ("ontop", "inside", "next_to", *HANDS), thing)
        self.meet(facts, [thing])
        facts.add((hand, ME, thing))
        if room := self.room(before, ME):
            facts.add(("inside", thing, room))
        for relation in ("ontop", "inside", "next_to"):
            places = [x for x in self.of(before, relation, thing) if x not in self.rooms]
            if places:
                self.meet(facts, places[:1])
                self.forget(facts, thing)
                facts.add((f"taken_from_{relation}", thing, places[0]))
                return

    def put(self, facts: Facts, thing: str, relation: str, place: str) -> None:
        self.release(facts, thing)
        self.meet(facts, [place])
        facts |= {("next_to", thing, place), ("next_to", place, thing), (relation, thing, place)}
        self.forget(facts, thing)

    def _putback(self, facts: Facts, _: Facts, thing: str, place: str) -> None:
        self.put(facts, thing, "ontop", place)

    def _putin(self, facts: Facts, _: Facts, thing: str, place: str) -> None:
        self.put(facts, thing, "inside", place)

    def _putobjback(self, facts: Facts, before: Facts, thing: str) -> None:
        ((_, _, relation), place) = next(
            (fact[0].rpartition("taken_from_"), fact[2])
            for fact in before
            if fact[0].startswith("taken_from") and fact[1] == thing
        )
        fits = relation != "inside" or "can_open" not in self.things[place]
        fits = fits or ("open", place) in before
        if thing in self.held(before) and self.near(before, place) and fits:
            self.put(facts, thing, relation, place)

    def _drop(self, facts: Facts, before: Facts, thing: str) -> None:
        self.release(facts, thing)
        if room := self.room(before, ME):
            facts.add(("inside", thing, room))
        self.forget(facts, thing)

    _release = _drop

    def _puton(self, facts: Facts, _: Facts, thing: str) -> None:
        facts.add(("ontop", thing, ME))
        self.release(facts, thing)
        if not self.published:
            self.forget(facts, thing)

    def _putoff(self, facts: Facts, _: Facts, thing: str) -> None:
        facts.discard(("ontop", thing, ME))

    def _pour(self, facts: Facts, _: Facts, thing: str, place: str) -> None:
        facts.add(("inside", thing, place))
        if thing.startswith("water"):
            self.release(facts, thing)
            if not self.published:
                self.forget(facts, thing)

    def _turnto(self, facts: Facts, _: Facts, thing: str) -> None:
        facts -= {fact for fact in facts if fact[:2] == ("facing", ME)}
        facts.add(("facing", ME, thing))

    def _sit(self, facts: Facts, _: Facts, thing: str) -> None:
        facts.add(("ontop", ME, thing))
        facts |= {("facing", ME, other) for other in self.of(facts, "facing", thing)}
        facts.discard(("lying", ME))
        facts.add(("sitting", ME))

    def _lie(self, facts: Facts, _: Facts, thing: str) -> None:
        facts.add(("ontop", ME, thing))
        facts.discard(("sitting", ME))
        facts.add(("lying", ME))

    def _standup(self, facts: Facts, _: Facts) -> None:
        facts -= {("sitting", ME), ("lying", ME)}
