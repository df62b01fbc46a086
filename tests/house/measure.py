#!/usr/bin/env python3
"""Measures the house: lines of code, names of one word, type names with several meanings, packages.

    tests/house/measure.py [FOLDER]      # the repository, or another checkout of it

Code is what stands in src/, actors/ and migration/ outside of test files and of `mod tests`; comments and
blank lines do not count. A function's name has one word where it has no underscore; functions of traits
that are not ours count like any other. A type name counts where more than one file defines it.
"""

import re
import sys
from collections import defaultdict
from pathlib import Path

root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parents[2])


def production(path):
    text = path.read_text()
    return re.split(r"#\[cfg\(test\)\]\s*mod tests \{", text)[0]


def is_test(path):
    return path.name == "tests.rs" or "tests" in path.relative_to(root).parts


def package_of(path):
    for folder in path.parents:
        if (folder / "Cargo.toml").exists():
            return folder.relative_to(root).as_posix()
    return "?"


files = [p for top in ("src", "actors", "migration") for p in (root / top).rglob("*.rs")]
files = [p for p in files if "target" not in p.parts]
lines = code = 0
packages = defaultdict(lambda: [0, 0])
one = named = 0
types = defaultdict(set)
for path in files:
    text = path.read_text()
    lines += text.count("\n")
    packages[package_of(path)][0] += text.count("\n")
    if is_test(path):
        continue
    kept = [line for line in production(path).split("\n") if line.strip() and not line.strip().startswith("//")]
    code += len(kept)
    packages[package_of(path)][1] += len(kept)
    for line in kept:
        for name in re.findall(r"\bfn ([a-z_0-9]+)", line):
            named += 1
            one += "_" not in name.strip("_")
        for name in re.findall(r"^\s*(?:pub(?:\([^)]*\))? )?(?:struct|enum|trait|type) ([A-Z]\w*)", line):
            if not re.match(r"^\s{4,}type ", line):
                types[name].add(path)
several = sorted(name for name, where in types.items() if len(where) > 1)
print(f"{len(files)} files, {lines} lines, {code} lines of code")
print(f"functions named by one word: {one} of {named} ({100 * one / named:.1f} %)")
print(f"type names defined in several files: {len(several)} of {len(types)}: {', '.join(several)}")
for name, (all_lines, code_lines) in sorted(packages.items(), key=lambda item: -item[1][0]):
    print(f"{all_lines:>7} lines, {code_lines:>6} of code: {name if name != '.' else 'zoea (src/)'}")
