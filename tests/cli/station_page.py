#!/usr/bin/env python3
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Drives the page of the station in Chromium, through chromedriver's WebDriver protocol, as an operator with a bar-code
# reader does. TAP. Usage: station_page.py PROGRAM STAND-IN FOLDER; the screenshots go to the folder.
# covers: host/production/station
import os
import re
import signal
import subprocess
import sys

from browser import Browser, finish, point, start_driver, wait

program, stand_in, folder = sys.argv[1:4]
os.makedirs(folder, exist_ok=True)
ENTER, TAB = '\ue007', '\ue004'


class Station(Browser):
    """The page of a station."""

    def field(self):
        """Class, word and colour of the field."""
        return self.run('const f = document.getElementById("field"); return [f.className, '
                        'document.getElementById("word").innerText, getComputedStyle(f).backgroundColor]')


def start_station(name, *options):
    environment = dict(os.environ, PHASEBENCH_VALIDATE=stand_in, PIDS=folder)
    process = subprocess.Popen([program, 'station', '--listen', '127.0.0.1:0', '--station', 'bench-3', '--out',
                                os.path.join(folder, name), *options], stdout=subprocess.PIPE, text=True, env=environment)
    lines = []
    while not lines or 'http://' not in lines[-1]:
        lines.append(process.stdout.readline())
    return process, re.search(r'http://\S+', lines[-1]).group(0), lines


def luminance(colour):
    parts = [int(part) / 255 for part in re.findall(r'\d+', colour)[:3]]
    parts = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def is_green(colour):
    red, green, blue = [int(part) for part in re.findall(r'\d+', colour)[:3]]
    return green > 2 * red and green > blue


def is_red(colour):
    red, green, blue = [int(part) for part in re.findall(r'\d+', colour)[:3]]
    return red > 2 * green and red > 2 * blue


# Screen sizes: an upright and a lying tablet, a phone.
SCREENS = {'tablet': (1180, 820), 'upright': (820, 1180), 'phone': (390, 844)}


def operate(driver, url, screen, dark):
    """One shift: a good unit, a bad one, one that is stopped."""
    tag = screen + ('-dark' if dark else '')
    page = Station(driver, folder, *SCREENS[screen], dark)
    page.open(url)
    wait(lambda: page.text('link') == 'Connected')
    page.picture(tag + '-1-idle')
    if not page.run('return document.getElementById("operator").value'):
        page.type('ann' + TAB)
        page.run('document.getElementById("serial").focus()')
    page.type('PACE-300_TM-0042' + ENTER)
    point(tag + ': a scan and Enter start', wait(lambda: page.text('word') == 'Testing'), page.field())
    wait(lambda: page.run('return document.querySelectorAll("#steps .of-pass").length') >= 2)
    page.picture(tag + '-2-running')
    page.type('TM-0043' + ENTER)
    point(tag + ': a scan during a run starts and stops nothing', page.text('word') == 'Testing', page.field())
    wait(lambda: page.text('word') == 'GO')
    field = page.field()
    point(tag + ': a sound unit gives a green field with the word GO', field[0] == 'go' and is_green(field[2]), field)
    point(tag + ': ... white on it has a contrast of 4.5:1', 1.05 / (luminance(field[2]) + 0.05) >= 4.5, field)
    point(tag + ': ... and a link to its report', 'PACE-300_TM-0042-' in
          page.run('const a = document.querySelector("#field a"); return a ? a.getAttribute("href") : ""'))
    page.picture(tag + '-3-go')
    point(tag + ': the serial number is ready for the next unit',
          page.run('return document.activeElement.id + document.activeElement.value') == 'serial')
    page.run('document.activeElement.blur()')
    page.type('BAD-0043' + ENTER)
    point(tag + ': a scan without the focus starts the next', wait(lambda: page.text('word') == 'NO-GO'), page.field())
    field = page.field()
    point(tag + ': a bad unit gives a red field with the word NO-GO', field[0] == 'no-go' and is_red(field[2]), field)
    point(tag + ': ... says what to look at, as text', '<b>&amp;' in page.text('look'), page.text('look'))
    point(tag + ': ... and which step', page.run('return document.querySelectorAll("#steps .of-fail").length') == 1)
    page.picture(tag + '-4-no-go')
    point(tag + ': nothing is wider than the screen',
          page.run('return document.documentElement.scrollWidth <= window.innerWidth'))
    return page


def main():
    driver, base = start_driver()
    station, url, _ = start_station('plain')
    pages = [operate(base, url, 'tablet', False)]
    page = pages[0]
    point('nothing was loaded from elsewhere', page.run(
        'return performance.getEntriesByType("resource").every((entry) => entry.name.startsWith(location.origin))'))
    other = Station(base, folder, *SCREENS['phone'], False)
    other.open(url)
    wait(lambda: other.text('word') == 'NO-GO')
    page.type('PACE-3000_TM-0044' + ENTER)
    point('two pages show the same run', wait(lambda: page.text('word') == 'Testing') and
          wait(lambda: other.text('word') == 'Testing') and other.text('unit') == page.text('unit'))
    page.type(TAB)
    point('Tab leads to Stop', page.run('return document.activeElement.id') == 'stop')
    page.type(ENTER)
    point('... and Enter stops', wait(lambda: page.text('word') == 'Incomplete'), page.field())
    page.picture('tablet-5-stopped')
    page.type('BENCH-1' + ENTER)
    point('a bench that is not ready has its own word', wait(lambda: page.text('word') == 'Bench not ready'), page.field())
    page.picture('tablet-6-bench')
    page.type('NEAR-1' + ENTER)
    point('a marginal unit goes, with its own word', wait(lambda: page.text('word') == 'GO, marginal') and
          is_green(page.field()[2]), page.field())
    page.picture('tablet-7-marginal')
    page.type('bad serial' + ENTER)
    point('a serial number that cannot be is refused beside the entry',
          wait(lambda: 'not possible' in page.text('message')), page.text('message'))
    other.close()
    for screen, dark in (('upright', False), ('phone', False), ('tablet', True), ('phone', True)):
        pages.append(operate(base, url, screen, dark))
    page.open('about:blank')
    page.open(url)
    station.send_signal(signal.SIGINT)
    station.wait()
    point('a station that has ended is seen', wait(lambda: 'No connection' in page.text('link')), page.text('link'))
    page.picture('tablet-8-lost')
    for one in pages:
        one.close()

    station, url, lines = start_station('token', '--token', 'generated')
    token = lines[0].split()[1]
    page = Station(base, folder, *SCREENS['tablet'], False)
    page.open(url)
    page.picture('tablet-9-login')
    page.type('0' * 20 + ENTER)
    point('a wrong token is refused', wait(lambda: 'wrong' in page.text('message')), page.text('message'))
    page.type(token + ENTER)
    point('the token opens the page', wait(lambda: page.run('return !!document.getElementById("link")') and
                                           page.text('link') == 'Connected'))
    point('... no script sees it', page.run('return document.cookie') == '')
    page.close()
    page = Station(base, folder, *SCREENS['tablet'], False)
    page.open(url + '?token=' + token)
    point('the address with the token opens the page', wait(lambda: page.run(
        'return !!document.getElementById("link") && location.href') == url), page.run('return location.href'))
    page.close()
    station.send_signal(signal.SIGINT)
    point('the station ends with exit code 0', station.wait() == 0)
    driver.terminate()
    driver.wait()


main()
finish()
