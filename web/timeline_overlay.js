/* timeline_overlay.js - what is drawn above the raster: names, ruler, rings, flows, flags of marks. */
import { css_of, text_on } from './contrast.js';
import { figure, place } from './format.js';
import { pen_of } from './pens.js';
import { rgb_of, x_of } from './raster.js';
import { counter_limits, nice_step, tick_places } from './timeline_draw.js';

const FONT = 11;
const RULER_LEAST = 76;
const ARROW = 6;
const FLAG_HEIGHT = 16;
const widths = new Map();

/* As much of a text as fits, with an ellipsis; '' if nothing does. */
export function cut_text(context, text, room) {
    const key = context.font + '\n' + text;
    let wide = widths.get(key);
    if (wide === undefined) {
        wide = context.measureText(text).width;
        if (widths.size > 20000)
            widths.clear();
        widths.set(key, wide);
    }
    if (wide <= room)
        return text;
    for (let fits = Math.floor(text.length * (room / wide)); fits >= 1; fits--) {
        const shorter = text.slice(0, fits) + '\u2026';
        if (context.measureText(shorter).width <= room)
            return shorter;
    }
    return '';
}

/* Make a canvas as large as its box; returns its context in CSS pixels. */
export function sized(canvas, width, height, dpr) {
    const [w, h] = [Math.max(1, Math.round(width * dpr)), Math.max(1, Math.round(height * dpr))];
    if (canvas.width !== w || canvas.height !== h) {
        canvas.width = w;
        canvas.height = h;
    }
    const context = canvas.getContext('2d');
    context.setTransform(dpr, 0, 0, dpr, 0, 0);
    context.clearRect(0, 0, width, height);
    return context;
}

/* What the raster has at a place, in device pixels: [r, g, b]. */
function colour_at(raster, x, y) {
    const [width, height] = raster.size();
    const at = Math.min(height - 1, Math.max(0, Math.round(y))) * width + Math.min(width - 1, Math.max(0, x));
    const pixel = raster.pixels()[at];
    return [pixel & 255, pixel >> 8 & 255, pixel >> 16 & 255];
}

export function draw_labels(context, frame, labels, look) {
    const { dpr, names, scroll, visible } = frame;
    const ink = rgb_of(look.ink), inks = new Map();     /* by what is below */
    const ink_on = (fill) => {
        const key = css_of(fill);
        if (!inks.has(key))
            inks.set(key, css_of(text_on(fill, ink)));
        return inks.get(key);
    };
    context.font = `${FONT}px ${look.sans}`;
    context.textBaseline = 'middle';
    for (const label of labels) {
        if (frame.matching && !frame.matching(label.name))
            continue;
        const x = label.x0 / dpr, room = (label.x1 - label.x0) / dpr - 8;
        const y = label.lane.y - scroll + label.lane.pad + (label.row + 0.5) * label.lane.row;
        const text = cut_text(context, visible(names.get(label.name)), room);
        if (!text)
            continue;
        context.fillStyle = ink_on(colour_at(frame.raster, (label.x0 + label.x1) >> 1, y * dpr));
        context.fillText(text, x + 4, y);
    }
}

/* Values beside the curve of a counter, names beside instants. */
export function draw_figures(context, frame, figures, look) {
    context.font = `${FONT}px ${look.sans}`;
    context.textBaseline = 'middle';
    context.fillStyle = frame.by === 'difference' ? look.ink : look.ink2;
    for (const one of figures) {
        const top = one.lane.y - frame.scroll, { height } = one.lane;
        if (one.name !== undefined) {
            const text = cut_text(context, frame.visible(frame.names.get(one.name)), one.room - 18);
            if (text && !(frame.matching && !frame.matching(one.name)))
                context.fillText(text, one.x + 9, top + height / 2);
            continue;
        }
        const { low, high } = counter_limits(one.lane.track);
        const y = top + height - 2 - (one.value - low) / (high - low) * (height - 12);
        const text = cut_text(context, figure(Number(one.value.toPrecision(7))), one.room - 8);
        context.fillText(text, one.x + 6, y - 8 < top + 4 ? y + 9 : y - 7);
    }
}

export function draw_ruler(context, frame, width, height, mode, look) {
    context.font = `${FONT}px ${look.sans}`;
    context.textBaseline = 'middle';
    const marks = mode === 'tick' ? tick_marks(frame) : time_marks(frame);
    for (const { x, text } of marks) {
        context.fillStyle = look.line;
        context.fillRect(x, 0, 1, height);
        context.fillStyle = look.ink3;
        context.fillText(text, x + 6, height / 2 + 1);
    }
    context.fillStyle = look.line;
    context.fillRect(0, height - 1, width, 1);
}

/* Where ticks are too close for all their names, rounder numbers have one. */
function tick_marks({ clock, scale, dpr, tick_word }) {
    const places = tick_places(clock, scale, RULER_LEAST * dpr), named = [];
    for (const one of [...places].sort((a, b) => b.every - a.every || a.tick - b.tick))
        if (named.every((other) => Math.abs(other.x - one.x) >= RULER_LEAST * dpr))
            named.push(one);
    return places.map((one) => ({ x: one.x / dpr, text: named.includes(one) ? `${tick_word} ${one.tick}` : '' }));
}

function time_marks({ scale, dpr }) {
    const step = nice_step_time((scale.to - scale.from) * (RULER_LEAST * dpr * 1.3) / scale.width);
    const found = [];
    for (let at = Math.ceil(scale.from / step) * step; at <= scale.to; at += step)
        found.push({ x: x_of(scale, at) / dpr, text: place(at, step) });
    return found;
}

function nice_step_time(value) {
    return Math.max(1, nice_step(value));
}

/* Where an item of a lane is, in CSS pixels, or null if its lane is not shown. */
export function box_of(frame, item) {
    const lane = frame.lanes.find((l) => l.track.track === item.track);
    if (!lane)
        return null;
    const { scale, dpr, scroll } = frame;
    const x0 = x_of(scale, item.begin) / dpr;
    const x1 = Math.max(x0 + 1, x_of(scale, Math.max(item.end ?? item.begin, item.begin)) / dpr);
    if (lane.track.kind === 'instant' || lane.track.kind === 'counter')
        return { x: x0 - 6, y: lane.y - scroll + 4, w: 12, h: lane.height - 8 };
    if (lane.track.kind === 'film')
        return { x: x0, y: lane.y - scroll + 2, w: Math.max(4, x1 - x0), h: lane.height - 5 };
    const row = lane.is_folded ? 0 : item.row || 0;
    return { x: x0, y: lane.y - scroll + lane.pad + row * lane.row, w: x1 - x0, h: lane.row - 2 };
}

/* A ring around an item; not around those narrower than `least`, which would hide them. */
export function draw_ring(context, frame, item, colour, wide = 2, least = 0) {
    const box = box_of(frame, item);
    if (!box || box.x > frame.width || box.x + box.w < 0 || box.w < least)
        return;
    context.strokeStyle = colour;
    context.lineWidth = wide;
    const x0 = Math.max(-4, box.x - 1), x1 = Math.min(frame.width + 4, box.x + box.w + 1);
    context.strokeRect(x0, box.y - 1, Math.max(3, x1 - x0), box.h + 2);
}

/* A curve from the selected item to each that it is linked with, with a head at its end. */
export function draw_flows(context, frame, item, links, look) {
    const from = box_of(frame, item);
    if (!from)
        return;
    for (const link of links) {
        if (link.track === item.track)
            continue;       /* a caller is above it: nesting shows that */
        const to = box_of(frame, { ...link, begin: link.rel, end: link.rel });
        if (!to || (from.x + from.w < 0 && to.x < 0) || (from.x > frame.width && to.x > frame.width))
            continue;
        const below = to.y > from.y;
        const [x0, y0] = [Math.max(0, from.x + 4), below ? from.y + from.h : from.y];
        const [x1, y1] = [Math.max(-20, Math.min(frame.width + 20, to.x + 3)), below ? to.y : to.y + to.h];
        const lane = frame.lanes.find((l) => l.track.track === link.track);
        curve(context, x0, y0, x1, y1, look.css(pen_of(lane.track.pen).hue));
    }
}

function curve(context, x0, y0, x1, y1, colour) {
    const bend = Math.max(14, Math.abs(y1 - y0) / 2);
    const [cx, cy] = [(x0 + x1) / 2 + bend, (y0 + y1) / 2];
    context.strokeStyle = context.fillStyle = colour;
    context.lineWidth = 1.5;
    context.beginPath();
    context.moveTo(x0, y0);
    context.quadraticCurveTo(cx, cy, x1, y1);
    context.stroke();
    const angle = Math.atan2(y1 - cy, x1 - cx);
    context.beginPath();
    context.moveTo(x1, y1);
    context.lineTo(x1 - ARROW * Math.cos(angle - 0.45), y1 - ARROW * Math.sin(angle - 0.45));
    context.lineTo(x1 - ARROW * Math.cos(angle + 0.45), y1 - ARROW * Math.sin(angle + 0.45));
    context.fill();
}

/* Flags of marks in the ruler; returns the text that each shows. */
export function draw_flags(context, frame, marks, look) {
    context.font = `600 ${FONT}px ${look.sans}`;
    context.textBaseline = 'middle';
    for (const mark of marks) {
        const x = x_of(frame.scale, mark.rel) / frame.dpr;
        if (x < -200 || x > frame.width)
            continue;
        const text = mark.note ? `${mark.letter} \u00b7 ${frame.visible(mark.note, 40)}` : mark.letter;
        const wide = context.measureText(text).width + 16;
        context.fillStyle = look.accent;
        context.beginPath();
        context.moveTo(x, 0);
        context.lineTo(x + wide, 0);
        context.lineTo(x + wide - 6, FLAG_HEIGHT / 2);
        context.lineTo(x + wide, FLAG_HEIGHT);
        context.lineTo(x, FLAG_HEIGHT);
        context.fill();
        context.fillStyle = look.panel;
        context.fillText(text, x + 6, FLAG_HEIGHT / 2 + 0.5);
    }
}

export function draw_mark_lines(context, frame, marks, height, look) {
    context.fillStyle = look.accent;
    for (const mark of marks)
        context.fillRect(Math.round(x_of(frame.scale, mark.rel) / frame.dpr), 0, 1.5, height);
}
