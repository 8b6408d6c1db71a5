# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Each sentence of docs/node.md against its defects: plays every defect of a row, as it is and with the keys that make it
# rare, through the cases of regress that the row names, until one fails with a finding of the row; those of programs through
# runs of programs. Or through the steps of validate, each defect as it is.
# Usage, from the top of the tree: sentences.py PROGRAM FOLDER [regress|validate]
#   ONLY="name ..."  these sentences and defects alone
#   KEYS=text        plays whose keys contain the text alone; "as it is" are those without keys
#   SAMPLE=n         every n-th play alone
# Prints a table, then each play that passed. FOLDER/VERB.txt has all plays. Exit code 1: one passed.
# covers: docs/node.md bench/nodes
import json
import os
import re
import subprocess
import sys

NODE = "cube: {dims: 3}\nnodes:\n  - {address: 0x1, kind: contract%s}\n"
EACH = "full-load"  # any case has the tests before and after the run

# In place of cases. One of them has payloads that are longer than those of its program.
PROGRAM = "a scenario with a program"
PROGRAMS = ["sort", "scan", "allreduce, argument: 1", "life, argument: 4"]
WITH_PROGRAM = "cube: {dims: 4}\nlink: {payload: 4 bytes}\nnodes:\n  - {address: 0x9, kind: contract%s}\ntraffic:\n  - {program: %s}\n"

# Defects that the keys do not make rare: they act before the phase clock.
BEFORE_CLOCK = re.compile(r"X\((?:[A-Z0-9_]+), \"(\w+)\", \"\w+\", [^\"]*PB_NEEDS_BEFORE_CLOCK")

# What must have happened first, and the cases in which it does. The others are in the tests after each run.
EVENTS = {"sync": ["sync-extra", "sync-missing"], "cut": ["clock-extra-edge-sending"], "rejected": ["frame-wrong-bytes"]}
AFTER = {
    **dict.fromkeys("P1 P6 P7 P8 T1 T2 T3 T4 T5 F1 F7 F8 F11 F12 F13".split(), ["sync", "cut", "rejected"]),
    **dict.fromkeys("F2 F3 F4 F6".split(), ["rejected"]),
    **dict.fromkeys("P2 P4 P5".split(), ["sync"]),
    "C2": ["sync", "rejected", "reset"],
    **dict.fromkeys("S1 S2 S3 S4 C1 C4 C5 C6 C7 C8 C9 C11 C12 C13".split(), ["reset", "refused", "mode"]),
}
# Sentences about one link.
LINKS = set("P6 P7 P8 T1 T2 T3 T4 T5 T6 F1 F2 F3 F4 F5 F6 F7 F8 F11 F12 F13 C11 C13".split())


def quoted(cell):
    return re.findall(r"`([\w-]+)`", cell)


def rows():
    for line in open("docs/node.md").readlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) == 6 and re.fullmatch(r"[A-Z]\d+", cells[0]):
            yield cells


def qualifiers(sentence, defect, before_clock):
    yield "", None
    if defect in before_clock:
        return
    yield "defect_every: once", None
    if sentence in LINKS:
        yield "defect_port: 1", None
    for event in AFTER.get(sentence, []):
        yield f"defect_after: {event}", EVENTS.get(event)


class Bench:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def ask(self, *words):
        ran = subprocess.run([self.program, *words, "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        return ran.returncode, ran.stdout

    def try_all(self, names, keys, findings):
        """Whether one of these cases or steps finds the defect, and what each of them said."""
        seen = []
        for name in names:
            code, ids = self.play(name, keys)
            hit = code == 1 and (ids is None or bool(ids & findings))
            seen.append(f"{name}: {code} {','.join(sorted(ids or []))}".strip())
            if hit:
                break
        return hit, "; ".join(seen)


class Regress(Bench):
    def __init__(self, program, folder):
        super().__init__(program, folder)
        sound = ["regress", "contract", "--dims", "3", "--overflow", "--quiet", "--out", f"{folder}/sound"]
        subprocess.run([program, *sound], check=True, stdout=subprocess.DEVNULL)

    def named(self, cells):
        if cells[3] == PROGRAM:
            return PROGRAMS if quoted(cells[2]) else []
        return quoted(cells[3]) + ([EACH] if "each" in cells[3] else [])

    def play(self, case, keys):
        path = f"{self.folder}/broken.yaml"
        if case in PROGRAMS:
            text = WITH_PROGRAM % (f", {keys}", case)
        else:
            text = open(f"{self.folder}/sound/{case}.yaml").read().replace('kind: "contract"', f"kind: contract, {keys}", 1)
        open(path, "w").write(text)
        code, result = self.ask("run", path)
        return code, {finding["id"] for finding in json.loads(result)["findings"]} if code == 1 else set()


class Validate(Bench):
    def named(self, cells):
        return quoted(cells[4])

    def play(self, step, keys):
        path = f"{self.folder}/board.yaml"
        open(path, "w").write("name: board\n" + NODE % f", {keys}" + "traffic:\n  - {from: 0, to: 1}\n")
        return self.ask("validate", path, "--only", step, "--quiet")[0], None


def plays(cells, verb, before_clock):
    for defect in quoted(cells[5]):
        for key, cases in qualifiers(cells[0], defect, before_clock) if verb == "regress" else [("", None)]:
            yield defect, key, cases


def main():
    program, folder = sys.argv[1:3]
    verb = sys.argv[3] if len(sys.argv) > 3 else "regress"
    only, keys_only = os.environ.get("ONLY", "").split(), os.environ.get("KEYS", "")
    sample = int(os.environ.get("SAMPLE") or 1)
    os.makedirs(folder, exist_ok=True)
    before_clock = set(BEFORE_CLOCK.findall(open("bench/nodes/defects.h").read()))
    bench = {"regress": Regress, "validate": Validate}[verb](program, folder)
    record = open(f"{folder}/{verb}.txt", "w")
    number, missed = 0, []
    print("sentence  defects  played  found  passed")
    for cells in list(rows()):
        played = found = 0
        for defect, key, cases in plays(cells, verb, before_clock):
            number += 1
            if number % sample or (only and cells[0] not in only and defect not in only) or keys_only not in (key or "as it is"):
                continue
            if not bench.named(cells):
                continue
            keys = f"defect: {defect}" + (f", {key}" if key else "")
            hit, seen = bench.try_all(cases or bench.named(cells), keys, set(quoted(cells[2])))
            played, found = played + 1, found + hit
            line = f"{cells[0]}\t{'found' if hit else 'PASSED'}\t{keys}\t{seen}"
            print(line, file=record, flush=True)
            missed += [] if hit else [line]
        if played:
            print(f"{cells[0]:8}  {len(quoted(cells[5])):7}  {played:6}  {found:5}  {played - found:6}", flush=True)
    print("\n".join(missed))
    sys.exit(bool(missed))


main()
