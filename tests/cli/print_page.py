#!/usr/bin/env python3
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# The report of a go on paper, as Chromium prints it: at most four pages. TAP. Usage: print_page.py PROGRAM FOLDER
# covers: host/report
import os
import re
import subprocess
import sys

program, folder = (os.path.abspath(argument) for argument in sys.argv[1:3])
PAGES_MOST = 4
os.makedirs(folder, exist_ok=True)
go = subprocess.run([program, 'validate', '--quiet', '--out', os.path.join(folder, 'go')], stdout=subprocess.PIPE, check=False)
pdf = os.path.join(folder, 'go.pdf')
subprocess.run(['chromium', '--headless', '--no-sandbox', '--disable-gpu', '--no-pdf-header-footer', f'--print-to-pdf={pdf}',
                os.path.join(folder, 'go', 'validation.html')], stderr=subprocess.DEVNULL, check=True)
with open(pdf, 'rb') as file:
    pages = len(re.findall(rb'/Type\s*/Page(?![s\w])', file.read()))
good = go.returncode == 0 and 1 <= pages <= PAGES_MOST
print(f'1..1\n{"" if good else "not "}ok 1 - the report of a go is printed on {pages} of at most {PAGES_MOST} pages')
sys.exit(not good)
