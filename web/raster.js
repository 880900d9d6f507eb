/* raster.js - rectangles into an array of pixels, one putImageData a frame: the same pixels everywhere. */
import { ITEM, KIND } from './tile_cache.js';

const TILE_END = 65535; /* the largest place in a tile, in units of it */
const LEVELS = 17;      /* of density: 0 is paper, 16 the full fill */
const FILLS = 8;
const BAND_ALPHA = 0.28;
const NOTCH = 2;        /* CSS pixels, at the sides of slices that reach further */
export const DIFFERENCES = 8;   /* levels of how much differs; 0: nothing */

/* "#rrggbb" as [r, g, b]. */
export function rgb_of(text) {
    const hex = text.trim().replace('#', '');
    const wide = hex.length === 3 ? [...hex].map((c) => c + c).join('') : hex;
    return [0, 2, 4].map((i) => parseInt(wide.slice(i, i + 2), 16) || 0);
}

export function mixed(a, b, share) {
    return a.map((v, i) => Math.round(v + (b[i] - v) * share));
}

/* A pixel as little-endian RGBA has it. */
function pack([r, g, b]) {
    return (0xff000000 | (b << 16) | (g << 8) | r) >>> 0;
}

/* Colours of a theme: `read(name)` gives the value of a custom property. */
export function make_colours(read) {
    const of = (name) => rgb_of(read(name));
    const [paper, ink] = [of('--paper'), of('--ink')];
    const ramp = (fill, most) => Array.from({ length: LEVELS }, (_, i) =>
        pack(mixed(paper, fill, most * (0.25 + 0.75 * i / (LEVELS - 1)))));
    const fills = Array.from({ length: FILLS }, (_, i) => of(`--s${i}`));
    const pens = new Map();
    const pen = (hue) => {
        if (!pens.has(hue)) {
            const colour = of(hue);
            pens.set(hue, { full: pack(colour), soft: pack(mixed(paper, colour, BAND_ALPHA)),
                            middle: pack(mixed(paper, colour, 0.6)), dim: pack(mixed(paper, colour, 0.2)) });
        }
        return pens.get(hue);
    };
    const grey = mixed(paper, ink, 0.24);
    const heat = Array.from({ length: FILLS }, (_, i) =>
        mixed(mixed(paper, of('--accent'), 0.15), of('--accent'), i / (FILLS - 1) * 0.75));
    return {
        paper: pack(paper), line: pack(of('--line')), range: pack(of('--accent-soft')), ink: pack(ink),
        fills: Uint32Array.from(fills.flatMap((f) => ramp(f, 1))),
        dims: Uint32Array.from(fills.flatMap((f) => ramp(f, 0.25))),
        heats: Uint32Array.from(heat.flatMap((f) => ramp(f, 1))),
        greys: Uint32Array.from(fills.flatMap(() => ramp(grey, 1))),
        grey: { full: pack(mixed(paper, ink, 0.45)), soft: pack(mixed(paper, ink, 0.1)), middle: pack(grey),
                dim: pack(mixed(paper, ink, 0.1)) },
        parts: Array.from({ length: DIFFERENCES }, (_, i) => pack(mixed(paper, of('--part'), 0.3 + 0.4 * i / 7))),
        pen,
    };
}

/* Offsets of a shape's pixels for each pen, from its middle; one pixel is `dpr` device pixels. */
const SHAPES = {
    murk: (x, y, r) => x >= -r * 0.8 && Math.abs(y) <= (r - x) * 0.56,
    cdt: (x, y, r) => x * x + y * y <= r * r * 0.9,
    aerogpu: (x, y, r) => Math.abs(x) <= r * 0.85 && Math.abs(y) <= r * 0.85,
    dial9: (x, y, r) => Math.abs(x) + Math.abs(y) <= r,
    atf: (x, y, r) => Math.abs(x) <= r * 0.45 && Math.abs(y) <= r,
};

function shape_spans(pen, dpr) {
    const inside = SHAPES[pen] || SHAPES.cdt;
    const r = 5 * dpr, spans = [];
    for (let y = -Math.ceil(r); y <= Math.ceil(r); y++) {
        let first = null, last = null;
        for (let x = -Math.ceil(r); x <= Math.ceil(r); x++)
            if (inside(x, y, r)) {
                first = first === null ? x : first;
                last = x;
            }
        if (first !== null)
            spans.push([y, first, last + 1]);
    }
    return spans;
}

/* A raster of width x height device pixels. */
export function make_raster() {
    let image = null, pixels = null, width = 0, height = 0;
    const shapes = new Map();

    function resize(w, h) {
        if (w === width && h === height)
            return;
        [width, height] = [w, h];
        image = new ImageData(w, h);
        pixels = new Uint32Array(image.data.buffer);
    }

    function rect(x0, x1, y0, y1, colour) {
        x0 = x0 < 0 ? 0 : x0;
        x1 = x1 > width ? width : x1;
        y0 = y0 < 0 ? 0 : y0;
        y1 = y1 > height ? height : y1;
        if (x0 >= x1 || y0 >= y1)
            return;
        if (x1 - x0 < 12) {
            for (let at = y0 * width; y0 < y1; y0++, at += width)
                for (let x = x0; x < x1; x++)
                    pixels[at + x] = colour;
            return;
        }
        for (let at = y0 * width; y0 < y1; y0++, at += width)
            pixels.fill(colour, at + x0, at + x1);
    }

    function shape(pen, x, y, dpr, colour) {
        const key = `${pen},${dpr}`;
        if (!shapes.has(key))
            shapes.set(key, shape_spans(pen, dpr));
        for (const [dy, from, to] of shapes.get(key))
            rect(x + from, x + to, y + dy, y + dy + 1, colour);
    }

    return {
        resize, rect, shape,
        size: () => [width, height],
        pixels: () => pixels,
        image: () => image,
        clear: (colour) => pixels.fill(colour),
        show: (context) => context.putImageData(image, 0, 0),
    };
}

/*
 * Where times are: pixel x of a time is floor(time / step) - origin. Since origin is a whole number,
 * panning moves pixels and changes none.
 */
export function make_scale(from, to, width) {
    const step = (to - from) / width;
    return { from, to, width, step, origin: Math.floor(from / step),
             shift: Math.max(0, Math.min(52, Math.floor(Math.log2(step)))) };
}

export function x_of(scale, time) {
    return Math.floor(time / scale.step) - scale.origin;
}

/* Rectangles like those of a raster, but in colours[level] in columns whose level is not 0. */
export function banded(raster, levels, colours) {
    return (x0, x1, y0, y1, colour) => {
        const end = Math.min(x1, levels.length);
        for (let x = Math.max(0, x0); x < end;) {
            let to = x + 1;
            while (to < end && levels[to] === levels[x])
                to++;
            raster.rect(x, to, y0, y1, levels[x] ? colours[levels[x]] : colour);
            x = to;
        }
    };
}

/* Cut a notch into the middle of a side, 2 px deep: the slice has no end there. */
function notch(raster, x, y0, y1, dpr, paper) {
    const third = Math.floor((y1 - y0) / 3);
    if (third >= 2)
        raster.rect(x, x + NOTCH * dpr, y0 + third, y1 - third, paper);
}

/* The first item of a row that ends after x (in units of the tile). */
function first_visible(tile, low, high, x) {
    while (low < high) {
        const middle = (low + high) >> 1;
        if (tile.u16[middle * 8] + tile.u16[middle * 8 + 1] < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Units of the tile at a pixel. */
function unit_at(tile, scale, px) {
    return ((px + scale.origin) * scale.step - tile.start) / tile.unit;
}

/*
 * Slices of a tile into a lane. `place` is {y, row, rows, clip: [x0, x1]} in device pixels; `look`
 * is {table, level_of(item fill), fill_of(name), is_dim(name)}. A slice that was never ended, or
 * that reaches beyond the window, has a notch there.
 */
export function paint_slices(raster, tile, scale, place, look) {
    const { u16, u32, u8 } = tile;
    const a = tile.start / scale.step - scale.origin, b = tile.unit / scale.step;
    const [clip0, clip1] = place.clip;
    const lo = unit_at(tile, scale, clip0), hi = unit_at(tile, scale, clip1);
    const rows = Math.min(tile.rows, place.rows), deep = NOTCH * place.dpr;
    const rect = look.rect || raster.rect;
    const gap = place.row >= 6 * place.dpr ? 2 * place.dpr : place.row >= 3 ? 1 : 0;
    for (let row = 0; row < rows; row++) {
        const y0 = Math.round(place.y + row * place.row);
        const y1 = Math.max(y0 + 1, Math.round(place.y + (row + 1) * place.row) - gap);
        if (y1 <= place.top || y0 >= place.bottom)
            continue;
        const end = tile.row_first[row + 1];
        for (let i = first_visible(tile, tile.row_first[row], end, lo); i < end; i++) {
            const at = u16[i * 8];
            if (at > hi)
                break;
            let x0 = Math.floor(a + at * b);
            let x1 = Math.floor(a + (at + u16[i * 8 + 1]) * b);
            const flags = u8[i * 16 + 15];
            if (x1 - x0 < 1)
                x1 = x0 + 1;
            else if (x1 - x0 > 2) {
                x1 -= flags & ITEM.goes_on ? 0 : 1;
                /* One that ends where the tile before ends is marked as going on. */
                x0 += at === 0 && !(flags & ITEM.before) ? 1 : 0;
            }
            x0 = x0 < clip0 ? clip0 : x0;
            x1 = x1 > clip1 ? clip1 : x1;
            if (x0 >= x1)
                continue;
            const busy = (flags >> 3) > 0 ? u8[i * 16 + 14] >> 4 : LEVELS - 1;
            const name = u32[i * 4 + 1];
            const table = look.is_dim && look.is_dim(name) ? look.dims : look.fills;
            const fill = look.by_duration ? look.duration_fill(u16[i * 8 + 1] * tile.unit)
                                          : look.fill_of(name);
            rect(x0, x1, Math.max(y0, place.top), Math.min(y1, place.bottom), table[fill * LEVELS + busy]);
            if (x1 - x0 < 4 * deep || (flags >> 3) > 0)
                continue;
            const is_open = (flags & ITEM.goes_on) !== 0 && at + u16[i * 8 + 1] < TILE_END;
            if (x0 === 0 && (flags & ITEM.before || a + at * b < 0))
                notch(raster, 0, y0, y1, place.dpr, look.paper);
            if (is_open || a + (at + u16[i * 8 + 1]) * b > scale.width)
                notch(raster, x1 - deep, y0, y1, place.dpr, look.paper);
        }
    }
}

/* Counters hold their value until the next item. `carry` is the value before the tile, or null;
 * returns the last value. */
export function paint_counter(raster, tile, scale, place, look, carry) {
    const a = tile.start / scale.step - scale.origin, b = tile.unit / scale.step;
    const [clip0, clip1] = place.clip;
    const y_of = (v) => Math.round(place.bottom_y - (v - look.low) / (look.high - look.low) * place.room);
    let held = carry, last_y = carry === null ? null : y_of(carry);
    const span = (from, to, value) => {
        const x0 = Math.max(from, clip0), x1 = Math.min(to, clip1);
        if (x0 >= x1 || value === null)
            return;
        const y = y_of(value);
        draw(x0, x1, y, place.bottom_y, look.soft);
        draw(x0, x1, y, y + place.stroke, look.full);
        if (last_y !== null && x0 === from)
            draw(x0, x0 + 1, Math.min(y, last_y), Math.max(y, last_y) + place.stroke, look.full);
        last_y = y;
    };
    const rect = look.rect || raster.rect;
    const draw = (x0, x1, y0, y1, colour) =>
        rect(x0, x1, Math.max(y0, place.top), Math.min(y1, place.bottom), colour);
    let x = Math.floor(a);
    for (let i = 0; i < tile.items; i++) {
        const x0 = Math.floor(a + tile.u16[i * 8] * b);
        span(x, x0, held);
        const [low, high] = [tile.f32[i * 4 + 1], tile.f32[i * 4 + 2]];
        held = tile.f32[i * 4 + 3];
        x = x0;
        if (high > low) {
            const wide = Math.max(x0 + 1, Math.floor(a + (tile.u16[i * 8] + 64) * b));
            span(x0, wide, held);
            const c0 = Math.max(x0, clip0), c1 = Math.min(wide, clip1);
            if (c0 < c1)
                draw(c0, c1, y_of(high), Math.max(y_of(high) + 1, y_of(low)), look.middle);
            x = wide;
        }
    }
    span(x, Math.floor(a + 65536 * b), held);
    return held;
}

/* Instants: the shape of the pen where there is room, else bars, the higher the more. */
export function paint_instants(raster, tile, scale, place, look) {
    const a = tile.start / scale.step - scale.origin, b = tile.unit / scale.step;
    const [clip0, clip1] = place.clip;
    const room = 8 * place.dpr, rect = look.rect || raster.rect;
    const x_at = (i) => Math.floor(a + tile.u16[i * 8] * b);
    for (let i = 0; i < tile.items; i++) {
        const x = x_at(i);
        if (x < clip0 || x >= clip1)
            continue;
        const many = tile.u8[i * 16 + 15] >> 3;
        const left = i > 0 ? x - x_at(i - 1) : room, right = i + 1 < tile.items ? x_at(i + 1) - x : room;
        const name = tile.u32[i * 4 + 1];
        const colour = look.is_dim && look.is_dim(name) ? look.dim : look.full;
        if (many === 0 && left >= room && right >= room) {
            raster.shape(place.pen, x, place.middle, place.dpr, look.levels && look.levels[x]
                ? look.parts[look.levels[x]] : colour);
            continue;
        }
        const half = Math.round(Math.min(place.half, (3 + 1.6 * many) * place.dpr));
        rect(x, x + Math.max(1, place.dpr), place.middle - half, place.middle + half, colour);
    }
}

/* The item of a tile at a time and a row, or -1; `slack` in units of time. */
export function item_at(tile, row, time, slack) {
    if (tile.kind === KIND.counter) {
        let found = -1;
        for (let i = 0; i < tile.items && tile.start + tile.u16[i * 8] * tile.unit <= time + slack; i++)
            found = i;
        return found;
    }
    if (row >= tile.rows)
        return -1;
    const x = (time - tile.start) / tile.unit, loose = slack / tile.unit;
    const end = tile.row_first[row + 1];
    let best = -1, distance = Infinity;
    for (let i = first_visible(tile, tile.row_first[row], end, x - loose); i < end; i++) {
        const from = tile.u16[i * 8], to = from + tile.u16[i * 8 + 1];
        if (from > x + loose)
            break;
        const away = x < from ? from - x : x > to ? x - to : 0;
        if (away < distance)
            [best, distance] = [i, away];
    }
    return best;
}
