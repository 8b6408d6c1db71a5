#!/usr/bin/env python3
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Stands in for `phasebench validate` in the tests of the station: it writes the same events, and the serial number
# says how it behaves. PACE-n_ in front of it makes each step take n ms.
# helps: tests/production/cli/station.sh tests/cli/station_page.py
import fcntl
import json
import os
import signal
import sys
import time

STEPS = [('bench', 'the core answers and its loop-back is exact'), ('lines', 'every line falls, rises and is alone'),
         ('identity', 'the node says who it is'), ('clock', 'the node follows clock and SYNC'),
         ('ports', 'frames on every port, both directions'), ('load', 'full load on all ports')]

options = dict(zip(sys.argv[1::1], sys.argv[2::1]))
serial = options['--serial']
pace_s, kind = 0.02, serial
if serial.startswith('PACE-'):
    pace, kind = serial[len('PACE-'):].split('_', 1)
    pace_s = int(pace) / 1000
events = open(options['--events'], 'w')
with open(os.path.join(options['--out'], 'arguments'), 'w') as file:
    file.write('\n'.join(sys.argv[1:]) + '\n')
with open(os.path.join(options['--out'], 'history'), 'w') as file:
    file.write(os.environ.get('PHASEBENCH_HISTORY', ''))


def emit(event, **members):
    events.write(json.dumps(dict(event=event, **members)) + '\n')
    events.flush()


def report(go):
    with open(os.path.join(options['--out'], 'validation.html'), 'w') as file:
        file.write('<!DOCTYPE html><title>%s</title><h1>%s: %s</h1>\n' % (serial, serial, go))


def end(go, code, look='', worst='start/link3 0.21 us'):
    report(go)
    emit('end', go=go, look=look, worst=worst)
    sys.exit(code)


def interrupted(number, frame):
    if kind.startswith('DEAF'):
        return
    report('incomplete')
    emit('end', go='incomplete', look='interrupted', worst='')
    os._exit(130)


signal.signal(signal.SIGINT, interrupted)
if kind.startswith('BENCH'):
    sys.stderr.write('phasebench: rig ftdi: no board is connected; plug one in\n')
    sys.exit(4)
if kind.startswith('MUTE'):
    sys.exit(0)
emit('begin', pid=os.getppid() if 'PARENT' in kind else os.getpid(), serial='OTHER' if kind.startswith('OTHER') else serial,
     operator=options['--operator'], profile=options['--profile'], steps=[dict(id=i, purpose=p) for i, p in STEPS], started_utc='2026-11-24T12:00:00Z')
if kind.startswith('DEAF') or kind.startswith('HANG'):
    emit('step', index=0, state='running')
    if kind.startswith('DEAF'):
        child = os.fork()  # a process of its own, which must be killed as well
        with open(os.path.join(os.environ['PIDS'], kind + ('.parent' if child else '.child')), 'w') as file:
            file.write(str(os.getpid()))
    while True:
        time.sleep(1)
if kind.startswith('ORPHAN'):
    child = os.fork()
    if not child:
        while True:
            time.sleep(1)
    with open(os.path.join(os.environ['PIDS'], kind + '.child'), 'w') as file:
        file.write(str(child))
for index, (step, purpose) in enumerate(STEPS):
    emit('step', index=index, state='running')
    time.sleep(pace_s)
    emit('progress', index=index, share=(index + 0.5) / len(STEPS), left_s=(len(STEPS) - index) * pace_s)
    if kind.startswith('DIES') and index == 2:
        os.kill(os.getpid(), signal.SIGSEGV)
    if kind.startswith('GARBLED'):
        events.write('garbage\n{"event":"value"}\n[1]\n' + 'x' * 200000 + '\n\n{"event":"unknown"}\n')
        events.flush()
    if kind.startswith('FLOOD'):
        until = time.monotonic() + 0.5
        while time.monotonic() < until:
            for i in range(1000):
                emit('value', index=index, name='start/link%d' % (i % 12), text='%d ns' % i, limits='0.0 to 900.0 ns',
                     judgement='pass')
    for link in range(3):
        emit('value', index=index, name='start/link%d' % link, text='%.1f ns' % (14 + link), limits='0.0 to 319.5 ns',
             judgement='pass')
    if kind.startswith('BAD') and index == 4:
        for name in ('ports', '.hidden'):
            os.makedirs(os.path.join(options['--out'], name))
            with open(os.path.join(options['--out'], name, 'report.html'), 'w') as file:
                file.write('<!DOCTYPE html><title>run %s</title>\n' % name)
        for name in ('failure.fst', 'frames.pcapng', 'failure.gtkw'):
            with open(os.path.join(options['--out'], 'ports', name), 'w') as file:
                file.write(name)
        open(os.path.join(options['--out'], 'ports', 'result.json'), 'w').close()
        os.symlink('ports', os.path.join(options['--out'], 'linked'))
        for link in range(6):
            emit('value', index=index, name='start/link%d' % link, text='%d.0 ns' % (400 + link),
                 limits='0.0 to 319.5 ns', judgement='fail')
        emit('step', index=index, state='fail', reason='6 of 9 values are beyond their limits: start/link0 is 400.0 ns')
        emit('step', index=5, state='skipped', reason='it rests on ports')
        end('no-go', 1, 'ports: 6 of 9 values are beyond their limits: start/link0 is 400.0 ns <b>&amp;', 'start/link5 405.0 ns')
    if kind.startswith('NEAR') and index == 3:
        emit('value', index=index, name='tail/link1', text='1.1 us', limits='at least 1.0 us', judgement='marginal')
    emit('step', index=index, state='marginal' if kind.startswith('NEAR') and index == 3 else 'pass', reason='')
emit('progress', index=len(STEPS) - 1, share=1, left_s=0)
if kind.startswith('BURST'):  # more than the station reads at once, and gone
    F_SETPIPE_SZ = 1031
    fcntl.fcntl(events.fileno(), F_SETPIPE_SZ, 1 << 20)
    line = json.dumps(dict(event='value', index=5, name='start/link0', text='1.0 ns', limits='', judgement='pass')) + '\n'
    events.write(line * 5000)
if kind.startswith('NEAR'):
    end('go, marginal', 0, 'clock: tail/link1 is near its limit', 'tail/link1 1.1 us')
if kind.startswith('LIES'):
    end('go', 1)
end('go', 0)
