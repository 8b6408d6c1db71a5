// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// The page of a station: shows the state that /api/state gives, and starts or stops a validation. It keeps no
// state of its own but the name of the operator. Texts of the state go into the page as text, never as markup.
'use strict';

const OUTCOMES = {
    'go': {class: 'go', symbol: 'pass', word: 'GO'},
    'go, marginal': {class: 'marginal', symbol: 'marginal', word: 'GO, marginal'},
    'no-go': {class: 'no-go', symbol: 'fail', word: 'NO-GO'},
    'bench not ready': {class: 'not-ready', symbol: 'error', word: 'Bench not ready'},
    'incomplete': {class: 'incomplete', symbol: 'unknown', word: 'Incomplete'},
};
const ADVICE = {
    'bench not ready': 'Nothing is said about the unit. Repair the bench, then test the unit again.',
    'incomplete': 'Nothing is decided about the unit. Test it again.',
};
const RETRY_MS = 1000, PATIENCE_MS = 25000, CHARACTERS_OF_LONG = 8;
const OPERATOR_KEY = 'phasebench-operator';

const at = (id) => document.getElementById(id);
let state = null;
let received = 0; // when the state came, ms
let typedWhileRunning = false;

// ---- elements

function element(name, text, className) {
    const made = document.createElement(name);
    if (text !== undefined)
        made.textContent = text;
    if (className)
        made.className = className;
    return made;
}

function symbol(name) {
    const namespace = 'http://www.w3.org/2000/svg';
    const picture = document.createElementNS(namespace, 'svg'), use = document.createElementNS(namespace, 'use');
    use.setAttribute('href', '#s-' + name);
    picture.setAttribute('aria-hidden', 'true');
    picture.append(use);
    return picture;
}

function show(id, text) {
    if (at(id).textContent !== text)
        at(id).textContent = text;
}

function reportLink(report, text) {
    const link = element('a', text);
    link.href = report;
    link.target = '_blank';
    link.rel = 'noopener';
    return link;
}

function duration(seconds) {
    const whole = Math.max(0, Math.ceil(seconds));
    return Math.floor(whole / 60) + ':' + String(whole % 60).padStart(2, '0');
}

// ---- the field

function field(className, symbolName, unit, word, look, worst) {
    at('field').className = className;
    at('symbol').setAttribute('href', '#s-' + symbolName);
    show('unit', unit);
    show('word', word);
    show('look', look);
    show('worst', worst);
    at('word').classList.toggle('long', word.length > CHARACTERS_OF_LONG);
    document.title = word + (unit ? ' ' + unit : '') + ': ' + (state ? state.station.name : 'station');
}

function presentStep(run) {
    const index = run.steps.findIndex((step) => step.state === 'running');
    return index < 0 ? '' : `Step ${index + 1} of ${run.steps.length}: ${run.steps[index].purpose || run.steps[index].id}`;
}

function showField() {
    const run = state.run;
    if (state.phase === 'idle') {
        field('idle', 'idle', '', 'Ready', 'Scan the label of a unit, or type its serial number.', '');
        return;
    }
    if (state.phase === 'running') {
        field('running', 'running', run.serial, run.stopping ? 'Stopping' : 'Testing', presentStep(run), '');
        return;
    }
    const outcome = OUTCOMES[run.go];
    field(outcome.class, outcome.symbol, run.serial, outcome.word, run.look || ADVICE[run.go] || '',
        run.worst ? 'Worst value: ' + run.worst : '');
    if (run.report) {
        const place = at('worst').parentNode;
        let link = place.querySelector('a');
        if (!link)
            place.append(link = reportLink(run.report, 'Report'));
        link.href = run.report;
    }
}

function showProgress() {
    const run = state.run, running = state.phase === 'running';
    at('progress').hidden = !running;
    at('entry').hidden = running;
    at('silent').hidden = !running || !run.silent_s;
    if (!running)
        return;
    const share = Math.round(100 * run.share);
    at('bar').firstElementChild.style.width = share + '%';
    at('bar').setAttribute('aria-valuenow', share);
    at('stop').disabled = run.stopping;
    show('silent', `No news of the validation for ${run.silent_s} s. It may hang: look at the bench, or stop it.`);
    tick();
}

// Counts on between two states.
function tick() {
    if (!state || state.phase !== 'running')
        return;
    const run = state.run, passed = (performance.now() - received) / 1000;
    show('left', run.left_s === null ? duration(run.elapsed_s + passed) : `${duration(run.left_s - passed)} left`);
}

// ---- steps, last units, yield

function stepRow(step) {
    const row = element('li', undefined, 'of-' + step.state), text = element('div');
    text.append(element('b', step.id), ' ', element('span', step.purpose, 'purpose'));
    let right = step.state;
    if (step.state === 'running')
        right = step.last ? `${step.last.name} ${step.last.text}` : 'running';
    else if (step.state === 'pending')
        right = '';
    else if (step.values)
        right = `${step.state}, ${step.values} value${step.values === 1 ? '' : 's'}`;
    row.append(symbol(step.state), text, element('span', right, 'state'));
    if (step.reason && step.state !== 'pass')
        row.append(element('p', step.reason, 'more'));
    for (const value of step.odd)
        row.append(element('p', `${value.name}: ${value.text}, limits ${value.limits}: ${value.judgement}`, 'more'));
    if (step.not_passed > step.odd.length)
        row.append(element('p', `and ${step.not_passed - step.odd.length} more`, 'more'));
    return row;
}

function unitRow(record) {
    const outcome = OUTCOMES[record.go], row = element('li', undefined, 'of-' + outcome.class);
    const started = new Date(record.started_utc), today = new Date().toDateString() === started.toDateString();
    const time = element('time', today ? started.toLocaleTimeString([], {hour: '2-digit', minute: '2-digit'})
        : started.toLocaleDateString([], {month: 'short', day: 'numeric'}));
    time.dateTime = record.started_utc;
    const what = element('span', outcome.word, 'what');
    row.append(symbol(outcome.symbol), element('span', record.serial, 'unit'), time, what);
    if (record.report)
        row.append(reportLink(record.report, 'Report'));
    row.title = record.look;
    return row;
}

function showLists() {
    const today = state.today;
    at('steps').replaceChildren(...(state.run ? state.run.steps.map(stepRow) : []));
    at('last').replaceChildren(...state.last.map(unitRow));
    if (!state.last.length)
        at('last').append(element('li', 'None yet', 'none'));
    at('yield').replaceChildren();
    if (today.units) {
        const share = 100 * today.first_passed / today.units;
        at('yield').append(`${Math.floor(10 * share) / 10} % `, element('small', 'at first pass'));
        show('counts', `${today.units} unit${today.units === 1 ? '' : 's'}: ${today.first_passed} passed at once, ` +
            `${today.finally_passed} in the end`);
    } else {
        show('counts', 'No unit tested yet');
    }
}

// ---- the state

function take(next) {
    const before = state;
    state = next;
    received = performance.now();
    show('name', state.station.name);
    show('setup', `profile ${state.station.profile}, rig ${state.station.rig}`);
    if (state.phase !== 'ended' || !state.run.report) {
        const link = at('field').querySelector('a');
        if (link)
            link.remove();
    }
    showField();
    showProgress();
    showLists();
    if (before && before.phase === 'running' && state.phase !== 'running')
        ready();
    if (state.phase === 'running' && (!before || before.phase !== 'running')) {
        typedWhileRunning = false;
        show('message', '');
        at('field').focus(); // so that an Enter of the reader presses no button, and Tab leads to Stop
    }
}

function connected(yes) {
    document.body.classList.toggle('lost', !yes);
    at('link').classList.toggle('lost', !yes);
    show('link', yes ? 'Connected' : 'No connection to the station. Trying again');
}

async function follow() {
    for (;;) {
        const cut = new AbortController(), timer = setTimeout(() => cut.abort(), PATIENCE_MS);
        try {
            const since = state ? '?since=' + state.version : '';
            const answer = await fetch('/api/state' + since, {signal: cut.signal, cache: 'no-store'});
            if (answer.status === 401) {
                location.reload();
                return;
            }
            if (!answer.ok)
                throw new Error(answer.statusText);
            take(await answer.json());
            connected(true);
        } catch (error) {
            connected(false);
            await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
        }
        clearTimeout(timer);
    }
}

// ---- the operator

function ready() {
    at('serial').value = '';
    (at('operator').value ? at('serial') : at('operator')).focus();
}

async function order(path, body) {
    show('message', '');
    try {
        const answer = await fetch(path, {
            method: 'POST',
            headers: {'Content-Type': 'application/json'},
            body: JSON.stringify(body),
        });
        if (answer.ok)
            return true;
        show('message', (await answer.json()).error);
    } catch (error) {
        show('message', 'The station does not answer. Try again.');
    }
    return false;
}

at('entry').addEventListener('submit', async (event) => {
    event.preventDefault();
    const serial = at('serial').value.trim(), operator = at('operator').value.trim();
    if (!operator || !serial) {
        show('message', serial ? 'The operator is missing. Type your name.' : 'Scan or type a serial number.');
        (operator ? at('serial') : at('operator')).focus();
        return;
    }
    localStorage.setItem(OPERATOR_KEY, operator);
    at('start').disabled = true;
    if (!await order('/api/start', {serial, operator})) {
        at('serial').focus();
        at('serial').select();
    }
    at('start').disabled = false;
});

at('stop').addEventListener('click', () => order('/api/stop', {}));

// A reader types wherever the focus is: its text goes into the serial number; during a run it goes nowhere, and
// its Enter presses no button.
document.addEventListener('keydown', (event) => {
    const character = event.key.length === 1 && !event.ctrlKey && !event.altKey && !event.metaKey;
    if (state && state.phase === 'running') {
        if (event.key === 'Enter' && typedWhileRunning)
            event.preventDefault();
        typedWhileRunning = character && event.key !== ' ' ? true : typedWhileRunning && event.key !== 'Enter';
    } else if (character && document.activeElement.tagName !== 'INPUT') {
        at('serial').focus();
    }
});

at('operator').value = localStorage.getItem(OPERATOR_KEY) || '';
setInterval(tick, 500);
ready();
follow();
