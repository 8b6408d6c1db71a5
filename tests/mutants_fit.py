# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Every mutant still fits the tree: each text to replace occurs once, the edited C compiles, the named tests exist. Says nothing of
# whether a test catches it: that is mutants.sh, which also has the form of the lists. Prints TAP, a point for each list.
# Usage, from the top of the tree: mutants_fit.py COMPILER FLAG... FILES="path ...": compiles only the mutants of these files.
# covers: host bench firmware rtl docs tests/*/mutants tests/bench/nodes
import concurrent.futures
import glob
import os
import re
import subprocess
import sys

compiler = sys.argv[1:]
only = os.environ.get("FILES", "").split()
cases = "\n".join(open(path, errors="replace").read() for path in glob.glob("tests/*/unit/**/*.*", recursive=True) + glob.glob("tests/usb/rig/*.c")
                  if os.path.isfile(path))
targets = "\n".join(open(path).read() for path in ["Makefile", *glob.glob("mk/*.mk")])


class Mutant:
    def __init__(self, name):
        self.name, self.texts, self.wrong, self.file = name, {}, [], None

    def edit(self, old, new):
        text = self.texts.setdefault(self.file, open(self.file).read())
        if text.count(old) != 1:
            self.wrong.append(f"{self.file}: the text to replace is there {text.count(old)} times: {old}")
        if old == new:
            self.wrong.append(f"{self.file}: the edit changes nothing: {old}")
        self.texts[self.file] = text.replace(old, new)


def exists(test):
    name = test.split(":")[0]
    if test.startswith("cli:"):
        return bool(glob.glob(f"tests/cli/{test[4:]}.sh") + glob.glob(f"tests/*/cli/{test[4:]}.sh"))
    if test.startswith("test_"):
        case = test[len(name) + 1:].split("*")[0].split("/")[-1]
        return case in cases and bool(glob.glob(f"tests/*/unit/{name}.c") + glob.glob(f"tests/usb/rig/{name}.c"))
    if test.startswith("tb_"):
        return os.path.exists(f"tests/rtl/{name}.v")
    if test.startswith("fuzz-"):
        return bool(glob.glob(f"tests/*/fuzz/fuzz_{test[5:]}.c"))
    return re.search(rf"^[^\t#\n]*\b{re.escape(test)}\b.*:", targets, re.M) is not None


def read(path):
    mutants, old = [], None
    for line in open(path):
        word, text = line[:7].strip(), line[7:].strip(" \t\n")  # as read of the shell takes it
        if word == "mutant":
            mutants.append(Mutant(text))
        elif word == "file":
            mutants[-1].file = text
        elif word == "from":
            old = text
        elif word == "to":
            mutants[-1].edit(old, text)
        elif word == "caught":
            mutants[-1].wrong += [f"no test {test}" for test in text.split() if not exists(test)]
    return mutants


def compile_edited(mutant):
    for file, text in mutant.texts.items():
        if only and file not in only or not file.endswith(".c") or not file.startswith(("host/", "bench/", "firmware/app/")):
            continue
        done = subprocess.run([*compiler, "-fsyntax-only", "-iquote", os.path.dirname(file), "-x", "c", "-"], input=text,
                              capture_output=True, text=True)
        if done.returncode:
            mutant.wrong.append(f"{file} does not compile: " + next(line for line in done.stderr.splitlines() if "error" in line))
    return mutant


paths = sorted(glob.glob("tests/*/mutants/*.list"))
failed = False
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    for number, path in enumerate(paths, 1):
        mutants = list(pool.map(compile_edited, read(path)))
        wrong = [f"# {mutant.name}: {text}" for mutant in mutants for text in mutant.wrong]
        failed |= bool(wrong)
        print(f"{'not ok' if wrong else 'ok'} {number} - the {len(mutants)} mutants of {path} fit", *wrong, sep="\n", flush=True)
print(f"1..{len(paths)}")
sys.exit(failed)
