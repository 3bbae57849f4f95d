"""Checks the training texts against the knowledge base and counts what they hold.

Usage: python3 training/check.py [FILE ...] [--scarce N]
--scarce N also lists the findings that fewer than N texts tell as present.
"""

import collections
import json
import pathlib
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
KINDS = {"story", "contrast", "indirect", "short"}
LANGUAGES = {"en", "pcm", "fr", "sw", "pt", "ha", "yo", "ig", "am", "zu"}
LISTS = ("present", "absent", "past", "other", "unsure")
FIELDS = {"id", "kind", "lang", "voice", "age", "age_unit", "sex", "text", *LISTS}
DAYS = {"year": 365.25, "month": 30.44, "week": 7, "day": 1}


def concepts():
    """Returns every finding, risk factor, measure and test of the knowledge base by its id."""
    known = {}
    knowledge = ROOT / "knowledge"
    files = [*knowledge.glob("findings/*.toml"), *knowledge.glob("risk-factors/*.toml")]
    files += [knowledge / "vital-signs.toml", knowledge / "lab-tests.toml"]
    for file in files:
        for rows in tomllib.loads(file.read_text()).values():
            if isinstance(rows, list):
                known.update((row["id"], row) for row in rows if "id" in row)
    return known


def days(words):
    """Returns an age such as "2 months" in days."""
    number, unit = words.split()
    return float(number) * DAYS[unit.rstrip("s")]


def problems(row, known):
    """Yields what is wrong with one text."""
    missing = FIELDS - row.keys()
    if missing:
        yield f"misses {sorted(missing)}"
        return
    if row.keys() - FIELDS:
        yield f"has unknown fields {sorted(row.keys() - FIELDS)}"
    if row["kind"] not in KINDS or row["lang"] not in LANGUAGES:
        yield f"kind {row['kind']} or language {row['lang']} is not known"
    if not row["text"].strip():
        yield "has no text"
    age = row["age"] * DAYS.get(row["age_unit"], 0)
    listed = collections.Counter(concept for name in LISTS for concept in row[name])
    for concept in listed:
        entry = known.get(concept)
        if entry is None:
            yield f"{concept} is not in the knowledge base"
            continue
        own = concept in row["present"]
        if own and entry.get("sex", row["sex"]) not in (row["sex"], "any"):
            yield f"{concept} is not possible in a {row['sex']}"
        if own and "from" in entry and age < days(entry["from"]):
            yield f"{concept} is not possible before {entry['from']}"
        if own and "to" in entry and age >= days(entry["to"]):
            yield f"{concept} is not possible from {entry['to']}"
    both = set(row["present"]) & set(row["absent"])
    if both:
        yield f"is both present and absent: {sorted(both)}"


def main(arguments):
    scarce = 0
    if "--scarce" in arguments:
        place = arguments.index("--scarce")
        scarce = int(arguments[place + 1])
        del arguments[place : place + 2]
    files = [pathlib.Path(name) for name in arguments]
    files = files or sorted((ROOT / "training" / "texts").glob("*.jsonl"))
    known = concepts()
    ids, texts, told = set(), set(), collections.Counter()
    kinds, wrong = collections.Counter(), 0
    for file in files:
        for number, line in enumerate(file.read_text().splitlines(), 1):
            place = f"{file.name}:{number}"
            try:
                row = json.loads(line)
            except ValueError as error:
                print(f"{place}: is not JSON: {error}")
                wrong += 1
                continue
            found = list(problems(row, known))
            if row.get("id") in ids:
                found.append(f"the id {row.get('id')} stands twice")
            if row.get("text", "").casefold() in texts:
                found.append("the text stands twice")
            ids.add(row.get("id"))
            texts.add(row.get("text", "").casefold())
            kinds[row.get("kind"), row.get("lang")] += 1
            told.update(row.get("present", []))
            for problem in found:
                print(f"{place}: {problem}")
            wrong += len(found)
    for (kind, language), count in sorted(kinds.items(), key=str):
        print(f"{kind} {language}: {count}")
    print(f"{sum(kinds.values())} texts tell {len(told)} of {len(known)} concepts; {wrong} problems")
    if scarce:
        few = [concept for concept in known if told[concept] < scarce and concept[0] in "sp"]
        print("\n".join(f"{told[concept]} {concept}" for concept in few))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
