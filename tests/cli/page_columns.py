#!/usr/bin/env python3
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# On a narrow screen each value of a table has the name of its column before it: it must be that of the head of the table. A name may be
# short for the head. A column of figures has a name. Microseconds have one spelling. Usage: page_columns.py PAGE...; prints what is wrong.
# helps: tests/cli/*.sh tests/*/cli/*.sh
import re
import sys

SHORT = {'dimension': 'dim', 'if': 'condition', 'at': ('time', 'where'), 'by': 'sender', 'worst': 'worst value', 'marginal': 'marginal within',
         'because': 'reason'}
NAME = re.compile(r'\.of-(\w+) tbody tr>:nth-child\((\d+)\)::before\{content:"([^"]*)\\a0"\}')
wrong = []
for page in sys.argv[1:]:
    text = open(page, encoding='utf-8').read()
    names = {}
    if 'µs' in text or '\\u00b5s' in text:
        wrong.append(f'{page}: microseconds are not written as us, as in the documents')
    for table, column, name in NAME.findall(text):
        names.setdefault(table, {})[int(column)] = name
    for attributes, head in re.findall(r'<table([^>]*)>(?:(?!</table>).)*?<thead>(.*?)</thead>', text, re.DOTALL):
        table = re.search(r'\bof-(\w+)', attributes)
        cells = [re.sub('<[^>]*>', '', cell).replace('&nbsp;', ' ').strip() for cell in re.findall(r'<th[^>]*>(.*?)</th>', head, re.DOTALL)]
        if not table:
            wrong.append(f'{page}: the table of {cells[0]}, {cells[1]} names no columns on a narrow screen')
            continue
        figures = [k for k, cell in enumerate(re.findall(r'<th[^>]*>', head)[1:], 2) if 'class="n"' in cell and k not in names.get(table[1], {})]
        if figures or table[1] not in names and len(cells) > 1:
            wrong.append(f'{page}: columns {figures or "all"} of {table[1]} have no name on a narrow screen')
        for column, name in names.get(table[1], {}).items():
            if column > len(cells): # of a network with more links
                continue
            cell = cells[column - 1]
            known = SHORT.get(name, name)
            if cell != name and cell not in (known if isinstance(known, tuple) else (known,)):
                wrong.append(f'{page}: column {column} of {table[1]} is called {name} on a narrow screen, and {cell} in its head')
print('\n'.join(wrong))
sys.exit(bool(wrong))
