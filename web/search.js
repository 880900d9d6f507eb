/* search.js - what is written into the search box: a place to go to, a name, or text of records. */
import { el, fill, visible } from './el.js';
import { count } from './format.js';

const UNITS = new Map([['ns', 1], ['us', 1e3], ['\u00b5s', 1e3], ['ms', 1e6], ['s', 1e9]]);
const NAMES_SHOWN = 8;
const TIME = /^(\+?)(\d+(?:\.\d+)?)\s*(ns|us|\u00b5s|ms|s)$/;

/* The place that a text names, or null: {kind, ...}. */
export function parse_place(text) {
    const said = text.trim().toLowerCase();
    const numbered = /^(tick|frame)\s*(\d{1,15})$/.exec(said);
    if (numbered)
        return { kind: numbered[1], n: Number(numbered[2]) };
    const seq = /^#\s*(\d{1,20})$/.exec(said);
    if (seq)
        return { kind: 'seq', seq: BigInt(seq[1]).toString() };
    const time = TIME.exec(said);
    if (time)
        return { kind: time[1] ? 'after' : 'time', ns: Number(time[2]) * UNITS.get(time[3]),
                 text: `${time[2]} ${time[3]}` };
    if (/^0x[0-9a-f]{4,16}$/.test(said))
        return { kind: 'address', text: said };
    return null;
}

const PLACES = {
    tick: (place) => ({ text: `Go to tick ${count(place.n)}`,
                        run: (app) => go_tick(app, place.n) }),
    frame: (place) => ({ text: `Go to frame ${count(place.n)}`,
                         run: (app) => app.go('frames', { frame: place.n, draw: null }) }),
    seq: (place) => ({ text: `Go to record ${count(place.seq)}`, run: (app) => go_seq(app, place.seq) }),
    time: (place) => ({ text: `Go to ${place.text} after the beginning`,
                        run: (app) => go_time(app, place.ns, false) }),
    after: (place) => ({ text: `Go forward by ${place.text}`, run: (app) => go_time(app, place.ns, true) }),
    address: (place) => ({ text: `Search records for ${place.text}`,
                           run: (app) => app.go('timeline', { q: place.text }) }),
};

/* Views that show a tick themselves. */
const OF_TICKS = new Set(['ticks', 'compare']);

async function go_tick(app, n) {
    if (OF_TICKS.has(app.state.view)) {
        app.set({ tick: n }, { push: true });
        return;
    }
    const { clock } = await app.tracks(app.side());
    const range = clock.tick_range(n);
    if (!range) {
        app.remark(`This trace does not say when tick ${n} began.`);
        return;
    }
    const margin = (range[1] - range[0]) * 0.6;
    const limits = [Math.max(0, range[0] - margin), range[1] + margin];
    app.go('timeline', { tick: n, t: window_of(clock, limits), range: window_of(clock, range) });
}

/* A range of relative times as state. */
export function window_of(clock, [from, to]) {
    const begin = clock.abs(Math.max(0, from));
    const end = clock.abs(Math.max(0, to));
    return { from: begin, to: end > begin ? end : begin + 1n };
}

async function go_time(app, ns, is_after) {
    const { clock } = await app.tracks(app.side());
    if (clock.is_tick_axis) {
        app.remark('This trace has ticks but no times.');
        return;
    }
    const now = app.state.t;
    const width = now ? Number(now.to - now.from) : clock.length / 10;
    const center = is_after && now ? clock.rel(now.from) + width / 2 + ns : ns;
    app.go('timeline', { t: window_of(clock, [center - width / 2, center + width / 2]), cursor: null });
}

function go_seq(app, seq) {
    const src = app.state.sel ? app.state.sel.src : first_source(app);
    if (src !== null)
        app.go('timeline', { sel: { src, seq }, show: '1' });
}

function first_source(app) {
    const side = app.side();
    const found = app.open.sources.filter((s) => s.side === side && !s.error)
        .sort((a, b) => (b.records || 0) - (a.records || 0));
    return found.length ? found[0].src : null;
}

/* Commands for a text that is a place; an empty list otherwise. */
export function places(app, text) {
    const place = parse_place(text);
    return place ? [PLACES[place.kind](place)] : [];
}

function matching_names(app, text) {
    const low = text.toLowerCase();
    const found = new Set();
    for (const name of app.names(app.side()).list)
        if (name.toLowerCase().includes(low)) {
            found.add(name);
            if (found.size >= NAMES_SHOWN)
                break;
        }
    return [...found];
}

function rows_for(app, text) {
    if (!text.trim())
        return [];
    const rows = places(app, text);
    if (!rows.length)
        rows.push({ text: `Search records for \u201c${visible(text, 60)}\u201d`,
                    run: () => app.go('timeline', { q: text }) });
    for (const name of matching_names(app, text))
        rows.push({ text: visible(name), mono: true, run: () => app.go('timeline', { q: name }) });
    return rows;
}

/* The box of the bar: a combobox whose list says what Enter would do. */
export function make_search(app) {
    let rows = [], chosen = 0;
    const list = el('div', { role: 'listbox', id: 'search-list', class: 'options search-list',
                             'aria-label': 'places and names', hidden: true });
    const input = el('input', { type: 'search', role: 'combobox', autocomplete: 'off', spellcheck: 'false',
        'aria-label': 'search records, functions, ticks', 'aria-controls': 'search-list',
        'aria-expanded': 'false', placeholder: 'search, or tick 300' });
    const box = el('div', { class: 'search' }, el('span', { 'aria-hidden': 'true', text: '\u2315' }), input,
        el('kbd', { 'aria-hidden': 'true', text: '/' }), list);

    function close() {
        list.hidden = true;
        input.setAttribute('aria-expanded', 'false');
        input.removeAttribute('aria-activedescendant');
    }

    function mark(next) {
        chosen = rows.length ? (next + rows.length) % rows.length : 0;
        [...list.children].forEach((node, i) =>
            node.setAttribute('aria-selected', i === chosen ? 'true' : 'false'));
        if (rows.length)
            input.setAttribute('aria-activedescendant', `search-${chosen}`);
    }

    function render() {
        rows = app.open ? rows_for(app, input.value) : [];
        fill(list, rows.map((row, i) => el('div', { role: 'option', id: `search-${i}`,
            class: 'option' + (row.mono ? ' mono' : ''), 'aria-selected': 'false', text: row.text })));
        if (!rows.length) {
            close();
            return;
        }
        list.hidden = false;
        input.setAttribute('aria-expanded', 'true');
        mark(0);
    }

    function run(row) {
        close();
        if (row)
            row.run(app);
        input.blur();
    }

    input.addEventListener('focus', () => app.open && app.names(app.side()).get(0));
    input.addEventListener('input', () => {
        render();
        app.preview(input.value.trim() && !parse_place(input.value) ? input.value.trim() : null);
    });
    input.addEventListener('blur', () => {
        setTimeout(close, 150);
        app.preview(null);
    });
    input.addEventListener('keydown', (event) => {
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (step && rows.length) {
            mark(chosen + step);
            event.preventDefault();
        } else if (event.key === 'Enter') {
            if (!input.value.trim())
                app.set({ q: null }, { push: true });
            run(rows[chosen]);
            event.preventDefault();
        } else if (event.key === 'Escape') {
            if (!list.hidden)
                close();
            else
                input.blur();
            event.preventDefault();
        }
    });
    list.addEventListener('mousedown', (event) => {
        const node = event.target.closest('[role=option]');
        if (node)
            run(rows[[...list.children].indexOf(node)]);
        event.preventDefault();
    });
    return { box, input, show: () => { input.value = app.state.q || ''; } };
}
