#!/usr/bin/env python3
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Validations that end early, with phasebench itself in place of a stand-in: stops at once after the start, a station that is killed
# at each step, a validation and a wrapper that hang, with and without the wrapper of docs/use/station.md, and a rig in use. Prints
# "ok NAME" and "not ok NAME", with what was seen after it.
#
#   tests/production/cli/station_ends.py PROGRAM DOCS FOLDER STARTS
#
# DOCS: docs/use/station.md, of which the first shell script is the wrapper. STARTS: how many starts are stopped at once. Environment:
# STEPS are the steps to kill in, STOPPED_S is the longest time from Stop, or the kill, to the end.
# helps: tests/production/cli/station.sh
import glob
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time

program, docs, folder, starts = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
PATIENCE_S = 60
STOPPED_S = float(os.environ.get('STOPPED_S', 5))  # a busy computer needs time; a signal that is lost takes 10 s


def point(name, good, seen=''):
    print(('ok ' if good else 'not ok ') + name)
    if not good:
        print('#   seen: ' + repr(seen)[:300])
    sys.stdout.flush()


def wait(condition):
    until = time.monotonic() + PATIENCE_S
    while True:
        value = condition()
        if value or time.monotonic() > until:
            return value
        time.sleep(0.005)


def text_of(path):
    with open(path) as file:
        return file.read()


# The wrapper of the page, with a supply that notes what it does, and one step only.
tools = os.path.join(folder, 'tools')
os.makedirs(tools)
for name, line in (('supply', '[ "$1" != "$STUCK" ] || exec sleep 60\necho "$1" >> "$SUPPLY"'),
                   ('phasebench', 'exec "$PROGRAM" "$@" ${STEP:+--only "$STEP"}')):
    with open(os.path.join(tools, name), 'w') as file:
        file.write('#!/bin/sh\n' + line + '\n')
wrapper = os.path.join(tools, 'wrapper')
with open(wrapper, 'w') as file:
    file.write(re.sub('^    ', '', re.search(r'^    #!/bin/sh\n(    .*\n)+', text_of(docs), re.MULTILINE).group(0), flags=re.MULTILINE))
for path in glob.glob(os.path.join(tools, '*')):
    os.chmod(path, 0o755)


class Station:
    def __init__(self, name, command, step='', *options, stuck=''):
        self.supply = os.path.join(folder, name + '.supply')
        self.out = os.path.join(folder, name)
        environment = dict(os.environ, PROGRAM=program, STEP=step, SUPPLY=self.supply, STUCK=stuck,
                           PHASEBENCH_VALIDATE=command if command != program else '',
                           PATH=tools + ':' + os.environ['PATH'])
        with open(self.out + '.log', 'w') as log:
            self.process = subprocess.Popen([program, 'station', '--listen', '127.0.0.1:0', '--out', self.out, *options],
                                            stdout=log, stderr=subprocess.STDOUT, env=environment)
        self.port = int(wait(lambda: re.search(r'http://127\.0\.0\.1:(\d+)/', text_of(self.out + '.log'))).group(1))
        self.connection = http.client.HTTPConnection('127.0.0.1', self.port, timeout=PATIENCE_S)

    def ask(self, method, path, body=None):
        host = '127.0.0.1:%d' % self.port
        self.connection.request(method, path, body, {'Origin': 'http://' + host, 'Content-Type': 'application/json'})
        answer = self.connection.getresponse()
        return answer.status, json.loads(answer.read())

    def start(self, serial):
        return self.ask('POST', '/api/start', json.dumps({'serial': serial, 'operator': 'ann'}))[0]

    def stop(self):
        return self.ask('POST', '/api/stop', '{}')[0]

    def state(self):
        return self.ask('GET', '/api/state')[1]

    def end(self, kill=False):
        self.connection.close()
        self.process.kill() if kill else self.process.terminate()
        self.process.wait()

    def is_off(self):
        return os.path.exists(self.supply) and text_of(self.supply).endswith('off\n')


# ---------------------------------------------------------------- a start, and at once a stop

for kind, command in (('phasebench', program), ('the wrapper', wrapper)):
    station = Station('stopped-' + kind.split()[-1], command)
    took = []
    for number in range(starts):
        asked = station.start('U-%d' % number), time.sleep(number % 40 / 2000), station.stop()
        began = time.monotonic()
        state = wait(lambda: (lambda s: s if s['phase'] == 'ended' else None)(station.state()))
        took.append(time.monotonic() - began if state and asked == (202, None, 202) and state['run']['look'].startswith('stopped')
                    else PATIENCE_S)
    late = [round(t, 2) for t in took if t > STOPPED_S]
    point('%d starts of %s are stopped, each within %g s (longest %.2f s)' % (starts, kind, STOPPED_S, max(took)), not late, late)
    if command == wrapper:
        # Each stop may have come before the wrapper switched the supply on; then there is no note.
        noted = text_of(station.supply)[-20:] if os.path.exists(station.supply) else ''
        point('... and the supply is off', not noted.endswith('on\n'), noted)
    station.end()

# ---------------------------------------------------------------- a station that is killed

steps = [line.split()[0] for line in subprocess.run([program, 'validate', '--list'], capture_output=True, text=True).stdout.splitlines()
         if line.split()[1] == 'quick']
point('the steps of a validation', len(steps) > 10 and 'ports' in steps, steps)
steps = os.environ.get('STEPS', ' '.join(steps)).split()
for step in steps:
    station = Station('killed-' + step, wrapper, step)
    station.start('K-' + step)
    wait(lambda: any(one['state'] != 'pending' for one in station.state()['run']['steps']))
    time.sleep(0.1)
    began = time.monotonic()
    station.end(kill=True)
    off = wait(station.is_off)
    point('killed in step %s: the validation ends, the supply is off' % step, off and time.monotonic() - began < STOPPED_S,
          time.monotonic() - began)
again = Station('killed-' + steps[-1], wrapper)
state = again.state()
last = state['last'][0] if state['last'] else {}
point('the next station shows the unit as ended early', state['phase'] == 'idle' and last.get('serial') == 'K-' + steps[-1] and
      last['go'] == 'incomplete' and last['look'] == 'ended early, with the station; test the unit again', last)
point('... which is in no yield', state['today']['units'] == 0, state['today'])
again.end()

# ---------------------------------------------------------------- a validation that hangs, and a wrapper that does

KILLED = 'the validation did not stop in time and was killed; check the bench, then test the unit again'
LOST = ('signal 9 ended the wrapper of the validation%s: the supply may be on; switch it off by hand before the next unit is '
        'taken')
TIMELY = ', which did not stop in time'


def child_of(parent):
    return int(wait(lambda: subprocess.run(['ps', '-o', 'pid=', '--ppid', str(parent)], capture_output=True, text=True).stdout))


class Hung:
    """A unit under test in the first step, and its processes; `whom` are signalled with `number`."""

    def __init__(self, name, command, whom, number=signal.SIGSTOP, stuck=''):
        self.name = 'hung-' + name
        self.station = Station(self.name, command, 'ports', stuck=stuck)
        self.station.start('H-' + name)
        wait(lambda: any(one['state'] != 'pending' for one in self.station.state()['run']['steps']))
        self.leader = child_of(self.station.process.pid)
        self.validation = self.leader if command == program else child_of(self.leader)
        for pid in whom(self):
            os.kill(pid, number)

    def stop(self):
        self.began = time.monotonic()
        self.station.stop()

    def ended(self):
        """(seconds from Stop, state), once."""
        state = wait(lambda: (lambda s: s if s['phase'] == 'ended' else None)(self.station.state()))
        return time.monotonic() - self.began, state and state['run']


hung = [Hung('bare', program, lambda h: [h.validation]),
        Hung('wrapped', wrapper, lambda h: [h.validation]),
        Hung('whole', wrapper, lambda h: [h.leader, h.validation]),
        Hung('stuck', wrapper, lambda h: [], stuck='off')]
for one in hung:
    one.stop()
results = {}
threads = [threading.Thread(target=lambda one=one: results.update({one.name: one.ended()})) for one in hung]
for one in threads:
    one.start()
for one in threads:
    one.join()
for one, looks, least_s, most_s, off in zip(hung, (KILLED, KILLED, KILLED, LOST % TIMELY), (9, 9, 9, 14), (14, 14, 14, 25),
                                            (False, True, True, False)):
    took_s, run = results[one.name]
    point('%s: incomplete, the page says what happened' % one.name, run and run['go'] == 'incomplete' and run['look'] == looks, run)
    point('... in its time, and what of it is left is gone', least_s < took_s < most_s and
          not any(os.path.exists('/proc/%d' % pid) for pid in (one.leader, one.validation)), took_s)
    point('... the supply is %s' % ('off' if off else 'left to the operator'), one.station.is_off() == off,
          os.path.exists(one.station.supply) and text_of(one.station.supply))
    one.station.end()

lost = Hung('lost', wrapper, lambda h: [h.leader], signal.SIGKILL)
lost.began = time.monotonic()
run = lost.ended()[1]
point('a wrapper that was killed: the supply may be on', run and run['go'] == 'incomplete' and run['look'] == LOST % '', run)
lost.station.end()

left = Hung('left', program, lambda h: [h.validation])
second = subprocess.run([program, 'station', '--listen', '127.0.0.1:0', '--out', left.station.out], capture_output=True, text=True,
                        timeout=PATIENCE_S)
point('a second station into one --out is refused', second.returncode == 4 and second.stderr.startswith(
    "phasebench: process %d writes to the output folder '" % left.station.process.pid), second.stderr)
left.station.end(kill=True)
again = Station(left.name, program)
state = again.state()
point('a killed one, with a validation that hangs, does not block the next one', state['phase'] == 'idle' and
      state['last'][0]['serial'] == 'H-left', state['last'])
again.end()
os.kill(left.validation, signal.SIGKILL)

# ---------------------------------------------------------------- a reader that is gone, without a station

reader, writer = os.pipe()
one = subprocess.Popen([program, 'validate', '--only', 'ports', '--events', '/dev/fd/%d' % writer, '--quiet'], pass_fds=[writer],
                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
os.close(writer)
os.read(reader, 1)
os.close(reader)
began = time.monotonic()
said = one.communicate(timeout=PATIENCE_S)[1]
point('a validation ends with the reader of its events', one.returncode == 130 and said ==
      'phasebench: --events: their reader is gone, so the validation was stopped; keep the reader alive to the end\n' and
      time.monotonic() - began < STOPPED_S, (one.returncode, said))

# ---------------------------------------------------------------- a rig in use

place = os.path.join(folder, 'core')
served = os.path.join(folder, 'served.log')
with open(served, 'w') as log:
    server = subprocess.Popen([program, 'serve', os.path.join(folder, 'board.yaml'), '--socket', place], stdout=log)
wait(lambda: os.path.exists(place))
os.environ['PHASEBENCH_LOCK_DIR'] = folder
station, other = (Station(name, program, '', '--rig', 'sim:' + place) for name in ('holder', 'other'))
station.start('R-1')
wait(lambda: any(one['state'] != 'pending' for one in station.state()['run']['steps']))
other.start('R-2')
state = wait(lambda: (lambda s: s if s['phase'] == 'ended' else None)(other.state()))
point('a rig in use is refused', state and state['run']['go'] == 'bench not ready' and
      re.search(r'board sim:\S+ is in use by process \d+', state['run']['look']), state and state['run'])
other.end()
station.end(kill=True)
point('killed: the core has no host, and no line is pulled', wait(lambda: re.search('has gone\nall lines were released', text_of(served))),
      text_of(served))
server.terminate()
server.wait()
