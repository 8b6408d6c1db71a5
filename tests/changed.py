#!/usr/bin/env python3
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Which checks depend on the files that changed. Usage, from the top of the tree:
#   changed.py pick BUILD-DIR        prints the targets of make on stdout, the longest first, and the choice in words on stderr
#   changed.py lines                 is each script's line there, and what it names? Prints TAP
#   changed.py files                 prints the files that changed
#   changed.py objects               0 if one of them can be part of an object
# SINCE=commit: changed is what differs from it, uncommitted and untracked files too. Default: the commit that the upstream of the branch and
# HEAD have in common, or HEAD. FILES="path ...": these in place of git's. MINUTES=n: as many targets as take about n minutes (2).
#
# A unit test depends on the objects that the linker takes out of the archive for it, by the symbols that they define and lack, and so on all
# files that the .d files of these objects name; and on files of the tree that it names in a string. A Verilog bench depends on the modules
# that it instantiates. All else depends on what its script names in a line of its head:
#   covers: PATH...   files, folders or patterns that this script tests
#   helps: PATH...    the scripts that use this one
# helps: tests/test_changed.py
import functools
import glob
import os
import re
import subprocess
import sys
from collections import defaultdict

SCRIPTS = ('tests/*.sh', 'tests/*.py', *(f'tests/{folders}*.{kind}' for folders in ('*/', '*/*/') for kind in ('sh', 'py', 'pl', 'awk', 'mjs')), 'bench/formal/*.sh', 'bench/perf/*.sh')
LINE = re.compile(r'^(?:#|//| \*) (covers|helps): +(.+)$', re.MULTILINE)
# The target of a program that is neither NAME.sh of a folder cli nor a unit test; '' if it is a part of no ring.
TARGETS = {
    'bench/formal/run.sh': 'proof-check', 'tests/format.sh': 'format-check', 'tests/words.py': 'format-check',
    'tests/layers.sh': 'layers', 'tests/pages.py': 'pages-check', 'tests/pictures.py': 'pictures-check', 'tests/install/run.sh': 'install-check',
    'tests/test_changed.py': 'changed-test', 'tests/emulator/mcu/avr.sh': 'mcu-avr', 'tests/emulator/mcu/same.sh': 'mcu-same', 'tests/emulator/mcu/images.sh': 'mcu-images',
    'tests/emulator/mcu/rv32_lockstep.c': 'mcu-rv32', 'tests/emulator/mcu/armv6m_qemu.c': 'mcu-armv6m', 'tests/emulator/target/run.sh': 'mcu-target',
    'tests/mutants_fit.py': 'mutants-fit', 'tests/rtl/proto/run.sh': 'gen-check', 'tests/rtl/lint.sh': 'lint', 'tests/usb/cli/capture.sh': 'capture-check',
    'tests/verdicts/verdicts.c': 'verdicts-kept',
}
# What an image that a unit test runs is made of.
IMAGES = {'build/ag32': 'firmware/app firmware/port/*.c firmware/port/ag32', 'build/rp2040': 'firmware/app firmware/port/*.c firmware/port/rp2040',
          'build/sdk': 'tests/emulator/mcu/sdk firmware/app'}
# What the Verilated models are made of.
MODELS = {'pb_sim': 'rtl/core rtl/proto/gen bench/sim/sim_top.v bench/sim/pb_sim.*', 'fst': 'bench/sim/fst.*',
          'ref_node_glue': 'rtl/node bench/sim/ref_node_glue.*', 'ag32_fabric_glue': 'rtl/node bench/sim/ag32_fabric_glue.*'}
ALWAYS = ('layers', 'pages-check', 'format-check', 'pictures-check', 'gen-check', 'mutants-fit', 'lint')
# These read sources and run none.
READERS = ('tests/coverage.sh', 'tests/format.sh', 'tests/layers.sh', 'tests/mutants_fit.py', 'tests/pages.py', 'tests/words.py')
GUESS_S, LINK_S = 8, 2  # of a target without a measured time; to link a unit test


def git(*arguments):
    return subprocess.run(['git', *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.split('\n')


def changed_files():
    """The files that changed, and since when, in words."""
    if os.environ.get('FILES'):
        return sorted(os.environ['FILES'].split()), 'as given'
    since = os.environ.get('SINCE') or git('merge-base', 'HEAD', '@{upstream}')[0] or 'HEAD'
    if not git('rev-parse', '--verify', '--quiet', since + '^{commit}')[0]:
        sys.exit(f'changed: SINCE={since} is no commit; give one that git knows')
    files = git('diff', '--name-only', since, '--') + git('ls-files', '--others', '--exclude-standard')
    return sorted(set(files) - {''}), 'since ' + git('log', '-1', '--format=%h (%s)', since)[0]


def names(entries):
    """Files of the tree that the words of a line name: files, whole folders, patterns."""
    found = set()
    for entry in entries.split():
        for path in glob.glob(entry):
            found.update(glob.glob(path + '/**', recursive=True) if os.path.isdir(path) else [path])
    return {path for path in found if not os.path.isdir(path)}


def line_of(path):
    """covers or helps, and what it names."""
    found = LINE.search(open(path, encoding='utf-8').read(6000))
    return found.groups() if found else (None, '')


def scripts():
    return sorted({path for pattern in SCRIPTS for path in glob.glob(pattern)})


def target_of(path):
    cli = re.fullmatch(r'tests/(?:\w+/)?cli/(\w+)\.sh', path)
    return TARGETS.get(path) or (f'cli-{cli[1]}' if cli else '')


def script_reach():
    """Target: the files that it depends on, of the targets whose program has a line."""
    reach, helpers = defaultdict(set), []
    for path in scripts() + [path for path in TARGETS if path.endswith('.c')]:
        word, entries = line_of(path)
        if word == 'covers' and target_of(path):
            reach[target_of(path)] |= names(entries) | {path}
        elif word == 'helps':
            helpers.append((path, names(entries)))
    for _ in range(3):  # a helper of a helper
        for path, users in helpers:
            for user in users:
                if target_of(user):
                    reach[target_of(user)].add(path)
            for other, of_other in helpers:
                if other in users:
                    users |= of_other
    return reach


def symbols(objects):
    """What each object defines for others, and what it lacks."""
    defines, lacks = {}, defaultdict(set)
    if not objects:
        return defines, lacks
    listed = subprocess.run(['nm', '-A', '-g', *objects], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    for line in listed.split('\n'):
        if line:
            path, _, rest = line.partition(':')
            *_, kind, name = rest.split()
            if kind == 'U':
                lacks[path].add(re.sub('^__(?:real|wrap)_', '', name))
            elif kind in 'TDBRVWC':
                defines.setdefault(name, path)
    return defines, lacks


def prerequisites(path):
    """The files that a .d file names."""
    try:
        text = open(os.path.splitext(path)[0] + '.d', encoding='utf-8').read()
    except FileNotFoundError:
        return set()
    return {os.path.normpath(word) for word in re.split(r'[\s\\]+', text) if word and not word.endswith(':')}


def literals(path):
    """Files of the tree, and of images, that a test names in a string."""
    found = set()
    for text in re.findall(r'"((?:host|docs|tests|bench|rtl|constraints|build)/[^"\n]*)"', open(path, encoding='utf-8').read()):
        image = next((made for made in IMAGES if text.startswith(made)), None)
        # Of a name that is put together, the folder.
        found |= names(IMAGES[image]) if image else names(text.split('%')[0].rstrip('/')) if '.h' not in text[-2:] else set()
    return found


@functools.lru_cache
def unit_reach(build):
    """Target of each unit and rig test: the files of the objects that it is linked of."""
    of = lambda pattern: [path for path in glob.glob(f'{build}/san/{pattern}', recursive=True)
                          if os.path.exists(path[len(build) + 5:-2] + '.c')]
    programs = of('tests/*/unit/test_*.o') + of('tests/usb/rig/test_*.o')
    fixture = of('tests/usb/rig/rig_fixture.o')
    archive = [path for path in of('**/*.o') if not re.match(f'{build}/san/(host/cli|tests/cli|tests/[a-z]+/(cli|rig|unit/test_))', path)]
    models = [path for path in (f'{build}/v/{name}.o' for name in MODELS) if os.path.exists(path)]
    defines, lacks = symbols(archive + models + programs + fixture)
    files = {path: prerequisites(path) for path in archive + programs + fixture}
    files.update({path: names(MODELS[os.path.basename(path)[:-2]]) for path in models})
    named = {path: literals(path[len(build) + 5:-2] + '.c') for path in archive + programs if '/unit/' in path}
    reach = {}
    for program in programs:
        rig = '/tests/usb/rig/' in program
        taken, open_ones = set(), [program] + (fixture if rig else [])
        while open_ones:
            path = open_ones.pop()
            if path not in taken:
                taken.add(path)
                open_ones += {defines[name] for name in lacks[path] if name in defines}
        test = os.path.basename(program)[:-2]
        reach[('rig-' if rig else 'unit-') + test] = set().union(*(files[path] for path in taken), *(named.get(path, ()) for path in taken))
        if rig:
            reach['rig-' + test] |= names(line_of('tests/usb/rig/rig_fixture.c')[1])
    return reach


def bench_reach():
    """Target of each Verilog bench: the modules that it instantiates, and what these include."""
    text, module = {}, {}
    for path in glob.glob('rtl/*/*.v*') + glob.glob('rtl/proto/gen/*.v*') + glob.glob('tests/rtl/*.v*'):
        text[path] = re.sub(r'//.*|/\*(?:.|\n)*?\*/', '', open(path, encoding='utf-8').read())
        for name in re.findall(r'^\s*module\s+(\w+)', text[path], re.MULTILINE):
            module[name] = path
        module[os.path.basename(path)] = path
    used = {path: {module[word] for word in re.findall(r'`include "[^"]*|\w+', body)
                   for word in [word.replace('`include "', '').split('/')[-1]] if word in module} for path, body in text.items()}
    reach = {}
    for bench in sorted(glob.glob('tests/rtl/tb_*.v')):
        taken, front = set(), [bench]
        while front:
            path = front.pop()
            if path not in taken:
                taken.add(path)
                front += used[path]
        reach['rtl-' + os.path.basename(bench)[:-2]] = taken | {'tests/rtl/run.sh'}
    return reach


def fuzz_reach():
    """Target of each fuzzer: its own files. Of all sources that it runs it depends, too, but takes long to build: see make check-deep."""
    return {'fuzz-' + os.path.basename(path)[5:-2]: {path, 'tests/bench/fuzz/fuzz.h', 'tests/fuzz.sh'} | names(path.replace('fuzz_', '*/')[:-2])
            for path in glob.glob('tests/*/fuzz/fuzz_*.c')}


def seconds(build, target):
    """Of processor time, as measured last; by default a guess."""
    name = re.sub('^(unit|rig)-', '', target)
    name = {'layers': 'layers', 'pages-check': 'pages', 'format-check': 'words', 'pictures-check': 'pictures', 'install-check': 'install',
            'capture-check': 'cli-capture'}.get(target, name)
    link = LINK_S if target.startswith(('unit-', 'rig-')) else 0
    try:
        children = open(f'{build}/tests/{name}.times', encoding='utf-8').read().split('\n')[1]
        return link + sum(60 * float(m) + float(s) for m, s in re.findall(r'(\d+)m([\d.]+)s', children))
    except (FileNotFoundError, IndexError):
        return link + GUESS_S


def object_of(build, target):
    """The object of the file with the tests of a target."""
    kind, name = target.split('-', 1)
    return next(iter(glob.glob(f'{build}/san/tests/*/{kind}/{name}.o')), '')


def affected(build, files):
    """Target: how far it is from these files, of the targets that depend on one of them. That is how many files it depends on: a test of
    little is closer than one of all. A unit test that itself includes a header of the folder of a changed file is closer than one that does not."""
    units = unit_reach(build)
    reach = {**script_reach(), **bench_reach(), **fuzz_reach(), **units}
    folders = {os.path.dirname(path) for path in files}
    far = {target for target in units
           if not folders & {os.path.dirname(path) for path in prerequisites(object_of(build, target))}}
    return {target: len(covered) + 500 * (target in far) for target, covered in reach.items() if covered & set(files)}


def choose(build, sizes, limit_s, long):
    """The targets that are chosen, the closest in any case and others while there is time, and what is left."""
    taken, left, spent = [], [], 0
    for target in sorted(sizes, key=lambda one: (one not in ALWAYS, sizes[one], one)):
        cost = seconds(build, target)
        if target in long and not os.path.exists(f'{build}/tests/{re.sub("^(unit|rig)-", "", target)}.times'):
            cost = max(cost, 60)
        if target in ALWAYS or spent + cost <= limit_s or all(one in ALWAYS for _, one in taken):
            taken.append((cost, target))
            spent += cost
        else:
            left.append(target)
    return [target for _, target in sorted(taken, reverse=True)], left


def pick(build):
    files, since = changed_files()
    jobs = int(os.environ.get('JOBS') or os.cpu_count())
    sizes = affected(build, files)
    taken, left = choose(build, sizes, 60 * jobs * float(os.environ.get('MINUTES') or 2), os.environ.get('LONG', '').split())
    def say(text):
        print(text, file=sys.stderr)
    say(f'{len(files)} files changed {since}: ' + ' '.join(files[:8]) + (' ...' if len(files) > 8 else ''))
    say(f'{len(taken)} checks depend on them: ' + ' '.join(taken) if taken else 'no check depends on them')
    if left:
        say(f'{len(left)} more take longer than MINUTES allow: ' + ' '.join(sorted(left)))
    print(' '.join(taken))


def lines():
    """Scripts without a line, names that lead nowhere, and sources that no program which runs them names."""
    silent, absent, sources = [], [], set()
    for folder in ('host', 'bench', 'firmware'):
        sources |= {path for path in names(folder) if re.search(r'\.(c|h|cpp|def|v|S|js|html)$', path)}
    for path in scripts() + sorted(glob.glob('tests/*/*.c') + glob.glob('tests/*/*/*.c')):
        word, entries = line_of(path)
        if not word and not path.endswith('.c'):
            silent.append(path)
        absent += [f'{path}: {entry}' for entry in entries.split() if not names(entry)]
        if word == 'covers' and path not in READERS:
            sources -= names(entries)
    return silent, absent, sorted(sources)


def tap(points):
    print(f'TAP version 13\n1..{len(points)}')
    for number, (name, bad) in enumerate(points, 1):
        print(f'{"not " if bad else ""}ok {number} - {name}', *(f'#   {line}' for line in bad), sep='\n')
    sys.exit(any(bad for _, bad in points))


def main():
    verb, *arguments = sys.argv[1:] or ['']
    if verb == 'pick':
        pick(*arguments)
    elif verb == 'files':
        print(' '.join(changed_files()[0]))
    elif verb == 'objects':
        sys.exit(not any(re.match(r'(host|bench|firmware|rtl|tests/[a-z]+/(unit|rig))/.*\.(c|h|cpp|def|vh?)$', path) for path in changed_files()[0]))
    elif verb == 'lines':
        silent, absent, alone = lines()
        tap([('every script says what it covers or helps', silent), ('what such a line names is there', absent),
             ('every source of host/, bench/ and firmware/ is named by a program that runs it', alone)])
    else:
        sys.exit('usage: changed.py pick BUILD-DIR|files|objects|lines')


if __name__ == '__main__':
    main()
