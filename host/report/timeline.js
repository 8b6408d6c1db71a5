// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// The timeline of a report, to zoom and to read. It stands in place of the still picture (svg_timeline.c), which stays
// for paper and for readers without scripts, and draws the JSON that timeline_data.c puts beside that. Its time is that
// of the schedule: a phase begins a whole number of phase periods after the first phase edge. Times are ps.
'use strict';

const SVG = 'http://www.w3.org/2000/svg';
const TOP = 58, BOTTOM = 24, RIGHT = 32, ROW = 30, BAR = 14; // px, as in the still picture
const NAMES = 152, NAMES_NARROW = 48, NARROW = 560;          // px
const LEAST_VIEW = 1e6;                                      // 1 us
const BITS = 10;                                             // of a byte on the wire: start, 0 to 7, stop
const SUPERFRAME_NAME = 110, BYTE_READABLE = 20;             // px
const SCROLLING_MS = 300; // a wheel that was moving the page goes on to do so
const UNITS = [[1e12, 's'], [1e9, 'ms'], [1e6, 'us'], [1e3, 'ns']];
const STATES = ['as expected', 'wrong', 'expected, not seen'], MISSING = 2;
const MARKS = ['known', 'near', 'found'], FOUND = 2; // findings: explained by a fault, marginal, divergence

function made(parent, name, attributes, text) {
    const element = document.createElementNS(name === 'svg' ? SVG : parent.namespaceURI, name);
    for (const key of Object.keys(attributes))
        element.setAttribute(key, attributes[key]);
    if (text !== undefined)
        element.textContent = text;
    return parent.appendChild(element);
}

// A time with its unit, to the decimals that show a step.
function duration(ps, step) {
    const [scale, unit] = UNITS.find(([least]) => Math.abs(ps) >= least) || UNITS[3];
    return (ps / scale).toFixed(Math.min(12, Math.max(0, Math.ceil(Math.log10(scale / step) - 1e-9)))) + '\u00a0' + unit;
}

// The least of 1, 2 and 5 times a power of ten that is no less.
function roundStep(ps) {
    const power = 10 ** Math.floor(Math.log10(ps));
    return power * [1, 2, 5, 10].find((factor) => factor * power >= ps * (1 - 1e-9));
}

// The mean bit time of a frame: it ends with its last low bit. Of a frame with gaps, or without whole bytes: the nominal one.
function bitTime(bytes, length, nominal) {
    if (!bytes.length)
        return nominal;
    const ones = Math.clz32(~(parseInt(bytes[bytes.length - 1], 16) << 24));
    const mean = length / (BITS * bytes.length - 1 - ones);
    return Math.abs(mean / nominal - 1) < 0.05 ? mean : nominal;
}

function frameOf(data, [superframe, phase, row, flags, message, startNs, endNs, hex]) {
    const edge = (superframe * data.phases + phase) * data.phase_ps, state = flags & 3;
    const ends = data.rows[row].slice(1);
    const frame = {row, state, message, sender: flags & 4 ? 'bench' : 'node', bytes: (hex || '').match(/../g) || []};
    frame.ends = (flags & 8 ? ends.reverse() : ends).join(' \u2192 ');
    frame.start = edge + (state === MISSING ? data.head_ps : startNs * 1e3);
    frame.end = edge + (state === MISSING ? data.phase_ps - data.tail_ps : endNs * 1e3);
    frame.bit = bitTime(frame.bytes, frame.end - frame.start, data.bit_ps);
    frame.last = Math.max(frame.end, frame.start + BITS * frame.bytes.length * frame.bit); // behind its last stop bit
    return frame;
}

// "byte 3 of 0 to 8: 0x5C, payload; data bit 4, low"
function byteText(data, frame, time) {
    const bit = Math.floor((time - frame.start) / frame.bit), index = Math.floor(bit / BITS), place = bit % BITS;
    if (!(index < frame.bytes.length))
        return 'no byte';
    const value = parseInt(frame.bytes[index], 16);
    const part = !data.header ? '' : index < data.header ? ', header' : index < data.header + data.payload ? ', payload' :
        index < data.frame ? ', check' : ', beyond the frame';
    const level = place === 0 ? 'start bit, low' : place === BITS - 1 ? 'stop bit, high' :
        'data bit ' + (place - 1) + (value >> (place - 1) & 1 ? ', high' : ', low');
    return 'byte ' + index + ' of 0 to ' + (frame.bytes.length - 1) + ': 0x' + frame.bytes[index] + part + '; ' + level;
}

// What is on a line at a time: frames, then what was found or injected in this phase.
function textsAt(data, frames, row, time) {
    const link = data.rows[row][0], at = Math.floor(time / data.phase_ps);
    const texts = frames.filter((frame) => frame.row === row && frame.start <= time && time < frame.last).map((frame) =>
        'frame ' + frame.ends + ' of the ' + frame.sender + (frame.message < 0 ? '' : ', message ' + frame.message) + ', ' +
        STATES[frame.state] + (frame.state === MISSING ? '' : ' \u00b7 ' + byteText(data, frame, time)));
    if (data.gap && at >= data.gap[0] && at < data.gap[1])
        texts.push('not kept in this page');
    else if (!texts.length)
        texts.push('no frame');
    const here = ([superframe, phase, ...links]) => superframe * data.phases + phase === at &&
        links.some((one, i) => one === link || one < 0 && i === 0);
    data.faults.filter(([superframe, phase, own, other]) => here([superframe, phase, own, other])).forEach((fault) =>
        texts.push('injected fault ' + fault[4] + ': ' + fault[5]));
    data.findings.filter(([superframe, phase, own]) => here([superframe, phase, own])).forEach((finding) =>
        texts.push('finding: ' + finding[4]));
    return texts;
}

function timeline(figure) {
    const data = JSON.parse(figure.querySelector('script').textContent);
    const superframePs = data.phases * data.phase_ps, bottom = TOP + data.rows.length * ROW;
    const frames = data.frames.map((row) => frameOf(data, row));
    const range = data.held * data.phase_ps, first = data.superframe * superframePs;
    const cursor = {time: first + superframePs / 2, row: 0, shown: false};
    const touching = new Map(); // x of each pointer that is down, by its id
    let from = first, to = first + superframePs, left = NAMES, right = 0, due = 0, scrolledAt = -SCROLLING_MS;

    // ---- elements, before the still picture; the patterns of that are in none that is ever hidden
    figure.classList.add('scripted');
    const still = figure.firstElementChild;
    const live = made(figure, 'div', {class: 'live'});
    const patterns = made(figure, 'svg', {class: 'patterns', 'aria-hidden': 'true'});
    patterns.append(still.querySelector('defs').cloneNode(true));
    still.before(patterns, live);
    const buttons = made(live, 'p', {class: 'zoom'});
    const button = (text, name, act) => made(buttons, 'button', {type: 'button', 'aria-label': name, title: name}, text)
        .addEventListener('click', act);
    button('+', 'Zoom in', () => zoom(0.5));
    button('\u2212', 'Zoom out', () => zoom(2));
    button('Restore', 'Restore superframe ' + data.superframe, restore);
    const fingers = matchMedia('(hover: none)').matches;
    made(buttons, 'small', {}, fingers ? 'Drag with a finger to pan; two fingers, + and \u2212 zoom; a tap reads.' :
        'Wheel, + and \u2212 zoom; drag or \u2190 \u2192 pan; shift with \u2190 \u2192 moves the cursor, ' +
        '\u2191 \u2193 take it to another line; a double click or 0 restores.');
    const view = made(live, 'div', {class: 'view', tabindex: 0, role: 'application', 'aria-label': 'Timeline, to zoom and to read'});
    const svg = made(view, 'svg', {'aria-hidden': 'true'});
    const marks = made(svg, 'g', {class: 'marks'});
    const reading = made(live, 'p', {class: 'reading', 'aria-live': 'polite'}, (fingers ? 'Tap' : 'Point at') + ' a frame to read its bytes.');
    if (data.bound)
        made(live, 'p', {class: 'note'}, data.bound);

    // ---- picture
    const x = (time) => left + (time - from) / (to - from) * (right - left);
    const timeAt = (px) => from + (px - left) / (right - left) * (to - from);
    const inView = (begin, end) => end > from && begin < to;
    const middle = (begin, end) => x((Math.max(from, begin) + Math.min(to, end)) / 2); // of what is in view

    function box(name, begin, end, y, height) {
        const at = Math.min(right - 1.5, Math.max(left, x(begin))), width = Math.min(right, x(end)) - at;
        return made(svg, 'rect', {class: name, x: at.toFixed(2), y, width: Math.max(1.5, width).toFixed(2), height});
    }

    function vertical(name, time, y, parent = svg) {
        made(parent, 'line', {class: name, x1: x(time).toFixed(2), x2: x(time).toFixed(2), y1: y, y2: bottom + 4});
    }

    function drawGap() {
        const [begin, end] = (data.gap || [0, 0]).map((at) => at * data.phase_ps);
        if (!inView(begin, end))
            return;
        box('guard', begin, end, TOP, bottom - TOP);
        if (Math.min(right, x(end)) - Math.max(left, x(begin)) > 60)
            made(svg, 'text', {class: 'mid', x: middle(begin, end).toFixed(1), y: TOP - 18}, 'not kept');
    }

    function drawPhases() {
        const width = x(data.phase_ps) - x(0);
        for (let at = Math.floor(from / data.phase_ps); width >= 4 && at * data.phase_ps <= to; at++) {
            const begin = at * data.phase_ps, end = begin + data.phase_ps, phase = at % data.phases;
            if (width >= 12 && data.head_ps && inView(begin, begin + data.head_ps))
                box('guard', begin, begin + data.head_ps, TOP, bottom - TOP);
            if (width >= 12 && data.tail_ps && inView(end - data.tail_ps, end))
                box('guard', end - data.tail_ps, end, TOP, bottom - TOP);
            if (begin >= from && phase && width >= 4)
                vertical(phase % 2 ? 'line' : 'edge', begin, TOP - 12);
            if (width >= 16 && inView(begin, end))
                made(svg, 'text', {class: 'mid', x: middle(begin, end).toFixed(1), y: TOP - 18}, phase);
            const dim = data.dims.indexOf(phase), dimEnd = begin + (data.dims[dim + 1] - phase) * data.phase_ps;
            if (dim >= 0 && dim + 1 < data.dims.length && x(dimEnd) - x(begin) >= 40 && inView(begin, dimEnd))
                made(svg, 'text', {class: 'mid', x: middle(begin, dimEnd).toFixed(1), y: TOP - 32}, 'dim ' + dim);
        }
        const step = roundStep(Math.max(1, SUPERFRAME_NAME / (width * data.phases)));
        for (let at = Math.floor(from / superframePs / step) * step; at * superframePs <= to; at += step) {
            const px = x(Math.max(from, at * superframePs));
            if (at * superframePs >= from)
                vertical('edge', at * superframePs, TOP - 54);
            if (px + SUPERFRAME_NAME < right + RIGHT)
                made(svg, 'text', {class: 'name', x: px + 4, y: TOP - 46}, 'superframe ' + at);
        }
    }

    function drawTime() {
        const step = roundStep((to - from) / (right - left) * 90);
        for (let time = Math.ceil(from / step) * step; time <= to; time += step)
            made(svg, 'text', {class: 'mid', x: x(time).toFixed(1), y: bottom + 17}, time ? duration(time, step) : '0');
    }

    function drawRow([link, low, high], row) {
        const y = TOP + (row + 0.5) * ROW;
        made(svg, 'text', {class: 'name', x: 0, y: y + 4}, 'link ' + link);
        if (left === NAMES)
            made(svg, 'text', {class: 'ends end', x: left - 8, y: y + 4}, low + ' \u2013 ' + high);
        made(svg, 'line', {class: 'line', x1: left, x2: right, y1: y, y2: y});
    }

    function drawBytes(frame, y) {
        frame.bytes.forEach((hex, index) => {
            const begin = frame.start + BITS * index * frame.bit, end = begin + BITS * frame.bit;
            if (begin < from || end > to)
                return;
            made(svg, 'rect', {class: 'ground', x: x(begin) + 1, y: y + 1, width: x(end) - x(begin) - 2, height: BAR - 2});
            made(svg, 'text', {class: 'mid', x: x((begin + end) / 2).toFixed(1), y: y + 11}, hex);
        });
    }

    function drawFrames() {
        const covered = {}; // up to which x a bar of this row and look is drawn: none is drawn twice on one place
        for (const frame of frames) {
            if (!inView(frame.start, frame.end))
                continue;
            const name = frame.state === MISSING ? 'missing' : frame.sender + (frame.state ? ' wrong' : '');
            const key = frame.row + name, y = TOP + frame.row * ROW + (ROW - BAR) / 2;
            if (x(frame.end) < covered[key])
                continue;
            covered[key] = Math.max(x(frame.start) + 1.5, x(frame.end));
            box(name, frame.start, frame.end, y, BAR);
            const width = x(frame.end) - x(frame.start), centre = middle(frame.start, frame.end);
            if (width >= BYTE_READABLE * frame.bytes.length && frame.bytes.length)
                drawBytes(frame, y);
            else if (frame.state && width >= 5) {
                made(svg, 'rect', {class: 'ground', x: centre - 6, y: y + 1, width: 12, height: BAR - 2});
                made(svg, 'text', {class: 'glyph', x: centre, y: y + 11.5}, frame.state === MISSING ? '?' : '\u00d7');
            }
        }
    }

    function drawFindings() {
        const ranks = {};
        for (const [superframe, phase, , rank] of data.findings)
            ranks[superframe * data.phases + phase] = Math.max(rank, ranks[superframe * data.phases + phase] || 0);
        for (const at of Object.keys(ranks)) {
            const begin = at * data.phase_ps, end = begin + data.phase_ps;
            if (!inView(begin, end))
                continue;
            if (ranks[at] === FOUND)
                box('column', begin, end, TOP, bottom - TOP);
            made(svg, 'path', {class: MARKS[ranks[at]], d: 'M' + middle(begin, end).toFixed(1) + ' ' + (TOP - 3) + 'l5 -8h-10z'});
        }
    }

    function drawFaults() {
        for (const [superframe, phase, own, other] of data.faults) {
            const begin = (superframe * data.phases + phase) * data.phase_ps, end = begin + data.phase_ps;
            if (!inView(begin, end))
                continue;
            if (own < 0)
                box('fault', begin, end, TOP + 2, bottom - TOP - 4);
            else
                data.rows.forEach(([link], row) => (link === own || link === other) &&
                    box('fault', begin, end, TOP + row * ROW + 2, ROW - 4));
        }
    }

    function draw() {
        due = 0;
        const width = view.clientWidth;
        if (!width)
            return;
        left = width < NARROW ? NAMES_NARROW : NAMES;
        right = width - RIGHT;
        svg.replaceChildren();
        svg.setAttribute('width', width);
        svg.setAttribute('height', bottom + BOTTOM);
        drawGap();
        drawPhases();
        drawFindings();
        drawTime();
        data.rows.forEach(drawRow);
        drawFrames();
        drawFaults();
        svg.append(marks);
        drawCursor();
    }

    function drawCursor() {
        marks.replaceChildren();
        if (cursor.shown)
            made(marks, 'rect', {class: 'at', x: 0, y: TOP + cursor.row * ROW, width: right, height: ROW});
        if (cursor.shown && cursor.time >= from && cursor.time <= to)
            vertical('cursor', cursor.time, TOP - 4, marks);
    }

    function redraw() {
        due = due || requestAnimationFrame(draw);
    }

    // ---- view and cursor; each says whether something changed
    function look(begin, span) {
        const before = [from, to];
        span = Math.min(range, Math.max(LEAST_VIEW, span));
        from = Math.min(range - span, Math.max(0, begin));
        to = from + span;
        redraw();
        return from !== before[0] || to !== before[1];
    }

    function zoom(factor, centre) {
        const kept = centre !== undefined ? centre : cursor.shown && cursor.time >= from && cursor.time <= to ? cursor.time : (from + to) / 2;
        const span = Math.min(range, Math.max(LEAST_VIEW, (to - from) * factor));
        return look(kept - (kept - from) / (to - from) * span, span);
    }

    function pan(share) {
        return look(from + share * (to - from), to - from);
    }

    function restore() {
        return look(first, superframePs);
    }

    function read(time, row) {
        const before = {...cursor};
        cursor.time = Math.min(range, Math.max(0, time));
        cursor.row = Math.min(data.rows.length - 1, Math.max(0, row));
        cursor.shown = true;
        const at = Math.floor(cursor.time / data.phase_ps), [link, low, high] = data.rows[cursor.row];
        const step = Math.min(1e6, Math.max(1e3, (to - from) / 1e3));
        reading.textContent = [duration(cursor.time, step),
            'superframe ' + Math.floor(at / data.phases) + ', phase ' + at % data.phases + ', ' +
            duration(cursor.time - at * data.phase_ps, step) + ' after its edge',
            'link ' + link + ', ' + low + ' \u2013 ' + high,
            ...textsAt(data, frames, cursor.row, cursor.time)].join(' \u00b7 ');
        drawCursor();
        return cursor.time !== before.time || cursor.row !== before.row;
    }

    function moveCursor(share) {
        const changed = read(cursor.time + share * (to - from), cursor.row);
        if (cursor.time < from || cursor.time > to)
            look(cursor.time - (to - from) / 2, to - from);
        return changed;
    }

    // ---- pointer and keys
    const place = (event) => event.clientX - view.getBoundingClientRect().left;

    function point(event) {
        const px = Math.min(right, Math.max(left, place(event)));
        read(timeAt(px), Math.floor((event.clientY - view.getBoundingClientRect().top - TOP) / ROW));
    }

    view.addEventListener('pointerdown', (event) => {
        touching.set(event.pointerId, place(event));
        view.setPointerCapture(event.pointerId);
        point(event);
    });
    view.addEventListener('pointermove', (event) => {
        const before = touching.get(event.pointerId), now = place(event);
        const other = [...touching].find(([id]) => id !== event.pointerId);
        if (before !== undefined && other && Math.abs(now - other[1]) > 1)
            zoom(Math.abs((before - other[1]) / (now - other[1])), timeAt(other[1]));
        else if (before !== undefined)
            pan((before - now) / (right - left));
        if (before !== undefined)
            touching.set(event.pointerId, now);
        point(event);
    });
    for (const end of ['pointerup', 'pointercancel'])
        view.addEventListener(end, (event) => touching.delete(event.pointerId));
    view.addEventListener('dblclick', restore);
    addEventListener('scroll', (event) => scrolledAt = event.timeStamp, {passive: true});
    view.addEventListener('wheel', (event) => {
        const lines = event.deltaMode ? ROW : 1, sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY);
        if (event.timeStamp - scrolledAt < SCROLLING_MS)
            return;
        if (sideways ? pan(event.deltaX * lines / (right - left)) : zoom(2 ** (event.deltaY * lines / 250), timeAt(place(event))))
            event.preventDefault();
    }, {passive: false});
    view.addEventListener('keydown', (event) => {
        const keys = {
            '+': () => zoom(0.5), '=': () => zoom(0.5), '-': () => zoom(2), '0': restore,
            ArrowLeft: () => event.shiftKey ? moveCursor(-0.005) : pan(-0.1),
            ArrowRight: () => event.shiftKey ? moveCursor(0.005) : pan(0.1),
            ArrowUp: () => read(cursor.time, cursor.row - 1),
            ArrowDown: () => read(cursor.time, cursor.row + 1),
        };
        if (!event.ctrlKey && !event.altKey && !event.metaKey && keys[event.key] && keys[event.key]())
            event.preventDefault();
    });
    new ResizeObserver(redraw).observe(view);
    draw(); // at once: the still picture is hidden from here on
}

document.querySelectorAll('figure.of-timeline').forEach(timeline);
