/* timeline_state.js - what is mounted, and the window of time that it shows. */
import { window_of } from './search.js';
import { schedule } from './timeline_paint.js';

const LEAST_UNITS = 64;
export const TICK_UNITS = 2 ** 20;

/* The Timeline that is mounted; null between. Other modules of it read this. */
export let v = null;

export function set_mounted(instance) {
    v = instance;
}

export function is_mounted(instance) {
    return v === instance;
}

/* The end of the whole, with what the last tick or record needs. */
export function whole_end() {
    const least = v.clock.is_tick_axis ? TICK_UNITS : LEAST_UNITS;
    return Math.max(least, Math.ceil(v.clock.length * 1.004) + 1);
}

export function clamp_window(from, to) {
    const end = whole_end();
    const width = Math.min(end, Math.max(LEAST_UNITS, to - from));
    const middle = (from + to) / 2;
    const begin = Math.round(Math.max(0, Math.min(end - width, middle - width / 2)));
    return [begin, Math.max(begin + 1, Math.round(begin + width))];
}

export function window_from_state(app) {
    const { t } = app.state;
    return t ? clamp_window(v.clock.rel(t.from), v.clock.rel(t.to)) : [0, whole_end()];
}

export function set_window(from, to, { push = false } = {}) {
    v.win = clamp_window(from, to);
    const is_whole = v.win[0] === 0 && v.win[1] >= whole_end();
    v.app.set({ t: is_whole ? null : window_of(v.clock, v.win) }, { push });
    schedule();
}

export function zoom(factor, at = null) {
    const [from, to] = v.win;
    const shown = v.item && v.item.begin >= from && v.item.begin <= to ? v.item.begin : null;
    const center = at ?? v.pointer_time ?? shown ?? (from + to) / 2;
    const inside = Math.max(0, Math.min(1, (center - from) / (to - from)));
    const width = (to - from) * factor;
    set_window(center - width * inside, center + width * (1 - inside));
}

export function pan(share) {
    const width = v.win[1] - v.win[0];
    const step = Math.sign(share) * Math.round(width * Math.abs(share));      /* the same there and back */
    const by = Math.max(-v.win[0], Math.min(whole_end() - v.win[1], step));
    set_window(v.win[0] + by, v.win[1] + by);
}

export function show_range([from, to], push = true) {
    const margin = Math.max((to - from) * 0.1, LEAST_UNITS / 4);
    set_window(from - margin, to + margin, { push });
}

export function fit_selection() {
    if (v.range)
        show_range(v.range);
    else if (v.item)
        show_range([v.item.begin, Math.max(v.item.end ?? v.item.begin, v.item.begin + 1)]);
}

export function center(time) {
    const width = v.win[1] - v.win[0];
    const full = width >= whole_end() ? whole_end() / 10 : width;
    set_window(time - full / 2, time + full / 2, { push: true });
}
