#!/usr/bin/env python3
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Clients of the station, good and bad, for station.sh: station_client.py PROGRAM STAND-IN FOLDER. Prints "ok NAME" and
# "not ok NAME", with what was seen after it.
# helps: tests/production/cli/station.sh
import base64
import hashlib
import http.client
import json
import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time

program, stand_in, folder = sys.argv[1:4]


stations = []
printing = threading.Lock()


def point(name, good, seen=''):
    with printing:
        print(('ok ' if good else 'not ok ') + name.replace('\\', '/'))
        if not good:
            print('#   seen: ' + repr(seen)[:300])
        sys.stdout.flush()
        if not good and os.environ.get('FAIL_FAST'):
            for station in stations:
                station.process.kill()
            os._exit(1)


def wait(condition, patience_s=30):
    until = time.monotonic() + patience_s
    while True:
        value = condition()
        if value or time.monotonic() > until:
            return value
        time.sleep(0.02)


class Station:
    def __init__(self, name, *options, command=stand_in, listen='127.0.0.1:0'):
        environment = dict(os.environ, PIDS=folder, XDG_STATE_HOME=folder)
        environment.pop('PHASEBENCH_VALIDATE', None)
        if command:
            environment['PHASEBENCH_VALIDATE'] = command
        self.out = os.path.join(folder, name)
        self.log = open(self.out + '.log', 'w+')
        self.process = subprocess.Popen(
            [program, 'station', '--listen', listen, '--station', 'bench-3', '--out', self.out, *options],
            stdout=self.log, stderr=subprocess.STDOUT, env=environment)
        stations.append(self)
        wait(lambda: re.search(r'http://\S+/', self.said()) or self.process.poll() is not None)
        self.host = re.search(r'http://(\S+)/', self.said()).group(1)
        self.address = ('127.0.0.1', int(self.host.rsplit(':', 1)[1]))
        self.headers = {'Host': self.host}

    def said(self):
        with open(self.out + '.log') as file:
            return file.read()

    def ask(self, method, path, body=None, headers=None, patience_s=15):
        """(status, headers, text); headers of None are left out."""
        all_headers = dict(self.headers)
        if method == 'POST':
            all_headers.update({'Origin': 'http://' + self.host, 'Content-Type': 'application/json'})
        all_headers.update(headers or {})
        connection = http.client.HTTPConnection(*self.address, timeout=patience_s)
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for key, value in all_headers.items():
            if value is not None:
                connection.putheader(key, value)
        data = b'' if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        if method == 'POST':
            connection.putheader('Content-Length', str(len(data)))
        connection.endheaders(data or None)
        answer = connection.getresponse()
        text = answer.read().decode('utf-8', 'replace')
        connection.close()
        return answer.status, dict(answer.getheaders()), text

    def state(self, since=None):
        return json.loads(self.ask('GET', '/api/state' + ('' if since is None else '?since=%d' % since))[2])

    def start(self, serial, operator='ann', **more):
        return self.ask('POST', '/api/start', {'serial': serial, 'operator': operator}, **more)

    def outcome(self, serial):
        """Tests a unit; gives (go, look, state)."""
        status, _, text = self.start(serial)
        if status != 202:
            return status, text, {}
        state = self.ended(60) or self.state()
        return state['run'].get('go'), state['run']['look'], state

    def ended(self, patience_s=30):
        """The state after the end of a validation; None: it has not ended."""
        return wait(lambda: (lambda state: state if state['phase'] == 'ended' else None)(self.state()), patience_s)

    def raw(self, data, patience_s=15):
        """What comes back until the other side closes."""
        with socket.create_connection(self.address, timeout=patience_s) as connection:
            connection.sendall(data)
            answer = b''
            try:
                while block := connection.recv(65536):
                    answer += block
            except (ConnectionResetError, socket.timeout):
                pass
            return answer

    def end(self, number=signal.SIGINT):
        self.process.send_signal(number)
        return self.process.wait(60)


def alive(pid):
    try:
        with open('/proc/%d/stat' % pid) as file:
            return file.read().rsplit(')', 1)[1].split()[0] != 'Z'
    except (FileNotFoundError, ProcessLookupError):
        return False


def pid_of(name):
    path = os.path.join(folder, name)
    wait(lambda: os.path.exists(path) and os.path.getsize(path))
    with open(path) as file:
        return int(file.read())


# ---------------------------------------------------------------- what takes its time, each at a station of its own


def silence():
    station = Station('silence')
    status, _, text = station.start('HANG-1')
    wait(lambda: station.state()['run']['steps'])
    status, _, text = station.start('TM-1')
    point('a second start is refused', status == 409 and 'HANG-1 is being tested' in text, (status, text))
    state = wait(lambda: (lambda s: s if s['run']['silent_s'] else None)(station.state()), 40)
    point('silence shows after 20 s', state and state['run']['silent_s'] >= 20, state)
    status, _, text = station.ask('POST', '/api/stop', {})
    state = station.ended()
    point('stop ends it', status == 202 and state and state['run']['go'] == 'incomplete', state)
    point('... with its report', state['run']['report'] != '', state['run'])
    status, _, text = station.ask('POST', '/api/stop', {})
    point('there is nothing to stop then', status == 409 and 'No unit' in text, (status, text))
    station.end()


def deaf():
    station = Station('deaf')
    station.start('DEAF-1')
    parent, child = pid_of('DEAF-1.parent'), pid_of('DEAF-1.child')
    before = time.monotonic()
    station.ask('POST', '/api/stop', {})
    station.ask('POST', '/api/stop', {})
    state = station.ended()
    point('a validation that does not stop is killed after 10 s', state and 'killed; check' in state['run']['look'] and
          9 < time.monotonic() - before < 25, (state, time.monotonic() - before))
    point('... with its processes', wait(lambda: not alive(parent) and not alive(child)), (parent, child))
    station.end()


def names_another():
    station = Station('another')
    station.start('DEAF-PARENT')
    parent, child = pid_of('DEAF-PARENT.parent'), pid_of('DEAF-PARENT.child')
    before = time.monotonic()
    station.ask('POST', '/api/stop', {})
    state = station.ended()
    point('a validation that names a process of another group has only its own killed', state and
          'the supply may be on' in state['run']['look'] and 14 < time.monotonic() - before < 30 and
          wait(lambda: not alive(parent) and not alive(child)), (state, time.monotonic() - before))
    station.end()


def no_news():
    station = Station('no_news')
    version = station.state()['version']
    before = time.monotonic()
    same = station.state(version)
    point('without news the state comes after 10 s', 9 < time.monotonic() - before < 25 and same['phase'] == 'idle',
          time.monotonic() - before)
    station.end()


def trickle(connection, data):
    """Sends a byte each 0.5 s; gives the seconds until the other side closes."""
    before = time.monotonic()
    connection.settimeout(0.5)
    for at in range(200):
        try:
            connection.sendall(data[at:at + 1] or b'x')
            if connection.recv(1) == b'':
                break
        except socket.timeout:
            continue
        except OSError:
            break
    return time.monotonic() - before


def slow_clients():
    station = Station('slow_clients')
    slow = []
    head = ('POST /api/start HTTP/1.1\r\nHost: %s\r\nContent-Length: 4000\r\n\r\n' % station.host).encode()
    threads = [threading.Thread(target=lambda: slow.append(trickle(socket.create_connection(station.address), b'GET / HT'))),
               threading.Thread(target=lambda: slow.append(trickle(socket.create_connection(station.address), b'')))]
    body = socket.create_connection(station.address)
    body.sendall(head)
    threads.append(threading.Thread(target=lambda: slow.append(trickle(body, b'{'))))
    kept = socket.create_connection(station.address)
    kept.sendall(('GET /icon.svg HTTP/1.1\r\nHost: %s\r\n\r\n' % station.host).encode())
    kept.recv(65536)
    threads.append(threading.Thread(target=lambda: slow.append(trickle(kept, b'GET'))))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    point('a client that sends byte by byte is cut off after 10 s', len(slow) == 4 and all(9 < one < 25 for one in slow), slow)
    station.end()


def attempt(station):
    try:
        return station.state()
    except (OSError, http.client.HTTPException):
        return None


def crowds():
    station = Station('crowds')
    crowd = []
    for _ in range(80):
        connection = socket.create_connection(station.address)
        crowd.append(connection)
    time.sleep(0.5)
    sockets = [name for name in os.listdir('/proc/%d/fd' % station.process.pid)
               if os.readlink('/proc/%d/fd/%s' % (station.process.pid, name)).startswith('socket:')]
    point('at most 64 connections are open, and the socket that listens', len(sockets) <= 65, len(sockets))
    before = time.monotonic()
    answered = wait(lambda: attempt(station), 30)
    point('... and silent ones make room within 10 s', answered and time.monotonic() - before < 25, time.monotonic() - before)
    for connection in crowd:
        connection.close()
    station.end()


def guarded(one):
    try:
        one()
    except Exception as error:
        point(one.__name__ + ' came to its end', False, error)


threads_of_slow = [threading.Thread(target=guarded, args=(one,)) for one in (silence, deaf, names_another, no_news,
                                                                            slow_clients, crowds)]
for one in threads_of_slow:
    one.start()

# ---------------------------------------------------------------- a shift

shutil.copy(os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../../host/production/limits/default.yaml'), 'l.yaml')
station = Station('shift', '--profile', 'full', '--limits', 'l.yaml', '--rig', 'ftdi:X', '--node', 'board')
state = station.state()
point('idle at first', (state['phase'], state['run'], state['last'], state['today']['units']) == ('idle', None, [], 0), state)
go, look, state = station.outcome('TM-0042')
point('a sound unit is a go', (go, look) == ('go', ''), (go, look))
steps = state['run']['steps']
point('... with every step passed', [step['state'] for step in steps] == ['pass'] * 6 and steps[2]['id'] == 'identity', steps)
report = state['run']['report']
point('... a report of its own', re.fullmatch(r'/report/TM-0042-\d{8}T\d{6}Z/validation\.html', report), report)
status, headers, text = station.ask('GET', report)
point('... which is served', status == 200 and '<h1>TM-0042: go</h1>' in text, (status, text))
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../../host/report/timeline.js'), 'rb') as file:
    digest = base64.b64encode(hashlib.sha256(file.read()).digest()).decode()
point('... with no script but that of its timeline', "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-%s'; " % digest in
      headers['Content-Security-Policy'], headers)
with open(os.path.join(station.out, report.split('/')[2], 'arguments')) as file:
    words = file.read().split('\n')[:-1]
pairs = dict(zip(words[1::2], words[2::2]))
point('the validation gets what the station was given', words[0] == 'validate' and words[-1] == '--quiet' and pairs ==
      {'--serial': 'TM-0042', '--operator': 'ann', '--station': 'bench-3', '--profile': 'full', '--limits': 'l.yaml',
       '--rig': 'ftdi:X', '--node': 'board', '--out': os.path.join(station.out, report.split('/')[2]),
       '--events': '/dev/fd/3'}, words)
go, look, state = station.outcome('BAD-0043')
point('a bad unit is a no-go that says why', go == 'no-go' and look.startswith('ports: 6 of 9'), (go, look))
bad = state['run']['report'].rsplit('/', 1)[0]
status, _, text = station.ask('GET', bad + '/ports/report.html')
point('... and the report of its run', status == 200 and 'run ports' in text, (status, text))
for name in ('failure.fst', 'frames.pcapng'):
    status, headers, text = station.ask('GET', bad + '/ports/' + name)
    point('... and its ' + name, status == 200 and text == name and headers['Content-Type'] == 'application/octet-stream', (status, text))
for path in ('/ports/failure.gtkw', '/ports/failure.fst/', '/none/failure.fst', '/failure.fst', '/linked/frames.pcapng',
             '/ports/result.json', '/./report.html', '/../report.html', '/.hidden/report.html', '/%2e%2e/report.html',
             '/ports/../report.html', '/none/report.html', '//report.html', '/ports/report.html/', '/linked/report.html'):
    point('path ID%s has no page' % path, station.ask('GET', bad + path)[0] == 404)
ports = state['run']['steps'][4]
point('... with its step, and four of six values', ports['state'] == 'fail' and ports['not_passed'] == 6 and
      [value['text'] for value in ports['odd']] == ['400.0 ns', '401.0 ns', '402.0 ns', '403.0 ns'], ports)
go, look, state = station.outcome('NEAR-1')
point('a marginal unit is a go', go == 'go, marginal', (go, look))
go, look, state = station.outcome('BENCH-1')
point('a bench that fails is not ready, and says why', (go, look) == ('bench not ready',
      'rig ftdi: no board is connected; plug one in'), (go, look))
point('... and has no report', state['run']['report'] == '', state['run'])
station.outcome('BAD-0043')
state = station.state()
point('last units, the newest first', [record['serial'] for record in state['last']] ==
      ['BAD-0043', 'BENCH-1', 'NEAR-1', 'BAD-0043', 'TM-0042'], state['last'])
point('yield of the day', state['today'] == {'units': 3, 'first_passed': 2, 'finally_passed': 2}, state['today'])
go, look, state = station.outcome('a/b:c')
point('a serial number with / is one folder', state['run']['report'].startswith('/report/a_b:c-'), (go, state))
first = station.outcome('TWICE')[2]['run']['report']
second = station.outcome('TWICE')[2]['run']['report']
point('two validations of a unit within a second have two folders', first != second and
      station.ask('GET', second)[0] == 200, (first, second))
point('the terminal has a line for each', 'BAD-0043: no-go: ports: 6 of 9' in station.said(), station.said())

# ---------------------------------------------------------------- validations that misbehave

for serial, wanted, words in (
        ('DIES', 'incomplete', 'signal 11'), ('MUTE', 'incomplete', 'no outcome'),
        ('OTHER', 'incomplete', 'unit OTHER, not OTHER'), ('LIES', 'incomplete', "'go' and ended with exit code 1")):
    serial += '-9'
    go, look, state = station.outcome(serial)
    point('%s is %s' % (serial, wanted), go == wanted and words.replace('not OTHER', 'not OTHER-9') in look, (go, look))
go, look, state = station.outcome('GARBLED-1')
point('garbled and long lines are counted and change nothing', go == 'go' and state['run']['garbled'] == 6 * 5,
      (go, look, state['run']['garbled']))
station.start('FLOOD-1')
slowest = 0
while station.state()['phase'] == 'running':
    before = time.monotonic()
    station.ask('GET', '/')
    slowest = max(slowest, time.monotonic() - before)
state = station.state()
point('a flood of lines leaves the page quick', state['run']['go'] == 'go' and slowest < 5, (state['run']['go'], slowest))
point('... and counts them', state['run']['steps'][0]['values'] > 1000, state['run']['steps'][0])

station.start('PACE-2000_K')
wait(lambda: station.state()['run']['steps'])
with open('/proc/%d/task/%d/children' % (station.process.pid, station.process.pid)) as file:
    os.kill(int(file.read().split()[0]), signal.SIGKILL)
state = station.ended()
point('a validation that is killed fails its unit alone', state and state['run']['go'] == 'incomplete' and 'signal 9' in
      state['run']['look'] and station.outcome('TM-2')[0] == 'go', state)

go, look, state = station.outcome('BURST-1')
point('all that a validation wrote before its end is read', go == 'go' and state['run']['steps'][5]['values'] == 5003,
      (go, look))
go, look, state = station.outcome('ORPHAN-1')
child = pid_of('ORPHAN-1.child')
point('what a validation leaves running is killed at its end', go == 'go' and wait(lambda: not alive(child)), (go, look))

# ---------------------------------------------------------------- pages that come and go

page = socket.create_connection(station.address)
page.sendall(('GET /api/state?since=%d HTTP/1.1\r\nHost: %s\r\n\r\n' % (station.state()['version'], station.host)).encode())
station.start('PACE-100_P')
page.close()
state = station.ended()
point('a page that is closed does not stop the run', state and state['run']['go'] == 'go', state)
version = state['version']
answers = []


def wait_for_news():
    before = time.monotonic()
    news = station.state(version)
    answers.append((time.monotonic() - before, news['run']['serial']))


threads = [threading.Thread(target=wait_for_news) for _ in range(5)]
for thread in threads:
    thread.start()
time.sleep(1)
early = len(answers)
station.start('TM-3')
for thread in threads:
    thread.join()
point('pages wait for news, and all get it at once', early == 0 and len(answers) == 5 and
      all(0.5 <= waited < 8 and serial == 'TM-3' for waited, serial in answers), answers)
wait(lambda: station.state()['phase'] == 'ended')
# ---------------------------------------------------------------- refused inputs

for serial in ('', '.', '..', '../x', '-x', 'a b', 'a\n', 'x' * 65, '\u00e4', 'a%2f'):
    status, _, text = station.start(serial)
    point('serial number %r is refused' % serial[:8], status == 400 and 'erial number' in text, (status, text))
for operator in ('', ' x', '-x', 'a\x1b', 'x' * 65):
    status, _, text = station.start('TM-1', operator)
    point('operator %r is refused' % operator[:8], status == 400 and 'perator' in text, (status, text))
for body in (b'', b'x', b'[]', b'{}', b'{"serial":1,"operator":2}', b'{"serial":"a"}', b'\xff'):
    status, _, text = station.ask('POST', '/api/start', body)
    point('body %r is refused' % body, status == 400 and 'error' in json.loads(text), (status, text))
status, _, text = station.ask('POST', '/api/start', b' ' * 4097)
point('a body above 4096 bytes is refused', status == 413, status)
status, _, text = station.ask('POST', '/api/start', json.dumps({'serial': '', 'operator': 'a'}).encode().ljust(4096))
point('... one of 4096 is read', status == 400 and 'empty' in text, (status, text))
answer = station.raw(('POST /api/start HTTP/1.1\r\nHost: %s\r\nOrigin: http://%s\r\nContent-Type: application/json\r\n'
                      'Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n' % (station.host, station.host)).encode() +
                     b'2000\r\n' + b' ' * 0x2000 + b'\r\n0\r\n\r\n')
point('... nor one in chunks', answer.startswith(b'HTTP/1.1 413'), answer[:200])
answer = station.raw(b'GET /' + b'a' * 100000 + b' HTTP/1.1\r\nHost: ' + station.host.encode() + b'\r\n\r\n')
point('a long request line is refused', re.match(rb'HTTP/1.1 (414|431|413)', answer), answer[:100])
answer = station.raw(('GET / HTTP/1.1\r\nHost: %s\r\n' % station.host + ''.join('X-%d: y\r\n' % i for i in range(20000)) +
                      '\r\n').encode())
point('long headers are refused', re.match(rb'HTTP/1.1 (431|413)', answer) or not answer, answer[:100])
for garbage in (b'\x00\xff\n\n', b'GET\r\n\r\n', b'\x16\x03\x01\x02\x00\x01\x00\x01\xfc', b'GET / HTTP/9.9\r\n\r\n'):
    answer = station.raw(garbage)
    point('garbage %r is no page' % garbage, b'200 OK' not in answer, answer[:100])

# ---------------------------------------------------------------- paths

secret = os.path.join(folder, 'validation.html')
with open(secret, 'w') as file:
    file.write('SECRET')
hidden = os.path.join(station.out, 'hidden-20261124T120000Z')
os.makedirs(hidden)
with open(os.path.join(hidden, 'validation.html'), 'w') as file:
    file.write('SECRET')
for path in ('/report/../validation.html', '/report/..%2f../validation.html', '/report/%2e%2e/validation.html',
             '/report/..%2fvalidation.html', '/../validation.html', '//etc/passwd', '/report/', '/report//validation.html',
             '/report/./validation.html', '/report/hidden-20261124T120000Z/validation.html', '/report/\\..\\validation.html',
             report.replace('validation.html', 'arguments'), report.replace('validation.html', '../validation.html'),
             report + '/', '/report/' + 'x' * 5000 + '/validation.html', '/station.html', '/api/', '/API/state'):
    status, _, text = station.ask('GET', path)
    point('path %.40s has no page' % path, status == 404 and 'SECRET' not in text, (status, text))
status, _, text = station.ask('GET', '/report/hidden-20261124T120000Z%00/validation.html')
point('a zero byte in a path shows nothing', status == 404 and 'SECRET' not in text, (status, text))
linked = station.outcome('LINK')[2]['run']['report'].split('/')[2]
os.remove(os.path.join(station.out, linked, 'validation.html'))
os.symlink(secret, os.path.join(station.out, linked, 'validation.html'))
status, _, text = station.ask('GET', '/report/%s/validation.html' % linked)
point('a link in place of a report is not followed', status == 404 and 'SECRET' not in text, (status, text))

# ---------------------------------------------------------------- who asks

for host in ('evil.example', 'evil.example:%d' % station.address[1], '127.0.0.1', 'localhost', '127.0.0.1:1', '',
             'localhost:%d.evil.example' % station.address[1], None):
    status, _, text = station.ask('GET', '/api/state', headers={'Host': host})
    point('host %r is refused' % host, status in (400, 421) and 'bench-3' not in text, (status, text))
status, _, _ = station.ask('GET', '/api/state', headers={'Host': 'localhost:%d' % station.address[1]})
point('localhost is this computer', status == 200, status)
answer = station.raw(('GET /api/state HTTP/1.1\r\nHost: %s\r\nHost: evil.example\r\nConnection: close\r\n\r\n' %
                      station.host).encode())
point('two hosts are refused', re.match(rb'HTTP/1.1 4', answer), answer[:100])
for origin in ('http://evil.example', 'null', '', 'http://127.0.0.1:1', 'http://' + station.host + '.evil.example', None):
    status, _, text = station.start('TM-1', headers={'Origin': origin})
    point('origin %r is refused' % origin, status == 403, (status, text))
for kind in ('text/plain', 'application/x-www-form-urlencoded', 'application/jsonx', 'application/json-patch+json', None):
    status, _, text = station.start('TM-1', headers={'Content-Type': kind})
    point('a body of type %r is refused' % kind, status == 415, (status, text))
status, _, text = station.start('', headers={'Content-Type': 'application/json; charset=utf-8'})
point('... one of JSON with parameters is read', status == 400 and 'empty' in text, (status, text))
for twice in ('Origin: http://%(host)s\r\nOrigin: http://evil.example\r\nContent-Length: 2\r\n',
              'Origin: http://%(host)s\r\nOrigin: http://%(host)s\r\nContent-Length: 2\r\n',
              'Origin: http://%(host)s\r\nContent-Length: 2\r\nContent-Length: 3\r\n',
              'Origin: http://%(host)s\r\nContent-Length: 3\r\nContent-Length: 2\r\n'):
    answer = station.raw(('POST /api/start HTTP/1.1\r\nHost: %(host)s\r\nContent-Type: application/json\r\n'
                          'Connection: close\r\n' + twice + '\r\n{}') .replace('%(host)s', station.host).encode())
    point('a header twice is refused: %r' % twice[-60:], answer.startswith(b'HTTP/1.1 400') and b'serial' not in answer,
          answer[:300])
for method in ('PUT', 'DELETE', 'OPTIONS', 'TRACE', 'PATCH', 'HEAD'):
    status, headers, _ = station.ask(method, '/')
    point('method %s is refused' % method, status == 405 and headers.get('Allow') == 'GET, POST', (status, headers))
status, _, _ = station.ask('GET', '/api/start')
point('GET starts nothing', status == 404 and station.state()['run']['serial'] == 'LINK', status)
for path in ('/', '/api/state', '/station.js', '/none'):
    _, headers, _ = station.ask('GET', path)
    point('headers of ' + path, "default-src 'none'" in headers['Content-Security-Policy'] and 'unsafe' not in
          headers['Content-Security-Policy'] and headers['X-Content-Type-Options'] == 'nosniff' and
          headers['X-Frame-Options'] == 'DENY' and headers['Referrer-Policy'] == 'no-referrer' and
          headers['Cache-Control'] == 'no-store' and 'Access-Control-Allow-Origin' not in headers, headers)

# ---------------------------------------------------------------- the end, and a new start

station.start('PACE-500_END')
wait(lambda: station.state()['run']['steps'])
code = station.end()
point('Ctrl-C stops the validation and ends the station', code == 0 and 'PACE-500_END: incomplete' in station.said(),
      (code, station.said()[-300:]))
folders = [name for name in os.listdir(station.out) if name.startswith('PACE-500_END')]
with open(os.path.join(station.out, folders[0], 'station.json')) as file:
    outcome = json.load(file)
point('... whose outcome is in its folder', outcome['go'] == 'incomplete' and outcome['operator'] == 'ann', outcome)
for name in ('broken-20991124T120000Z', 'none-20991124T120001Z', 'no-time'):
    os.makedirs(os.path.join(station.out, name))
with open(os.path.join(station.out, 'broken-20991124T120000Z', 'station.json'), 'w') as file:
    file.write('{"serial": "x", "go": "gone"')
station = Station('shift')
state = station.state()
point('a new station knows the units of the day', state['phase'] == 'idle' and state['last'][0]['serial'] == 'PACE-500_END' and
      len(state['last']) == 20 and state['today']['units'] >= 7, (state['last'][:1], state['today']))
status, _, text = station.ask('GET', report)
point('... and serves their reports', status == 200 and 'TM-0042' in text, status)
station.process.kill()
station.process.wait()

# ---------------------------------------------------------------- a station that is killed

station = Station('killed')
station.start('HANG-K')
wait(lambda: station.state()['run']['steps'])
with open('/proc/%d/task/%d/children' % (station.process.pid, station.process.pid)) as file:
    child = int(file.read().split()[0])
station.end(signal.SIGKILL)
point('a validation stops when its station is killed', wait(lambda: not alive(child)), child)

# ---------------------------------------------------------------- a program that is none

station = Station('none', command=os.path.join(folder, 'no-such-program'))
go, look, _ = station.outcome('TM-1')
point('a program that is missing is a bench that is not ready', go == 'bench not ready' and 'cannot start' in look, (go, look))
station.end()

# ---------------------------------------------------------------- serial numbers of the house

station = Station('pattern', '--serial-pattern', 'TM-[0-9]{4}|X')
answers = [station.start(serial)[0] for serial in ('TM-042', 'TM-00421', 'XTM-0042', 'tm-0042')]
point('a serial number of another form is refused', answers == [400] * 4, answers)
point('... one of the form is not', station.outcome('TM-0042')[0] == 'go')
station.end()

# ---------------------------------------------------------------- tokens

token = '0123456789abcdef'
path = os.path.join(folder, 'token.txt')
with open(path, 'w') as file:
    os.chmod(path, 0o600)
    file.write(token + '\nsecond line\n')
station = Station('token', '--token', path, '--name', 'bench-3.lan,proxy:443', listen='0.0.0.0:0')
station.host = '127.0.0.1:%d' % station.address[1]
station.headers = {'Host': station.host}
status, _, text = station.ask('GET', '/')
point('without the token there is the form', status == 401 and 'id="login"' in text, (status, text))
cookie = 'phasebench_station_%d=' % station.address[1]
for name, headers in (('no token', {}), ('a wrong token', {'Cookie': cookie + 'x' * 16}), ('an empty token', {'Cookie': cookie}),
                      ('a longer token', {'Cookie': cookie + token + '0'}),
                      ('the cookie of another port', {'Cookie': 'phasebench_station_1=' + token})):
    seen = [station.ask('GET', one, headers=headers)[0] for one in ('/api/state', '/station.js', '/report/x/validation.html')]
    seen.append(station.start('TM-1', headers=headers)[0])
    seen.append(station.ask('POST', '/api/stop', {}, headers=headers)[0])
    point(name + ' opens nothing', seen == [401] * 5, seen)
for one in ('/login.js', '/station.css', '/icon.svg'):
    point(one + ' of the form is open', station.ask('GET', one)[0] == 200)
for body in ({'token': 'x' * 16}, {'token': ''}, {}, {'token': 1}):
    status, headers, _ = station.ask('POST', '/api/login', body)
    point('login with %r' % body, status == 401 and 'Set-Cookie' not in headers, (status, headers))
status, headers, _ = station.ask('POST', '/api/login', {'token': token}, headers={'Origin': 'http://evil.example'})
point('no login from another page', status == 403 and 'Set-Cookie' not in headers, (status, headers))
status, headers, _ = station.ask('POST', '/api/login', {'token': token})
given = headers.get('Set-Cookie', '')
point('the token gives a cookie', status == 200 and given.startswith(cookie + token + ';') and 'HttpOnly' in given and
      'SameSite=Strict' in given and 'Path=/' in given, given)
station.headers['Cookie'] = 'other=1; ' + cookie + token
point('... that opens the page', station.ask('GET', '/')[0] == 200 and station.outcome('TM-1')[0] == 'go')
status, headers, text = station.ask('GET', '/?token=' + token, headers={'Cookie': None})
point('the token in the address gives it, too', status == 200 and headers.get('Set-Cookie') == given and 'refresh' in text and
      token not in text, (status, headers, text))
status, headers, _ = station.ask('GET', '/?token=' + 'x' * 16, headers={'Cookie': None})
point('... a wrong one does not', status == 401 and 'Set-Cookie' not in headers, (status, headers))
status, headers, _ = station.ask('GET', '/api/state?token=' + token, headers={'Cookie': None})
point('... nor another address', status == 401, status)
for host, wanted in (('bench-3.lan:%d' % station.address[1], 200), ('proxy:443', 200), ('proxy', 421),
                     ('evil.lan:%d' % station.address[1], 421)):
    status = station.ask('GET', '/', headers={'Host': host})[0]
    point('host %s with --name' % host.split(':')[0], status == wanted, status)
point('the token is not on the terminal', token not in station.said(), station.said())
station.end()
station = Station('generated', '--token', 'generated')
shown = re.search(r'token: ([0-9a-f]{48}) ', station.said())
point('a generated token is printed once it is needed', shown and station.ask('GET', '/?token=' + shown.group(1))[0] == 200,
      station.said())
station.end()

# ---------------------------------------------------------------- the history

database = os.path.join(folder, 'line.db')
station = Station('history', '--history', database)
point('an empty history has no unit', station.state()['today']['units'] == 0)
station.end()


def insert(unit, scenario, verdict, started, where='bench-3'):
    with sqlite3.connect(database) as history:
        columns = [row for row in history.execute('PRAGMA table_info(run)')]
        row = {name: ('' if 'CHAR' in kind.upper() or 'TEXT' in kind.upper() else 0) for _, name, kind, must, _, _ in columns
               if must and name != 'id'}
        row.update(seed='1', unit=unit, scenario=scenario, verdict=verdict, started_utc=started, station=where)
        history.execute('INSERT INTO run (%s) VALUES (%s)' % (', '.join(row), ', '.join('?' * len(row))), list(row.values()))
        history.execute("INSERT INTO node (run, place, address, kind, identity) VALUES (last_insert_rowid(), 0, 1, 'native', '')")


now = time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())
for row in (('A', 'x', 'pass', now), ('A', 'y', 'pass', now), ('B', 'x', 'pass', now), ('B', 'y', 'fail', now),
            ('B', 'y', 'pass', now), ('C', 'x', 'fail', now), ('D', 'x', 'marginal', now), ('E', 'x', 'inconclusive', now),
            ('F', 'x', 'pass', '2020-01-01T00:00:00Z'), ('F', 'x', 'fail', now), ('G', 'x', 'pass', now, 'bench-4')):
    insert(*row)
station = Station('history', '--history', database)
state = station.state()
# A and D at once, B in the end, C not; E is not judged, F had its first pass before, G is of another station.
point('the yield of the day is that of the history', state['today'] == {'units': 4, 'first_passed': 2, 'finally_passed': 3},
      state['today'])
units = {record['serial']: record['go'] for record in state['last']}
point('... and the last units', units == {'A': 'go', 'B': 'go', 'C': 'no-go', 'D': 'go, marginal', 'E': 'incomplete',
                                          'F': 'no-go'}, units)
station.outcome('H')
state = station.state()
heard = {name: open(os.path.join(station.out, state['run']['report'].split('/')[2], name)).read() for name in ('arguments', 'history')}
point('the validation finds the history in its environment', heard['history'] == database and database not in heard['arguments'], heard)
point('a unit of this station goes in front', state['last'][0]['serial'] == 'H' and state['last'][0]['report'], state['last'][0])
station.end()
station = Station('server', '--history', 'postgresql://nobody:geheim@[::1]:1/none')
station.start('HANG-SECRET')
wait(lambda: station.state()['run']['steps'])
children = subprocess.run(['ps', '-o', 'args=', '--ppid', str(station.process.pid)], capture_output=True, text=True).stdout
point('no argument of a validation has a password', 'HANG-SECRET' in children and 'geheim' not in children, children)
station.ask('POST', '/api/stop', {})
station.ended()
go, look, state = station.outcome('TM-1')
point('a history that cannot be reached stops no unit', go == 'go' and state['today']['units'] == 1, (go, look, station.said()))
point('... and is reported', "'postgresql://[::1]:1/none'" in station.said(), station.said())
_, _, page = station.ask('GET', '/api/state')
point('... without the password', 'geheim' not in station.said() + page, station.said())
station.end()
for one in threads_of_slow:
    one.join()
