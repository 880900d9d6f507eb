/* timeline_draw.js - a frame of the timeline: which tiles, how they look, what lies under a pointer. */
import { pen_of } from './pens.js';
import { banded, item_at, make_scale, paint_counter, paint_instants, paint_slices, x_of } from './raster.js';
import { BUCKETS, ITEM, KIND, TILE } from './tile_cache.js';

const LABEL_LEAST = 26;
const LABELS_MOST = 400;
const FIGURE_LEAST = 46;
const PLACES_MOST = 4096;
const GRID_LEAST = 76;       /* as the ruler's */
const TOP_ROWS = 64;        /* log2 of the longest duration that has a colour of its own */
const PAINTED = new Set(['slice', 'counter', 'instant', 'film']);

/* Indexes of the tiles of a window, first and last. */
function tile_range(clock, shift, from, to) {
    const size = BigInt(BUCKETS) << BigInt(shift);
    const low = clock.abs(Math.max(0, from)), high = clock.abs(Math.max(0, to));
    return [low / size, high / size];
}

/* Call each(tile, clip) for all tiles that show a track in a window; what is missing is shown by the
 * nearest coarser one. */
export function each_tile(frame, track, each) {
    const { cache, clock, scale } = frame;
    const [first, last] = tile_range(clock, scale.shift, scale.from, scale.to);
    const size = BUCKETS * 2 ** scale.shift;
    let missing = 0;
    for (let index = first; index <= last; index++) {
        const start = Number(((index * BigInt(BUCKETS)) << BigInt(scale.shift)) - clock.base);
        const clip = [Math.max(0, x_of(scale, start)), Math.min(scale.width, x_of(scale, start + size))];
        let tile = cache.get(track, scale.shift, index);
        if (!tile) {
            missing++;
            tile = cache.ancestor(track, scale.shift, index);
        }
        if (tile)
            each(tile, clip);
    }
    return missing;
}

/* Tiles that are likely to be next: left, right, and the level above. */
function prefetch(frame, track) {
    const { cache, clock, scale } = frame;
    const [first, last] = tile_range(clock, scale.shift, scale.from, scale.to);
    const end = clock.abs(clock.length) / (BigInt(BUCKETS) << BigInt(scale.shift));
    const begin = clock.base / (BigInt(BUCKETS) << BigInt(scale.shift));
    if (first > begin)
        cache.near(track, scale.shift, first - 1n);
    if (last < end)
        cache.near(track, scale.shift, last + 1n);
    for (let index = first >> 1n; index <= last >> 1n; index++)
        cache.near(track, scale.shift + 1, index);
}

/* What tables a look needs: by name, module, duration or difference. */
function make_look(frame) {
    const { colours, names, by, matching } = frame;
    const tables = { duration: colours.heats, difference: colours.greys };
    const is_dim = matching ? (id) => !matching(id) : null;
    const module_fill = new Map();
    return {
        fills: tables[by] || colours.fills, dims: colours.dims, is_dim, paper: colours.paper,
        by_duration: by === 'duration',
        duration_fill: (units) => Math.max(0, Math.min(7,
            Math.floor((Math.log2(units + 1) / TOP_ROWS) * 14))),
        fill_of: by === 'module' ? (id) => {
            if (!module_fill.has(id))
                module_fill.set(id, frame.module_fill(names.get(id)));
            return module_fill.get(id);
        } : (id) => names.fill(id),
    };
}

/* Low and high end of a counter's lane: of the whole track, so that it does not change by panning. */
export function counter_limits(track) {
    let low = track.min ?? 0, high = track.max ?? 1;
    if (low >= 0 && low <= high * 0.6)
        low = 0;
    else
        low -= (high - low) * 0.15 || Math.abs(low) * 0.1;
    if (!(high > low))
        high = low + 1;
    return { low, high };
}

/* By difference: what paints a lane in the colours of its line's differences, column by column. */
function difference_look(frame, lane) {
    const { raster, colours } = frame;
    const levels = frame.by === 'difference' ? frame.levels_of(lane.track.pen) : null;
    return levels ? { levels, parts: colours.parts, rect: banded(raster, levels, colours.parts) } : {};
}

function paint_counter_lane(frame, lane, y, pen) {
    const { raster, scale, dpr, cache, clock } = frame;
    const track = lane.track.track;
    const bottom = Math.round((y + lane.height - 2) * dpr);
    const room = Math.max(2, Math.round((lane.height - 12) * dpr));
    const look = { ...counter_limits(lane.track), ...pen };
    let carry = value_before(cache, clock, track, scale);
    return each_tile(frame, track, (tile, clip) => {
        if (tile.kind === KIND.counter)
            carry = paint_counter(raster, tile, scale, { clip, top: 0, bottom: raster.size()[1],
                bottom_y: bottom, room, stroke: Math.max(1, Math.round(1.5 * dpr)) }, look, carry);
    });
}

/* The value that holds at the left edge: the last one before it in any coarser tile that is here. */
function value_before(cache, clock, track, scale) {
    const [first] = tile_range(clock, scale.shift, scale.from, scale.to);
    const start = Number(((first * BigInt(BUCKETS)) << BigInt(scale.shift)) - clock.base);
    for (let up = 0; up < 44; up++) {
        const index = (first - (up === 0 ? 1n : 0n)) >> BigInt(up);
        if (index < 0n)
            continue;
        const tile = cache.peek(track, scale.shift + up, index);
        if (!tile)
            continue;
        let held = null;
        for (let i = 0; i < tile.items && tile.start + tile.u16[i * 8] * tile.unit < start; i++)
            held = tile.f32[i * 4 + 3];
        if (held !== null)
            return held;
    }
    return null;
}

function paint_lane(frame, lane, y, look) {
    const { raster, scale, dpr, colours } = frame;
    const how = difference_look(frame, lane);
    const pen = { ...(how.levels ? colours.grey : colours.pen(pen_of(lane.track.pen).hue)), ...how };
    const common = { top: 0, bottom: raster.size()[1], dpr };
    if (lane.track.kind === 'counter')
        return paint_counter_lane(frame, lane, y, pen);
    if (lane.track.kind === 'instant')
        return each_tile(frame, lane.track.track, (tile, clip) => paint_instants(raster, tile, scale,
            { ...common, clip, pen: lane.track.pen, middle: Math.round((y + lane.height / 2) * dpr),
              half: Math.round((lane.height / 2 - 5) * dpr) }, { ...pen, is_dim: look.is_dim }));
    const is_film = lane.track.kind === 'film';
    const place = { ...common, y: Math.round((y + (is_film ? lane.height - 7 : lane.pad)) * dpr),
                    row: (is_film ? 6 : lane.row) * dpr,
                    rows: lane.is_folded || is_film ? 1 : Math.max(1, lane.track.rows) };
    return each_tile(frame, lane.track.track, (tile, clip) =>
        paint_slices(raster, tile, scale, { ...place, clip }, { ...look, ...how }));
}

/* Lines of ticks where they are wide enough to be told apart. */
function paint_grid(frame) {
    const { raster, scale, dpr, colours, clock } = frame;
    const [, height] = raster.size();
    for (const x of tick_places(clock, scale, GRID_LEAST * dpr))
        raster.rect(x.x, x.x + 1, 0, height, colours.line);
}

/*
 * Ticks of the window that are worth a line: [{tick, x, every}]. A tick that is a multiple of 1, 2, 5, 10, ... is
 * one if the next such multiple is `least` pixels away: whether it is does not depend on the window, so that
 * panning changes nothing, also where ticks are of very different lengths.
 */
export function tick_places(clock, scale, least) {
    if (!clock.has_ticks)
        return [];
    const first = clock.tick_at(Math.max(0, scale.from)) ?? clock.ticks.first, last = clock.tick_at(scale.to);
    if (last === null || last < first)
        return [];
    const found = new Map();
    for (let every = 1; every <= (last - first + 1) * 10; every = nice_step(every * 1.01)) {
        if ((last - first) / every > PLACES_MOST)
            continue;
        for (let tick = Math.ceil(first / every) * every; tick <= last; tick += every) {
            const range = clock.tick_begin(tick), next = clock.tick_begin(tick + every) ?? clock.length;
            if (range !== null && next - range >= least * scale.step)
                found.set(tick, { tick, x: x_of(scale, range), every });
        }
    }
    return [...found.values()].sort((a, b) => a.tick - b.tick);
}

/* 1, 2, 5, 10, 20, ... at least `value`. */
export function nice_step(value) {
    if (value <= 1)
        return 1;
    const power = 10 ** Math.floor(Math.log10(value));
    return [1, 2, 5, 10].map((m) => m * power).find((s) => s >= value);
}

/* Paint all lanes in view; returns how many tiles are missing. */
export function paint_frame(frame) {
    const { raster, scale, dpr, colours, lanes, scroll, height, range } = frame;
    raster.resize(scale.width, Math.max(1, Math.round(height * dpr)));
    raster.clear(colours.paper);
    if (range)
        raster.rect(x_of(scale, range[0]), Math.max(x_of(scale, range[0]) + 1, x_of(scale, range[1])), 0,
            raster.size()[1], colours.range);
    paint_grid(frame);
    const look = make_look(frame);
    let missing = 0;
    frame.cache.begin();
    for (const lane of lanes) {
        const y = lane.y - scroll;
        if (y + lane.height <= 0 || y >= height)
            continue;
        if (PAINTED.has(lane.track.kind))
            missing += paint_lane(frame, lane, y, look);
        const under = Math.round((y + lane.height) * dpr) - 1;
        raster.rect(0, scale.width, under, under + 1, colours.line);
    }
    for (const lane of lanes) {
        const y = lane.y - scroll;
        if (y + lane.height > 0 && y < height && PAINTED.has(lane.track.kind))
            prefetch(frame, lane.track.track);
    }
    return missing;
}

/* Slices that are wide enough for their name, the widest first: {lane, row, x0, x1, name}. Pieces of
 * one slice in neighbouring tiles are one. */
export function collect_labels(frame) {
    const { scale, dpr, lanes, scroll, height } = frame;
    const pieces = new Map();
    for (const lane of lanes) {
        const y = lane.y - scroll;
        if (lane.track.kind !== 'slice' || y + lane.height <= 0 || y >= height || lane.row < 11)
            continue;
        each_tile(frame, lane.track.track, (tile, clip) => collect_of(tile, clip, scale, dpr, lane, pieces));
    }
    return [...pieces.values()].filter((p) => p.x1 - p.x0 >= LABEL_LEAST * dpr)
        .sort((p, q) => (q.x1 - q.x0) - (p.x1 - p.x0)).slice(0, LABELS_MOST);
}

function collect_of(tile, clip, scale, dpr, lane, pieces) {
    if (tile.kind !== KIND.slice)
        return;
    const a = tile.start / scale.step - scale.origin, b = tile.unit / scale.step;
    const rows = lane.is_folded ? 1 : tile.rows;
    for (let row = 0; row < Math.min(rows, tile.rows); row++)
        for (let i = tile.row_first[row]; i < tile.row_first[row + 1]; i++) {
            const flags = tile.u8[i * 16 + 15];
            const x0 = Math.max(clip[0], Math.floor(a + tile.u16[i * 8] * b));
            const x1 = Math.min(clip[1], Math.floor(a + (tile.u16[i * 8] + tile.u16[i * 8 + 1]) * b));
            const wide = x1 - x0;
            if (wide < 1 || (wide < LABEL_LEAST * dpr && !(flags & (ITEM.before | ITEM.goes_on))))
                continue;
            const seq = tile.seq_base + BigInt(tile.u32[i * 4 + 2]);
            const key = `${lane.track.track},${row},${seq}`;
            const known = pieces.get(key);
            if (known) {
                known.x0 = Math.min(known.x0, x0);
                known.x1 = Math.max(known.x1, x1);
            } else
                pieces.set(key, { lane, row, x0, x1, name: tile.u32[i * 4 + 1] });
        }
}

/* Places of a lane's items in the window, in order, with what may be written beside them. */
function placed_items(frame, lane) {
    const { scale } = frame, found = [];
    each_tile(frame, lane.track.track, (tile, clip) => {
        const a = tile.start / scale.step - scale.origin, b = tile.unit / scale.step;
        const is_counter = tile.kind === KIND.counter;
        for (let i = 0; i < tile.items; i++) {
            const x = Math.floor(a + tile.u16[i * 8] * b);
            if (x < clip[0] || x >= clip[1])
                continue;
            const is_one = is_counter ? tile.f32[i * 4 + 1] === tile.f32[i * 4 + 2] : tile.u8[i * 16 + 15] >> 3 === 0;
            found.push(is_counter ? { x, is_one, value: tile.f32[i * 4 + 3] }
                                  : { x, is_one, name: tile.u32[i * 4 + 1] });
        }
    });
    return found;
}

/* Values of counters and names of instants where the next one is far enough: {lane, x, room, value or name}. */
export function collect_figures(frame) {
    const { scale, dpr, lanes, scroll, height } = frame;
    const found = [];
    for (const lane of lanes) {
        const y = lane.y - scroll, { kind } = lane.track;
        if ((kind !== 'counter' && kind !== 'instant') || lane.is_folded || y + lane.height <= 0 || y >= height)
            continue;
        const items = placed_items(frame, lane);
        items.forEach((item, i) => {
            const room = ((i + 1 < items.length ? items[i + 1].x : scale.width) - item.x) / dpr;
            if (item.is_one && room >= FIGURE_LEAST && found.length < LABELS_MOST)
                found.push({ ...item, lane, x: item.x / dpr, room });
        });
    }
    return found;
}

/* What is at a point of the lanes (CSS pixels from their left upper corner), or null. */
export function hit_test(frame, x, y) {
    const { lanes, scale, scroll, dpr, clock, cache } = frame;
    const lane = lanes.find((l) => y + scroll >= l.y && y + scroll < l.y + l.height);
    if (!lane)
        return null;
    const time = (x * dpr + scale.origin + 0.5) * scale.step;
    const row = lane.track.kind === 'slice' && !lane.is_folded
        ? Math.floor((y + scroll - lane.y - lane.pad) / lane.row) : 0;
    const place = { lane, row, time };
    if (!PAINTED.has(lane.track.kind) || row < 0 || time < 0)
        return { ...place, item: null };
    const index = clock.abs(time) / (BigInt(BUCKETS) << BigInt(scale.shift));
    const tile = cache.peek(lane.track.track, scale.shift, index) ||
        cache.ancestor(lane.track.track, scale.shift, index);
    if (!tile)
        return { ...place, item: null };
    const slack = (lane.track.kind === 'slice' ? 2 : 6) * dpr * scale.step;
    const i = item_at(tile, row, time, slack);
    return { ...place, item: i < 0 ? null : read_item(tile, i, lane, row) };
}

/* An item of a tile as an object. */
function read_item(tile, i, lane, row) {
    const begin = tile.start + tile.u16[i * 8] * tile.unit;
    if (tile.kind === KIND.counter)
        return { kind: 'counter', track: lane.track.track, row, begin, min: tile.f32[i * 4 + 1],
                 max: tile.f32[i * 4 + 2], mean: tile.f32[i * 4 + 3], many: tile.u16[i * 8 + 1] };
    const flags = tile.u8[i * 16 + 15];
    return { kind: tile.kind === KIND.instant ? 'instant' : 'slice', track: lane.track.track, row,
             src: lane.track.src, begin, end: begin + tile.u16[i * 8 + 1] * tile.unit,
             name: tile.u32[i * 4 + 1], seq: (tile.seq_base + BigInt(tile.u32[i * 4 + 2])).toString(),
             many: flags >> 3, is_exact: (flags & ITEM.exact) !== 0, goes_on: (flags & ITEM.goes_on) !== 0,
             before: (flags & ITEM.before) !== 0, is_partial: (tile.flags & TILE.partial) !== 0 };
}

/* Records a pixel over the whole side, of all tracks: what the minimap shows. */
export function whole_counts(frame, tracks, width, whole) {
    const scale = make_scale(0, whole, width);
    const counts = new Float64Array(width);
    let missing = 0;
    for (const track of tracks) {
        if (!PAINTED.has(track.kind))
            continue;
        missing += each_tile({ ...frame, scale }, track.track, (tile, clip) => {
            for (let i = 0; i < tile.items; i++) {
                const x = Math.floor((tile.start + tile.u16[i * 8] * tile.unit) / scale.step);
                if (x < clip[0] || x >= clip[1])
                    continue;
                const many = tile.kind === KIND.counter ? tile.u16[i * 8 + 1] : tile.u8[i * 16 + 15] >> 3;
                counts[x] += 2 ** Math.min(40, many);
            }
        });
    }
    return { counts, missing };
}
