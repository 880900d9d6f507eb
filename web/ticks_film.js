/* ticks_film.js - positions of ticks (docs/view-protocol.md "Ticks"), fetched by 240 and kept in memory. */

const MAGIC = 0x314b5452;   /* "RTK1" */
const HEAD_SIZE = 40;
export const TICKS_OF_A_REEL = 240;
const REELS_KEPT = 12;
export const ACTIVE = 1;
const HEADED = 2;
const SIZED = 4;

function read_item(data, at) {
    const flags = data.getUint8(at + 33);
    const item = {
        id: data.getBigUint64(at, true).toString(), hash: data.getUint32(at + 8, true),
        type: data.getInt32(at + 12, true), x: data.getFloat32(at + 16, true), y: data.getFloat32(at + 20, true),
        heading: flags & HEADED ? data.getFloat32(at + 24, true) : null,
        size: flags & SIZED ? data.getFloat32(at + 28, true) : null,
        kind: data.getUint8(at + 32), number: data.getUint32(at + 36, true), key: '',
    };
    item.is_alive = Boolean(flags & ACTIVE) && !(item.size !== null && item.size <= 0);
    item.key = `${item.kind}.${item.id}`;
    return item;
}

/* The items of the i-th tick of a reel. */
function read_tick(reel, i) {
    const first = reel.data.getUint32(HEAD_SIZE + i * 4, true);
    const end = reel.data.getUint32(HEAD_SIZE + i * 4 + 4, true);
    return Array.from({ length: end - first }, (_, n) =>
        read_item(reel.data, reel.begin + (first + n) * reel.item_size));
}

function parse_reel(bytes) {
    const data = new DataView(bytes);
    if (data.byteLength < HEAD_SIZE || data.getUint32(0, true) !== MAGIC)
        throw new Error('the positions of ticks are not as expected');
    const count = data.getUint32(16, true), table = (count + 1) * 4;
    return { data, count, from: Number(data.getBigUint64(8, true)), item_size: data.getUint32(28, true),
             begin: HEAD_SIZE + table + table % 8, ticks: new Map() };
}

/* The film of a side. `on_reel` is called when one has arrived. */
export function make_film(api, side, on_reel, on_failure) {
    const reels = new Map();    /* first tick -> reel, or null while it is fetched */

    const reel_of = (tick) => Math.floor(tick / TICKS_OF_A_REEL) * TICKS_OF_A_REEL;

    async function fetch_reel(first, from = first) {
        const bytes = await api.bytes(`ticks?side=${side}&from=${from}&n=${first + TICKS_OF_A_REEL - from}`);
        const reel = parse_reel(bytes);
        const before = reels.get(first);
        const parts = before ? before.parts : [];
        reels.delete(first);
        reels.set(first, { parts: [...parts, reel] });
        const next = reel.from + reel.count;
        if (reel.count && next < first + TICKS_OF_A_REEL)   /* it was cut at the limit of an answer */
            await fetch_reel(first, next);
    }

    function want(first) {
        if (first < 0 || reels.has(first))
            return;
        reels.set(first, null);
        fetch_reel(first).then(on_reel, (failure) => {
            reels.delete(first);
            on_failure(failure);
        });
        for (const old of reels.keys()) {
            if (reels.size <= REELS_KEPT)
                break;
            if (old !== first && reels.get(old))
                reels.delete(old);
        }
    }

    return {
        /* The items of a tick, or null until they have arrived. */
        items(tick) {
            const held = reels.get(reel_of(tick));
            if (!held) {
                want(reel_of(tick));
                return null;
            }
            const reel = held.parts.find((part) => tick >= part.from && tick < part.from + part.count);
            if (!reel)
                return null;
            if (!reel.ticks.has(tick))
                reel.ticks.set(tick, read_tick(reel, tick - reel.from));
            return reel.ticks.get(tick);
        },
        /* What will be played next. */
        ahead: (tick) => want(reel_of(tick + TICKS_OF_A_REEL / 2)),
        forget: () => reels.clear(),
    };
}

/* Which things of two runs are not the same: [{a, b}], either of which may be missing. */
export function differing_items(a, b) {
    const twins = new Map(a.map((item) => [item.key, item]));
    const found = [];
    for (const item of b) {
        const twin = twins.get(item.key);
        twins.delete(item.key);
        if (!twin || twin.hash !== item.hash)
            found.push({ a: twin || null, b: item });
    }
    for (const item of twins.values())
        found.push({ a: item, b: null });
    return found;
}
