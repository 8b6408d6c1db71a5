# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# What the tests in Chromium share: points of TAP, and a session of chromedriver.
# helps: tests/cli/*_page.py
import base64
import json
import os
import re
import subprocess
import sys
import time
import urllib.request

count = failures = 0


def point(name, good, detail=''):
    global count, failures
    count += 1
    failures += not good
    print('%sok %d - %s' % ('' if good else 'not ', count, name))
    if not good:
        print('#   ' + str(detail)[:400])
    sys.stdout.flush()


def wait(condition, patience_s=20):
    until = time.monotonic() + patience_s
    while time.monotonic() < until:
        value = condition()
        if value:
            return value
        time.sleep(0.05)
    return condition()


def finish():
    """Prints the plan of TAP and ends the program."""
    print('1..%d' % count)
    sys.exit(failures > 0 or not count)


class Browser:
    """One session of chromedriver."""

    def __init__(self, base, folder, width, height, dark, touch=True):
        flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
                 '--disable-background-networking', '--disable-component-update', '--disable-sync',
                 '--disable-dev-shm-usage', '--hide-scrollbars', '--window-size=%d,%d' % (width, height)]
        if dark:
            flags.append('--force-dark-mode')
            flags.append('--blink-settings=preferredColorScheme=0')
        metrics = {'width': width, 'height': height, 'pixelRatio': 1, 'touch': touch}
        options = {'args': flags, 'mobileEmulation': {'deviceMetrics': metrics}}
        self.base, self.folder = base, folder
        self.session = self.call('POST', '/session', {'capabilities': {'alwaysMatch': {
            'browserName': 'chrome', 'goog:chromeOptions': options}}})['sessionId']

    def call(self, method, path, body=None):
        request = urllib.request.Request(self.base + path, method=method,
                                         data=None if body is None else json.dumps(body).encode(),
                                         headers={'Content-Type': 'application/json'})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)['value']

    def do(self, method, path, body=None):
        return self.call(method, '/session/' + self.session + path, body)

    def open(self, url):
        self.do('POST', '/url', {'url': url})

    def run(self, script, *arguments):
        return self.do('POST', '/execute/sync', {'script': script, 'args': list(arguments)})

    def text(self, identity):
        return self.run('return document.getElementById(arguments[0]).innerText', identity)

    def type(self, keys):
        """Presses keys, whatever has the focus."""
        actions = []
        for key in keys:
            actions += [{'type': 'keyDown', 'value': key}, {'type': 'keyUp', 'value': key}]
        self.do('POST', '/actions', {'actions': [{'type': 'key', 'id': 'keys', 'actions': actions}]})

    def devtools(self, command, **parameters):
        return self.do('POST', '/goog/cdp/execute', {'cmd': command, 'params': parameters})

    def picture(self, name):
        with open(os.path.join(self.folder, name + '.png'), 'wb') as file:
            file.write(base64.b64decode(self.do('GET', '/screenshot')))

    def close(self):
        self.do('DELETE', '')


def start_driver():
    process = subprocess.Popen(['chromedriver', '--port=0'], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    for line in process.stdout:
        found = re.search(r'successfully on port (\d+)', line)
        if found:
            return process, 'http://127.0.0.1:' + found.group(1)
    sys.exit('Bail out! chromedriver does not start')
