/* calls_order.js - calls as they happened: the slices of the threads' timelines, as rectangles of the flame graph. */
import { paint_flame } from './calls_flame.js';
import { BUCKETS, KIND, parse_tiles } from './tile_cache.js';

const ITEM_WORDS = 4;
const X_PER_BUCKET = 64;
const THREADS_MOST = 32;     /* that are painted at once */

/* Tracks with the calls of a source, a thread each; those without calls are left out. */
function threads_of(tracks, source) {
    return tracks.filter((t) => t.src === source.src && t.kind === 'slice' && t.records > 0);
}

function tile_requests(track, from, to, width) {
    const shift = Math.max(0, Math.ceil(Math.log2(Number(to - from) / Math.max(1, width))));
    const span = BigInt(BUCKETS) << BigInt(shift);
    const first = from / span, last = to / span;
    const count = Number(last - first) + 1;
    const body = new DataView(new ArrayBuffer(count * 16));
    for (let i = 0; i < count; i++) {
        body.setUint32(i * 16, track.track, true);
        body.setInt32(i * 16 + 4, shift, true);
        body.setBigUint64(i * 16 + 8, first + BigInt(i), true);
    }
    return new Uint8Array(body.buffer);
}

/* Rectangles of the items of tiles; times are relative to `from`. */
function rects_of(tiles, scale, names) {
    const rects = [];
    let rows = 1;
    for (const tile of tiles) {
        if (tile.kind !== KIND.slice)
            continue;
        for (let i = 0; i < tile.items; i++) {
            const x = tile.start + tile.u16[i * 8] * tile.bucket / X_PER_BUCKET;
            const w = tile.u16[i * 8 + 1] * tile.bucket / X_PER_BUCKET;
            const row = tile.u16[i * 8 + 6];
            const name = names.get(tile.u32[i * ITEM_WORDS + 1]);
            rows = Math.max(rows, row + 1);
            rects.push({ x: x * scale, w: Math.max(0.6, w * scale), row, node: { name: name || '', duration: w } });
        }
    }
    return { rects, rows };
}

/* The rectangles of a thread, from row `row` on; the rows that they take. */
async function thread_rects(app, track, row, { from, to, width, names }) {
    const bytes = await app.api.bytes('tiles', tile_requests(track, from, to, width));
    const tiles = parse_tiles(bytes, () => from);
    const shown = rects_of(tiles, width / Math.max(1, Number(to - from)), names);
    return { rects: shown.rects.map((rect) => ({ ...rect, row: rect.row + row })), rows: shown.rows };
}

/*
 * Paint the calls of a source, of the selected range or all of it; the rectangles that were painted, and the threads
 * that there are; null where it is not wanted any more. Several threads are below each other, each below its name.
 */
export async function paint_in_order(app, canvas, source, look, is_wanted) {
    const { tracks, clock } = await app.tracks(source.side);
    const threads = threads_of(tracks, source);
    if (!threads.length)
        throw new Error('These calls have no times of their own: they were sampled.');
    const from = app.state.range ? app.state.range.from : clock.abs(0);
    const to = app.state.range ? app.state.range.to : clock.abs(clock.length);
    const width = canvas.clientWidth, about = { from, to, width, names: app.names(source.side) };
    const chosen = threads.filter((track) => String(track.track) === app.state.thread);
    const list = chosen.length ? chosen : threads, rects = [];
    let rows = 0;
    for (const track of list.slice(0, THREADS_MOST)) {
        if (list.length > 1)
            rects.push({ x: 0, w: width, row: rows++, title: app.visible(track.name, 80), node: null });
        const one = await thread_rects(app, track, rows, about);
        rects.push(...one.rects);
        rows += one.rows;
    }
    if (list.length > THREADS_MOST)
        rects.push({ x: 0, w: width, row: rows++, node: null,
                     title: `${app.format.plural(list.length - THREADS_MOST, 'more thread')}: choose one above` });
    if (!is_wanted())
        return null;
    paint_flame(canvas, rects, Math.max(5, rows), { ...look, diff: false, selected: null,
        is_dim: (rect) => !rect.title && look.is_dim(rect), value: (node) => app.format.ns(node.duration) });
    return { rects, rows, threads };
}
