/* timeline_film.js - thumbnails of frames in a film lane, fetched when they are visible. */
import { x_of } from './raster.js';
import { each_tile } from './timeline_draw.js';

const KEPT = 256;
const SIDE = 84;
const GAP = 6;
const LEAST = 16;
const STRIP_HEAD = 16;

/* Where the frames of a lane begin: seq -> time. A frame that reaches into the next tile is there once more, from its
 * begin on. */
function begins_of(frame, lane) {
    const begins = new Map();
    each_tile(frame, lane.track.track, (tile) => {
        for (let i = 0; i < tile.items; i++) {
            const time = tile.start + tile.u16[i * 8] * tile.unit;
            const seq = (tile.seq_base + BigInt(tile.u32[i * 4 + 2])).toString();
            if (!begins.has(seq) || time < begins.get(seq))
                begins.set(seq, time);
        }
    });
    return begins;
}

/* Frames of a lane with room for a picture: the first in each cell of the axis that is as wide as one. Cells
 * are powers of two at absolute places, so that panning changes none. Gives [{x, seq}]. */
function frames_of(frame, lane, room) {
    const { scale, dpr } = frame;
    const cell = 2 ** Math.ceil(Math.log2(room * dpr * scale.step));
    const found = new Map();
    for (const [seq, time] of begins_of(frame, lane)) {
        const known = found.get(Math.floor(time / cell));
        if (!known || time < known.time)
            found.set(Math.floor(time / cell), { time, seq });
    }
    return [...found.values()].map(({ time, seq }) => ({ seq, x: x_of(scale, time) / dpr }))
        .filter(({ x }) => x > -room && x < frame.width);
}

/* Pictures by source and record. `on_picture()` is called when one has arrived. */
export function make_film(app, on_picture) {
    const pictures = new Map();     /* "src,seq" -> ImageBitmap, null where there is none */
    const wanted = new Map();
    const refused = new Set();      /* sources that cannot be drawn here */
    let busy = false;

    function keep(key, picture) {
        pictures.set(key, picture);
        if (pictures.size > KEPT) {
            const [oldest, old] = pictures.entries().next().value;
            pictures.delete(oldest);
            if (old)
                old.close();
        }
    }

    /* The picture of a strip of one: {u32 frame, u32 length, 8 bytes of its hash, PNG}. */
    async function first_picture(buffer) {
        const size = buffer.byteLength >= STRIP_HEAD ? new DataView(buffer).getUint32(4, true) : 0;
        if (!size || STRIP_HEAD + size > buffer.byteLength)
            return null;
        const blob = new Blob([buffer.slice(STRIP_HEAD, STRIP_HEAD + size)], { type: 'image/png' });
        return createImageBitmap(blob).catch(() => null);
    }

    async function fetch_one({ key, src, seq }) {
        try {
            const record = await app.api.get(`record?src=${src}&seq=${seq}`);
            const path = `strip?src=${src}&from=${record.tick}&n=1&side_px=${SIDE}`;
            keep(key, record.tick === null ? null : await first_picture(await app.api.job(path, null, null, 'film')));
        } catch (failure) {
            if (failure.cancelled)
                return;
            keep(key, null);
            refused.add(src);
            wanted.clear();
        }
    }

    async function fetch_wanted() {
        busy = true;
        while (wanted.size) {
            const one = wanted.values().next().value;
            wanted.delete(one.key);
            await fetch_one(one);
            on_picture();
        }
        busy = false;
    }

    return {
        is_busy: () => busy,
        draw(context, frame, lane) {
            const src = lane.track.src, y = lane.y - frame.scroll + 3;
            const size = Math.min(SIDE, lane.height - 12);
            if (size < LEAST || lane.is_folded || refused.has(src))
                return;
            wanted.clear();
            for (const { x, seq } of frames_of(frame, lane, size + GAP)) {
                const key = `${src},${seq}`, picture = pictures.get(key);
                if (picture)
                    context.drawImage(picture, x + 2, y, size, size * picture.height / picture.width);
                else if (picture === undefined)
                    wanted.set(key, { key, src, seq });
            }
            if (wanted.size && !busy)
                fetch_wanted();
        },
    };
}
