/* tile_cache.js - tiles of a timeline: parsed once, kept within a budget, requested a batch a time. */

const MAGIC = 0x314c5452;           /* "RTL1" */
const HEADER = 48;
export const BUCKETS = 1024;
const X_PER_BUCKET = 64;
const BUDGET = 96 * 1024 * 1024;
const BATCH = 256;
const PAUSE_MS = 30;
const RETRY_MS = 1000;
const ANCESTORS = 24;
export const KIND = { slice: 1, counter: 2, instant: 3, film: 4 };
export const TILE = { partial: 1, coarser: 2, lossy: 4 };
export const ITEM = { before: 1, goes_on: 2, exact: 4 };

function key_of(track, shift, index) {
    return `${track},${shift},${index}`;
}

/* The tiles of an answer, one after the other; throws where the bytes are not tiles. `base` is the
 * begin of the side: places become relative to it. */
export function parse_tiles(buffer, base_of) {
    const found = [];
    for (let at = 0; at < buffer.byteLength;) {
        const head = new DataView(buffer, at);
        if (head.byteLength < HEADER || head.getUint32(0, true) !== MAGIC)
            throw new RangeError('not a tile');
        const size = head.getUint32(4, true);
        if (size < HEADER || size > head.byteLength)
            throw new RangeError('a tile is cut');
        found.push(parse_tile(buffer.slice(at, at + size), base_of));
        at += size;
    }
    return found;
}

function parse_tile(bytes, base_of) {
    const head = new DataView(bytes);
    const track = head.getUint32(8, true), shift = head.getInt32(12, true);
    const index = head.getBigUint64(16, true);
    const rows = head.getUint32(36, true), items = head.getUint32(40, true);
    const table = (rows + 1) * 4;
    const first = HEADER + Math.ceil(table / 16) * 16;
    if (rows > bytes.byteLength / 4 || first + items * 16 > bytes.byteLength || shift < 0 || shift > 63)
        throw new RangeError('a tile is cut');
    const body = bytes.slice(first, first + items * 16);
    const bucket = 2 ** shift;
    return {
        track, shift, index, bucket,
        start: Number(((index * BigInt(BUCKETS)) << BigInt(shift)) - base_of(track)),
        unit: bucket / X_PER_BUCKET,
        seq_base: head.getBigUint64(24, true),
        kind: head.getUint16(32, true), flags: head.getUint16(34, true),
        rows, items, generation: head.getUint32(44, true),
        row_first: new Uint32Array(bytes.slice(HEADER, HEADER + table)),
        u8: new Uint8Array(body), u16: new Uint16Array(body), u32: new Uint32Array(body),
        f32: new Float32Array(body),
        size: bytes.byteLength,
    };
}

function request_body(wanted) {
    const view = new DataView(new ArrayBuffer(wanted.length * 16));
    wanted.forEach(({ track, shift, index }, i) => {
        view.setUint32(i * 16, track, true);
        view.setInt32(i * 16 + 4, shift, true);
        view.setBigUint64(i * 16 + 8, index, true);
    });
    return new Uint8Array(view.buffer);
}

/*
 * A cache. `fetch(body)` gives the ArrayBuffer of a request, `base_of(track)` the begin of its side,
 * `on_tiles()` is called when tiles have arrived, `generation()` tells the newest.
 *
 * A frame calls begin(), then get() for each tile that it draws and near() for those that are likely
 * to be next, then end(), which asks for what is missing: the visible ones first.
 */
export function make_tile_cache({ fetch, base_of, on_tiles, generation }) {
    const tiles = new Map();        /* in order of use, the oldest first */
    const failed = new Map();       /* key -> when it may be asked for again */
    let bytes = 0, in_flight = false, last_sent = 0, timer = null;
    let visible_wants = new Map(), other_wants = new Map();
    const stats = { requests: 0, tiles: 0, drawn: 0, missing: 0 };

    function keep(key, tile) {
        const old = tiles.get(key);
        if (old) {
            bytes -= old.size;
            tiles.delete(key);
        }
        tiles.set(key, tile);
        bytes += tile.size;
        for (const [oldest, one] of tiles) {
            if (bytes <= BUDGET)
                break;
            tiles.delete(oldest);
            bytes -= one.size;
        }
    }

    function is_stale(tile) {
        return (tile.flags & TILE.partial) !== 0 && tile.asked !== generation();
    }

    function touch(key) {
        const tile = tiles.get(key);
        if (tile) {
            tiles.delete(key);
            tiles.set(key, tile);
        }
        return tile || null;
    }

    function want(wants, key, track, shift, index) {
        const again = failed.get(key);
        if (again === undefined || again < Date.now())
            wants.set(key, { key, track, shift, index });
    }

    function get(track, shift, index) {
        const key = key_of(track, shift, index);
        const tile = touch(key);
        if (!tile || is_stale(tile))
            want(visible_wants, key, track, shift, index);
        return tile;
    }

    /* Ask for it after the visible ones. */
    function near(track, shift, index) {
        const key = key_of(track, shift, index);
        const tile = tiles.get(key);
        if (!tile || is_stale(tile))
            want(other_wants, key, track, shift, index);
    }

    /* The nearest coarser tile that covers the place, or null; asks for nothing. */
    function ancestor(track, shift, index) {
        for (let up = 1; up <= ANCESTORS; up++) {
            const tile = touch(key_of(track, shift + up, index >> BigInt(up)));
            if (tile)
                return tile;
        }
        return null;
    }

    function take(wanted, buffer, asked) {
        const found = parse_tiles(buffer, base_of);
        if (found.length !== wanted.length)
            throw new RangeError(`${found.length} tiles for ${wanted.length} requests`);
        found.forEach((tile, i) => {
            tile.asked = asked;
            keep(wanted[i].key, tile);
        });
        stats.tiles += found.length;
    }

    async function send(wanted) {
        in_flight = true;
        last_sent = performance.now();
        stats.requests++;
        const asked = generation();
        try {
            take(wanted, await fetch(request_body(wanted)), asked);
        } catch (failure) {
            if (!failure.cancelled)
                wanted.forEach(({ key }) => failed.set(key, Date.now() + RETRY_MS));
        }
        in_flight = false;
        on_tiles();
    }

    function end() {
        if (in_flight || timer !== null)
            return;
        const wants = visible_wants.size ? visible_wants : other_wants;
        if (!wants.size)
            return;
        const wait = last_sent + PAUSE_MS - performance.now();
        if (wait > 0) {
            timer = setTimeout(() => {
                timer = null;
                end();
            }, wait);
            return;
        }
        send([...wants.values()].slice(0, BATCH));
    }

    return {
        begin() {
            visible_wants = new Map();
            other_wants = new Map();
        },
        get, near, ancestor, end, stats,
        /* Without asking: for hit tests. */
        peek: (track, shift, index) => tiles.get(key_of(track, shift, index)) || null,
        is_settled: () => !in_flight && timer === null && visible_wants.size === 0,
        clear() {
            tiles.clear();
            failed.clear();
            bytes = 0;
        },
        bytes: () => bytes,
    };
}
