/* view_compare.js - two runs or traces: the verdict, the staff, and what each line says of a tick. */
import { make_counts, steady_job } from './staff_counts.js';
import { evidence_cards, waiting_cards } from './compare_cards.js';
import { draw_staff, run_tick_at, STAFF_NARROW, staff_height, tick_at, WINDOW_MOST, WINDOW_NARROW,
         WINDOW_TICKS } from './staff.js';

const WINDOW_LEAST = 9;
const MIDDLE = 16;          /* ticks between a phone and a desk */
const EVIDENCE_WAIT = 120;
const TABLE_MOST = 60;

let v = null;

/* What is still awaited, for readers who do not see it, and for tests. */
async function awaited(promise) {
    const mine = v;
    mine.pending++;
    mine.waits.textContent = 'Comparing\u2026';
    try {
        return await promise;
    } finally {
        mine.waits.textContent = --mine.pending ? 'Comparing\u2026' : '';
    }
}

/* ---- the window ---- */

function default_width() {
    const width = v.sheet.clientWidth || 1000;
    return width >= 900 ? WINDOW_TICKS : width <= 560 ? WINDOW_NARROW : MIDDLE;
}

/* A window of `count` places around `tick`, within what there is. */
function around(tick, count) {
    const { from, to } = v.about, size = Math.min(count, to - from + 1);
    const first = Math.max(from, Math.min(to - size + 1, tick - Math.floor(size / 2) + 1));
    return [first, first + size - 1];
}

/* The window of the address, "286..315", or the one around the chosen tick. */
function read_window(state) {
    const found = /^(\d{1,15})\.\.(\d{1,15})$/.exec(state.win || '');
    const { from, to } = v.about;
    if (found) {
        const [a, b] = [Number(found[1]), Number(found[2])];
        if (a >= from && b <= to && a <= b && b - a < WINDOW_MOST)
            return [a, b];
    }
    /* Nothing moves while the tick that is chosen stays visible. */
    const [a, b] = v.window || [1, 0];
    return v.tick >= a && v.tick <= b ? v.window : around(v.tick, b >= a ? b - a + 1 : default_width());
}

function set_window(from, count) {
    const { app, about } = v;
    const size = Math.max(1, Math.min(count, WINDOW_MOST, about.to - about.from + 1));
    const first = Math.max(about.from, Math.min(about.to - size + 1, Math.round(from)));
    app.set({ win: `${first}..${first + size - 1}` });
}

function pan(share) {
    const count = v.window[1] - v.window[0] + 1;
    set_window(v.window[0] + Math.sign(share) * Math.max(1, Math.round(Math.abs(share) * count)), count);
}

/* Zoom around the chosen tick if it is visible, else around the middle. */
function zoom(factor) {
    const [from, to] = v.window, count = to - from + 1;
    const size = Math.max(WINDOW_LEAST, Math.min(WINDOW_MOST, Math.round(count * factor)));
    const middle = v.tick >= from && v.tick <= to ? v.tick : Math.round((from + to) / 2);
    set_window(middle - (middle - from) * size / count, size);
}

function choose(tick) {
    const { app, about } = v;
    const to = Math.max(about.from, Math.min(about.to, tick));
    const count = v.window[1] - v.window[0] + 1;
    const patch = { tick: to };
    if (to < v.window[0] || to > v.window[1]) {
        const [a, b] = around(to, count);
        patch.win = `${a}..${b}`;
    }
    app.set(patch, { push: true });
}

async function step_difference(dir) {
    const mine = v;
    try {
        const found = await mine.counts.next(mine.tick, dir);
        if (v !== mine)
            return;
        if (found === null)
            mine.app.remark(`There is no ${dir > 0 ? 'later' : 'earlier'} difference.`);
        else
            choose(found);
    } catch (failure) {
        if (v === mine && !failure.cancelled)
            mine.app.remark(failure.message);
    }
}

/* ---- the staff ---- */

/* Why a side has nothing there. */
function rest_words(line, side) {
    const { name } = v.app.open.sides[side], about = line.sides[side];
    const bad = about.ending === 'cut' || about.ending === 'damaged';
    const why = about.missing ? ': not there' : bad ? `: ${about.ending}` : ' has none';
    return `${v.app.visible(name, 24)}${why}`;
}

function staff_label() {
    const { about, window: [from, to] } = v, { word } = about;
    const parts = about.lines.map((line) => `${line.name}: ` +
        (line.first !== null ? `${word} ${line.first}` : line.failed ? 'not compared' : 'the same'));
    const size = v.app.format.plural(about.lines.length, 'line');
    return `staff of ${size}, ${word}s ${from} to ${to}; ${parts.join('; ')}`;
}

function staff_of() {
    const { about, counts, window: [from, to] } = v;
    return {
        from, to, run_from: about.from, run_to: about.to, first: about.first, unison: about.unison,
        chosen: v.tick, word: about.word, width: Math.max(STAFF_NARROW, v.sheet.clientWidth || 1000),
        label: staff_label(), heat: counts.heat(),
        lines: about.lines.map((line) => ({
            pen: line.pen, name: line.name, maker: line.maker, first: line.first, most: counts.most(line.pen),
            rest: [rest_words(line, 0), rest_words(line, 1)],
            remark: line.failed && !line.sides[0].missing && !line.sides[1].missing ? 'not compared' : null,
            at: (tick) => counts.at(line.pen, tick),
        })),
    };
}

/* The same as the picture, as a table; long windows only around the chosen tick. */
function twin_table() {
    const { app, about, counts } = v, { el } = app;
    let [from, to] = v.window;
    if (to - from >= TABLE_MOST)
        [from, to] = around(v.tick, TABLE_MOST);
    const rows = [];
    for (let tick = from; tick <= to; tick++)
        rows.push(el('tr', null, el('th', { scope: 'row', class: 'num', text: app.format.count(tick) }),
            about.lines.map((line) => {
                const { n, d } = counts.at(line.pen, tick);
                const activity = n[0] === n[1] ? app.format.count(n[0])
                                               : `${app.format.count(n[0])} and ${app.format.count(n[1])}`;
                const differ = d === null ? 'not known' : d ? `${app.format.count(d)} differ` : 'the same';
                return el('td', { class: d ? 'now' : 'was', text: `${activity}, ${differ}` });
            })));
    return el('table', null, el('thead', null, el('tr', null,
        el('th', { scope: 'col', class: 'num', text: about.word }),
        about.lines.map((line) => el('th', { scope: 'col', text: `${line.name} (${line.counts})` })))),
        el('tbody', null, rows));
}

function redraw() {
    if (!v || !v.about || v.about.from === null)
        return;
    v.staff = staff_of();
    v.app.fill(v.sheet, draw_staff(v.staff));
    if (v.twin.open)
        v.app.fill(v.twin_body, twin_table());
    show_status();
}

/* Many changes in a row are one picture. */
function redraw_soon() {
    if (!v || v.frame)
        return;
    const mine = v;
    mine.frame = requestAnimationFrame(() => {
        mine.frame = 0;
        if (v === mine)
            redraw();
    });
}

function show_status() {
    const { app, about, window: [from, to] } = v, { count, plural } = app.format;
    app.status([
        ...about.names.map((name, i) => [app.visible(name, 40), about.ranges[i][0] === null ? '' :
            plural(about.ranges[i][1] - about.ranges[i][0] + 1, about.word)]),
        ['checked', plural(about.checked, 'position')],
        ['window', `${count(from)}\u2013${count(to)} of ${count(about.from)}\u2013${count(about.to)}`],
    ]);
}

function point_of(event) {
    const shape = v.sheet.querySelector('svg').getBoundingClientRect(), scale = v.staff.width / shape.width;
    return [(event.clientX - shape.left) * scale, (event.clientY - shape.top) * scale];
}

function on_click(event) {
    if (!v.staff)
        return;
    const [x, y] = point_of(event), far = run_tick_at(v.staff, x, y);
    const tick = far === null ? tick_at(v.staff, x) : far;
    if (far !== null) {
        const count = v.window[1] - v.window[0] + 1, [a, b] = around(far, count);
        v.app.set({ win: `${a}..${b}`, tick: far }, { push: true });
    } else if (tick !== null) {
        choose(tick);
    }
}

function on_wheel(event) {
    if (!v.staff || event.deltaX === 0 && !event.shiftKey && !event.ctrlKey)
        return;
    event.preventDefault();
    if (event.ctrlKey)
        zoom(event.deltaY > 0 ? 1.25 : 0.8);
    else
        pan((event.deltaX || event.deltaY) > 0 ? 0.1 : -0.1);
}

/* ---- evidence ---- */

/* What a reader who does not see it hears of the chosen tick. */
function announce_tick() {
    const { app, about, counts, tick } = v;
    const parts = about.lines.map((line) => {
        const { d } = counts.at(line.pen, tick);
        return `${line.name} ${d === null ? 'not known' : d ? `${d} differ` : 'the same'}`;
    });
    app.announce(`${about.word} ${tick}: ${parts.join(', ')}`);
}

async function load_evidence() {
    const mine = v, { tick } = mine;
    try {
        const answer = await awaited(steady_job(mine.app.api, `evidence?tick=${tick}`, 'evidence',
            () => v === mine && v.tick === tick));
        if (v !== mine || v.tick !== tick)
            return;
        mine.app.fill(mine.cards, evidence_cards(mine.app, mine.about, answer, awaited));
        mine.cards.removeAttribute('aria-busy');
        announce_tick();
    } catch (failure) {
        if (v === mine)
            mine.app.show_failure(mine.cards, failure);
    }
}

function show_evidence() {
    const { app, about, tick } = v;
    v.cards.setAttribute('aria-label', `evidence of ${about.word} ${tick}`);
    v.cards.dataset.lines = String(about.lines.length);
    if (!v.cards.childElementCount)
        app.fill(v.cards, waiting_cards(app, about));
    v.cards.setAttribute('aria-busy', 'true');
    clearTimeout(v.timer);
    v.timer = setTimeout(load_evidence, EVIDENCE_WAIT);
}

/* ---- the verdict ---- */

async function save_report(button) {
    const { app } = v;
    button.disabled = true;
    try {
        const tick = v.tick === v.about.first || v.about.first === null ? '' : `?tick=${v.tick}`;
        const bytes = await app.api.job(`report${tick}`);
        const address = URL.createObjectURL(new Blob([bytes], { type: 'text/html' }));
        app.el('a', { href: address, download: 'report.html' }).click();
        setTimeout(() => URL.revokeObjectURL(address), 10000);
        app.remark('The report was saved as report.html.');
    } catch (failure) {
        if (!failure.cancelled)
            app.remark(failure.message);
    }
    button.disabled = false;
}

function voice_sample(kind) {
    const { el } = v.app;
    return el('svg', { width: 44, height: 14, viewBox: '0 0 44 14', 'aria-hidden': 'true' },
        el('path', { class: kind, d: 'M0 7H44' }));
}

function tool(text, title, run, kind = 'btn') {
    return v.app.el('button', { type: 'button', class: kind, title, text, onclick: run });
}

function verdict() {
    const { app, about } = v, { el, visible } = app;
    const [before, place, after] = about.title.map((part) => visible(part, Infinity));
    const save = tool('Save report', 'one HTML file with all of this', () => save_report(save), 'btn primary');
    return el('div', { class: 'verdict' },
        el('div', null, el('h1', null, before, place ? el('em', { text: place }) : null, after),
            el('p', { text: visible([about.cause, about.later].filter(Boolean).join(' '), Infinity) })),
        el('div', { class: 'runs' },
            voice_sample('line'), el('span', { text: `${visible(about.names[0], 40)}: expected` }),
            voice_sample('voice'), el('span', { text: `${visible(about.names[1], 40)}: actual` })),
        el('div', { class: 'tools' },
            tool('\u2039 previous difference', 'previous difference (P)', () => step_difference(-1)),
            tool('next \u203a', 'next difference (N)', () => step_difference(1)), save));
}

/* ---- the view ---- */

/* The tick and window that the address names. */
function read_state() {
    const { app, about } = v, { from, to, first } = about, asked = app.state.tick;
    v.tick = Number.isInteger(asked) && asked >= from && asked <= to ? asked : first === null ? from : first;
    v.window = read_window(app.state);
}

async function load_window() {
    const mine = v;
    try {
        await awaited(mine.counts.need(...mine.window));
    } catch (failure) {
        if (v === mine && !failure.cancelled)
            mine.app.show_failure(mine.sheet, failure);
    }
}

function show_all() {
    const { app, about } = v;
    app.fill(v.head, verdict());
    if (about.from === null) {
        app.fill(v.sheet, app.el('p', { class: 'empty', text: 'There is nothing to put on a staff.' }));
        return;
    }
    const mine = v;
    v.counts = make_counts(app.api, about, redraw_soon, () => v === mine);
    read_state();
    redraw();
    load_window();
    show_evidence();
}

async function load() {
    const mine = v;
    try {
        mine.about = await awaited(steady_job(mine.app.api, 'compare', 'compare', () => v === mine));
        if (v === mine)
            show_all();
    } catch (failure) {
        if (v === mine)
            mine.app.show_failure(mine.head, failure);
    }
}

/* How many lines the staff will have. */
function lines_of(open) {
    return Math.max(1, new Set(open.sources.map((source) => source.pen)).size);
}

function mount(root, app) {
    const { el } = app;
    v = { app, about: null, counts: null, staff: null, window: null, tick: null, frame: 0, timer: 0, pending: 0 };
    v.waits = el('div', { class: 'unseen', role: 'status' });
    v.head = el('div', null, el('div', { class: 'verdict' }, el('div', null, el('h1', { text: 'Comparing\u2026' }))));
    v.sheet = el('section', { class: 'panel sheet', 'aria-label': 'staff', tabindex: '0', onclick: on_click });
    v.sheet.addEventListener('wheel', on_wheel, { passive: false });
    v.cards = el('section', { class: 'cards' });
    v.twin_body = el('div', { tabindex: '0', role: 'region', 'aria-label': 'the staff as a table' });
    v.twin = el('details', { class: 'twin', ontoggle: () => v && v.about && v.twin.open &&
        v.app.fill(v.twin_body, twin_table()) }, el('summary', { text: 'The staff as a table' }), v.twin_body);
    root.append(v.waits, v.head, v.sheet, v.twin, v.cards);
    /* As high as it will be: nothing moves. */
    app.fill(v.sheet, el('svg', { class: 'staff', 'aria-hidden': 'true',
        viewBox: `0 0 ${Math.max(STAFF_NARROW, v.sheet.clientWidth)} ${staff_height(lines_of(app.open))}` }));
    v.observer = new ResizeObserver(redraw_soon);
    v.observer.observe(v.sheet);
    load();
}

function update(app, changed) {
    if (!v || !v.about || v.about.from === null)
        return;
    if (!changed.has('tick') && !changed.has('win') && !changed.has('theme'))
        return;
    const before = v.tick;
    read_state();
    redraw_soon();
    load_window();
    if (v.tick !== before)
        show_evidence();
}

function unmount() {
    v.observer.disconnect();
    clearTimeout(v.timer);
    cancelAnimationFrame(v.frame);
    v.app.api.cancel('evidence');
    v.app.api.cancel('pixels');
    v = null;
}

function to_first() {
    const { about } = v, [a, b] = around(about.first === null ? about.from : about.first, default_width());
    v.app.set({ tick: null, win: `${a}..${b}` }, { push: true });
}

function with_staff(run) {
    return () => v && v.counts ? run() : false;
}

export default {
    id: 'compare',
    title: 'Compare',
    key: '6',
    missing: (open) => open.sides.length === 2 ? null
        : 'Compare needs two runs or two traces of one kind: open both.',
    mount, update, unmount,
    keys: [
        { key: 'N', does: 'next difference', group: 'move', run: with_staff(() => step_difference(1)) },
        { key: 'P', does: 'previous difference', group: 'move', run: with_staff(() => step_difference(-1)) },
        { key: 'A', does: 'earlier', group: 'move', run: with_staff(() => pan(-1 / 3)) },
        { key: 'D', does: 'later', group: 'move', run: with_staff(() => pan(1 / 3)) },
        { key: 'W', does: 'narrower window', group: 'move', run: with_staff(() => zoom(2 / 3)) },
        { key: 'S', does: 'wider window', group: 'move', run: with_staff(() => zoom(3 / 2)) },
        { key: '\u2190', does: 'tick before', group: 'move', run: with_staff(() => choose(v.tick - 1)) },
        { key: '\u2192', does: 'tick after', group: 'move', run: with_staff(() => choose(v.tick + 1)) },
        { key: 'F', does: 'to the first divergence', group: 'move', run: with_staff(to_first) },
        { key: '0', does: 'as much as fits', group: 'move', run: with_staff(() =>
            set_window(v.about.from, WINDOW_MOST)) },
    ],
};
