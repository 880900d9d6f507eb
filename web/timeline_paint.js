/* timeline_paint.js - when and in which order the canvases of the Timeline are drawn. */
import { name_hash } from './names.js';
import { make_colours, make_scale } from './raster.js';
import { difference_mode, levels_of } from './timeline_differences.js';
import { collect_figures, collect_labels, paint_frame, whole_counts } from './timeline_draw.js';
import { draw_figures, draw_flags, draw_flows, draw_labels, draw_mark_lines, draw_ring, draw_ruler,
         sized } from './timeline_overlay.js';
import { is_mounted, v, whole_end } from './timeline_state.js';

const RULER = 26;
const MINI = 45;
const DPR_MOST = 2;
const STILL_MS = 80;
const RINGS_MOST = 400;
const RING_LEAST = 5;

export function theme_look() {
    const style = getComputedStyle(document.documentElement);
    const css = (name) => style.getPropertyValue(name).trim();
    v.colours = make_colours(css);
    v.look = { css, sans: css('--sans'), ink: css('--ink'), ink2: css('--ink2'), ink3: css('--ink3'),
               line: css('--line'), accent: css('--accent'), panel: css('--panel'),
               warn: css('--warn'), atf: css('--atf') };
}

function module_fill(name) {
    const parts = /^(.*?)(!|::|\.|_)/.exec(name);
    return name_hash(parts ? parts[1] : name) & 7;
}

/* By what slices are coloured; difference only where there are two sides with ticks. */
function colour_mode() {
    const by = v.app.state.by || 'name';
    return by === 'difference' && !difference_mode() ? 'name' : by;
}

function make_frame() {
    const { app } = v;
    const dpr = Math.min(DPR_MOST, window.devicePixelRatio || 1);
    const width = Math.max(1, Math.round(v.width * dpr));
    return { cache: v.cache, clock: v.clock, raster: v.raster, colours: v.colours, dpr,
             names: app.names(v.side), lanes: v.lanes.list(), scroll: v.scroll.scrollTop,
             width: v.width, height: v.height, range: v.range, matching: v.matching,
             scale: make_scale(v.win[0], v.win[1], width), by: colour_mode(), levels_of, module_fill,
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
    v.root.dataset.settled = String(missing === 0 && v.cache.is_settled() && !v.film.is_busy());
}

export function ruler_mode() {
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
    draw_figures(context, frame, collect_figures(frame), v.look);
    const marks = placed_marks();
    draw_mark_lines(context, frame, marks, v.height, v.look);
    for (const hit of visible_hits(frame))
        draw_ring(context, frame, hit, v.look.warn, 1.5, RING_LEAST);
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

/* Counted again only when tiles have arrived. */
function counts_of(frame, width) {
    const key = `${width},${whole_end()},${v.cache.stats.tiles},${v.app.open.generation}`;
    if (!v.mini_counts || v.mini_counts.key !== key || v.mini_counts.missing)
        v.mini_counts = { key, ...whole_counts(frame, v.tracks, width, whole_end()) };
    return v.mini_counts.counts;
}

function draw_mini(frame) {
    const width = Math.max(1, Math.round(v.mini.clientWidth));
    const counts = counts_of(frame, width);
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
}

export function schedule() {
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

export function say_window() {
    const { app, clock } = v;
    const { format } = app;
    const side = app.open.sides[v.side];
    const width = Math.min(clock.length, v.win[1] - v.win[0]);
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
