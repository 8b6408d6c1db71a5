#!/usr/bin/env python3
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Zooms and reads the timeline of reports in Chromium, by wheel, drag, fingers and keys. Times are computed from the settings of the
# scenario, bytes and their places come from result.json. TAP. Usage: timeline_page.py PROGRAM FOLDER; the screenshots go to the folder.
# covers: host/report/*timeline*
import json
import math
import os
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree

from browser import Browser, finish, point, start_driver

program, folder = (os.path.abspath(argument) for argument in sys.argv[1:3])
os.makedirs(folder, exist_ok=True)
SCENARIOS = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../host/scenarios')
WIDE, PHONE = (1180, 900), (390, 844)
UNITS = {'ns': 1e3, 'us': 1e6, 'ms': 1e9, 's': 1e12}
KEYS = {'left': '\ue012', 'up': '\ue013', 'right': '\ue014', 'down': '\ue015', 'shift': '\ue008'}
PAYLOADS = {'slot': (2, 1), 'starc': (5, 2)}  # bytes before and behind the payload: docs/node.md
HOSTILE = '</script><script>document.title = 1</script><b>'


class Report(Browser):
    """The report of a run, and what is computed of it without the page."""

    def __init__(self, base, name, screen=WIDE, dark=False, scripted=True):
        self.screen = screen
        super().__init__(base, folder, *screen, dark, touch=screen == PHONE)
        self.result = json.load(open(os.path.join(folder, name, 'result.json'), encoding='utf-8'))
        settings = self.result['settings']
        self.phase_ps = 1e15 / settings['phase_rate_mhz']
        self.phases = 2 * settings['dims']
        self.superframe_ps = self.phases * self.phase_ps
        self.bit_ps = 1e12 / settings['baud_hz']
        self.codec = settings['codec']
        self.shown = int(re.search(r'Superframe (\d+), drawn to scale', page_of(name))[1])
        if not scripted:
            self.devtools('Emulation.setScriptExecutionDisabled', value=True)
        self.open('file://' + os.path.join(folder, name, 'report.html'))
        if scripted:
            self.run('document.querySelector("figure.of-timeline").scrollIntoView(); scrollBy(0, -10)')
            time.sleep(0.5)  # a wheel right after the page has moved goes on to move it
            self.measure()

    def measure(self):
        """The first line of the picture: its ends are those of the time axis."""
        self.left, self.right, self.top = self.run(
            'const r = [...document.querySelectorAll(".view .line")].find((line) => line.getAttribute("y1") === line.getAttribute("y2"))'
            '.getBoundingClientRect(); return [r.left, r.right, r.top]')

    def reading(self):
        return self.run('return document.querySelector(".reading").textContent').replace('\u00a0', ' ')

    def act(self, kind, *actions, **parameters):
        self.do('POST', '/actions', {'actions': [dict({'type': kind, 'id': kind, 'actions': list(actions)}, **parameters)]})
        self.run('return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')

    def touch(self, *moments):
        """Fingers at these places, one after the other; then none."""
        for kind, places in zip(['touchStart'] + ['touchMove'] * (len(moments) - 1) + ['touchEnd'], [*moments, []]):
            self.devtools('Input.dispatchTouchEvent', type=kind, touchPoints=[{'x': x, 'y': y, 'id': i} for i, (x, y) in enumerate(places)])

    def move(self, x, y):
        if self.screen == PHONE:
            self.touch([(int(x), int(y))])
            return
        self.act('pointer', {'type': 'pointerMove', 'duration': 0, 'x': int(x), 'y': int(y)})

    def time_at(self, x, row=0):
        """What the page says of a place, as ps."""
        self.move(x, self.top + 30 * row)
        value, unit = self.reading().split(' · ')[0].split(' ')
        return float(value) * UNITS[unit]

    def span(self):
        a, b = round(self.left) + 20, round(self.right) - 20
        return (self.time_at(b) - self.time_at(a)) / (b - a) * (self.right - self.left)

    def press(self, *keys):
        self.run('document.querySelector(".view").focus({preventScroll: true})')
        actions = [{'type': 'keyDown', 'value': KEYS.get(key, key)} for key in keys]
        self.act('key', *actions, *[dict(action, type='keyUp') for action in reversed(actions)])

    def wheel(self, x, y, delta):
        self.act('wheel', {'type': 'scroll', 'x': int(x), 'y': int(y), 'deltaX': 0, 'deltaY': delta, 'origin': 'viewport', 'duration': 0})

    def click(self, name):
        self.run('document.querySelector(`[aria-label^="${arguments[0]}"]`).click(); '
                 'return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))', name)

    def drag(self, x, y, to):
        self.act('pointer', {'type': 'pointerMove', 'duration': 0, 'x': int(x), 'y': int(y)}, {'type': 'pointerDown', 'button': 0},
                 {'type': 'pointerMove', 'duration': 0, 'x': int(to), 'y': int(y)}, {'type': 'pointerUp', 'button': 0})

    def paper(self, name):
        """The page as it is printed."""
        self.devtools('Emulation.setEmulatedMedia', media='print')
        size = self.devtools('Page.getLayoutMetrics')['cssContentSize']
        shot = self.devtools('Page.captureScreenshot', captureBeyondViewport=True, clip=dict(size, scale=1))['data']
        self.picture(name)
        return shot


def near(value, expected, tolerance):
    return abs(value - expected) <= tolerance


def page_of(name):
    return open(os.path.join(folder, name, 'report.html'), encoding='utf-8').read()


def canonical(markup):
    return ElementTree.canonicalize(markup.replace('&nbsp;', '\u00a0'), strip_text=True)


def still_picture(name, page, plain):
    """The picture of the file, and that which a browser has of it."""
    svg = re.compile(r'<svg class="timeline".*?</svg>(?=</div>)', re.DOTALL)
    of_file = canonical(svg.search(page_of(name))[0])
    dom = plain.devtools('DOM.getOuterHTML', nodeId=plain.devtools('DOM.getDocument')['root']['nodeId'])['outerHTML']
    point(name + ': without the script the picture is that of the file', canonical(svg.search(dom)[0]) == of_file)
    point('... and there are no buttons', '<button' not in dom and 'class="live"' not in dom)
    point('... with it, it stays as it is', canonical(page.run('return document.querySelector("svg.timeline").outerHTML')) == of_file)


def on_paper(name, page, plain):
    same = plain.paper(name + '-paper-without') == page.paper(name + '-paper')
    point(name + ': on paper the page with the script is the one without, pixel by pixel', same)


def times(page, name):
    wrong = []
    for share in (0.01, 0.2, 0.43, 0.77, 0.99):
        x = round(page.left + share * (page.right - page.left))
        expected = page.shown * page.superframe_ps + (x - page.left) / (page.right - page.left) * page.superframe_ps
        seen, text = page.time_at(x, 1), page.reading()
        phase = int(expected // page.phase_ps)
        place = 'superframe %d, phase %d, ' % (phase // page.phases, phase % page.phases)
        if not near(seen, expected, 1e-3 * page.superframe_ps / 2) or place not in text:
            wrong.append((x, expected, text))
    point(name + ': the time of the cursor is that of superframe and phase', not wrong, wrong)


def expected_bytes(page, hop, index):
    before, behind = PAYLOADS[page.codec]
    last = len(hop['bytes']) // 2 - 1
    part = 'header' if index < before else 'check' if index > last - behind else 'payload'
    return 'byte %d of 0 to %d: 0x%s, %s; data bit 4, %s' % (index, last, hop['bytes'][2 * index:2 * index + 2], part,
                                                           'high' if int(hop['bytes'][2 * index:2 * index + 2], 16) >> 4 & 1 else 'low')


def bytes_under_cursor(page, name):
    """Zooms into some frames, and points at the middle of data bit 4 of each of their bytes."""
    rows = sorted({(hop['link'], min(hop['from'], hop['to'])) for hop in page.result['hops']})
    hops = [hop for hop in page.result['hops'] if hop['superframe'] == page.shown and hop['seen']]
    wrong, count = [], 0
    halvings = math.ceil(math.log2(page.superframe_ps / (page.right - page.left) / (0.5 * page.bit_ps)))  # half a bit a pixel
    for hop in hops[::max(1, len(hops) // 3)]:
        row = rows.index((hop['link'], min(hop['from'], hop['to'])))
        start = (hop['superframe'] * page.phases + hop['phase']) * page.phase_ps + hop['start_ps']
        page.press('0')
        centre = page.left + (start / page.superframe_ps - page.shown) * (page.right - page.left)
        page.move(centre, page.top + 30 * row)
        for _ in range(halvings):
            page.press('+')
        begin, span = page.time_at(page.left + 1, row), page.span()
        for index in range(len(hop['bytes']) // 2):
            at = start + (10 * index + 5.5) * page.bit_ps
            x = page.left + 1 + (at - begin) / span * (page.right - page.left)
            if x > page.right - 5:
                break
            page.move(round(x), page.top + 30 * row)
            count += 1
            if expected_bytes(page, hop, index) not in page.reading() or 'of the ' + hop['sender'] not in page.reading():
                wrong.append((expected_bytes(page, hop, index), page.reading()))
    point('%s: %d bytes under the cursor are those of the result' % (name, count), count > 10 and not wrong, wrong[:3])
    page.press('0')


def zooms(page, name):
    y, x = page.top, round(page.left + 0.3 * (page.right - page.left))
    whole, kept = page.span(), page.time_at(x)
    page.wheel(x, y, -250)
    point(name + ': the wheel halves what is seen', near(page.span() / whole, 0.5, 0.01), page.span() / whole)
    point('... about the pointer', near(page.time_at(x), kept, whole / 500), (page.time_at(x), kept))
    page.wheel(x, y, 250)
    point('... and back', near(page.span() / whole, 1, 0.01), page.span() / whole)
    page.press('+')
    point('the key + halves it', near(page.span() / whole, 0.5, 0.01))
    page.press('-')
    point('the key - doubles it', near(page.span() / whole, 1, 0.01))
    page.click('Zoom in')
    page.click('Zoom in')
    point('the button + zooms', near(page.span() / whole, 0.25, 0.01))
    at = page.time_at(x)
    page.drag(x, y, x - 100)
    point('a drag pans', near(page.time_at(x - 100), at, whole / 1000), (page.time_at(x - 100), at))
    at, span = page.time_at(x), page.span()
    page.move(x, y)
    page.press('right')
    point('the arrows pan by a tenth', near(page.time_at(x) - at, span / 10, span / 200), (page.time_at(x) - at) / span)
    page.move(x, y)
    at = page.time_at(x)
    page.press('shift', 'right')
    page.press('shift', 'right')
    text = page.reading()
    value, unit = text.split(' · ')[0].split(' ')
    point('... with shift they move the cursor', near(float(value) * UNITS[unit] - at, span / 100, span / 1000), text)
    page.press('down')
    point('down takes it to the next line', page.reading().split(' · ')[2] != text.split(' · ')[2], page.reading())
    page.click('Zoom out')
    page.press('0')
    point('0 restores the superframe', near(page.span() / whole, 1, 0.01) and near(page.time_at(x), kept, whole / 500))
    page.press('+')
    page.act('pointer', {'type': 'pointerMove', 'duration': 0, 'x': x, 'y': int(y)}, *[
        {'type': kind, 'button': 0} for kind in ('pointerDown', 'pointerUp', 'pointerDown', 'pointerUp')])
    point('... and so does a double click', near(page.span() / whole, 1, 0.01), page.span() / whole)
    for _ in range(12):
        page.press('-')
    held = page.result['settings']['superframes'] * page.superframe_ps
    point('zoomed out, the whole run is seen', near(page.span(), held, held / 100) and near(page.time_at(round(page.left)), 0, held / 500),
          (page.span(), held))
    page.picture(name + '-whole')
    page.press('0')


def fingers(page):
    whole, x, y = page.span(), round(page.left + 40), int(page.top)
    page.touch(*[[(x, y), (x + distance, y)] for distance in (60, 90, 120)])
    point('two fingers that part by twice the distance zoom by two', near(page.span() / whole, 0.5, 0.02), page.span() / whole)
    point('nothing is wider than a phone', page.run('return document.documentElement.scrollWidth <= innerWidth'))


def long_result():
    """A result with the first 5000 of 100000 transmissions, and 500 from superframe 3000 on."""
    result = json.load(open(os.path.join(folder, 'complement', 'result.json'), encoding='utf-8'))
    hops = [hop for hop in result['hops'] if hop['superframe'] == 0]
    result['hops'] = [dict(hops[i % len(hops)], superframe=i // len(hops) if i < 5000 else 3000 + (i - 5000) // len(hops))
                      for i in range(5500)]
    result['settings']['superframes'], result['counts']['transmissions'] = 5000, 100000
    os.makedirs(os.path.join(folder, 'long'), exist_ok=True)
    stored = os.path.join(folder, 'long', 'result.json')
    with open(stored, 'w', encoding='utf-8') as file:
        json.dump(result, file)
    subprocess.run([program, 'report', stored, '--html', os.path.join(folder, 'long', 'report.html')], check=True)


def run(name, scenario):
    subprocess.run([program, 'run', scenario, '--quiet', '--out', os.path.join(folder, name)], check=False, stdout=subprocess.DEVNULL)


def make_runs():
    for name in ('complement', 'starc', 'broken/flipped-bit', 'faults/babble'):
        run(os.path.basename(name), os.path.join(SCENARIOS, name + '.yaml'))
    with open(os.path.join(SCENARIOS, 'worked-example-up.yaml'), encoding='utf-8') as file:
        text = re.sub('(?m)^name: .*$', "name: '" + HOSTILE + "'", file.read())
    with open(os.path.join(folder, 'hostile.yaml'), 'w', encoding='utf-8') as file:
        file.write(text)
    run('hostile', os.path.join(folder, 'hostile.yaml'))
    long_result()


def silent(page, name):
    point(name + ': the browser complains of nothing', not page.do('POST', '/se/log', {'type': 'browser'}))


def look(base):
    page = Report(base, 'complement')
    point('the page lets the script run', page.run('return document.querySelectorAll(".live").length') == 1)
    bars = page.run('return document.querySelectorAll(".view .node, .view .bench").length')
    point('each transmission of the superframe is a bar', bars == sum(hop['superframe'] == 0 for hop in page.result['hops']), bars)
    times(page, 'complement')
    zooms(page, 'complement')
    page.picture('complement')
    bytes_under_cursor(page, 'complement')
    silent(page, 'complement')
    plain = Report(base, 'complement', scripted=False)
    still_picture('complement', page, plain)
    on_paper('complement', page, plain)
    page.close()
    plain.close()
    page = Report(base, 'starc')
    times(page, 'starc')
    bytes_under_cursor(page, 'starc')
    page.close()

    page = Report(base, 'flipped-bit', dark=True)
    finding = page.result['findings'][0]
    x = page.left + (finding['phase'] + 0.5) / page.phases * (page.right - page.left)
    page.move(x, page.top + 30 * finding['link'])
    point('a finding is read', 'finding: ' in page.reading() and ', wrong · byte ' in page.reading(), page.reading())
    page.picture('flipped-bit-dark')
    page.close()
    page = Report(base, 'babble')
    fault = page.result['faults'][0]
    x = page.left + (fault['phase'] + 0.25) / page.phases * (page.right - page.left)
    page.move(x, page.top + 30 * fault['link'])
    point('an injected fault is read', 'injected fault 0: babble, found as babble' in page.reading(), page.reading())
    page.close()

    page = Report(base, 'complement', PHONE)
    helped = page.run('return document.querySelector(".zoom small").textContent + document.querySelector(".reading").textContent')
    point('a phone is told what fingers do', 'finger' in helped and 'Tap ' in helped and 'heel' not in helped and 'click' not in helped, helped)
    fingers(page)
    page.picture('complement-phone')
    page.close()
    page = Report(base, 'hostile')
    point('a name with markup is text', page.run('return document.querySelector("h1").textContent') == HOSTILE and page.run('return document.title') != '1')
    silent(page, 'hostile')
    page.close()
    page = Report(base, 'long')
    point('a page that has not all transmissions says so', page.run('return document.querySelector(".live .note").textContent') ==
          'The page holds the first 5000 of 100000 transmissions, and 500 from superframe 3000 on.')
    for _ in range(16):
        page.press('-')
    page.time_at((page.left + page.right) / 2)
    point('... and calls no line free where it has nothing', 'not kept in this page' in page.reading(), page.reading())
    page.picture('long-whole')
    page.close()


def main():
    make_runs()
    driver, base = start_driver()
    try:
        look(base)
    finally:
        driver.terminate()
        driver.wait()
    finish()


main()
