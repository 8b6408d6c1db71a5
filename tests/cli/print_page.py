#!/usr/bin/env python3
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Reports on paper, as Chromium prints them: that of a go has at most four pages, and no table of a report is wider than the
# paper. TAP. Usage: print_page.py PROGRAM FOLDER
# covers: host/report
import os
import re
import subprocess
import sys

from browser import Browser, finish, point, start_driver

program, folder = (os.path.abspath(argument) for argument in sys.argv[1:3])
PAGES_MOST = 4
PAPER_PX = 703  # A4 less two margins of 12 mm, at 96 pixels an inch
os.makedirs(folder, exist_ok=True)


def report(code, page, *words):
    """Runs the command; returns the address of its page."""
    out = os.path.join(folder, words[0] + '-' + str(code))
    ended = subprocess.run([program, *words, '--quiet', '--out', out], stdout=subprocess.PIPE, check=False)
    point('%s ends with %d' % (' '.join(words), code), ended.returncode == code, ended.returncode)
    return 'file://' + os.path.join(out, page)


go = report(0, 'validation.html', 'validate')
no_go = report(1, 'validation.html', 'validate', 'broken/late-start')
failed = report(1, 'report.html', 'run', 'broken/flipped-bit')
pdf = os.path.join(folder, 'go.pdf')
subprocess.run(['chromium', '--headless', '--no-sandbox', '--disable-gpu', '--no-pdf-header-footer', f'--print-to-pdf={pdf}', go],
               stderr=subprocess.DEVNULL, check=True)
with open(pdf, 'rb') as file:
    pages = len(re.findall(rb'/Type\s*/Page(?![s\w])', file.read()))
point(f'the report of a go is printed on at most {PAGES_MOST} pages', 1 <= pages <= PAGES_MOST, pages)

driver, base = start_driver()
try:
    browser = Browser(base, folder, PAPER_PX, 1000, False, touch=False)
    browser.devtools('Emulation.setEmulatedMedia', media='print')
    for name, url in (('go', go), ('no-go', no_go), ('failed run', failed)):
        browser.open(url)
        browser.run('document.querySelectorAll("details").forEach(part => part.open = true)')
        wide = browser.run('return [...document.querySelectorAll("table")].filter(table => '
                           'table.getBoundingClientRect().right > innerWidth).map(table => table.className)')
        point(f'no table of a {name} is wider than the paper', wide == [], wide)
    browser.close()
finally:
    driver.terminate()
finish()
