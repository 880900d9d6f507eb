/* calls_order.js - calls as they happened: the slices of the thread's timeline, as rectangles of the flame graph. */
import { paint_flame } from './calls_flame.js';
import { BUCKETS, KIND, parse_tiles } from './tile_cache.js';

const ITEM_WORDS = 4;
const X_PER_BUCKET = 64;

/* The track with the calls of a source: the one with most records. */
function track_of(tracks, source) {
    return tracks.filter((t) => t.src === source.src && t.kind === 'slice')
        .sort((a, b) => (b.records || 0) - (a.records || 0))[0] || null;
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

/* Paint the calls of a source, of the selected range or all of it; the rectangles that were painted. */
export async function paint_in_order(app, canvas, source, look) {
    const { tracks, clock } = await app.tracks(source.side);
    const track = track_of(tracks, source);
    if (!track)
        throw new Error('These calls have no times of their own: they were sampled.');
    const from = app.state.range ? app.state.range.from : clock.abs(0);
    const to = app.state.range ? app.state.range.to : clock.abs(clock.length);
    const width = canvas.clientWidth;
    const bytes = await app.api.bytes('tiles', tile_requests(track, from, to, width));
    const tiles = parse_tiles(bytes, () => from);
    const shown = rects_of(tiles, width / Math.max(1, Number(to - from)), app.names(source.side));
    paint_flame(canvas, shown.rects, Math.max(5, shown.rows), { ...look, diff: false, selected: null,
        value: (node) => app.format.ns(node.duration) });
    return shown;
}
