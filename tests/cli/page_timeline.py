#!/usr/bin/env python3
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# The data of a report's timeline, and the script that draws it, without a browser: one script, which the policy of the page knows by its
# hash; every transmission of the result; data of at most half of the rest of the page. Usage: page_timeline.py PAGE RESULT.json; prints what is wrong.
# helps: tests/cli/*.sh tests/*/cli/*.sh
import base64
import hashlib
import json
import os
import re
import sys

DATA_MOST, SCRIPT_MOST = 0.5, 24 << 10
page = open(sys.argv[1], encoding='utf-8').read()
result = json.load(open(sys.argv[2], encoding='utf-8'))
source = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../host/report/timeline.js')
wrong = []


def check(good, text):
    if not good:
        wrong.append(text)


scripts = re.findall(r'<script>(.*?)</script>', page, re.DOTALL)
blocks = re.findall(r'<script type="application/json">(.*?)</script>', page, re.DOTALL)
check(page.count('<script') == 2 and len(scripts) == len(blocks) == 1, 'not one script and one block of data')
check(scripts == [open(source, encoding='utf-8').read()], 'the script is not host/report/timeline.js')
digest = base64.b64encode(hashlib.sha256(scripts[0].encode()).digest()).decode()
check(f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'\">" in page, 'the policy does not name the hash of the script')
check('<' not in blocks[0] and '&' not in blocks[0], 'the data has markup')

data = json.loads(blocks[0])
for superframe, phase, row, flags, message, *seen in data['frames']:
    link, low, high = data['rows'][row]
    ends = [int(high, 16), int(low, 16)] if flags & 8 else [int(low, 16), int(high, 16)]
    hop = result['hops'].pop(0)
    place = [hop[key] for key in ('superframe', 'phase', 'link', 'from', 'to', 'sender', 'seen', 'message')]
    check([superframe, phase, link, *ends, 'bench' if flags & 4 else 'node', flags & 3 != 2, None if message < 0 else message] == place,
          f'another transmission than {hop}')
    if hop['seen']:
        check(abs(seen[0] - hop['start_ps'] / 1000) <= 0.5 and abs(seen[1] - hop['end_ps'] / 1000) <= 0.5, f'other times than {hop}')
        check(seen[2] == hop['bytes'] and flags & 3 == (0 if hop['correct'] else 1), f'other bytes than {hop}')
check(not result['hops'], f'{len(result["hops"])} transmissions are left out')
own, script = len(blocks[0].encode()), len(scripts[0].encode())
rest = len(page.encode()) - own - script
check(own <= DATA_MOST * rest and script <= SCRIPT_MOST, f'{own} bytes of data and {script} of script on a page of {rest}')
print('\n'.join(wrong), end='\n' if wrong else '')
sys.exit(bool(wrong))
