/* png.mjs - pictures of pages as small files: at most 256 colours, one palette, the best compression. */
import { deflateSync } from 'node:zlib';

const COLOURS = 256;
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/* That of zlib came with Node.js 20; Debian 12 has 18. */
const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++)
        crc = crc & 1 ? crc >>> 1 ^ 0xedb88320 : crc >>> 1;
    return crc;
});

function crc32(bytes) {
    let crc = 0xffffffff;
    for (const byte of bytes)
        crc = crc >>> 8 ^ CRC_TABLE[(crc ^ byte) & 0xff];
    return ~crc >>> 0;
}

function chunk(type, bytes) {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), bytes]);
    const head = Buffer.alloc(4), tail = Buffer.alloc(4);
    head.writeUInt32BE(bytes.length);
    tail.writeUInt32BE(crc32(body));
    return Buffer.concat([head, body, tail]);
}

/* Five bits of each channel. */
const bin_of = (r, g, b) => (r >> 3) << 10 | (g >> 3) << 5 | b >> 3;

/* How often the colours of a bin occur, their sum, and the one that is there most. */
function bins_of(pixels) {
    const bins = new Map();
    for (let i = 0; i < pixels.length; i += 4) {
        const [r, g, b] = [pixels[i], pixels[i + 1], pixels[i + 2]], bin = bin_of(r, g, b);
        const known = bins.get(bin) || { key: bin, count: 0, r: 0, g: 0, b: 0, exact: new Map() };
        known.count++;
        known.r += r;
        known.g += g;
        known.b += b;
        known.exact.set(r << 16 | g << 8 | b, (known.exact.get(r << 16 | g << 8 | b) || 0) + 1);
        bins.set(bin, known);
    }
    return bins;
}

/* The channel of a box of bins whose values are the furthest apart, and how far. */
function widest(box) {
    return ['r', 'g', 'b'].map((channel) => {
        const values = box.map((bin) => bin[channel] / bin.count);
        return { channel, width: Math.max(...values) - Math.min(...values) };
    }).reduce((a, b) => b.width > a.width ? b : a);
}

/* Median cut: the box with most in it, by pixels and by width, is halved until there are enough. */
function boxes_of(bins) {
    const boxes = [[...bins]];
    const weight = (box) => box.length < 2 ? 0 : widest(box).width * Math.sqrt(box.reduce((n, bin) => n + bin.count, 0));
    const weights = [weight(boxes[0])];
    while (boxes.length < COLOURS) {
        const at = weights.indexOf(Math.max(...weights));
        if (!weights[at])
            break;
        const { channel } = widest(boxes[at]);
        const box = boxes[at].sort((a, b) => a[channel] / a.count - b[channel] / b.count);
        const half = box.reduce((n, bin) => n + bin.count, 0) / 2;
        let cut = 0;
        for (let sum = 0; cut < box.length - 1 && (cut < 1 || sum + box[cut].count <= half); cut++)
            sum += box[cut].count;
        boxes.splice(at, 1, box.slice(0, cut), box.slice(cut));
        weights.splice(at, 1, weight(boxes[at]), weight(boxes[at + 1]));
    }
    return boxes;
}

/* Areas of one colour keep it: that which a box has most. */
function colour_of(box) {
    let most = 0, found = 0;
    for (const bin of box)
        for (const [colour, count] of bin.exact)
            if (count > most)
                [most, found] = [count, colour];
    return found;
}

/* The file of RGBA pixels, opaque. */
export function palette_png(pixels, width, height) {
    const bins = bins_of(pixels), palette = Buffer.alloc(COLOURS * 3), index = new Map();
    boxes_of(bins.values()).forEach((box, i) => {
        palette.writeUIntBE(colour_of(box), i * 3, 3);
        box.forEach((bin) => index.set(bin.key, i));
    });
    const rows = Buffer.alloc((width + 1) * height);
    for (let y = 0, i = 0; y < height; y++)
        for (let x = 0; x < width; x++, i += 4)
            rows[y * (width + 1) + 1 + x] = index.get(bin_of(pixels[i], pixels[i + 1], pixels[i + 2]));
    const head = Buffer.alloc(13);
    head.writeUInt32BE(width, 0);
    head.writeUInt32BE(height, 4);
    head.set([8, 3, 0, 0, 0], 8);
    return Buffer.concat([SIGNATURE, chunk('IHDR', head), chunk('PLTE', palette),
        chunk('IDAT', deflateSync(rows, { level: 9, memLevel: 9 })), chunk('IEND', Buffer.alloc(0))]);
}
