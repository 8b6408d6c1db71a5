#!/usr/bin/env python3
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Every relative link of a page leads to a file of the tree, and to a heading of it where it names one. A heading's name is that of GitHub
# and GitLab: small letters, blanks as hyphens, without punctuation. Every page of docs/, and of a wing, can be reached from README.md.
# docs/evidence.md has the rows of today's test programs. A file that a command of a page or of a help text reads is in the tree, in
# docs/examples, made by another of these commands, or the reader's own: its name begins with my. A map hash of a page is that of the
# register map. Each unit test, script and Verilog bench has a row in docs/testing.md. The lists of traffic
# patterns have the same. Each file, function and symbol that a page names in code is in the tree. Prints TAP. Usage, from the top of the tree: pages.py
# covers: docs README.md CONTRIBUTING.md CHANGELOG.md */*/README.md host/cli host/movement/traffic.c host/include/phasebench/traffic.h tests
import glob
import os
import re
import subprocess
import sys

PAGES = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'] + sorted(glob.glob('docs/*.md') + glob.glob('docs/*/*.md') + glob.glob('*/*/README.md'))
LINK = re.compile(r'!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^)\s]+)\)')


# Commands in code of a page, and in the examples of a help text; files that they name; those that a command makes, by one of these options,
# by > or >>, or because the page tells the reader to save them.
COMMAND = re.compile(r'(?:^ {4}(?:\$ )?|`)((?:sudo )?(?:build/)?phasebench [a-z][^`\n]*|(?:cat|cp|echo|sed) [^`\n]*)', re.MULTILINE)
HELP = re.compile(r'(?:"|\\n)  (phasebench [a-z].*?)(?=\\n)')
FILE = re.compile(r"(?<![\w./-])[\w./-]*\w\.(?:yaml|csv|json|rec|pbrec|pcapng|db|elf|uf2)\b(?![\w/])")
# Files of other projects that a page names.
FOREIGN = {'docs/MCU_CLOCKS.md'}
MADE = re.compile(r'(?:--(?:record|record-usb|pcap|csv|junit|table|map|history|spool|html|events|cal)[ =]|>>? ?|cp \S+ |\$ cat |[Ss]ave this as `)([\w./-]+)')


def commands():
    for page in (page for page in PAGES if page != 'CHANGELOG.md'):
        for command in COMMAND.findall(open(page, encoding='utf-8').read()):
            yield page, command
    for source in sorted(glob.glob('host/cli/cmd_*.c')):
        for command in HELP.findall(re.sub(r'"\n +"', '', open(source, encoding='utf-8').read())):
            yield source, command.replace('\\"', '"')


def strangers():
    """Files that a reader of a command does not have."""
    texts = ''.join(open(page, encoding='utf-8').read() for page in PAGES)
    made = set(MADE.findall(texts)) | {file for _, command in commands() for file in MADE.findall(command)}
    for place, command in commands():
        for file in FILE.findall(command):
            name = os.path.basename(file)
            known = os.path.exists(file) or os.path.exists(os.path.join('docs/examples', file)) or file in made or name in made
            if not (known or name.startswith('my') or file.startswith(('build/', 'phasebench-out/')) or name == 'result.json'):
                yield f'{place}: no file {file} for: {command}'


def hashes():
    """Map hashes of pages that no core of this tree has."""
    current = re.search(r'#define PB_MAP_HASH (0x[0-9a-f]+)u', open('rtl/proto/gen/pb_regs.h', encoding='utf-8').read())[1]
    for page in PAGES:
        text = open(page, encoding='utf-8').read()
        for shown in re.findall(r'\b[Mm]ap(?:[ _]hash)?\W{1,4}(0x[0-9A-Fa-f]{8})\b', text) + re.findall(r'(0x[0-9A-Fa-f]{8}) = MAP_HASH', text):
            if int(shown, 16) != int(current, 16):
                yield f'{page}: map hash {shown}; rtl/proto/gen/pb_regs.h has {current}'


def rows(page):
    """Tests without a row in docs/testing.md, and rows without a test."""
    names = set()
    for path in sorted(glob.glob('tests/*/unit/test_*.c') + glob.glob('tests/usb/rig/test_*.c') + glob.glob('tests/rtl/tb_*.v')
                       + glob.glob('tests/cli/*.sh') + glob.glob('tests/*/cli/*.sh')):
        name = os.path.basename(path)
        name = name if path.endswith('.sh') else os.path.splitext(name)[0]
        names.add(name)
        if name != 'common.sh' and not re.search(rf'^\| (?:`\w+`, )*`{re.escape(name)}`', page, re.MULTILINE):
            yield path
    for row in re.findall(r'^\| ((?:`(?:test_|tb_)\w+`(?:, )?|`\w+\.sh`)+) \|', page, re.MULTILINE):
        yield from (f'docs/testing.md: no test {name}' for name in re.findall(r'`([^`]+)`', row) if name not in names)


def patterns():
    """Traffic patterns that a list of them lacks."""
    def read(path):
        return open(path, encoding='utf-8').read()
    source = read('host/movement/traffic.c')
    names = re.findall(r'^    \{"(\w+)", ARGUMENT_', source, re.MULTILINE)
    lists = {'KNOWN_PATTERNS of host/movement/traffic.c': source.split('#define KNOWN_PATTERNS')[1].split('\n\n')[0],
             'host/include/phasebench/traffic.h': read('host/include/phasebench/traffic.h').split('Generates the messages of a pattern')[1],
             'the words of host/cli/cmd_bound.c': read('host/cli/cmd_bound.c').split('.words = ')[1].split('\n')[0],
             'the help of host/cli/cmd_bound.c': read('host/cli/cmd_bound.c').split('"patterns:')[1].split('"\\n"')[0],
             'host/machine/sweep.c': read('host/machine/sweep.c').split('known[] = {')[1].split('}')[0],
             'docs/reference/scenario.md': read('docs/reference/scenario.md').split('| pattern | destination')[1].split('\n\n')[0],
             'docs/man/phasebench-scenario.5': read('docs/man/phasebench-scenario.5').split('generated: list traffic')[1].split('.Ss')[0]}
    for where, text in lists.items():
        yield from (f'{where}: no pattern {name}' for name in names if not re.search(rf'(?<![\w-]){name}(?![\w-])', text))


def absent_names():
    """Files, functions and symbols of the tree that a page names and the tree lacks. Capitals in a path represent any name."""
    source = ''.join(open(path, encoding='utf-8').read() for top in ('host', 'bench', 'firmware', 'rtl', 'tests', 'docs/examples')
                     for path in glob.glob(f'{top}/**/*.*', recursive=True) if path.endswith(('.c', '.h', '.def', '.v', '.vh', '.cpp', '.py')))
    words, calls = set(re.findall(r'\w+', source)), set(re.findall(r'(\w+)\(', source))
    for page in (page for page in PAGES if page != 'CHANGELOG.md'):
        for code in sorted(set(re.findall(r'`([^`\n]+)`', prose(page)))):
            for path in re.findall(r'(?<![\w./@-])(?:host|bench|firmware|rtl|tests|docs|mk|constraints)/[\w.*/-]+(?![\w*{\[])', code):
                if not glob.glob(re.sub(r'(?<![\w])[A-Z]{3,}(?![a-z])|(?<=_)[A-Z]{3,}', '*', path)) and path not in FOREIGN:
                    yield f'{page}: no file {path}'
            for call in re.findall(r'\b([a-z]\w+)\(\)', code):
                if call not in calls:
                    yield f'{page}: no function {call}'
            for word in re.findall(r'\b(?:pb|PB|cli|CLI)_\w+', code):
                if word not in words and not any(known.startswith(word) for known in words):
                    yield f'{page}: no symbol {word}'


def prose(path):
    text = re.sub(r'^```.*?^```', '', open(path, encoding='utf-8').read(), flags=re.MULTILINE | re.DOTALL)
    return re.sub(r'^    .*$', '', text, flags=re.MULTILINE)


def headings(path):
    names, found = {}, set()
    for title in re.findall(r'^#+ +(.+?) *$', prose(path), re.MULTILINE):
        title = re.sub(r'\[([^\]]*)\]\([^)]*\)', r'\1', title)
        name = re.sub(r'[^\w\- ]', '', title.lower()).replace(' ', '-')
        found.add(name if name not in names else f'{name}-{names[name]}')
        names[name] = names.get(name, 0) + 1
    return found


def main():
    wrong, leads = [], {page: set() for page in PAGES}
    for page in PAGES:
        text = re.sub(r'`[^`\n]*`', lambda code: ' ' * len(code[0]) if '](' in code[0] else code[0], prose(page))
        for target in LINK.findall(text):
            if re.match(r'[a-z]+:', target):
                continue
            path, _, anchor = target.partition('#')
            path = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
            if not os.path.exists(path):
                wrong.append(f'{page}: no file {target}')
            elif anchor and path.endswith('.md') and anchor not in headings(path):
                wrong.append(f'{page}: no heading {target}')
            if path in leads:
                leads[page].add(path)
    reached, front = set(), ['README.md']
    while front:
        page = front.pop()
        if page not in reached:
            reached.add(page)
            front += leads[page]
    lost = [page for page in PAGES if '/' in page and page not in reached]
    made = subprocess.run([sys.executable, 'tests/evidence.py'], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    stale = [] if made.stdout == open('docs/evidence.md', encoding='utf-8').read() else [made.stderr.strip() or 'run make front']
    foreign, old = list(strangers()), list(hashes())
    tests_page = open('docs/testing.md', encoding='utf-8').read()
    unlisted = list(rows(tests_page))
    absent, gone = list(patterns()), list(absent_names())
    print('TAP version 13\n1..8')
    for number, (name, bad) in enumerate([('every link leads to a file and a heading', wrong),
                                          ('every page can be reached from README.md', lost),
                                          ('docs/evidence.md is that of the test programs', stale),
                                          ('every file that a command reads is there, or made', foreign),
                                          ('every test has a row in docs/testing.md, and every row a test', unlisted),
                                          ('every map hash of a page is that of the register map', old),
                                          ('every list of traffic patterns has all of them', absent),
                                          ('each file, function and symbol that a page names is in the tree', gone)], 1):
        print(f'{"not " if bad else ""}ok {number} - {name}')
        for line in bad:
            print(f'#   {line}')
    sys.exit(bool(wrong or lost or stale or foreign or unlisted or old or absent or gone))


main()
