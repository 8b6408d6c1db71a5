#!/usr/bin/env python3
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Words with several meanings, which comments, pages, and messages of the program do not use: each has one in the terms of the field. A right use has a line in
# tests/words.list: PATH: a part of the line. Prints TAP. Usage, from the top of the tree: words.py
# covers: host bench firmware rtl tests docs mk Makefile README.md CONTRIBUTING.md
import re
import subprocess

# Word: what to write.
WORDS = {
    r'told|tells?': 'report, carry, name',
    r'nobody|somebody|everybody|whoever': 'the module or side; no driver; another device',
    r'so many|so often|so long': 'n, this many; this often; this long',
    r'spoil|spoils|spoilt|spoiled|spoiling': 'corrupt',
    r'hurts?': 'break; inject a failure',
    r'beside': 'next to; in parallel with',
    r'besides': 'also; in addition to',
    r'belongs?': 'is due; is part of',
    r'stands|stood': 'is, is placed; is stopped; is stable',
    r'under way': 'in progress; in flight',
    r'at hand': 'current; available',
    r'made[- ]up': 'fake; mock',
    r'thrown away': 'discarded',
    r'for want of': 'for lack of',
    r'unasked': 'unsolicited',
    r'mended': 'fixed',
    r'rungs?|climbs?|ladders?': 'step; run; sequence of steps',
    r'but for': 'except',
    r'as ever': 'unchanged; as before',
    r'in vain': 'without success; without effect',
    r'(?<!-)go by|goes by|went by': 'follow, use; pass undetected',
    r'let go|lets go|comes? free': 'release; is released',
    r'know of|knows of|known of': 'know; see; have',
    r'believes?|believed': 'accept',
    r'witness|witnesses': 'independent check',
    r'outside (?:clocks?|edges?|controllers?)': 'external',
    r'(?:as|period|instant) ordered|ordered (?:period|place|instant|rate)s?': 'nominal; scheduled',
    r'(?:four|three|two|one|\d+) at least': 'at least N',
}
BANNED = re.compile(r'\b(?:' + '|'.join(f'({word})' for word in WORDS) + r')\b', re.IGNORECASE)
MESSAGE = re.compile(r'^(?:host|bench|firmware)/')
C_COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
MAKE_COMMENT = re.compile(r'(?m)^#[^\n]*| ## [^\n]*')


def prose(path, text):
    """The text in which only comments, or prose, are left; lines stay where they are."""
    def blank(part):
        return re.sub(r'[^\n]', ' ', part)
    if path.endswith('.md'):
        text = re.sub(r'(?ms)^```.*?^```|<!--.*?-->', lambda code: blank(code[0]), text)
        return re.sub(r'(?m)^    .*$|`[^`\n]*`|\]\([^)]*\)', lambda code: blank(code[0]), text)
    pattern = MAKE_COMMENT if path.endswith('.mk') or path == 'Makefile' else C_COMMENT
    kept, last = [], 0
    for found in pattern.finditer(text):
        kept.append(blank(text[last:found.start()]))
        kept.append(found[0] if not found[0].startswith('"') or ' ' in found[0] and MESSAGE.match(path) else blank(found[0]))
        last = found.end()
    return re.sub(r'`[^`\n]*`', lambda code: blank(code[0]), ''.join(kept) + blank(text[last:]))


def main():
    listed = subprocess.run(['git', 'ls-files', '*.c', '*.h', '*.cpp', '*.v', '*.vh', '*.mk', 'Makefile', 'README.md', 'CONTRIBUTING.md',
                             'docs/*.md', 'docs/*/*.md', '*/README.md'], stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    paths = [path for path in listed if '/gen/' not in path and path != 'docs/evidence.md']
    allowed = [line.rstrip('\n').split(': ', 1) for line in open('tests/words.list', encoding='utf-8') if not line.startswith('#')]
    used, wrong = set(), []
    for path in paths:
        lines = open(path, encoding='utf-8').read().split('\n')
        for number, line in enumerate(prose(path, '\n'.join(lines)).split('\n'), 1):
            for found in BANNED.finditer(line):
                right = [index for index, (where, part) in enumerate(allowed)
                         if where == path and part in lines[number - 1]]
                used.update(right)
                if not right:
                    wrong.append(f'{path}:{number}: "{found[0]}"; write: {list(WORDS.values())[found.lastindex - 1]}')
    stale = [': '.join(entry) for index, entry in enumerate(allowed) if index not in used]
    print('TAP version 13\n1..2')
    for number, (name, bad) in enumerate([('comments, pages and messages use the words of the field', wrong),
                                          ('tests/words.list names uses that are there', stale)], 1):
        print(f'{"not " if bad else ""}ok {number} - {name}')
        for line in bad:
            print(f'#   {line}')
    raise SystemExit(bool(wrong or stale))


main()
