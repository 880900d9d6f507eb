/* pens.js - the five lines of a run: each has a name, a hue and a shape, so that colour is never alone. */
import { el } from './el.js';

function triangle(x, y, r) {
    return ['path', { d: `M${x - r * 0.8} ${y - r}L${x + r} ${y}L${x - r * 0.8} ${y + r}Z` }];
}

function circle(x, y, r) {
    return ['circle', { cx: x, cy: y, r: r * 0.92 }];
}

function square(x, y, r) {
    return ['rect', { x: x - r * 0.85, y: y - r * 0.85, width: r * 1.7, height: r * 1.7, rx: 1 }];
}

function diamond(x, y, r) {
    return ['path', { d: `M${x} ${y - r}L${x + r} ${y}L${x} ${y + r}L${x - r} ${y}Z` }];
}

function upright(x, y, r) {
    return ['rect', { x: x - r * 0.45, y: y - r, width: r * 0.9, height: r * 2, rx: 1 }];
}

/* In the order of the staff. `hue` is a CSS custom property. */
export const pens = [
    { id: 'murk', name: 'inputs', format: 'Murk', hue: '--murk', shape: triangle, letter: '\u25b6' },
    { id: 'cdt', name: 'state', format: 'CDT', hue: '--cdt', shape: circle, letter: '\u25cf' },
    { id: 'aerogpu', name: 'pictures', format: 'AeroGPU', hue: '--aerogpu', shape: square,
      letter: '\u25a0' },
    { id: 'dial9', name: 'events', format: 'dial9', hue: '--dial9', shape: diamond, letter: '\u25c6' },
    { id: 'atf', name: 'calls', format: 'ATF', hue: '--atf', shape: upright, letter: '\u25ae' },
];

const UNKNOWN = { id: '', name: 'trace', format: '', hue: '--ink2', shape: circle, letter: '\u25cb' };
const by_id = new Map(pens.map((pen) => [pen.id, pen]));

/* The row of a pen; one with neutral hue when there is none of this id. */
export function pen_of(id) {
    return by_id.get(id) || UNKNOWN;
}

/* SVG node of a pen's shape around (x, y); `props` adds or replaces attributes. */
export function glyph(id, x = 5.5, y = 5.5, r = 4.6, props = {}) {
    const pen = pen_of(id);
    const [tag, shape] = pen.shape(x, y, r);
    return el(tag, { fill: `var(${pen.hue})`, ...shape, ...props });
}

/* The shape and a word after it: the name of the pen, or `text`. */
export function pen_tag(id, text = pen_of(id).name) {
    return el('span', { class: 'pen' },
        el('svg', { viewBox: '0 0 11 11', width: 11, height: 11, 'aria-hidden': 'true' }, glyph(id)),
        el('span', { text }));
}
