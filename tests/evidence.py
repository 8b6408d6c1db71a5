#!/usr/bin/env python3
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# The table of docs/evidence.md, from the head of each test program that is the main evidence of a part:
#
#   evidence: PART
#     what is proven, simulated or run, and what is not
#     also: OTHER, make TARGET
#
# OTHER is a test program without its folder, or `make` and a target; each must exist. Usage, from the top of the tree: evidence.py [PAGE]
# prints the page; --write replaces it.
# helps: tests/pages.py
import glob
import os
import re
import sys

BEGIN, END = '<!-- evidence -->\n', '<!-- end of the evidence -->\n'
PROGRAMS = sorted(f for kind in ('tests/*/*.c', 'tests/*/*/*.c', 'tests/*.sh', 'tests/*/*.sh', 'tests/*/*/*.sh', 'tests/*/*/*.mjs', 'tests/rtl/*.v', 'tests/*.py', 'bench/formal/*.sh',
                                 'bench/perf/*.sh')
                  for f in glob.glob(kind) if f != 'tests/evidence.py')
BLOCK = re.compile(r'^(?P<mark>[ *#/]+)evidence: (?P<part>.+)\n(?P<lines>(?:(?P=mark)  \S.*\n)+)', re.MULTILINE)


def fail(message):
    sys.exit(f'evidence: {message}')


def targets():
    text = ''.join(open(f, encoding='utf-8').read() for f in ['Makefile'] + sorted(glob.glob('mk/*.mk')))
    found = set()
    for names in re.findall(r'^([\w .-]+):(?!=)', text, re.MULTILINE):
        found.update(names.split())
    return found


def link(path):
    stem, kind = os.path.splitext(os.path.basename(path))
    return f'[`{stem if kind == ".c" else path}`](../{path})'


def shown_by(main, names, known, made):
    links = [link(main)]
    for name in names:
        if name.startswith('make '):
            if name[5:] not in made:
                fail(f'{main} names `{name}`, which no makefile has')
            links.append(f'`{name}`')
            continue
        paths = known.get(name) or known.get(name + '.c') or known.get(name + '.v')
        if not paths:
            fail(f'{main} names {name}, and no test program is called so')
        links.append(link(paths[0]))
    return ', '.join(links)


def rows():
    known, made, found = {}, targets(), []
    for path in PROGRAMS:
        known.setdefault(os.path.basename(path), []).append(path)
    for path in PROGRAMS:
        for block in BLOCK.finditer(open(path, encoding='utf-8').read()):
            text = ' '.join(line[len(block['mark']):].strip() for line in block['lines'].splitlines())
            text, _, others = text.partition(' also: ')
            found.append((block['part'], text, shown_by(path, [n for n in others.split(', ') if n], known, made)))
    parts = [row[0] for row in found]
    for part in parts:
        if parts.count(part) > 1:
            fail(f'two heads have the part "{part}"; name them apart, or keep one')
    return sorted(found, key=lambda row: row[0].lower())


def main():
    write = '--write' in sys.argv
    page = next((a for a in sys.argv[1:] if a != '--write'), 'docs/evidence.md')
    text = open(page, encoding='utf-8').read()
    if BEGIN not in text or END not in text:
        fail(f'{page} has no place for the table: {BEGIN.strip()} and {END.strip()}')
    table = '| part | state | shown by |\n|---|---|---|\n' + ''.join(f'| {" | ".join(row)} |\n' for row in rows())
    new = text[:text.index(BEGIN)] + BEGIN + '\n' + table + '\n' + text[text.index(END):]
    if not write:
        sys.stdout.write(new)
    elif new != text:
        open(page, 'w', encoding='utf-8').write(new)


main()
