/* calls_flame.js - rectangles of calls on a canvas: names, differences, what was searched for. */
import { change_of } from './calls_tree.js';
import { css_of, text_on } from './contrast.js';
import { mixed, rgb_of } from './raster.js';

export const ROW = 26;
const LABEL_LEAST = 26;
const NOISE = 0.03;         /* a change below it is not coloured */
const STRONGEST = 1.5;      /* log2 of a change that has the full colour */

/* FNV-1a without digits: a function has the same fill in every view. */
export function fill_of(name) {
    let hash = 0x811c9dc5;
    for (const c of name.replace(/\d+/g, ''))
        hash = Math.imul(hash ^ c.codePointAt(0), 0x01000193) >>> 0;
    return hash & 7;
}

function strength(change) {
    if (change === null || Math.abs(change) < NOISE)
        return 0;
    const ratio = change === Infinity ? 8 : Math.max(1 / 8, 1 + change);
    return Math.max(-1, Math.min(1, Math.log2(ratio) / STRONGEST)) || 0;
}

/* "+5 %", "new", "gone". */
export function change_text(change) {
    if (change === null)
        return '';
    if (change === Infinity)
        return 'only there';
    if (change <= -1)
        return 'only here';
    const percent = change * 100;
    return `${percent < 0 ? '\u2212' : '+'}${Math.abs(percent).toFixed(Math.abs(percent) < 10 ? 1 : 0)} %`;
}

function colors_of() {
    const style = getComputedStyle(document.documentElement);
    const get = (name) => style.getPropertyValue(name).trim();
    return { get, fills: Array.from({ length: 8 }, (_, i) => get(`--s${i}`)), sunk: get('--sunk'), line: get('--line'),
             paper: get('--paper'), ink: get('--ink'), ink3: get('--ink3'), part: get('--part'),
                 accent: get('--accent'),
             sans: get('--sans') };
}

/* [r, g, b] of a rectangle. */
function fill_colour(rect, look, colors) {
    if (rect.more)
        return rgb_of(colors.line);
    if (!look.diff)
        return rgb_of(colors.fills[fill_of(rect.node.name)]);
    const how = strength(change_of(rect.node, look.by));
    return how ? mixed(rgb_of(colors.sunk), rgb_of(how > 0 ? colors.part : colors.accent), 0.15 + 0.7 * Math.abs(how))
        : rgb_of(colors.sunk);
}

function paint_box(c, rect, y, look, colors) {
    const w = Math.max(0.5, rect.w - 1), h = ROW - 2;
    if (rect.title)
        return;
    c.globalAlpha = look.is_dim(rect) ? 0.25 : 1;
    c.fillStyle = css_of(fill_colour(rect, look, colors));
    if (rect.more) {
        c.fillRect(rect.x + 0.5, y, w, h);
        return;
    }
    c.beginPath();
    c.roundRect(rect.x + 0.5, y, w, h, Math.min(2, w / 2));
    c.fill();
    if (look.diff && w > 2) {
        c.strokeStyle = colors.line;
        c.lineWidth = 1;
        c.stroke();
    }
}

/* Text that fits, cut by characters; '' where too little of it would be left. */
function fitted(c, text, room) {
    if (c.measureText(text).width <= room)
        return text;
    const cut = Math.floor(text.length * room / Math.max(1, c.measureText(text).width)) - 1;
    return cut < 3 ? '' : `${text.slice(0, cut)}\u2026`;
}

function paint_label(c, rect, y, look, colors) {
    if (rect.title) {
        c.fillStyle = colors.ink3;
        c.fillText(fitted(c, rect.title, rect.w), rect.x, y + ROW / 2 - 1);
        return;
    }
    const name = rect.more ? `${rect.more} more` : look.text(rect.node.name);
    const value = rect.more ? '' : look.value(rect.node);
    const whole = `${name}  ${value}`;
    c.fillStyle = look.is_dim(rect) ? colors.ink
        : css_of(text_on(fill_colour(rect, look, colors), rgb_of(rect.more ? colors.ink3 : colors.ink)));
    const text = c.measureText(whole).width <= rect.w - 12 ? whole : fitted(c, name, rect.w - 12);
    c.fillText(text, rect.x + 7, y + ROW / 2 - 1);
}

/*
 * Paint rectangles. `look` is { by, diff, is_dim(rect), text(name), value(node), selected, up }: up turns the rows
 * round, from the lower edge on.
 */
export function paint_flame(canvas, rects, rows, look) {
    const ratio = Math.min(2, devicePixelRatio || 1);
    const width = canvas.clientWidth, height = rows * ROW + 2;
    canvas.style.setProperty('height', `${height}px`);
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    const c = canvas.getContext('2d');
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    const colors = colors_of();
    c.font = `12px ${colors.sans}`;
    c.textBaseline = 'middle';
    const y_of = (row) => (look.up ? rows - 1 - row : row) * ROW + 1;
    for (const rect of rects)
        paint_box(c, rect, y_of(rect.row), look, colors);
    for (const rect of rects) {
        c.globalAlpha = look.is_dim(rect) ? 0.5 : 1;
        if (rect.w >= LABEL_LEAST)
            paint_label(c, rect, y_of(rect.row), look, colors);
        if (!rect.more && !rect.title && look.selected === rect.node) {
            c.globalAlpha = 1;
            c.strokeStyle = colors.accent;
            c.lineWidth = 2;
            c.strokeRect(rect.x + 1, y_of(rect.row) + 1, Math.max(1, rect.w - 2), ROW - 4);
        }
    }
    c.globalAlpha = 1;
}

/* The rectangle at a place of the canvas; null: none. */
export function rect_at(rects, rows, x, y, up) {
    const row = up ? rows - 1 - Math.floor(y / ROW) : Math.floor(y / ROW);
    return rects.find((rect) => rect.row === row && x >= rect.x && x < rect.x + rect.w) || null;
}
