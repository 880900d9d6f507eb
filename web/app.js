/* app.js - what a view is given: requests, state, data of the sides, words and nodes.
 *
 * A view is a module with a default export (docs/viewer-web.md states the contract):
 *
 *   export default {
 *       id: 'calls', title: 'Calls', key: '3',       // id is its place in the URL, key one of 1..7
 *       missing(open),         // null, or the sentence why it has nothing to show
 *       mount(root, app),      // build it below root, an empty element; app.state is already set
 *       update(app, changed),  // state or data changed: `changed` is a Set of URL keys and 'open'
 *       unmount(),             // forget timers, observers and listeners outside root
 *       keys: [{ key, does, group, run(app, event) }],   // active while it is shown
 *   };
 */
import { make_api } from './api.js';
import { make_clock } from './clock.js';
import { breakable, el, fill, visible } from './el.js';
import * as format from './format.js';
import { make_names } from './names.js';
import { glyph, pen_of, pen_tag, pens } from './pens.js';
import { read_url, write_url } from './url.js';

const REPLACE_MS = 250;

/* State and its address. `changed` is called with the keys that differ, whoever changed them. */
function make_state(app, default_view, changed) {
    let pending = null;
    let last_read = null;       /* the fragment that was read last */

    function write(push) {
        clearTimeout(pending);
        pending = null;
        const fragment = last_read = write_url(app.state);
        if (fragment !== location.hash)
            history[push ? 'pushState' : 'replaceState'](null, '', fragment);
    }

    function set(patch, { push = false } = {}) {
        const next = { ...app.state, ...patch };
        for (const key of Object.keys(patch))
            if (next[key] === null || next[key] === undefined || next[key] === '')
                delete next[key];
        const keys = differing(app.state, next);
        if (!keys.size)
            return;
        if (push && pending)
            write(false);
        app.state = next;
        if (push)
            write(true);
        else if (!pending)
            pending = setTimeout(() => write(false), REPLACE_MS);
        changed(keys);
    }

    /* Popstate and hashchange both come for one change of the address: what has been set since the
     * first is not in the address yet. */
    function reread() {
        if (pending && last_read === location.hash)
            return;
        last_read = location.hash;
        clearTimeout(pending);
        pending = null;
        const { state, bad } = read_url(location.hash, default_view);
        const keys = differing(app.state, state);
        app.state = state;
        if (bad.length)
            app.remark(`The address has values that are not valid; ignored: ${bad.join(', ')}`);
        changed(keys);
    }

    return { set, reread, flush: () => pending && write(false) };
}

function text_of(_, value) {
    return typeof value === 'bigint' ? value.toString() : value;
}

function same(a, b) {
    return JSON.stringify(a, text_of) === JSON.stringify(b, text_of);
}

function differing(before, after) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
    return new Set([...keys].filter((key) => !same(before[key], after[key])));
}

/* Tracks, clock and names of a side, fetched once and again when the generation is newer. */
function make_sides(app, on_names) {
    const names = new Map(), held = new Map();

    async function fetch_tracks(side) {
        const generation = app.open.generation;
        const answer = await app.api.get(`tracks?side=${side}`);
        return { generation, tracks: answer.tracks, ticks: answer.ticks,
                 clock: make_clock(app.open.sides[side], answer.ticks) };
    }

    return {
        /* { tracks, ticks, clock } of a side; the same promise until the generation changes. */
        tracks(side) {
            const known = held.get(side);
            if (known && known.generation === app.open.generation)
                return known.promise;
            const promise = fetch_tracks(side);
            held.set(side, { generation: app.open.generation, promise });
            promise.catch(() => held.delete(side));
            return promise;
        },
        names(side) {
            if (!names.has(side))
                names.set(side, make_names(app.api, side, on_names));
            return names.get(side);
        },
    };
}

/*
 * The object that views are given.
 *
 *   api       get(path), post(path, body), bytes(path, body), job(path, body, on_progress, kind),
 *             cancel(kind): api.js. Paths are those of docs/view-protocol.md without /v1/. A promise
 *             fails with a Failure {message, hint, status, cancelled}; show_failure() shows one.
 *   open      the answer to `open`; replaced when the generation changes
 *   state     the URL: {view, side, src, t, range, tick, frame, draw, sel, lanes, q, sql, at, by, m}
 *             and any other key that a view likes, as a string. Read it; change it by set().
 *   set(patch, {push})   change state: null removes a key; push: a new entry of the history
 *             (view, selection, tick), else the entry is replaced (moving, zooming)
 *   go(view, patch)      change the view, with push
 *   link(view, patch)    the fragment for an <a href> that does the same
 *   side(), source(src), tracks(side), names(side): what is shown; see below
 *   el, fill, visible    nodes (el.js); visible() every text that comes from a trace; breakable() of
 *             a visible name: it may break at its joints
 *   format    ns, place, count, bytes, ticks, plural, figure, share (format.js)
 *   pens, pen_of(id), pen_tag(id, text), glyph(id, x, y, r, props): pens.js
 *   begin_again()        a promise: something else was opened; the page from the beginning
 *   announce(text)       say it to a screen reader
 *   status(parts)        the status line: [[bold, text], ...]
 *   remark(text)         a short note at the lower edge, also announced
 *   show_failure(root, failure)   a panel with the sentence and the hint
 */
export function make_app(transport, shell, default_view) {
    const app = { state: { view: default_view }, open: null, transport };
    const state = make_state(app, default_view, (keys) => shell.changed(app, keys));
    Object.assign(app, {
        api: make_api(transport),
        set: state.set, reread: state.reread, flush: state.flush,
        go: (view, patch = {}) => state.set({ ...patch, view }, { push: true }),
        link: (view, patch = {}) => write_url({ ...shared_state(app.state), ...patch, view }),
        el, fill, visible, breakable, format, pens, pen_of, pen_tag, glyph,
        announce: shell.announce, status: shell.status, remark: shell.remark,
        show_failure,
        /* The number of the side that is shown; of a pair 0 is the expected one. */
        side: () => app.open && app.state.side < app.open.sides.length ? app.state.side : 0,
        source: (src) => app.open ? app.open.sources.find((s) => s.src === src) || null : null,
        /* The first source of a pen on a side, or null: source_of('cdt', 0). */
        source_of: (pen, side = app.side()) => app.open ? app.open.sources.find((s) =>
            s.side === side && s.pen === pen && !s.error) || null : null,
    });
    Object.assign(app, make_sides(app, () => shell.changed(app, new Set(['names']))));
    return app;
}

/* What a source has when its trace could not be opened, so that views need not ask for each member. */
const UNREADABLE = { format: '', title: '', dialect: '', version: '', size: 0, records: 0, ending: null, axes: [],
                     ticks: null, streams: [], types: [], facts: [], notes: [] };

/* Before a side is built nothing is known of its axis. */
const UNBUILT = { axis: null, from: null, to: null, ticks: null, built: 1, facts: [] };

/* The ticks of a side: those of the lines that have ticks, not the numbers of frames. */
function ticks_of(side, sources) {
    const ranges = sources.filter((s) => (s.pen === 'murk' || s.pen === 'cdt') && s.ticks).map((s) => s.ticks);
    if (!ranges.length)
        return side.ticks || null;
    return [Math.min(...ranges.map((r) => r[0])), Math.max(...ranges.map((r) => r[1]))];
}

/* An answer to `open` with all members that views read. */
export function complete_open(open) {
    const sources = open.sources.map((source) => ({ error: null, ...UNREADABLE, ...source }));
    const sides = open.sides.map((side, i) => ({ ...UNBUILT, ...side,
        ticks: ticks_of(side, sources.filter((s) => s.side === i)) }));
    return { ...open, offers: open.offers || [], sides, sources };
}

/* What a link to another view keeps: which side, when, and the marks. */
function shared_state(state) {
    const { side, t, tick, m } = state;
    return { side, t, tick, m };
}

/* A panel that says what failed and what to do; nothing for what the page cancelled itself. */
export function show_failure(root, failure) {
    if (failure.cancelled)
        return;
    fill(root, el('div', { class: 'failure', role: 'alert' },
        el('b', { text: visible(failure.message, Infinity) }),
        failure.hint ? el('p', { text: visible(failure.hint, Infinity) }) : null));
}
