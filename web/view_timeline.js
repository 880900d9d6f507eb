/* view_timeline.js - the Timeline: minimap, ruler, lanes, selection. Its state is in the address. */
import { ask, in_field } from './keys.js';
import { make_lanes } from './lanes.js';
import { make_marks } from './marks.js';
import { name_hash } from './names.js';
import { make_colours, make_raster, make_scale } from './raster.js';
import { window_of } from './search.js';
import { make_tile_cache } from './tile_cache.js';
import { collect_labels, hit_test, paint_frame, whole_counts } from './timeline_draw.js';
import { save_part } from './timeline_export.js';
import { make_film } from './timeline_film.js';
import { attach_pointer } from './timeline_input.js';
import { make_names_column } from './timeline_names.js';
import { draw_flags, draw_flows, draw_labels, draw_mark_lines, draw_ring, draw_ruler,
         sized } from './timeline_overlay.js';
import { make_panel } from './timeline_panel.js';

const RULER = 26;
const MINI = 45;
const DPR_MOST = 2;
const STILL_MS = 80;
const SUM_WAIT_MS = 120;
const ZOOM = 1.5;
const PAN = 0.18;
const LEAST_UNITS = 64;
const RINGS_MOST = 400;
const COLOUR_MODES = ['name', 'module', 'duration'];
const DEFAULT_PANEL = 196;

let v = null;           /* what is mounted; null between */

function is_mounted(instance) {
    return v === instance;
}

/* The end of the whole, with what the last tick or record needs. */
function whole_end() {
    return v.clock.is_tick_axis ? v.clock.length + 2 ** 20 : Math.ceil(v.clock.length * 1.004) + 1;
}

function clamp_window(from, to) {
    const end = whole_end();
    const width = Math.min(end, Math.max(LEAST_UNITS, to - from));
    const middle = (from + to) / 2;
    const begin = Math.round(Math.max(0, Math.min(end - width, middle - width / 2)));
    return [begin, Math.max(begin + 1, Math.round(begin + width))];
}

function window_from_state(app) {
    const { t } = app.state;
    return t ? clamp_window(v.clock.rel(t.from), v.clock.rel(t.to)) : [0, whole_end()];
}

function set_window(from, to, { push = false } = {}) {
    v.win = clamp_window(from, to);
    const is_whole = v.win[0] === 0 && v.win[1] >= whole_end();
    v.app.set({ t: is_whole ? null : window_of(v.clock, v.win) }, { push });
    schedule();
}

function zoom(factor, at = null) {
    const [from, to] = v.win;
    const center = at === null ? (v.pointer_time ?? (from + to) / 2) : at;
    const inside = Math.max(0, Math.min(1, (center - from) / (to - from)));
    const width = (to - from) * factor;
    set_window(center - width * inside, center + width * (1 - inside));
}

function pan(share) {
    const width = v.win[1] - v.win[0];
    const by = Math.max(-v.win[0], Math.min(whole_end() - v.win[1], width * share));
    set_window(v.win[0] + by, v.win[1] + by);
}

function show_range([from, to], push = true) {
    const margin = Math.max((to - from) * 0.1, LEAST_UNITS / 4);
    set_window(from - margin, to + margin, { push });
}

function fit_selection() {
    if (v.range)
        show_range(v.range);
    else if (v.item)
        show_range([v.item.begin, Math.max(v.item.end ?? v.item.begin, v.item.begin + 1)]);
}

/* ---- drawing ---- */

function theme_look() {
    const style = getComputedStyle(document.documentElement);
    const css = (name) => style.getPropertyValue(name).trim();
    v.colours = make_colours(css);
    v.look = { css, sans: css('--sans'), ink: css('--ink'), ink3: css('--ink3'), line: css('--line'),
               accent: css('--accent'), panel: css('--panel'), warn: css('--warn'), atf: css('--atf') };
}

function module_fill(name) {
    const parts = /^(.*?)(!|::|\.|_)/.exec(name);
    return name_hash(parts ? parts[1] : name) & 7;
}

function make_frame() {
    const { app } = v;
    const dpr = Math.min(DPR_MOST, window.devicePixelRatio || 1);
    const width = Math.max(1, Math.round(v.width * dpr));
    return { cache: v.cache, clock: v.clock, raster: v.raster, colours: v.colours, dpr,
             names: app.names(v.side), lanes: v.lanes.list(), scroll: v.scroll.scrollTop,
             width: v.width, height: v.height, range: v.range, matching: v.matching,
             scale: make_scale(v.win[0], v.win[1], width), by: app.state.by || 'name', module_fill,
             visible: app.visible, tick_word: v.is_frames ? 'frame' : 'tick' };
}

/* Names and the rest move with a pan, and are drawn anew when it is still. */
function can_shift(frame) {
    const last = v.drawn;
    return last && last.step === frame.scale.step && last.scroll === frame.scroll &&
        last.height === frame.height && performance.now() - v.moved_at < STILL_MS;
}

function draw() {
    v.pending = false;
    if (v.width < 1 || v.height < 1)
        return;
    const began = performance.now();
    const frame = v.frame = make_frame();
    const missing = paint_frame(frame);
    if (v.base.width !== frame.raster.size()[0] || v.base.height !== frame.raster.size()[1]) {
        [v.base.width, v.base.height] = frame.raster.size();
    }
    frame.raster.show(v.base.getContext('2d'));
    draw_ruler_row(frame);
    if (can_shift(frame))
        v.over.style.setProperty('transform', `translateX(${(v.drawn.origin - frame.scale.origin) / frame.dpr}px)`);
    else
        draw_over(frame);
    draw_mini(frame);
    v.cache.end();
    note_frame(began, missing);
}

function note_frame(began, missing) {
    const ms = performance.now() - began;
    v.times.push(ms);
    if (v.times.length > 600)
        v.times.shift();
    v.root.dataset.missing = String(missing);
    v.root.dataset.settled = String(missing === 0 && v.cache.is_settled());
}

function ruler_mode() {
    if (!v.clock.has_ticks)
        return 'time';
    if (v.clock.is_tick_axis)
        return 'tick';
    return v.app.state.ruler === 'time' ? 'time' : 'tick';
}

function draw_ruler_row(frame) {
    const context = sized(v.ruler, v.width, RULER, frame.dpr);
    draw_ruler(context, frame, v.width, RULER, ruler_mode(), v.look);
    draw_flags(context, frame, placed_marks(), v.look);
    v.left.textContent = v.clock.is_tick_axis
        ? `${frame.tick_word} ${v.app.format.count(v.clock.tick_at(v.win[0]) ?? 0)}`
        : v.app.format.place(v.win[0], (v.win[1] - v.win[0]) / 100);
}

function placed_marks() {
    return v.marks.list().map((mark) => ({ ...mark, rel: v.clock.rel(mark.at) }));
}

function draw_over(frame) {
    const context = sized(v.over, v.width, v.height, frame.dpr);
    v.over.style.setProperty('transform', 'none');
    for (const lane of frame.lanes)
        if (lane.track.kind === 'film' && lane.y - frame.scroll < v.height &&
            lane.y + lane.height > frame.scroll)
            v.film.draw(context, frame, lane);
    draw_labels(context, frame, collect_labels(frame), v.look);
    const marks = placed_marks();
    draw_mark_lines(context, frame, marks, v.height, v.look);
    for (const hit of visible_hits(frame))
        draw_ring(context, frame, hit, v.look.warn, 1.5);
    if (v.item) {
        draw_ring(context, frame, v.item, v.look.accent);
        draw_flows(context, frame, v.item, v.flows, v.look);
    }
    v.drawn = { step: frame.scale.step, scroll: frame.scroll, origin: frame.scale.origin,
                height: frame.height };
}

function visible_hits(frame) {
    if (!v.hits)
        return [];
    return v.hits.filter((hit) => hit.end >= frame.scale.from && hit.begin <= frame.scale.to)
        .slice(0, RINGS_MOST);
}

function draw_mini(frame) {
    const width = Math.max(1, Math.round(v.mini.clientWidth));
    const { counts, missing } = whole_counts(frame, v.tracks, width, whole_end());
    const context = sized(v.mini, width, MINI, frame.dpr);
    const sorted = Float64Array.from(counts).sort();
    const most = Math.max(1, sorted[Math.floor(sorted.length * 0.995)] || sorted[sorted.length - 1]);
    context.fillStyle = v.look.atf;
    context.globalAlpha = 0.55;
    counts.forEach((n, x) => {
        if (n > 0)
            context.fillRect(x, MINI - 2 - Math.max(1, Math.min(1.15, n / most) * 33), 1,
                Math.max(1, Math.min(1.15, n / most) * 33));
    });
    context.globalAlpha = 1;
    const x_at = (time) => time / whole_end() * width;
    context.fillStyle = v.look.warn;
    for (const hit of v.hits || [])
        context.fillRect(Math.round(x_at(hit.begin)), 0, 1, 7);
    context.fillStyle = v.look.accent;
    for (const mark of placed_marks())
        context.fillRect(Math.round(x_at(mark.rel)), 0, 2, MINI);
    const [x0, x1] = [x_at(v.win[0]), Math.max(x_at(v.win[0]) + 3, x_at(v.win[1]))];
    context.strokeStyle = v.look.ink;
    context.lineWidth = 1.5;
    context.strokeRect(Math.max(1, x0), 1.5, Math.min(width - 2, x1 - x0), MINI - 4);
    return missing;
}

function schedule() {
    if (!v || v.pending || !v.clock)
        return;
    v.pending = true;
    const mine = v;
    v.moved_at = performance.now();
    requestAnimationFrame(() => is_mounted(mine) && draw());
    clearTimeout(v.still);
    v.still = setTimeout(() => {
        if (is_mounted(mine) && v.frame && !v.pending) {
            v.moved_at = 0;
            v.pending = true;
            requestAnimationFrame(() => is_mounted(mine) && draw());
        }
        if (is_mounted(mine))
            say_window();
    }, STILL_MS + 20);
}

function say_window() {
    const { app, clock } = v;
    const { format } = app;
    const side = app.open.sides[v.side];
    const width = v.win[1] - v.win[0];
    const ticks = clock.has_ticks ? [clock.tick_at(v.win[0]), clock.tick_at(Math.min(v.win[1], clock.length))] : null;
    const words = clock.is_tick_axis || !ticks || ticks[0] === null ? '' : `, ticks ${ticks[0]} to ${ticks[1]}`;
    const view = clock.is_tick_axis ? `${v.is_frames ? 'frames' : 'ticks'} ${format.ticks(ticks)}`
        : `${format.ns(width)} of ${format.ns(clock.length)}${words}`;
    const records = app.open.sources.filter((s) => s.side === v.side);
    const ends = new Set(records.map((s) => s.error ? 'unreadable' : s.ending ? s.ending.kind : ''));
    app.status([[app.visible(side.name, 60), side.kind === 'run'
        ? `run directory, ${format.plural(records.length, 'trace')}` : 'trace'],
        ['view', view],
        ['records', format.count(records.reduce((n, s) => n + (s.records || 0), 0))],
        ['ending', [...ends].filter(Boolean).join(', ')],
        ...(side.built < 1 ? [['building', format.share(side.built)]] : [])]);
    v.base.setAttribute('aria-label', `timeline, ${view}; arrow keys walk the records, the table below ` +
        'says the same');
}

/* ---- selection ---- */

function select(src, seq) {
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
    if (tick !== null && app.source_of('cdt', v.side))
        found.push({ letter: '\u25cf', text: `state of tick ${tick}`, href: app.link('ticks', { tick }) });
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

async function load_record(reveal) {
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
    v.record = record;
    v.item = item_of_record(record);
    v.flows = (record.links || []).filter((l) => l.track !== null && l.track !== undefined && l.time)
        .map((l) => ({ ...l, rel: v.clock.rel(l.time) }));
    v.panel.show_record(record, v.clock);
    v.panel.show_links(record.links || [], other_ways(record));
    if (reveal)
        reveal_item();
    schedule();
    load_sum();
}

function reveal_item() {
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

function range_words(from, to) {
    const { format } = v.app;
    if (v.clock.is_tick_axis)
        return `Selected: ${v.is_frames ? 'frame' : 'tick'} ${v.clock.tick_at(from)} to ${v.clock.tick_at(to)}`;
    const [a, b] = [v.clock.tick_at(from), v.clock.tick_at(Math.max(from, to - 1))];
    const ticks = a === null || b === null ? '' : a === b ? `tick ${a}, ` : `ticks ${a} to ${b}, `;
    return `Selected: ${ticks}${format.ns(to - from)}`;
}

/* Sum up the range, or what the selected slice covers. */
function load_sum(is_new = false) {
    const { app } = v, mine = v;
    const item = v.item && v.item.end > v.item.begin ? [v.item.begin, v.item.end] : null;
    const range = v.range || item;
    clearTimeout(v.sum_wait);
    if (!range) {
        app.api.cancel('sum');
        v.panel.set_sum(null);
        return;
    }
    const [from, to] = [v.clock.abs(range[0]), v.clock.abs(range[1])];
    const key = `${from},${to},${v.side}`;
    const title = range_words(...range);
    if (v.sum_key === key && !is_new)
        return;
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

function set_range(range, push = true) {
    v.app.set({ range: range ? window_of(v.clock, range) : null }, { push });
}

/* ---- search ---- */

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

async function load_hits() {
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

function go_hit(i) {
    if (!v.hits || !v.hits.length) {
        v.app.remark(v.app.state.q ? 'There is no hit.' : 'Search first: press /');
        return;
    }
    v.hit_at = (i + v.hits.length) % v.hits.length;
    const hit = v.hits[v.hit_at];
    show_hits();
    v.is_walking = true;
    v.item = { ...hit };
    v.app.set({ sel: { src: hit.src, seq: String(hit.seq) } }, { push: true });
    reveal_item();
    v.is_walking = false;
    v.app.announce(`hit ${v.hit_at + 1} of ${v.hits.length}: ${v.app.visible(hit.text || hit.name)}`);
}

/* ---- keyboard ---- */

async function walk(dir) {
    const { app } = v, mine = v;
    const from = v.item || first_place();
    if (!from)
        return;
    const time = v.clock.abs(from.begin);
    try {
        const answer = await app.api.get(`near?track=${from.track}&row=${from.row || 0}&time=${time}&dir=${dir}`);
        const item = answer.item === undefined ? answer : answer.item;
        if (!is_mounted(mine))
            return;
        if (!item) {
            app.announce('no more in this direction');
            return;
        }
        v.item = { ...item, begin: v.clock.rel(item.time), end: v.clock.rel(item.end ?? item.time) };
        v.is_walking = true;
        app.set({ sel: { src: item.src, seq: String(item.seq) } }, { push: true });
        reveal_item();
        v.is_walking = false;
        app.announce(app.visible(item.text || item.name));
    } catch (failure) {
        if (is_mounted(mine) && !failure.cancelled)
            app.remark(failure.message);
    }
}

/* Where walking begins without a selection: the first lane in view that has records. */
function first_place() {
    const top = v.scroll.scrollTop;
    const lane = v.lanes.list().find((l) => l.y + l.height > top && l.track.kind !== 'group' &&
        l.track.kind !== 'counter') || v.lanes.list().find((l) => l.track.kind !== 'group');
    return lane ? { track: lane.track.track, row: 0, begin: Math.max(0, v.win[0] - 1) } : null;
}

function step_difference(step) {
    const { app } = v;
    if (app.open.sides.length < 2) {
        app.remark('There is nothing to compare with: give two runs to rastrum view.');
        return;
    }
    app.go('compare', { tick: app.state.tick, step: step > 0 ? 'next' : 'previous' });
}

function cursor_time() {
    if (v.pointer_time !== null && v.pointer_time !== undefined)
        return v.pointer_time;
    if (v.item)
        return v.item.begin;
    return v.range ? v.range[0] : (v.win[0] + v.win[1]) / 2;
}

async function add_mark(with_note) {
    const { app } = v, at = v.clock.abs(cursor_time()), mine = v;
    const note = with_note ? await ask('Note at a mark', 'note') : '';
    if (note === null || !is_mounted(mine))
        return;
    const mark = v.marks.add(at, note);
    if (!mark)
        app.remark('All letters are used.');
    else
        app.announce(`mark ${mark.letter} set`);
    v.moved_at = 0;
    schedule();
}

function wait_for_letter() {
    const { app } = v, mine = v;
    const letters = v.marks.list().map((m) => m.letter).join(' ');
    app.remark(letters ? `To which mark? ${letters}` : 'There are no marks yet: M sets one.');
    if (!letters)
        return;
    const once = (event) => {
        removeEventListener('keydown', once, true);
        if (!is_mounted(mine) || in_field(event.target))
            return;
        const mark = v.marks.get(event.key.toLowerCase());
        event.preventDefault();
        event.stopPropagation();
        if (mark)
            center(v.clock.rel(mark.at));
    };
    addEventListener('keydown', once, true);
}

function center(time) {
    const width = v.win[1] - v.win[0];
    const full = width >= whole_end() ? whole_end() / 10 : width;
    set_window(time - full / 2, time + full / 2, { push: true });
}

function same_function() {
    const name = v.record && v.record.slice ? v.record.slice.name : v.item ? name_of(v.item) : '';
    if (name)
        v.app.set({ q: name }, { push: true });
    else
        v.app.remark('Select a slice first.');
}

function name_of(item) {
    return typeof item.name === 'number' ? v.app.names(v.side).get(item.name) : item.name || '';
}

function follow(link) {
    const side = v.app.source(link.src) ? v.app.source(link.src).side : v.side;
    v.app.set({ sel: { src: link.src, seq: String(link.seq) }, side: side || null }, { push: true });
}

function follow_first() {
    const link = v.record && (v.record.links || [])[0];
    if (link)
        follow(link);
    else
        v.app.remark('The selected record has no link.');
}

function cycle_colour() {
    const now = COLOUR_MODES.indexOf(v.app.state.by || 'name');
    const next = COLOUR_MODES[(now + 1) % COLOUR_MODES.length];
    v.app.set({ by: next === 'name' ? null : next });
    v.app.remark(`Colour by ${next}.`);
}

function toggle_ruler() {
    if (!v.clock.has_ticks || v.clock.is_tick_axis) {
        v.app.remark(v.clock.is_tick_axis ? 'There are only ticks here.' : 'Nothing places ticks in time here.');
        return;
    }
    v.app.set({ ruler: ruler_mode() === 'tick' ? 'time' : null });
}

function filter_lanes() {
    v.filter.hidden = false;
    v.left.hidden = true;
    v.filter.focus();
    v.filter.select();
}

function share_link(app) {
    if (v.marks.list().length)
        app.set({ m: v.marks.list().slice(0, 8) });
    return false;       /* the shell copies it */
}

function lane_key(act) {
    const id = v.names_column.lane_of(document.activeElement);
    if (id === null)
        return false;
    act(id);
    return true;
}

const keys = [
    { key: ['W', 'S'], does: 'zoom in / out', group: 'move', run: (a, e, i) => zoom(i ? ZOOM : 1 / ZOOM) },
    { key: ['A', 'D'], does: 'pan left / right', group: 'move', run: (a, e, i) => pan(i ? PAN : -PAN) },
    { key: 'F', does: 'to the selection', group: 'move', run: fit_selection },
    { key: '0', does: 'whole trace', group: 'move', run: () => set_window(0, whole_end(), { push: true }) },
    { key: ['\u2192', '\u2190'], does: 'next / previous record', group: 'move',
      run: (a, e, i) => { walk(i ? 0 : 1); } },
    { key: ['\u2191', '\u2193'], does: 'up / down a depth', group: 'move', run: (a, e, i) => { walk(i ? 3 : 2); } },
    { key: ['N', 'P'], does: 'next / previous difference', group: 'move', run: (a, e, i) => {
        if (!(i && lane_key((id) => v.on_lane.pin(id))))
            step_difference(i ? -1 : 1);
    } },
    { key: 'X', does: 'ruler: time, ticks', group: 'move', run: toggle_ruler },
    { key: 'C', does: 'colour by name, module, duration', group: 'move', run: cycle_colour },
    { key: 'B', does: 'the other run', group: 'move', run: () => other_side() },
    { key: ['Enter', 'Shift Enter'], does: 'next / previous hit', group: 'find',
      run: (a, e, i) => go_hit(v.hit_at < 0 ? (i ? -1 : 0) : v.hit_at + (i ? -1 : 1)) },
    { key: 'L', does: 'filter lanes', group: 'find', run: filter_lanes },
    { key: '.', does: 'same function', group: 'find', run: same_function },
    { key: 'O', does: 'follow a link', group: 'find', run: follow_first },
    { key: ['M', 'Shift M'], does: 'mark here / with a note', group: 'keep', run: (a, e, i) => { add_mark(i === 1); } },
    { key: '\'', does: 'to a mark: \u2019 then its letter', group: 'keep', run: wait_for_letter },
    { key: 'Y', does: 'copy link with the marks', group: 'keep', hidden: true, run: share_link },
    { key: 'E', does: 'export what is shown', group: 'keep', run: (a) => save_part(a, v) },
    { key: 'Shift E', does: 'fold or show the panel', group: 'keep', run: () => fold_panel() },
];

function other_side() {
    if (v.app.open.sides.length < 2) {
        v.app.remark('There is one side only.');
        return;
    }
    const tick = v.clock.has_ticks ? v.clock.tick_at((v.win[0] + v.win[1]) / 2) : null;
    v.app.set({ side: v.side ? null : 1, sel: null, range: null, t: null, tick }, { push: true });
}

/* ---- mounting ---- */

function fold_panel() {
    v.root.classList.toggle('folded');
    v.root.style.setProperty('--panel-height', v.root.classList.contains('folded') ? '0px'
                                                                                  : `${v.panel_height}px`);
}

function resize_panel(height) {
    v.panel_height = Math.max(80, Math.min(Math.round(innerHeight * 0.6), Math.round(height)));
    v.root.style.setProperty('--panel-height', `${v.panel_height}px`);
    v.splitter.setAttribute('aria-valuenow', String(v.panel_height));
}

function build_splitter(el) {
    const node = el('div', { class: 'splitter', role: 'separator', tabindex: '0', 'aria-orientation': 'horizontal',
        'aria-label': 'height of the selection panel', 'aria-valuenow': DEFAULT_PANEL, 'aria-valuemin': 80,
        'aria-valuemax': 1000 });
    node.addEventListener('keydown', (event) => {
        const step = { ArrowUp: 24, ArrowDown: -24 }[event.key];
        if (step) {
            resize_panel(v.panel_height + step);
            event.preventDefault();
            event.stopPropagation();
        }
    });
    node.addEventListener('pointerdown', (event) => {
        const start = { y: event.clientY, height: v.panel_height };
        const move = (e) => v && resize_panel(start.height + start.y - e.clientY);
        node.setPointerCapture(event.pointerId);
        node.addEventListener('pointermove', move);
        node.addEventListener('pointerup', () => node.removeEventListener('pointermove', move), { once: true });
    });
    node.addEventListener('dblclick', fold_panel);
    return node;
}

function side_buttons(app) {
    const { el } = app;
    if (app.open.sides.length < 2)
        return el('span', { text: app.open.sides[v.side].kind === 'run' ? 'whole run' : 'whole trace' });
    return el('span', { class: 'sides' }, app.open.sides.map((side, i) => el('button', { type: 'button',
        class: 'btn small', 'aria-pressed': String(i === v.side), text: app.visible(side.name, 14),
        title: i ? 'actual (B)' : 'expected (B)', onclick: () => i !== v.side && other_side() })));
}

function build(root, app) {
    const { el, fill } = app;
    v.mini = el('canvas', { class: 'minimap', role: 'img', 'aria-label': 'the whole, records over time' });
    v.about = el('span', { class: 'num' });
    v.ruler = el('canvas', { class: 'ruler', 'aria-hidden': 'true' });
    v.base = el('canvas', { class: 'base', role: 'img', tabindex: '0', 'aria-label': 'timeline' });
    v.over = el('canvas', { class: 'over', 'aria-hidden': 'true' });
    v.tip = el('div', { class: 'tip', hidden: true });
    v.left = el('span', { class: 'left' });
    v.filter = el('input', { type: 'search', class: 'field filter', 'aria-label': 'filter lanes by name or pen',
        placeholder: 'name or pen', hidden: true, value: app.state.filter || '' });
    v.names_column = make_names_column(app, v.on_lane);
    v.draw = el('div', { class: 'draw' }, v.base, v.over, v.tip);
    v.scroll = el('div', { class: 'lanes' }, v.names_column.root, v.draw);
    v.panel = make_panel(app, { follow, hit: go_hit, span: (n) => v.clock.is_tick_axis ? '\u2013' : app.format.ns(n),
        place: (hit) => hit.text ? app.visible(hit.text, 60) : app.format.place(hit.begin) });
    v.splitter = build_splitter(el);
    fill(root,
        el('div', { class: 'mini' }, el('div', { class: 'l' }, side_buttons(app), el('br'), v.about), v.mini),
        el('div', { class: 'rule' }, el('div', { class: 'l' }, v.left, v.filter,
            el('button', { type: 'button', class: 'filter-button', title: 'filter lanes (L)',
                           'aria-label': 'filter lanes', text: '\u2261', onclick: filter_lanes })),
        v.ruler),
        v.scroll, v.splitter, v.panel.root);
    v.filter.addEventListener('input', () => app.set({ filter: v.filter.value || null }));
    v.filter.addEventListener('blur', () => {
        if (!v.filter.value) {
            v.filter.hidden = true;
            v.left.hidden = false;
        }
    });
    v.filter.addEventListener('keydown', (event) => {
        if (event.key === 'Enter' || event.key === 'Escape') {
            if (event.key === 'Escape')
                app.set({ filter: null });
            v.filter.value = app.state.filter || '';
            v.base.focus();
            event.stopPropagation();
        }
    });
    v.scroll.addEventListener('scroll', () => {
        v.moved_at = 0;
        schedule();
    }, { passive: true });
}

function relayout() {
    const { app } = v;
    const lanes = v.lanes.layout(app.state.lanes || [], app.state.filter || '', (pen) => app.pen_of(pen).name);
    v.names_column.render(lanes);
    v.drawn = null;
    schedule();
}

/* What a lane's name can do; ids are tracks. */
function lane_acts() {
    const then = (act) => (...args) => {
        act(...args);
        relayout();
    };
    return {
        fold: then((id) => v.lanes.fold(id)),
        pin: then((id) => v.lanes.pin(id)),
        move: then((id, step) => v.lanes.move(id, step)),
        resize: then((id, height) => v.lanes.resize(id, height)),
        hide: (id) => v.app.set({ lanes: [...(v.app.state.lanes || []), id] }, { push: true }),
    };
}

/* What a pointer can do; times are relative. */
function pointer_acts() {
    return {
        frame: () => v.frame, window: () => v.win, set_window,
        zoom: (factor, at) => zoom(factor, at),
        hover(time, x, y) {
            v.pointer_time = time;
            show_tip(time === null ? null : hit_test(v.frame, x, y), x, y);
        },
        range: (range) => {
            v.range = range;
            schedule();
        },
        range_done: (range) => set_range(range),
        click(x, y) {
            const hit = hit_test(v.frame, x, y);
            if (hit && hit.item && hit.item.kind !== 'counter') {
                v.item = hit.item;
                v.is_walking = true;
                select(hit.item.src, hit.item.seq);
                v.is_walking = false;
                v.app.announce(item_words(hit.item).join(', '));
            } else
                v.app.set({ sel: null, range: null }, { push: true });
        },
        go_whole: (share) => center(share * whole_end()),
        brush: (from, to) => set_window(from * whole_end(), to * whole_end()),
    };
}

function item_words(item) {
    const { format } = v.app;
    const tick = v.clock.has_ticks ? v.clock.tick_at(item.begin) : null;
    const where = tick === null ? format.place(item.begin) : `${v.is_frames ? 'frame' : 'tick'} ${tick}`;
    if (item.kind === 'counter')
        return [item.min === item.max ? format.figure(item.mean)
            : `${format.figure(item.min)} to ${format.figure(item.max)}, mean ${format.figure(item.mean)}`, where];
    const many = item.many > 0 ? `about ${format.count(2 ** item.many)} in this pixel, the longest shown` : '';
    const length = item.kind === 'slice' && !v.clock.is_tick_axis && !item.goes_on && !item.before
        ? format.ns(item.end - item.begin) : '';
    return [v.app.visible(name_of(item)), [length, item.kind === 'slice' ? `depth ${item.row + 1}` : '']
        .filter(Boolean).join(' \u00b7 '), [where, many].filter(Boolean).join(' \u00b7 ')].filter(Boolean);
}

function show_tip(hit, x, y) {
    const { el, fill } = v.app;
    v.draw.classList.toggle('over-item', Boolean(hit && hit.item));
    if (!hit || !hit.item) {
        v.tip.hidden = true;
        return;
    }
    const [first, ...rest] = item_words(hit.item);
    const title = hit.item.kind === 'counter' ? v.app.visible(hit.lane.track.name) : first;
    fill(v.tip, el('b', { text: title }), hit.item.kind === 'counter'
        ? el('div', { class: 'mono', text: first + (hit.lane.track.unit ? ` ${hit.lane.track.unit}` : '') }) : null,
        rest.map((text, i) => el('div', { class: i ? 'dim' : 'mono', text })));
    v.tip.hidden = false;
    const wide = Math.min(300, v.tip.offsetWidth), high = v.tip.offsetHeight;
    v.tip.style.setProperty('left', `${Math.max(4, Math.min(v.width - wide - 4, x + 14))}px`);
    v.tip.style.setProperty('top', `${y + 18 + high > v.height ? Math.max(0, y - high - 10) : y + 18}px`);
}

function take_data({ tracks, clock, ticks }) {
    v.tracks = tracks;
    v.clock = clock;
    v.lanes.set_tracks(tracks);
    v.is_frames = clock.is_tick_axis && !ticks && v.app.open.sources.filter((s) => s.side === v.side)
        .every((s) => s.pen === 'aerogpu');
    const side = v.app.open.sides[v.side];
    const count = side.ticks ? `${v.app.format.count(side.ticks[1] - side.ticks[0] + 1)} ` +
        `${v.is_frames ? 'frames' : 'ticks'}` : '';
    v.about.textContent = [count, clock.is_tick_axis ? '' : v.app.format.ns(clock.length)]
        .filter(Boolean).join(' \u00b7 ');
}

function read_state(app) {
    v.win = window_from_state(app);
    const { range } = app.state;
    v.range = range ? [v.clock.rel(range.from), v.clock.rel(range.to)] : null;
}

async function load(reveal) {
    const mine = v, { app } = v;
    try {
        const data = await app.tracks(v.side);
        if (!is_mounted(mine))
            return;
        const is_first = !v.clock;
        const was_whole = !app.state.t;
        take_data(data);
        if (is_first || was_whole)
            read_state(app);
        if (is_first) {
            v.marks = make_marks(app.open.sides[v.side].fingerprint || 'none', app.state.m);
            relayout();
            if (app.state.tick !== undefined && !app.state.t)
                go_tick_quietly(app.state.tick);
            load_record(reveal && !app.state.t);
            load_hits();
            if (v.range)
                load_sum(true);
        } else
            relayout();
    } catch (failure) {
        if (is_mounted(mine))
            app.show_failure(v.root, failure);
    }
}

function go_tick_quietly(tick) {
    const range = v.clock.tick_range(tick);
    if (!range)
        return;
    const margin = (range[1] - range[0]) * 0.6;
    v.win = clamp_window(range[0] - margin, range[1] + margin);
    v.app.set({ t: window_of(v.clock, v.win), range: v.app.state.range || window_of(v.clock, range) });
}

function mount(root, app) {
    v = { app, root, side: app.side(), clock: null, win: [0, 1], range: null, item: null, record: null, flows: [],
          hits: null, hit_at: -1, hit_count: 0, matching: null, lanes: make_lanes(), raster: make_raster(),
          tracks: [], marks: make_marks('none', null), width: 0, height: 0, times: [], pending: false,
          panel_height: DEFAULT_PANEL, pointer_time: null, moved_at: 0, sum_key: '', on_lane: null };
    const mine = v;
    v.on_lane = lane_acts();
    v.cache = make_tile_cache({ fetch: (body) => app.api.bytes('tiles', body),
        base_of: () => mine.clock.base, on_tiles: () => {
            if (!is_mounted(mine))
                return;
            v.drawn = null;
            schedule();
        }, generation: () => app.open.generation });
    v.film = make_film(app, () => {
        if (is_mounted(mine)) {
            v.drawn = null;
            schedule();
        }
    });
    theme_look();
    build(root, app);
    v.observer = new ResizeObserver(() => {
        if (!is_mounted(mine))
            return;
        v.width = v.draw.clientWidth;
        v.height = v.scroll.clientHeight;
        v.draw.style.setProperty('--view-height', `${v.height}px`);
        v.drawn = null;
        schedule();
    });
    v.observer.observe(v.scroll);
    v.detach = attach_pointer({ draw: v.draw, ruler: v.ruler, mini: v.mini }, pointer_acts());
    load(true);
    root.timeline_probe = { times: v.times, cache: v.cache, frame: () => mine.frame };
}

function update(app, changed) {
    if (!v)
        return;
    if (changed.has('side') && app.side() !== v.side) {
        unmount();
        app.fill(document.getElementById('main'));
        mount(document.getElementById('main'), app);
        return;
    }
    if (changed.has('open')) {
        load(false);
        return;
    }
    if (!v.clock)
        return;
    if (changed.has('theme'))
        theme_look();
    if (changed.has('t') || changed.has('range')) {
        read_state(app);
    }
    if (changed.has('range'))
        load_sum(true);
    if (changed.has('lanes') || changed.has('filter')) {
        v.filter.value = app.state.filter || '';
        relayout();
    }
    if (changed.has('q'))
        load_hits();
    if (changed.has('sel'))
        load_record(!v.is_walking && !changed.has('t'));
    if (changed.has('tick') && app.state.tick !== undefined && !changed.has('t') && !changed.has('view'))
        go_tick_quietly(app.state.tick);
    v.drawn = null;
    schedule();
}

function unmount() {
    if (!v)
        return;
    v.observer.disconnect();
    v.detach();
    clearTimeout(v.still);
    clearTimeout(v.sum_wait);
    for (const kind of ['sum', 'find', 'film'])
        v.app.api.cancel(kind);
    delete v.root.timeline_probe;
    v = null;
}

export default {
    id: 'timeline', title: 'Timeline', key: '2',
    missing: (open) => open.sources.every((s) => s.error) ? 'No trace could be opened.' : null,
    mount, update, unmount, keys,
};

