# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
# covers: rtl tests/rtl/mutated tests/rtl/survivors
"""Runs the generated mutants of the Verilog (mutate.py) against the benches and proofs that tests/rtl/mutated names for each module.

    mutants.py RESULT-DIR            from the top of the tree
    ONLY=pb_fifo,pb_alarms           these modules; default: all in the list
    SAMPLE=20                        as many mutants of a module, spread over its text; default: all
    JOBS=2                           mutants at a time; default: 1

The checks of a module: benches in Icarus, as they are and with the conditions for Verilator, and proofs, the cheapest first. At last, whether
the module and its mutant can differ at an output at all (yosys, abc). A mutant that none of them kills must be in tests/rtl/survivors, with the
reason why it cannot be seen. One line for each mutant: how it ended, module, number, what was changed. Status 1 if a mutant survives
without a reason, or a module is broken before it is mutated. Each result is also in RESULT-DIR/MODULE.log, and a mutant with a result there
is not run again while the module, its benches and its proofs are the same: a run can be ended and continued.
"""
import hashlib
import os
import re
import resource
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import mutate

HERE = "tests/rtl"
EQUIVALENT_S = 20       # CPU time in which abc must show that a mutant is equivalent


def limited(command, cpu_s, log, env=None):
    """Runs a command with a limit of CPU time. Returns its status, None when the limit ended it."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s + 1))
    with open(log, "w") as out:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, preexec_fn=limit, env=env)
    return None if done.returncode < 0 else done.returncode


def rows(name):
    with open(os.path.join(HERE, name)) as table:
        return [line.split() for line in table if line.strip() and not line.startswith("#")]


def survivors():
    """{(module, name of the mutant): reason}"""
    known, module, name = {}, None, None
    for line in open(os.path.join(HERE, "survivors")):
        line = line.rstrip("\n")
        if line.startswith("    ") and name:
            known[module, name] = (known.get((module, name), "") + " " + line.strip()).strip()
        elif line and not line.startswith("#"):
            module, name = line.split(" ", 1)
    return known


class Module:
    def __init__(self, name, file, checks, result):
        self.name, self.file = name, file
        self.checks = checks.split(",")     # benches and proofs, the cheaper ones first
        self.benches = [c for c in self.checks if c.startswith("tb_")]
        self.proofs = [c for c in self.checks if not c.startswith("tb_")]
        self.path = os.path.join("rtl", file)
        self.source = open(self.path).read()
        self.dir = os.path.join(result, name)
        self.log = os.path.join(result, name + ".log")
        self.limits = {}

    def tree(self, slot, source):
        """A copy of rtl/ with the mutant in it, one for each slot of JOBS."""
        rtl = os.path.join(self.dir, "rtl%d" % slot)
        if not os.path.isdir(rtl):
            shutil.copytree("rtl", rtl)
        with open(os.path.join(rtl, self.file), "w") as out:
            out.write(source)
        return rtl

    def variants(self, bench):
        """Arguments of the compiler for each run of a bench."""
        own = re.sub(r"^tb_", "", bench)
        idle = self.source.count("PB_SIM_ACTIVE") and own.startswith(self.name)
        return [[], ["-DVERILATOR"]] if idle else [[]]

    def simulate(self, slot, rtl, bench, arguments):
        """'pass', 'FAIL', 'invalid' (it does not compile) or 'BROKEN' (the bench fails without a mutant)."""
        base = os.path.join(self.dir, "%s%d" % (bench, slot))
        dirs = [os.path.join(rtl, d) for d in ("node", "core", "board", "proto/gen")]
        compiler = ["iverilog", *arguments, "-g2005", "-Wno-timescale", *[x for d in dirs for x in ("-y", d)],
                    "-I", dirs[1], "-I", dirs[3], "-I", HERE, "-s", bench, "-o", base + ".vvp", "%s/%s.v" % (HERE, bench)]
        key = (bench, tuple(arguments))
        if rtl != "rtl" and key not in self.limits and self.simulate(slot, "rtl", bench, arguments) != "pass":
            return "BROKEN"
        if limited(compiler, 60, base + ".log"):
            return "invalid"
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        limited(["vvp", "-n", base + ".vvp"], self.limits.get(key, 600), base + ".log")
        said = [line for line in open(base + ".log", errors="replace") if "$finish" not in line]
        if said and said[-1].strip() == "PASS " + bench:
            # The first run is that of the module itself. A mutant with which a bench takes four times as long is killed.
            self.limits.setdefault(key, 10 + int(4 * (resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before)))
            return "pass"
        return "FAIL"

    def prove(self, slot, rtl, proof):
        """'' or what failed."""
        out = os.path.join(self.dir, "proofs%d" % slot)
        log = os.path.join(self.dir, "%s%d.log" % (proof, slot))
        limited(["bench/formal/run.sh", out, proof], 100000, log, dict(os.environ, RTL=rtl, STOP="1", TRACE="0"))
        said = re.search(r"^FAIL .*?(Assert failed|\d+ of \d+ covers reached|no answer|does not build|Unreached cover)", open(log).read(), re.M)
        if not said:
            return "" if re.search("^ok ", open(log).read(), re.M) else "no result"
        return said.group(1)

    def equivalent(self, slot, rtl):
        """No output differs in any clock after configuration, for any inputs: abc proves it. All registers
        begin at 0, as in an iCE40. Parameters have their defaults."""
        base = os.path.join(self.dir, "same%d" % slot)
        script = []
        edges = "memory_map; opt; clk2fflogic" if re.search(r"\w_clk\b", self.source) else "async2sync"
        for kind, tree in (("gold", "rtl"), ("gate", rtl)):
            script += ["read_verilog -defer -I%s/core -I%s/proto/gen %s" % (tree, tree, " ".join(
                os.path.join(tree, d, f) for d in ("core", "node") for f in sorted(os.listdir(os.path.join(tree, d))) if f.endswith(".v"))),
                "hierarchy -check -top %s; proc; flatten; memory_map; opt -full; rename -top %s" % (self.name, kind),
                "design -stash %s" % kind]
        script += ["design -copy-from gold gold; design -copy-from gate gate",
                   "miter -equiv -flatten -make_assert gold gate miter; hierarchy -top miter; %s; setundef -undriven -init -zero; opt -full" % edges,
                   "techmap; opt; dffunmap; abc -g AND -fast; opt_clean; write_aiger -I -B -zinit %s.aig" % base]
        with open(base + ".ys", "w") as out:
            out.write("\n".join(script) + "\n")
        if limited(["yosys", "-q", base + ".ys"], 100, base + ".log") != 0:
            return False
        limited(["yosys-abc", "-c", "read_aiger %s.aig; fold; strash; scorr; dc2; pdr -T %d" % (base, EQUIVALENT_S)], EQUIVALENT_S, base + ".log")
        return "Property proved" in open(base + ".log").read()

    def run(self, slot, name, source, known):
        """How the mutant ended: 'killed by X', 'invalid', 'equivalent', 'survives by reason' or 'SURVIVES'."""
        rtl = self.tree(slot, source)
        unanswered = ""
        for check in self.checks:
            if check in self.benches:
                for arguments in self.variants(check):
                    ended = self.simulate(slot, rtl, check, arguments)
                    if ended != "pass":
                        return {"invalid": "invalid", "FAIL": "killed by " + check}.get(ended, "BROKEN, " + check + " does not pass as it is")
                continue
            failed = self.prove(slot, rtl, check)
            if failed == "does not build":
                return "invalid"
            if "failed" in failed or "cover" in failed:
                return "killed by proof " + check
            if failed:
                unanswered = ", %s: %s" % (check, failed)
        if (self.name, name) in known:
            return "survives by reason"
        if not unanswered and self.equivalent(slot, rtl):
            return "equivalent"
        return "SURVIVES" + unanswered


def digest(module):
    """Of all that decides the result of a mutant of the module."""
    parts = [module.path, HERE + "/tb_pb_common.vh"] + ["%s/%s.v" % (HERE, b) for b in module.benches] + \
        ["bench/formal/%s.v" % p for p in module.proofs]
    return hashlib.sha256(b"".join(open(p, "rb").read() for p in parts)).hexdigest()[:16]


def chosen(module):
    every = list(enumerate(mutate.named(module.source), 1))
    sample = int(os.environ.get("SAMPLE") or 0)
    if not sample or sample >= len(every):
        return every
    return [every[(2 * k + 1) * len(every) // (2 * sample)] for k in range(sample)]


def run_module(module, known, jobs):
    """Counts by the first word of the result."""
    stamp, results = digest(module), {}
    if os.path.exists(module.log):
        lines = open(module.log).read().splitlines()
        if lines and lines[0] == stamp:
            results = dict(reversed(line.split("\t", 1)) for line in lines[1:] if not line.startswith("SURVIVES"))
    shutil.rmtree(module.dir, ignore_errors=True)
    os.makedirs(module.dir)
    wanted = [(number, name, source) for number, (name, source) in chosen(module)]
    with open(module.log, "w") as log:
        log.write("\n".join([stamp] + ["%s\t%s" % (r, n) for n, r in results.items()]) + "\n")
    free = list(range(jobs))

    def one(job):
        number, name, source = job
        if name not in results:
            slot = free.pop()
            ended = module.run(slot, name, source, known)
            free.append(slot)
            with open(module.log, "a") as log:
                log.write("%s\t%s\n" % (ended, name))
        else:
            ended = results[name]
        print("%-28s %s %d: %s" % (ended, module.name, number, name), flush=True)
        return ended

    counts = {}
    with ThreadPoolExecutor(jobs) as pool:
        for ended in pool.map(one, wanted):
            kind = ended.split(",")[0]
            counts[kind] = counts.get(kind, 0) + 1
    shutil.rmtree(module.dir, ignore_errors=True)
    return counts


def main():
    result = sys.argv[1]
    os.makedirs(result, exist_ok=True)
    only = [name for name in (os.environ.get("ONLY") or "").replace(",", " ").split()]
    known, total, jobs = survivors(), {}, int(os.environ.get("JOBS") or 1)
    listed = [Module(*row, result) for row in rows("mutated")]
    for name in only:
        if name not in [m.name for m in listed]:
            sys.exit("%s is not in %s/mutated" % (name, HERE))
    for module in listed:
        if only and module.name not in only:
            continue
        names = {name for name, _ in mutate.named(module.source)}
        for gone in [n for m, n in known if m == module.name and n not in names]:
            print("STALE    %s/survivors: %s has no mutant %s" % (HERE, module.name, gone))
            total["STALE"] = total.get("STALE", 0) + 1
        counts = run_module(module, known, jobs)
        print("= %s: %s" % (module.name, ", ".join("%d %s" % (n, k) for k, n in sorted(counts.items()))), flush=True)
        for kind, n in counts.items():
            total[kind.split(" by")[0]] = total.get(kind.split(" by")[0], 0) + n
    print("= all: " + ", ".join("%d %s" % (n, k) for k, n in sorted(total.items())))
    bad = sum(n for kind, n in total.items() if kind in ("SURVIVES", "STALE", "BROKEN"))
    with open(os.path.join(result, "mutants.count"), "w") as out:
        out.write("%d %d 0\n" % (sum(total.values()) - bad, bad))
    sys.exit(1 if bad or not total else 0)


main()
