/* staff.js - the staff: one line a pen, one voice until the sides diverge, two from there on.
 *
 * The numbers are those of src/view/staff_geometry.h, under the same names; a test compares them. */
import { el } from './el.js';
import { glyph } from './pens.js';

export const STAFF_WIDTH = 1396;
export const STAFF_NARROW = 470;
export const STAFF_LEFT = 132;
export const STAFF_RIGHT = 20;
export const STAFF_TOP = 74;
export const STAFF_GAP = 62;
export const STAFF_BELOW = 74;
export const STAFF_RUN = 44;
export const STEM_LEAST = 5;
export const STEM_SLOPE = 4.4;
export const STEM_MOST = 26;
export const VOICE_LEAST = 5;
export const VOICE_SPAN = 19;
export const NOTE_RX = 4.8;
export const NOTE_RY = 3.5;
export const HOLLOW_RX = 4.6;
export const HOLLOW_RY = 3.3;
export const NOTE_TILT = -18;
export const RING_LEAST = 15;
export const REST_WIDTH = 12;
export const REST_HEIGHT = 4;
export const REST_BELOW = 14;
export const BAR_EVERY = 5;
export const BARS_MOST = 14;
export const DOTS_ABOVE = 60;
export const LINES_ABOVE = 150;
export const WINDOW_TICKS = 30;
export const WINDOW_NARROW = 9;
export const WINDOW_MOST = 400;

const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000];
const WIDE = 900;

/* One decimal, as the report has it. */
function round(value) {
    return Math.round(value * 10) / 10;
}

function point(command, x, y) {
    return `${command}${round(x)} ${round(y)}`;
}

/* How far below its line the second voice is; d null: not known. */
export function voice_of(d, most) {
    return d ? VOICE_LEAST + VOICE_SPAN * Math.log2(1 + d) / Math.log2(1 + Math.max(1, most)) : 0;
}

export function stem_of(n) {
    return Math.min(STEM_MOST, STEM_LEAST + STEM_SLOPE * Math.log2(1 + n));
}

/* Where things are: `s` is {from, to, width, lines, ...} as draw_staff() takes it. */
function places(s) {
    const step = (s.width - STAFF_LEFT - STAFF_RIGHT) / (s.to - s.from + 1);
    const left = (tick) => STAFF_LEFT + (tick - s.from) * step;
    const line = (i) => STAFF_TOP + i * STAFF_GAP;
    return { step, left, line, x: (tick) => left(tick) + step / 2, count: s.to - s.from + 1,
             right: s.width - STAFF_RIGHT, last: line(Math.max(0, s.lines.length - 1)) };
}

export function staff_height(lines) {
    return STAFF_TOP + Math.max(0, lines - 1) * STAFF_GAP + STAFF_BELOW;
}

/* The tick at a place of the picture; null: beside the lines. */
export function tick_at(s, x) {
    const tick = s.from + Math.floor((x - STAFF_LEFT) / places(s).step);
    return x >= STAFF_LEFT && tick <= s.to ? tick : null;
}

function line_of(kind, x1, y1, x2, y2) {
    return el('line', { class: kind, x1: round(x1), y1: round(y1), x2: round(x2), y2: round(y2) });
}

function box(kind, x, y, width, height) {
    return el('rect', { class: kind, x: round(x), y: round(y), width: round(Math.max(0, width)),
                        height: round(height) });
}

function words(kind, x, y, text) {
    return el('text', { class: kind, x: round(x), y: round(y), text });
}

function is_shown(s, tick) {
    return tick !== null && tick >= s.from && tick <= s.to;
}

/* ---- behind the notes ---- */

function bars(s, p) {
    const nodes = [];
    const step = BAR_EVERY * (STEPS.find((n) => p.count / (BAR_EVERY * n) <= BARS_MOST) || p.count);
    const mark = is_shown(s, s.first) ? p.left(s.first) : null;
    for (let tick = Math.ceil(s.from / step) * step; tick <= s.to; tick += step) {
        if (tick === s.first)
            continue;
        const x = p.left(tick), apart = mark === null ? Infinity : x - mark;
        const near = s.width > STAFF_NARROW ? apart > -175 && apart < 205 : Math.abs(apart) < 110;
        nodes.push(line_of('bar', x, STAFF_TOP, x, p.last));
        if (!near)
            nodes.push(words('tick', x + 4, STAFF_TOP - 34, String(tick)));
    }
    return nodes;
}

function brace(s, p) {
    const x = STAFF_LEFT, top = STAFF_TOP - 6, end = p.last + 6, middle = (top + end) / 2;
    if (s.lines.length < 2)
        return [line_of('open', x, STAFF_TOP - 8, x, p.last + 8)];
    const bend = (wish) => Math.min(wish, (middle - top) * wish / 80);      /* few lines are close together */
    const [inner, outer, knee] = [bend(30), bend(40), bend(34)];
    const at = [[x - 6, top], [x - 19, top + knee], [x - 1, middle - knee], [x - 16, middle], [x - 1, middle + knee],
        [x - 19, end - knee], [x - 6, end], [x - 13, end - outer], [x + 3, middle + inner], [x - 16, middle],
        [x + 3, middle - inner], [x - 13, top + outer], [x - 6, top]];
    const d = at.map(([px, py], i) => point(i === 0 ? 'M' : i % 3 === 1 ? 'C' : ' ', px, py)).join('') + 'Z';
    return [line_of('open', x, STAFF_TOP, x, p.last), el('path', { class: 'ink', d })];
}

/* ---- a line ---- */

/* The second voice: a tinted space, and its dashed edge. */
function voice(s, p, line, y) {
    if (line.first === null || line.first > s.to || !line.most)
        return [];
    const inside = line.first >= s.from;
    let tick = Math.max(line.first, s.from), x = inside ? p.left(line.first) : STAFF_LEFT;
    let below = inside ? y : y + voice_of(line.at(tick).d, line.most), d = point('M', x, below);
    const left = x;
    for (; tick <= s.to; tick++) {
        const now = line.at(tick);
        if (now.d === null || now.n[1] === null)
            break;
        const next = p.x(tick), to = y + voice_of(now.d, line.most), middle = (x + next) / 2;
        d += point('C', middle, below) + point(' ', middle, to) + point(' ', next, to);
        [x, below] = [next, to];
    }
    if (tick > s.to)
        d += point('L', x = p.right, below);
    return [el('path', { class: 'tint', d: `${d}${point('L', x, y)}${point('L', left, y)}Z` }),
            el('path', { class: 'voice', d })];
}

function head(kind, x, y, rx, ry) {
    return el('ellipse', { class: kind, cx: round(x), cy: round(y), rx, ry,
                           transform: `rotate(${NOTE_TILT} ${round(x)} ${round(y)})` });
}

function note(p, line, tick, y) {
    const { n, d } = line.at(tick), x = p.x(tick), below = voice_of(d, line.most), nodes = [];
    const dots = p.count > DOTS_ABOVE, bare = p.count > LINES_ABOVE;
    if (n[0] !== null && !dots)
        nodes.push(line_of('stem', x + 4, y - 1, x + 4, y - stem_of(n[0])));
    if (n[0] !== null && !bare)
        nodes.push(head('ink', x, y, dots ? 2 : NOTE_RX, dots ? 2 : NOTE_RY));
    if (below > 0 && n[1] !== null && !bare)
        nodes.push(head('hollow', x, y + below, dots ? 1.8 : HOLLOW_RX, dots ? 1.8 : HOLLOW_RY));
    if (tick === line.first)
        nodes.push(el('circle', { class: 'ring', cx: round(x), cy: round(y + below / 2),
                                  r: round(RING_LEAST + below / 4) }));
    return nodes;
}

/* What a side lacks: a rest where it begins, with its reason. */
function rests(s, p, line, y) {
    const nodes = [];
    for (const side of [0, 1])
        for (let tick = Math.max(s.from, s.run_from); tick <= Math.min(s.to, s.run_to); tick++) {
            const begin = tick, at = side ? y + REST_BELOW : y;
            if (line.at(tick).n[side] !== null || !line.at(tick).loaded)
                continue;
            while (tick < Math.min(s.to, s.run_to) && line.at(tick + 1).n[side] === null)
                tick++;
            const x = p.left(begin), end = p.left(tick) + p.step, known = line.at(begin).d !== null;
            if (!side)
                nodes.push(line_of('away', x, y, end, y));
            nodes.push(box(known ? 'rest differs' : 'rest', x + (p.step - REST_WIDTH) / 2,
                side ? at - REST_HEIGHT / 2 : at - REST_HEIGHT, REST_WIDTH, REST_HEIGHT));
            if (end - x > 40)
                nodes.push(words(known ? 'why differs' : 'why', x + (p.step + REST_WIDTH) / 2 + 5,
                    side ? at + 4 : at - 6, line.rest[side]));
        }
    return nodes;
}

function staff_line(s, p, line, i) {
    const y = p.line(i), notes = [];
    for (let tick = s.from; tick <= s.to; tick++)
        notes.push(note(p, line, tick, y));
    return el('g', null,
        glyph(line.pen, 15, y - 1, 6),
        words('pen-name', 30, y - 1, line.name), words('maker', 30, y + 14, line.maker),
        line_of('line', STAFF_LEFT, y, p.right, y),
        voice(s, p, line, y), notes, rests(s, p, line, y),
        line.remark ? words('why', STAFF_LEFT + 10, y + 16, line.remark) : null);
}

/* ---- the divergence ---- */

function mark(s, p) {
    const x = p.left(s.first), end = p.last + 30, text = String(s.first), narrow = s.width < WIDE;
    const half = 14 + 5.5 * text.length, count = s.first - s.run_from;
    const nodes = [line_of('thin', x - 3.5, STAFF_TOP - 14, x - 3.5, end),
        line_of('thick', x + 0.5, STAFF_TOP - 14, x + 0.5, end),
        el('rect', { class: 'mark', x: round(x + 1 - half), y: STAFF_TOP - 58, width: round(2 * half), height: 32,
                     rx: 3 }),
        words('rehearsal', x + 1, STAFF_TOP - 36, text)];
    if (x + half + (narrow ? 70 : 160) < s.width)
        nodes.push(words('says', x + half + 9, STAFF_TOP - 36, narrow ? 'two voices' : 'from here on two voices'));
    if (s.unison && count > 0 && x - half - (narrow ? 60 : 150) >= STAFF_LEFT - 60)
        nodes.push(words('says end', x - half - 8, STAFF_TOP - 36,
            narrow ? 'unison' : `unison, ${count} ${s.word}${count === 1 ? '' : 's'}`));
    return nodes;
}

/* All there is as a bar, with the window in it; `heat`: how much differs where, 0 to 1. */
function whole(s, p) {
    const y = p.last + STAFF_RUN, width = p.right - STAFF_LEFT, all = s.run_to - s.run_from + 1;
    const at = (tick) => STAFF_LEFT + (tick - s.run_from) / all * width;
    const nodes = [el('rect', { class: 'whole', x: STAFF_LEFT, y, width: round(width), height: 8, rx: 4 })];
    for (const { from, to, heat } of s.heat)
        nodes.push(el('rect', { class: 'after', x: round(at(from)), y, width: round(at(to + 1) - at(from)), height: 8,
                                'fill-opacity': round(0.15 + 0.6 * heat) }));
    nodes.push(el('rect', { class: 'window', x: round(at(s.from)), y: y - 3, height: 14, rx: 3,
                            width: round(Math.max(6, at(s.to + 1) - at(s.from))) }));
    const size = `${all} ${s.word}${all === 1 ? '' : 's'}`;
    nodes.push(words('maker', 14, y + 8, s.width > STAFF_NARROW ? `all, ${size}` : size));
    return nodes;
}

/*
 * The picture. `s`: {from, to} the window, {run_from, run_to} all there is, first (or null), unison, chosen (or null),
 * word, width, label, heat, lines: [{pen, name, maker, first, most, rest: [text, text], remark,
 * at(tick) -> {n: [n, n], d, loaded}}].
 */
export function draw_staff(s) {
    const p = places(s), marked = is_shown(s, s.first);
    const divergent = marked || (s.first !== null && s.first < s.from);
    const from = marked ? p.left(s.first) : STAFF_LEFT;
    return el('svg', { class: 'staff', viewBox: `0 0 ${s.width} ${staff_height(s.lines.length)}`, role: 'img',
                       'aria-label': s.label },
        divergent ? box('wash', from, STAFF_TOP - 26, p.right - from, p.last - STAFF_TOP + 62) : null,
        is_shown(s, s.chosen) ? box('chosen', p.left(s.chosen), STAFF_TOP - 26, p.step, p.last - STAFF_TOP + 58) : null,
        bars(s, p), brace(s, p), s.lines.map((line, i) => staff_line(s, p, line, i)),
        marked ? mark(s, p) : null, whole(s, p));
}

/* Where the pointer is on the bar of the whole run: a tick, or null. */
export function run_tick_at(s, x, y) {
    const p = places(s), top = p.last + STAFF_RUN, width = p.right - STAFF_LEFT;
    if (y < top - 8 || y > top + 16 || x < STAFF_LEFT || x > p.right)
        return null;
    return s.run_from + Math.floor((x - STAFF_LEFT) / width * (s.run_to - s.run_from + 1));
}
