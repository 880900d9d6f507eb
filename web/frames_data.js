/* frames_data.js - pictures with their facts, strips of small ones: parsed, and kept within a budget. */

const KEPT_BYTES = 64 * 1024 * 1024;
const decoder = new TextDecoder();

/* {u32 length of the JSON, JSON, files}: the facts, with `images` as blobs. */
function parse_bundle(buffer) {
    const length = new DataView(buffer).getUint32(0, true);
    const facts = JSON.parse(decoder.decode(buffer.slice(4, 4 + length)));
    let at = 4 + length;
    facts.images = facts.files.map((size) => {
        const blob = new Blob([buffer.slice(at, at + size)], { type: 'image/png' });
        at += size;
        return blob;
    });
    return facts;
}

/* Thumbnails: [{frame, hash, blob}]. */
function parse_strip(buffer) {
    const view = new DataView(buffer), found = [];
    for (let at = 0; at + 16 <= buffer.byteLength;) {
        const size = view.getUint32(at + 4, true);
        found.push({ frame: view.getUint32(at, true), hash: view.getBigUint64(at + 8, true).toString(16),
                     url: URL.createObjectURL(new Blob([buffer.slice(at + 16, at + 16 + size)],
                         { type: 'image/png' })) });
        at += 16 + size;
    }
    return found;
}

/* What a view of frames fetches: by key, the newest kept. */
export function make_frames(api) {
    const bundles = new Map(), strips = new Map();
    let bytes = 0;

    async function bundle(path, kind) {
        const known = bundles.get(path);
        if (known) {
            bundles.delete(path);
            bundles.set(path, known);
            return known;
        }
        const buffer = await api.job(path, null, null, kind);
        const facts = parse_bundle(buffer);
        facts.bitmaps = await Promise.all(facts.images.map((blob) => createImageBitmap(blob,
            { colorSpaceConversion: 'none', premultiplyAlpha: 'none' })));
        facts.size = facts.bitmaps.reduce((sum, map) => sum + map.width * map.height * 4, 0);
        bundles.set(path, facts);
        bytes += facts.size;
        for (const [oldest, one] of bundles) {
            if (bytes <= KEPT_BYTES || one === facts)
                break;
            one.bitmaps.forEach((map) => map.close());
            bytes -= one.size;
            bundles.delete(oldest);
        }
        return facts;
    }

    return {
        /* The picture of a frame after a draw (null: after all). */
        picture: (src, frame, draw) => bundle(`picture?src=${src}&n=${frame}${draw ? `&draw=${draw}` : ''}`, 'picture'),
        /* Both runs' pictures and what differs. */
        pixels: (frame, draw) => bundle(`pixels?n=${frame}${draw ? `&draw=${draw}` : ''}`, 'pixels'),
        /* Thumbnails of `n` frames from `from` on. */
        async strip(src, from, n, side) {
            const key = `${src}.${from}`;
            if (!strips.has(key))
                strips.set(key, parse_strip(await api.job(`strip?src=${src}&from=${from}&n=${n}&side_px=${side}`, null,
                    null,
                    `strip${src}`)));
            return strips.get(key);
        },
        forget() {
            for (const strip of strips.values())
                strip.forEach((one) => URL.revokeObjectURL(one.url));
            for (const one of bundles.values())
                one.bitmaps.forEach((map) => map.close());
            strips.clear();
            bundles.clear();
        },
    };
}
