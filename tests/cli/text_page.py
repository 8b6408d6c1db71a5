#!/usr/bin/env python3
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# The drawings of each page on a phone, 390 pixels wide, in Chromium: every text has at least 9 pixels and is within the window. TAP.
# Usage: text_page.py PROGRAM FOLDER
# covers: host/report
import os
import subprocess
import sys

import browser

PIXELS_LEAST, WIDTH, HEIGHT = 9, 390, 844
TEXTS = """return Array.from(document.querySelectorAll('svg text')).filter(text => text.getClientRects().length).map(text => {
    const box = text.getBoundingClientRect();
    return [parseFloat(getComputedStyle(text).fontSize) * Math.abs(text.getScreenCTM().a || text.getScreenCTM().b), box.left, box.right,
            text.textContent];
})"""
program, folder = (os.path.abspath(argument) for argument in sys.argv[1:3])
scenarios = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'host', 'scenarios')
history = os.path.join(folder, 'line.db')
PAGES = [
    ('a run', 'run/report.html', [['run', 'complement', '--history', history, '--unit', '1', '--out', 'run']] * 3),
    ('a failed run', 'failed/report.html', [['run', os.path.join(scenarios, 'broken', 'flipped-bit.yaml'), '--out', 'failed']]),
    ('a validation', 'go/validation.html', [['validate', '--only', 'bench,lines,identity,clock,ports', '--out', 'go']]),
    ('jitter', 'jitter/jitter.html', [['jitter', 'outside-clock', '--out', 'jitter']]),
    ('a history', 'history.html', [['history', history, '--report', 'history.html']]),
]
os.makedirs(folder, exist_ok=True)
driver, base = browser.start_driver()
phone = browser.Browser(base, folder, WIDTH, HEIGHT, False)
for name, page, commands in PAGES:
    codes = [subprocess.run([program, *command], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                            check=False).returncode for command in commands]
    phone.open('file://' + os.path.join(folder, page))
    texts = phone.run(TEXTS)
    bad = [text for text in texts if text[0] < PIXELS_LEAST or (text[3] and (text[1] < 0 or text[2] > WIDTH))]
    browser.point('%s on a phone: %d texts of drawings can be read' % (name, len(texts)), texts and not bad, (codes, bad))
phone.close()
driver.terminate()
browser.finish()
