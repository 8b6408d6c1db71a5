#!/usr/bin/env python3
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Copies of a history with sectors of zeros, a lost end, or flipped bits: each export is that of the sound file, or nothing and one
# line with exit code 3. Says how many were what, and fails at the first that is neither.
#
#   tests/production/cli/history_damage.py PROGRAM FILE COPIES
# helps: tests/production/cli/history.sh
import random
import subprocess
import sys

program, path, copies = sys.argv[1], sys.argv[2], int(sys.argv[3])
with open(path, 'rb') as file:
    sound = file.read()


def export(name):
    return subprocess.run([program, 'history', name, '--export', 'json'], capture_output=True)


def damage(number, draw):
    data = bytearray(sound)
    if number % 3 == 0:
        for _ in range(draw.randint(1, 3)):
            at = 512 * draw.randrange(len(data) // 512)
            data[at:at + 512] = bytes(512)
    elif number % 3 == 1:
        del data[draw.randrange(1, len(data)):]
    else:
        for _ in range(draw.randint(1, 4)):
            data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
    return data


expected = export(path)
assert expected.returncode == 0 and len(expected.stdout) > 1000, expected.stderr
whole = refused = 0
for number in range(copies):
    with open('damaged.db', 'wb') as file:
        file.write(damage(number, random.Random(number)))
    seen = export('damaged.db')
    if seen.returncode == 0 and seen.stdout == expected.stdout:
        whole += 1
    elif seen.returncode == 3 and not seen.stdout and seen.stderr.count(b'\n') == 1:
        refused += 1
    else:
        sys.exit('copy %d: exit code %d, %d bytes in place of %d, %s' %
                 (number, seen.returncode, len(seen.stdout), len(expected.stdout), seen.stderr.decode()))
print('%d copies: %d whole, %d refused' % (copies, whole, refused))
