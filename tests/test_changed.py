#!/usr/bin/env python3
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# changed.py: which checks it picks for a change, and what its check of the lines refuses. Expected values: what each test is for; of the
# objects of a unit test, the symbols that nm finds in the linked program. TAP. Usage, from the top of the tree, after
# `make unit-objects build/tests/unit/test_history build/tests/unit/test_packet`: test_changed.py BUILD-DIR. Also how tests/mutants.sh
# draws mutants, and that tests/tap-count refuses a test that ends before its plan.
# covers: tests/changed.py tests/mutants.sh tests/tap-count mk/dev.mk
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import changed

build = sys.argv[1]
count, failures = 0, 0


def point(name, good, seen=''):
    global count, failures
    count += 1
    failures += not good
    print(f'{"ok" if good else "not ok"} {count} - {name}', *([] if good else [f'#   {seen}']), sep='\n', flush=True)


def picks(file, wanted, foreign):
    sizes = changed.affected(build, [file])
    missing, wrong = [one for one in wanted if one not in sizes], [one for one in foreign if one in sizes]
    point(f'{file} picks {" ".join(wanted)}, not {" ".join(foreign)}', not missing and not wrong, f'missing: {missing}, wrong: {wrong}')


picks('host/production/history/sqlite.c', ['unit-test_history', 'cli-history', 'cli-history_server', 'layers', 'format-check', 'mutants-fit'],
      ['unit-test_packet', 'unit-test_plan_stream', 'rtl-tb_pb_capture', 'cli-jitter', 'lint', 'pictures-check'])
picks('rtl/proto/packet.h', ['unit-test_packet', 'unit-test_device', 'gen-check'], ['unit-test_cube', 'unit-test_budget'])
picks('rtl/core/pb_uart_rx.v', ['rtl-tb_pb_uart_rx', 'rtl-tb_pb_core', 'lint', 'unit-test_device', 'proof-check'],
      ['rtl-tb_ref_node', 'unit-test_packet', 'cli-history', 'pages-check'])
picks('rtl/node/node_crc8.v', ['rtl-tb_ref_node', 'unit-test_ref_node'], ['rtl-tb_pb_core', 'unit-test_packet'])
picks('docs/reference/timing.md', ['pages-check', 'format-check'], ['unit-test_history', 'cli-history', 'lint', 'gen-check'])
picks('mk/tests.mk', ['layers', 'gen-check'], ['unit-test_history', 'cli-run'])
picks('tests/production/cli/history_damage.py', ['cli-history', 'pages-check'], ['cli-history_server', 'cli-run'])
picks('tests/cli/common.sh', ['cli-history', 'cli-run'], ['install-check', 'unit-test_history'])
picks('tests/bench/unit/run_fixture.c', ['unit-test_run'], ['unit-test_packet'])
picks('host/scenarios/xor-one-bit.yaml', ['unit-test_scenario_files'], ['unit-test_packet'])
picks('firmware/port/ag32/start.S', ['unit-test_ag32_node', 'mcu-images'], ['unit-test_movement', 'unit-test_packet'])
picks('tests/metrology/fuzz/fuzz_stamps.c', ['fuzz-stamps'], ['fuzz-table', 'unit-test_stamps'])

# The linker's choice of objects: the program has all symbols of an object or none that is this object's alone.
reach = changed.unit_reach(build)
sources = [path for path in sorted(changed.names('host/*/*.c host/*/*/*.c bench/*/*.c rtl/proto/packet.c'))
           if os.path.exists(f'{build}/san/{path[:-2]}.o') and not path.startswith(('host/cli/', 'bench/perf/'))]
own = {path: set() for path in sources}
for name, path in changed.symbols([f'{build}/san/{path[:-2]}.o' for path in sources])[0].items():
    own[path[len(build) + 5:-2] + '.c'].add(name)
for test in 'test_history', 'test_packet':
    listed = subprocess.run(['nm', '-g', '--defined-only', f'{build}/tests/unit/{test}'], stdout=subprocess.PIPE, text=True, check=True).stdout
    linked = {line.split()[-1] for line in listed.splitlines()}
    wrong = [path for path in sources if own[path] and (path in reach['unit-' + test]) != (own[path] <= linked)]
    point(f'{test} depends on the objects that the linker took', not wrong and len(own) > 200, wrong)

sizes = changed.affected(build, ['host/report/json.c'])
closest = min((one for one in sizes if one.startswith('unit-')), key=sizes.get)
point('the unit test that includes a header of host/report is the closest to host/report/json.c', closest == 'unit-test_report', closest)

# The closest target goes first; the checks of texts are never left out; what does not fit does not keep out what does.
changed.seconds = lambda build, target: {'unit-test_near': 30, 'unit-test_long': 90, 'unit-test_far': 20, 'layers': 500}[target]
taken, left = changed.choose(build, {'unit-test_long': 2, 'unit-test_far': 3, 'unit-test_near': 1, 'layers': 900}, 560, [])
point('the choice within a time: nearest first', (taken, left) == (['layers', 'unit-test_near', 'unit-test_far'], ['unit-test_long']), (taken, left))
taken, left = changed.choose(build, {'unit-test_long': 2, 'unit-test_far': 3}, 50, [])
point('the closest in any case', (taken, left) == (['unit-test_long'], ['unit-test_far']), (taken, left))

changed.READERS, top = ('tests/reader.sh',), os.getcwd()
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for path, text in {'tests/good.sh': '#!/bin/sh\n# covers: host/a tests/good*\n', 'tests/silent.sh': '#!/bin/sh\n', 'host/a/a.c': '',
                       'tests/wrong.py': '# helps: tests/good.sh tests/gone.sh\n', 'bench/b.c': '', 'tests/reader.sh': '# covers: bench\n'}.items():
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)
    found = changed.lines()
    os.chdir(top)
point('the check of the lines', found == (['tests/silent.sh'], ['tests/wrong.py: tests/gone.sh'], ['bench/b.c']), found)
# Twenty mutants of two files, of which one changes: its ten are drawn first.
with tempfile.TemporaryDirectory() as folder:
    os.makedirs(f'{folder}/tests/bench/mutants')
    with open(f'{folder}/tests/bench/mutants/two.list', 'w', encoding='utf-8') as file:
        for number in range(20):
            file.write(f'mutant m{number}\nfile   {"old new".split()[number % 2]}\nfrom   a\nto     b\nmodels a mistake\ncaught test_none\n\n')

    def shell(command, **variables):
        return subprocess.run(command, shell=True, cwd=folder, env={**os.environ, **variables}, stdout=subprocess.PIPE, text=True,
                              check=True).stdout.split()

    def draw(number, seed):
        return shell(f'sh {top}/tests/mutants.sh build', LIST='1', DRAW=str(number), SEED=str(seed), SINCE='HEAD')

    shell('echo a > old; echo a > new; git init -q; git add .; git -c user.name=a -c user.email=a@b commit -qm first; echo more >> new')
    changed_ones = {f'm{number}' for number in range(1, 20, 2)}
    few, many = draw(3, 1), draw(12, 1)
    point('mutants of changed files are drawn first', len(set(few)) == 3 and set(few) < changed_ones, few)
    point('others while these are fewer', len(set(many)) == 12 and changed_ones < set(many), many)
    point('a seed draws the same again', draw(3, 1) == few, few)
    several = [draw(3, seed) for seed in range(1, 9)]
    point('other seeds draw other ones', len({tuple(one) for one in several}) > 6 and len(set(sum(several, []))) > 6, several)
# What tests/tap-count says of three scripts: its exit code and the count that it writes.
for name, script, wanted in (('all points of the plan', 'echo ok 1; echo ok 2; echo 1..2', (0, '2 0 0')),
                             ('a script that ends early', 'echo ok 1; exit 0', (1, '1 1 0')),
                             ('a point that does not come', 'echo ok 1; echo 1..2', (1, '1 1 0'))):
    with tempfile.TemporaryDirectory() as folder:
        code = subprocess.run(['tests/tap-count', folder, 'case', 'sh', '-c', script], stdout=subprocess.DEVNULL, check=False).returncode
        seen = code, open(f'{folder}/case.count', encoding='utf-8').read().strip()
        point(f'tap-count: {name}', seen == wanted, seen)
print(f'1..{count}')
sys.exit(failures > 0)
