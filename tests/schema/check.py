"""docs/schema.json as editors use it: shipped files pass, wrong ones don't, by jsonschema."""

import copy
import glob
import json
import re
import sys
import tomllib

from jsonschema import Draft7Validator

# Mistakes of a single value or of keys that exclude each other: a schema can tell.
TOLD = {
    "bad-range", "bad-marks", "bad-target", "bad-window", "contradiction", "no-axis", "no-sizes",
    "no-values", "unknown-key", "unknown-word", "wrong-type",
}  # fmt: skip
# Wrong by one of these codes, and still nothing that a schema could say.
BEYOND = {
    "ethernet/bbr": "a burst of fewer bytes than two segments",
    "ethernet/classes": "classes that are described twice",
    "ethernet/entropies_odd": "a number that is no power of two",
    "ethernet/names": "names that clash with each other",
    "ethernet/shared_pools": "pools that other tables name",
    "ethernet/trim_credit": "a class that trims and has credit, told in two tables",
    "ethernet/trim_lossless": "a class that trims and is stopped, told in two tables",
    "network/two_makers": "two tables of which one is enough",
    "sweep/flit": "axes name keys by their path in a text",
    "sweep/paths": "axes name keys by their path in a text",
    "sweep/values": "values of axes are checked by the key they stand for",
}


def read(path):
    with open(path, "rb") as file:
        return tomllib.load(file)


def leaves(value, path=()):
    """The place of each value that is no table, but for axes, which may hold anything."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if (*path, key)[:2] != ("sweep", "axes"):
                yield from leaves(inner, (*path, key))
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        for at, inner in enumerate(value):
            yield from leaves(inner, (*path, at))
    else:
        yield path


def replaced(scenario, path, value):
    changed = copy.deepcopy(scenario)
    inner = changed
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return changed


def main():
    with open("docs/schema.json", encoding="utf-8") as file:
        schema = json.load(file)
    Draft7Validator.check_schema(schema)
    validator = Draft7Validator(schema)
    wrong = []

    good = sorted(glob.glob("scenarios/*/*.toml") + glob.glob("crates/scenario/tests/files/*.toml"))
    refused = 0
    seen = set()
    for path in good:
        scenario = read(path)
        for error in validator.iter_errors(scenario):
            wrong.append(f"{path}: refused at {error.json_path}: {error.message[:200]}")
        for place in list(leaves(scenario)):
            key = (scenario.get("engine"), *(part for part in place if isinstance(part, str)))
            if key in seen:
                continue
            seen.add(key)
            refused += 1
            if validator.is_valid(replaced(scenario, place, {"no such key": {}})):
                wrong.append(f"{path}: {place} passes whatever it holds")

    bad = 0
    for path in sorted(glob.glob("crates/scenario/tests/diagnostics/*/*.toml")):
        with open(path.removesuffix(".toml") + ".txt", encoding="utf-8") as file:
            codes = set(re.findall(r"^error\[([\w-]+)\]", file.read(), re.M))
        name = "/".join(path.split("/")[-2:]).removesuffix(".toml")
        if not codes & TOLD or name in BEYOND:
            continue
        try:
            scenario = read(path)
        except tomllib.TOMLDecodeError:
            continue
        bad += 1
        if validator.is_valid(scenario):
            wrong.append(f"{path}: passes, and is wrong: {', '.join(sorted(codes))}")

    print(f"schema: {len(good)} good files pass, {bad} wrong ones and {refused} changed values don't")
    if len(good) < 100 or bad < 20:
        wrong.append("hardly anything was looked at")
    for line in wrong[:30]:
        print(f"error: {line}", file=sys.stderr)
    sys.exit(bool(wrong))


main()
