#!/usr/bin/env python3
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Lines of the tree: of each wing with its tests and pages, and of the bench, which is the rest and a newcomer's path. Counts what git
# knows, without recordings, corpora and files that are generated. Usage, from the top of the tree: size.py WING...
# covers: mk/wings.mk
import re
import subprocess
import sys

# What a wing has besides its folder of tests/: its folder, its public headers, the forms of its results, its pages and its part of make.
PARTS = {
    'emulator': ['bench/emulator/', 'bench/perf/mcu', 'firmware/port/', 'docs/reference/(ag32|rp2040|avr)\\.', 'mk/(mcu|sdk)\\.'],
    'usb': ['bench/usb/', 'bench/perf/usb', 'host/usb/', 'docs/use/vusb\\.'],
    'record': ['host/(record|wireshark)/', 'host/include/phasebench/(record|slot_capture)\\.', 'docs/use/(recording|pcap)\\.'],
    'metrology': ['host/metrology/', 'host/include/phasebench/(statistics|stability|jitter|stamps|calibration|cal_session|tdc|tdc_session)\\.',
                  'host/report/(jitter|svg_jitter|svg_bathtub|svg_histogram|calibration)', 'docs/use/(jitter|cal|tdc)\\.'],
    'production': ['host/production/', 'host/include/phasebench/(validation|history|gauge)\\.', 'host/report/(validation|history|gauge)_',
                   'docs/use/(history|map|station)\\.'],
    'procedure': ['host/procedure/', 'host/include/phasebench/(procedure|selftest|validate|shmoo|fault_matrix|suite|suite_run|regress)\\.',
                  'host/report/(shmoo|fault_matrix|suite|index)', 'docs/use/(validate|regress|shmoo|faults|adjacency)\\.'],
    'machine': ['host/machine/', 'host/include/phasebench/(machine|program)\\.', 'host/report/(machine|program)_', 'bench/perf/(machine|programs)',
                'host/(check|scenario)/program\\.', 'bench/nodes/contract_(program|recipe)', 'firmware/app/program_', 'tests/bench/unit/node_programs\\.',
                'docs/use/(machine|programs)\\.', 'docs/reference/(machine|program)\\.schema'],
    'networks': ['host/network/(product|metacube)\\.', 'docs/reference/networks\\.'],
    'formal': ['bench/formal/', 'docs/design/proofs\\.'],
    'verdicts': ['mk/verdicts\\.'],
}
TEXT = re.compile(r'\.(c|h|cpp|def|v|vh|S|ld|sh|py|pl|lua|js|css|html|md|mk|yaml|list|pcf|ys|[157])$|Makefile$|/(summary|tap-count|cmocka-count)$')
GENERATED = re.compile(r'/gen/|corpus/|docs/(reference/registers|evidence)\.md')


wings = {wing: re.compile('|'.join([f'tests/{wing}/', *PARTS[wing]])) for wing in sys.argv[1:]}
lines = dict.fromkeys([*wings, 'bench'], 0)
command_line = 0
for path in subprocess.run(['git', 'ls-files'], stdout=subprocess.PIPE, text=True, check=True).stdout.split('\n'):
    if not TEXT.search(path) or GENERATED.search(path):
        continue
    with open(path, 'rb') as file:
        count = file.read().count(b'\n')
    lines[next((wing for wing, part in wings.items() if part.match(path)), 'bench')] += count
    if path.startswith('host/cli/'):
        command_line += count
for part, count in lines.items():
    print(f'{count:8} {part}' + (f", {command_line} of them in host/cli" if part == 'bench' else ''))
print(f'{sum(lines.values()):8} in all')
