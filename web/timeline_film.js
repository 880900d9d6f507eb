/* timeline_film.js - thumbnails of frames in a film lane, fetched when they are visible. */
import { each_tile } from './timeline_draw.js';

const KEPT = 256;
const SIDE = 84;
const GAP = 6;
const BATCH = 16;

/* Frames of a lane that have room for a picture: every nth by number, so that panning changes none. */
function frames_of(frame, lane, room) {
    const { scale, dpr, names } = frame;
    const found = new Map();
    each_tile(frame, lane.track.track, (tile, clip) => {
        const a = tile.start / scale.step - scale.origin, b = tile.unit / scale.step;
        for (let i = 0; i < tile.items; i++) {
            const x = Math.floor(a + tile.u16[i * 8] * b);
            if (x + room * dpr < 0 || x >= clip[1])
                continue;
            const number = /(\d+)\s*$/.exec(names.get(tile.u32[i * 4 + 1]));
            if (number)
                found.set(Number(number[1]), x / dpr);
        }
    });
    return found;
}

function spaced(found, room) {
    const numbers = [...found.keys()].sort((a, b) => a - b);
    if (numbers.length < 2)
        return numbers;
    const first = found.get(numbers[0]), last = found.get(numbers[numbers.length - 1]);
    const each = Math.max(0.01, (last - first) / (numbers[numbers.length - 1] - numbers[0]));
    const every = 2 ** Math.max(0, Math.ceil(Math.log2(room / each)));
    return numbers.filter((n) => n % every === 0);
}

/* Pictures by source and frame. `on_picture()` is called when some have arrived. */
export function make_film(app, on_picture) {
    const pictures = new Map();     /* "src,frame" -> ImageBitmap, null where there is none */
    const wanted = new Map();
    const refused = new Set();
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

    async function take(src, buffer) {
        const view = new DataView(buffer);
        for (let at = 0; at + 8 <= buffer.byteLength;) {
            const number = view.getUint32(at, true), size = view.getUint32(at + 4, true);
            if (at + 8 + size > buffer.byteLength)
                return;
            const blob = new Blob([buffer.slice(at + 8, at + 8 + size)], { type: 'image/png' });
            keep(`${src},${number}`, await createImageBitmap(blob).catch(() => null));
            at += 8 + size;
        }
    }

    /* The longest run of neighbours at the front of what is wanted. */
    function next_batch() {
        const first = wanted.values().next().value;
        let n = 1;
        while (n < BATCH && wanted.has(`${first.src},${first.number + n}`))
            n++;
        return { ...first, n };
    }

    async function fetch_some() {
        busy = true;
        while (wanted.size) {
            const { src, number, n } = next_batch();
            for (let i = 0; i < n; i++)
                wanted.delete(`${src},${number + i}`);
            try {
                await take(src, await app.api.job(`strip?src=${src}&from=${number}&n=${n}&side_px=${SIDE}`,
                    null, null, 'film'));
            } catch (failure) {
                if (!failure.cancelled) {
                    refused.add(src);
                    wanted.clear();
                }
            }
            for (let i = 0; i < n; i++)
                if (!pictures.has(`${src},${number + i}`))
                    keep(`${src},${number + i}`, null);
            on_picture();
        }
        busy = false;
    }

    return {
        draw(context, frame, lane) {
            const src = lane.track.src, y = lane.y - frame.scroll + 3;
            const size = Math.min(SIDE, lane.height - 12);
            if (size < 16 || lane.is_folded || refused.has(src))
                return;
            const found = frames_of(frame, lane, size);
            wanted.clear();
            for (const number of spaced(found, size + GAP)) {
                const key = `${src},${number}`, x = found.get(number) + 2;
                const picture = pictures.get(key);
                if (picture)
                    context.drawImage(picture, x, y, size, size * picture.height / picture.width);
                else if (picture === undefined)
                    wanted.set(key, { src, number });
            }
            if (wanted.size && !busy)
                fetch_some();
        },
    };
}
