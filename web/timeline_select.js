/* timeline_select.js - the selected record, the range that is summed up, and hits of a search. */
import { window_of } from './search.js';
import { more_links } from './timeline_links.js';
import { schedule } from './timeline_paint.js';
import { is_mounted, set_window, v } from './timeline_state.js';

const SUM_WAIT_MS = 120;

export function select(src, seq) {
    v.app.set({ sel: { src, seq: String(seq) } }, { push: true });
}

function item_of_record(record) {
    const slice = record.slice;
    if (slice)
        return { track: slice.track, row: slice.row, begin: v.clock.rel(slice.begin),
                 end: v.clock.rel(slice.end ?? slice.begin), src: record.src, seq: record.seq,
                 name: slice.name };
    return v.item && v.item.src === record.src && String(v.item.seq) === record.seq ? v.item : null;
}

function other_ways(record) {
    const { app } = v, found = [];
    const tick = record.tick === null || record.tick === undefined ? null : Number(record.tick);
    const states = app.source_of('cdt', v.side), is_frame = app.source(record.src)?.pen === 'aerogpu';
    if (tick !== null && states && !is_frame)
        found.push({ letter: '\u25cf', text: `state of tick ${tick}`, href: app.link('ticks', { tick }) });
    const frames = app.source_of('aerogpu', v.side);
    if (tick !== null && frames && frames.src === record.src)
        found.push({ letter: '\u25a0', text: `frame ${tick}`, href: app.link('frames', { frame: tick, tick: null }) });
    else if (tick !== null && frames)
        found.push({ letter: '\u25a0', text: `frame of tick ${tick}`,
                     href: app.link('frames', { tick, frame: null }) });
    if (app.open.sides.length > 1) {
        const other = 1 - v.side;
        found.push({ letter: '\u21c4', text: `the same place in ${app.visible(app.open.sides[other].name, 40)}`,
            href: app.link('timeline', { side: other, tick, t: null }) });
        if (tick !== null)
            found.push({ letter: '\u2016', text: `compare tick ${tick}`, href: app.link('compare', { tick }) });
    }
    found.push({ letter: '\u2261', text: 'this record in Table',
        href: app.link('table', { sel: { src: record.src, seq: record.seq } }) });
    return found;
}

export async function load_record(reveal) {
    const { app } = v, mine = v, sel = app.state.sel;
    if (!sel) {
        v.item = null;
        v.flows = [];
        v.record = null;
        v.panel.show_no_record('Click a slice, or press an arrow key.');
        v.panel.show_links([], []);
        schedule();
        return;
    }
    let record;
    try {
        record = await app.api.get(`record?src=${sel.src}&seq=${sel.seq}`);
    } catch (failure) {
        if (is_mounted(mine) && !failure.cancelled)
            v.panel.show_no_record(failure.message);
        return;
    }
    if (!is_mounted(mine) || !app.state.sel || app.state.sel.seq !== sel.seq || app.state.sel.src !== sel.src)
        return;
    v.record = { ...record, links: record.links || [] };
    v.item = item_of_record(record);
    v.panel.show_record(record, v.clock);
    show_links();
    if (reveal)
        reveal_item();
    schedule();
    load_sum();
    add_links(v.record);
}

/* Links of the selected record: in the panel, and as curves where both ends are on lanes. */
function show_links() {
    v.flows = v.record.links.filter((l) => l.track !== null && l.track !== undefined && l.time)
        .map((l) => ({ ...l, rel: v.clock.rel(l.time) }));
    v.panel.show_links(v.record.links, other_ways(v.record));
}

/* Those that take a search come later, and before the others: they lead furthest. */
async function add_links(record) {
    const { app } = v;
    try {
        const found = await more_links(app, record);
        if (!v || v.record !== record || !found.length)
            return;
        record.links = [...found, ...record.links];
        v.drawn = null;
        show_links();
        schedule();
    } catch (failure) {
        if (v && v.record === record && !failure.cancelled)
            app.remark(failure.message);
    }
}

export function reveal_item() {
    if (!v.item)
        return;
    v.lanes.unfold(v.item.track);
    const lane = v.lanes.of(v.item.track);
    if (lane) {
        const y = lane.y + lane.pad + (v.item.row || 0) * lane.row, top = v.scroll.scrollTop;
        if (y < top || y + lane.row > top + v.height)
            v.scroll.scrollTop = Math.max(0, y - v.height / 2);
    }
    const [from, to] = v.win, { begin } = v.item, end = Math.max(v.item.end ?? begin, begin);
    if (begin >= from && begin <= to)
        return;
    const width = Math.max(end - begin, Math.min(to - from, v.clock.length / 20));
    set_window(begin - width * 0.6, begin + width * 1.6);
}

function ticks_words(from, to) {
    const [a, b] = [v.clock.tick_at(from), v.clock.tick_at(Math.max(from, to - 1))];
    const word = v.is_frames ? 'frame' : 'tick';
    if (a === null || b === null)
        return '';
    return a === b ? `${word} ${a}` : `${word}s ${a} to ${b}`;
}

function range_words(from, to) {
    const { format } = v.app;
    if (v.clock.is_tick_axis)
        return `Selected: ${ticks_words(from, to)}`;
    const ticks = ticks_words(from, to) && `${ticks_words(from, to)}, `;
    return `Selected: ${ticks}${format.ns(to - from)}`;
}

/* Sum up the range, or what the selected slice covers. */
export function load_sum(is_new = false) {
    const { app } = v, mine = v;
    const item = v.item && v.item.end > v.item.begin ? [v.item.begin, v.item.end] : null;
    const range = v.range || item;
    if (!range) {
        clearTimeout(v.sum_wait);
        v.sum_key = null;
        app.api.cancel('sum');
        v.panel.set_sum(null);
        return;
    }
    const [from, to] = [v.clock.abs(range[0]), v.clock.abs(range[1])];
    const key = `${from},${to},${v.side}`;
    const title = range_words(...range);
    if (v.sum_key === key && !is_new)
        return;     /* it is shown, or begins when it is due */
    clearTimeout(v.sum_wait);
    v.sum_key = key;
    v.panel.set_sum({ title, words: 'Summing up\u2026', answer: null, is_new: Boolean(v.range) });
    v.sum_wait = setTimeout(async () => {
        const hidden = new Set(app.state.lanes || []);
        const tracks = hidden.size ? '&tracks=' + v.tracks.filter((t) => t.kind !== 'group' &&
            !hidden.has(t.track)).map((t) => t.track).join('.') : '';
        try {
            const answer = await app.api.job(`sum?side=${v.side}&from=${from}&to=${to}${tracks}`, null,
                (done) => is_mounted(mine) && v.panel.set_sum({ title, answer: null,
                    words: `Summing up: ${app.format.share(done)}` }));
            if (is_mounted(mine) && v.sum_key === key)
                v.panel.set_sum({ title, answer });
        } catch (failure) {
            if (is_mounted(mine) && !failure.cancelled && v.sum_key === key)
                v.panel.set_sum({ title, answer: null, words: failure.message });
        }
    }, SUM_WAIT_MS);
}

export function set_range(range, push = true) {
    v.app.set({ range: range ? window_of(v.clock, range) : null }, { push });
}

function name_matcher(app, q) {
    if (!q)
        return null;
    const names = app.names(v.side), known = new Map();
    const found = /^\/(.+)\/$/.exec(q);
    let test = (name) => name.toLowerCase().includes(q.toLowerCase());
    if (found) {
        try {
            const re = new RegExp(found[1]);
            test = (name) => re.test(name);
        } catch {
            return null;
        }
    }
    return (id) => {
        if (known.has(id))
            return known.get(id);
        const name = names.get(id);
        const is = name !== '' && test(name);
        if (name !== '')
            known.set(id, is);
        return is;
    };
}

/* Dim what does not match while it is being written. */
export function preview(app, text) {
    if (!v || !v.clock)
        return;
    v.matching = name_matcher(app, text || app.state.q);
    v.drawn = null;
    schedule();
}

export async function load_hits() {
    const { app } = v, mine = v, q = app.state.q;
    v.matching = name_matcher(app, q);
    v.hits = null;
    v.hit_at = -1;
    schedule();
    if (!q) {
        app.api.cancel('find');
        v.panel.set_hits(null);
        return;
    }
    const label = app.visible(q, 24);
    v.panel.set_hits({ title: `Hits of ${label}`, list: [], at: -1, words: 'Searching\u2026' });
    try {
        const answer = await app.api.job(`find?side=${v.side}`, q, (done) => is_mounted(mine) &&
            v.panel.set_hits({ title: `Hits of ${label}`, list: [], at: -1,
                               words: `Searching: ${app.format.share(done)}` }));
        if (!is_mounted(mine) || app.state.q !== q)
            return;
        v.hit_count = answer.count;
        v.hits = answer.hits.filter((h) => h.time !== null).map((h) => ({ ...h, begin: v.clock.rel(h.time),
            end: v.clock.rel(h.end ?? h.time) })).sort((a, b) => a.begin - b.begin);
        show_hits();
        app.announce(`${app.format.plural(answer.count, 'hit')} of ${q}`);
    } catch (failure) {
        if (is_mounted(mine) && !failure.cancelled)
            v.panel.set_hits({ title: `Hits of ${label}`, list: [], at: -1, words: failure.message });
    }
    schedule();
}

function show_hits() {
    const listed = v.hits.length < v.hit_count ? `, ${v.app.format.count(v.hits.length)} listed` : '';
    v.panel.set_hits({ title: `${v.app.format.plural(v.hit_count, 'hit')} of ` +
        `${v.app.visible(v.app.state.q, 24)}${listed}`, list: v.hits, at: v.hit_at });
}

/* To a hit by its place in the list; null: the first that is not left of the window. */
export function go_hit(i) {
    if (!v.hits || !v.hits.length) {
        v.app.remark(v.app.state.q ? 'There is no hit.' : 'Search first: press /');
        return;
    }
    const first = v.hits.findIndex((hit) => hit.begin >= v.win[0]);
    const next = i === null ? (first < 0 ? 0 : first) : i;
    v.hit_at = (next + v.hits.length) % v.hits.length;
    const hit = v.hits[v.hit_at];
    show_hits();
    v.is_walking = true;
    v.item = { ...hit };
    v.app.set({ sel: { src: hit.src, seq: String(hit.seq) } }, { push: true });
    reveal_item();
    v.is_walking = false;
    v.app.announce(`hit ${v.hit_at + 1} of ${v.hits.length}: ${v.app.visible(hit.text || hit.name)}`);
}
