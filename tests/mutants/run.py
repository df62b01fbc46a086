#!/usr/bin/env python3
"""Changes rules on purpose, one at a time, and says which changes no test notices.

cargo-mutants lists the changes (`cargo mutants --list`). It would build once for each change, which takes
a minute each here. This script writes all changes into one copy of the tree, each behind a switch that an
environment variable sets. It builds once, and runs the tests once for each change.

    pip install tree-sitter tree-sitter-rust && cargo install cargo-mutants --locked
    tests/mutants/run.py --count 300 --seed 1 --out one.json   # draws 300, prints those that no test noticed
    tests/mutants/run.py --again one.json                      # tries those again, after tests for them were added

A run takes about an hour on two cores. `equivalent.txt` in this folder lists changes that have no observable
effect, each with its reason. They are printed and not counted.

Changes in constants, const functions, let chains and struct fields are left out, because a switch at run
time cannot express them. A change that does not compile is reported and not counted.
"""

import argparse
import json
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import tree_sitter_rust
from tree_sitter import Language, Parser

# The rules: life, composition, gate, circuits, budgets, progress, relaunch, records, leases.
RULES = [
    "actors/src/domain/life.rs", "actors/src/domain/life/**", "actors/src/records/compose.rs",
    "actors/src/records/compose/**", "actors/src/domain/gate.rs", "actors/src/domain/gate/**",
    "actors/src/domain/gate/circuit.rs", "actors/src/domain/gate/pace.rs", "actors/src/domain/budget.rs",
    "actors/src/records/books.rs", "actors/src/domain/progress.rs", "actors/src/domain/progress/**",
    "actors/src/domain/restart.rs", "src/host/text/redact.rs", "actors/src/records/bounds.rs",
    "actors/src/domain/write.rs", "actors/src/records/conversation.rs", "actors/src/records/conversation/**",
    "actors/src/commander/members.rs", "src/storage/ledger/leases.rs",
]
# The test suites, from the fastest to the slowest: the name, the arguments of cargo, the names of the tests,
# and the part of a path for whose changes the suite is run. A suite is run only for changes that no suite
# before it noticed.
SUITES = [
    ("actors", ["-p", "zoea-text", "-p", "zoea-records", "-p", "zoea-domain", "-p", "actors", "--lib"], [], ""),
    ("compose", ["-p", "zoea", "--test", "compose"], [], "actors/src/"),
    ("deaths", ["-p", "zoea", "--test", "actors"], [], "/commander/"),
    ("ledger", ["-p", "zoea-ledger", "--lib"], ["leases"], "/ledger/"),
    ("tui", ["-p", "zoea", "--test", "tui"], [], ""),
    ("simulation", ["-p", "zoea", "--test", "simulation"], [], ""),
]
# The ledger's suite in older trees, in which the ledger is not a package.
LEDGER_WITHIN = ("ledger", ["-p", "zoea", "--lib"], ["leases"], "/ledger/")
# The list of changes without an observable effect.
EQUIVALENT = Path(__file__).with_name("equivalent.txt")
SWITCH = '''//! The switch of a tree in which rules were changed on purpose: which change is on.

use std::sync::atomic::{AtomicU32, Ordering};

static ON: AtomicU32 = AtomicU32::new(u32::MAX);

/// Whether the change of this number is on.
#[allow(clippy::disallowed_methods)]
pub fn is_on(number: u32) -> bool {
    let mut on = ON.load(Ordering::Relaxed);
    if on == u32::MAX {
        let named = std::env::var("ZOEA_MUTANT").ok();
        on = named.and_then(|named| named.parse().ok()).unwrap_or(0);
        ON.store(on, Ordering::Relaxed);
    }
    on == number
}
'''
PARSER = Parser(Language(tree_sitter_rust.language()))


def find_mutants(tree):
    command = ["cargo", "mutants", "--list", "--json", "--workspace"]
    for rule in RULES:
        command += ["-f", rule]
    return json.loads(subprocess.run(command, cwd=tree, check=True, capture_output=True).stdout)


class File:
    """One source file, and the changes that are written into it."""

    def __init__(self, path):
        self.path = path
        self.source = path.read_bytes()
        self.root = PARSER.parse(self.source).root_node
        lines = self.source.split(b"\n")
        self.starts = [0]
        for line in lines:
            self.starts.append(self.starts[-1] + len(line) + 1)
        self.changes = {}

    def offset(self, place):
        start = self.starts[place["line"] - 1]
        line = self.source[start:self.starts[place["line"]]].decode()
        return start + len(line[:place["column"] - 1].encode())

    def add(self, number, mutant):
        """Finds the node of a change. Returns whether a switch can express the change."""
        start, end = self.offset(mutant["span"]["start"]), self.offset(mutant["span"]["end"])
        node = self.root.descendant_for_byte_range(start, max(start, end - 1))
        genre = mutant["genre"]
        if genre == "FnValue":
            while node and node.type != "function_item":
                node = node.parent
            if node and b"-> impl" in node.text.split(b"{")[0]:
                return False
            node = node and node.child_by_field_name("body")
        elif genre in ("BinaryOperator", "UnaryOperator"):
            kinds = ("binary_expression", "compound_assignment_expr", "unary_expression")
            while node and node.type not in kinds:
                node = node.parent
        elif genre == "MatchArmGuard":
            while node and node.type != "match_pattern":
                node = node.parent
            node = node and node.child_by_field_name("condition")
            if node and "let" in node.type:
                return False
        elif genre == "MatchArm":
            while node and node.type != "match_arm":
                node = node.parent
            node = node and node.child_by_field_name("pattern")
        else:
            return False
        if node is None or is_constant(node):
            return False
        if node.type == "binary_expression" and has_let(node):
            return False
        self.changes.setdefault(node.id, (node, []))[1].append((number, genre, mutant["replacement"]))
        return True

    def render(self, node, alive, switch, skip=False):
        """The text of a node with all usable changes in it."""
        changes = [] if skip else self.changes.get(node.id, (None, []))[1]
        changes = [change for change in changes if change[0] in alive]
        plain = self.source[node.start_byte:node.end_byte].decode()
        text, at = "", node.start_byte
        for child in node.children:
            text += self.source[at:child.start_byte].decode()
            text += self.render(child, alive, switch)
            at = child.end_byte
        text += self.source[at:node.end_byte].decode()
        for number, genre, replacement in changes:
            on = f"{switch}({number})"
            if genre == "FnValue":
                text = "{ if " + on + " { return " + replacement + "; } " + text[1:]
            elif genre == "BinaryOperator":
                operator = node.child_by_field_name("operator")
                begin, end = operator.start_byte - node.start_byte, operator.end_byte - node.start_byte
                raw = self.source[node.start_byte:node.end_byte]
                other = (raw[:begin] + replacement.encode() + raw[end:]).decode()
                text = f"(if {on} {{ {other} }} else {{ {text} }})"
            elif genre == "UnaryOperator":
                text = f"(if {on} {{ {plain[1:]} }} else {{ {text} }})"
            elif genre == "MatchArmGuard":
                text = f"(if {on} {{ {replacement} }} else {{ {text} }})"
            elif genre == "MatchArm":
                guard = node.child_by_field_name("condition")
                if guard is None:
                    text = f"{text} if !{on}"
                elif "let" not in guard.type:
                    head = self.source[node.start_byte:guard.start_byte].decode()
                    text = f"{head}(!{on} && ({self.render(guard, alive, switch)}))"
        return text

    def write(self, alive):
        # The switch is in the package that all others use.
        base = "crate" if "/host/text/" in str(self.path) else "zoea_text"
        switch = base + "::mutant::is_on"
        self.path.write_text(self.render(self.root, alive, switch))


def is_constant(node):
    while node:
        if node.type in ("const_item", "static_item", "attribute_item", "macro_invocation"):
            return True
        if node.type == "function_item":
            head = node.text.split(b"{")[0]
            return b"const fn" in head
        node = node.parent
    return False


def has_let(node):
    if node.type in ("let_condition", "let_chain"):
        return True
    return any(has_let(child) for child in node.children) and node.type == "binary_expression"


def build(tree, arguments):
    """Builds tests. Returns their binaries, or the places of the errors."""
    command = ["cargo", "test", "--no-run", "--locked", "--message-format=json", *arguments]
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True)
    binaries, errors = [], set()
    for line in done.stdout.splitlines():
        try:
            message = json.loads(line)
        except ValueError:
            continue
        if message.get("reason") == "compiler-artifact" and message.get("executable"):
            if message["profile"]["test"]:
                folder = Path(message["manifest_path"]).parent
                binaries.append((message["executable"], folder))
        if message.get("reason") == "compiler-message" and message["message"]["level"] == "error":
            for span in message["message"]["spans"]:
                for line in range(span["line_start"], span["line_end"] + 1):
                    errors.add((span["file_name"], line))
    return binaries, errors, done.returncode


def nearest(text, line):
    """The changes on a line, or on the nearest line above it: a change may cause an error in a later line."""
    for above in range(min(line, len(text)), max(0, line - 40), -1):
        numbers = re.findall(r"is_on\((\d+)\)", text[above - 1])
        if numbers:
            return [int(number) for number in numbers]
    return []


def run(binary, folder, tests, number, limit):
    """Runs tests with a change. Returns the first failed test, "time" if they do not end, or nothing."""
    environment = dict(os.environ, ZOEA_MUTANT=str(number), RUST_BACKTRACE="0", PROPTEST_MAX_SHRINK_ITERS="0",
                       PROPTEST_DISABLE_FAILURE_PERSISTENCE="1")
    process = subprocess.Popen([binary, *tests], env=environment, cwd=folder, text=True, errors="replace",
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True)
    is_late = threading.Event()

    def end():
        # This also ends the processes that the tests started.
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def end_late():
        is_late.set()
        end()

    timer = threading.Timer(limit, end_late)
    timer.start()
    failed = None
    for line in process.stdout:
        if line.rstrip().endswith("... FAILED"):
            failed = line.removeprefix("test ").split(" ...")[0]
            break
    if failed is not None:
        end()
    process.stdout.close()
    code = process.wait()
    timer.cancel()
    if is_late.is_set():
        return "time"
    return failed or (None if code == 0 else "the tests' end")


def key(mutant, tree):
    """The key of a change, which stays the same if its line moves: its name without the place, and the line."""
    text = (tree / mutant["file"]).read_text().splitlines()
    line = text[mutant["span"]["start"]["line"] - 1].strip()
    return re.sub(r":\d+:\d+: ", ": ", mutant["name"]) + f" | {line}"


def tests_of(mutant):
    """The tests of the changed module. They notice most changes and take the least time."""
    file = mutant["file"]
    for rules in ["/domain/", "/records/"]:
        if rules in file:
            return file.split(rules)[1].removesuffix(".rs").split("/")[0] + "::"
    return None


def read_equivalent():
    if not EQUIVALENT.exists():
        return {}
    lines = [line for line in EQUIVALENT.read_text().splitlines() if line and not line.startswith("#")]
    return dict(line.split(" -- ", 1) for line in lines)


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--tree", type=Path, default=Path("/tmp/zoea-mutants"), help="the copy to change")
    options.add_argument("--rev", default="HEAD")
    options.add_argument("--count", type=int, default=300)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--suites", default="actors,compose,deaths,ledger")
    options.add_argument("--out", type=Path, help="where the outcome of each change is written, as JSON")
    options.add_argument("--again", type=Path, help="the --out of a run: only what went unnoticed then")
    given = options.parse_args()
    home = Path(__file__).resolve().parents[2]
    tree = given.tree.resolve()
    if not tree.exists():
        subprocess.run(["git", "worktree", "add", "--detach", str(tree), given.rev], cwd=home, check=True)
    revision = subprocess.run(["git", "rev-parse", given.rev], cwd=home, check=True, capture_output=True, text=True)
    subprocess.run(["git", "checkout", "-q", "--force", "--detach", revision.stdout.strip()], cwd=tree, check=True)
    (tree / "src/host/text/mutant.rs").unlink(missing_ok=True)
    suites = [suite for suite in SUITES if suite[0] in given.suites.split(",")]
    if not (tree / "src/storage/ledger/Cargo.toml").exists():
        suites = [LEDGER_WITHIN if suite[0] == "ledger" else suite for suite in suites]

    found = find_mutants(tree)
    files, drawn = {}, {}
    equivalent = read_equivalent()
    if given.again:
        wanted = json.loads(given.again.read_text())["unnoticed"]
        found = [mutant for mutant in found if key(mutant, tree) in wanted]
    random.Random(given.seed).shuffle(found)
    for mutant in found:
        if len(drawn) >= given.count:
            break
        file = files.get(mutant["file"]) or File(tree / mutant["file"])
        files[mutant["file"]] = file
        if file.add(len(drawn) + 1, mutant):
            drawn[len(drawn) + 1] = mutant
    print(f"{len(found)} changes are known, {len(drawn)} were drawn (seed {given.seed})", flush=True)
    keys = {number: key(mutant, tree) for number, mutant in drawn.items()}
    same = {number for number in drawn if keys[number] in equivalent}
    for number in sorted(same):
        print("not counted, the same as before:", drawn[number]["name"], "--", equivalent[keys[number]])

    library = tree / "src/host/text/lib.rs"
    library.write_text(library.read_text() + "\n#[allow(missing_docs)]\npub mod mutant;\n")
    (tree / "src/host/text/mutant.rs").write_text(SWITCH)
    alive, unbuilt, noticed = set(drawn) - same, set(), {}

    def rewrite():
        for file in files.values():
            file.write(alive)

    def write_out():
        if given.out:
            given.out.write_text(json.dumps({
                "noticed": {drawn[n]["name"]: by for n, by in noticed.items()},
                "unnoticed": [keys[n] for n in sorted(alive - set(noticed))],
                "unbuilt": [drawn[n]["name"] for n in sorted(unbuilt)],
            }, indent=1))

    rewrite()
    for name, arguments, tests, files_of in suites:
        while True:
            binaries, errors, code = build(tree, arguments)
            if code == 0:
                break
            bad = set()
            for file, line in errors:
                path = next(path for path in (tree / file, tree / "actors" / file, Path("/dev/null")) if path.exists())
                bad |= {number for number in nearest(path.read_text().splitlines(), line) if number in alive}
            if not bad:
                print(f"{name} does not build, and no change explains it: {sorted(errors)[:5]}")
                sys.exit(1)
            unbuilt |= bad
            alive -= bad
            print(f"{len(bad)} changes do not compile", flush=True)
            rewrite()
        began = time.monotonic()
        for binary, folder in binaries:
            failed = run(binary, folder, tests, 0, 1800)
            if failed:
                print(f"{name} is red without any change: {failed}")
                sys.exit(1)
        limit = max(20.0, 4 * (time.monotonic() - began))
        print(f"{name}: {time.monotonic() - began:.0f} s without a change", flush=True)
        for number in sorted(alive - set(noticed)):
            if files_of not in drawn[number]["file"]:
                continue
            near = tests_of(drawn[number]) if name == "actors" else None
            for binary, folder in binaries:
                failed = near and run(binary, folder, [near], number, limit)
                failed = failed or run(binary, folder, tests, number, limit)
                if failed:
                    noticed[number] = f"{name} {failed}"
                    break
            write_out()
        print(f"{name}: {len(noticed)} of {len(alive)} noticed so far", flush=True)
    for number in sorted(alive - set(noticed)):
        print("unnoticed:", drawn[number]["name"])
    share = 100 * len(noticed) / max(1, len(alive))
    print(f"{len(noticed)} of {len(alive)} that could be built were noticed ({share:.1f} %); "
          f"{len(unbuilt)} could not be built, {len(same)} are the same as before")
    write_out()


main()
