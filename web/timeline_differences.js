/* timeline_differences.js - colour by difference: how much each line differs, by column of the picture. */
import { differences_of } from './differences.js';
import { DIFFERENCES, x_of } from './raster.js';
import { schedule } from './timeline_paint.js';
import { is_mounted, v } from './timeline_state.js';

const TICKS_MOST = 8192;        /* that are compared for one picture */

/* Whether there is something to colour by: two sides, and ticks that both count. */
export function difference_mode() {
    return v.app.open.sides.length === 2 && v.clock.has_ticks && !v.is_frames;
}

/* First and last tick of the window; at most so many, around its middle. */
function ticks_shown(scale) {
    const [low, high] = v.app.open.sides[v.side].ticks || [0, -1];
    const first = Math.max(low, v.clock.tick_at(Math.max(0, scale.from)) ?? low);
    const last = Math.min(high, v.clock.tick_at(scale.to) ?? high);
    if (last - first < TICKS_MOST)
        return [first, last];
    const middle = Math.round((first + last) / 2);
    return [middle - TICKS_MOST / 2, middle + TICKS_MOST / 2 - 1];
}

/* Fetch what is not known yet of the window, and draw again. */
async function load_missing(first, last) {
    const mine = v, known = differences_of(v.app);
    if (v.comparing)
        return;
    v.comparing = true;
    try {
        for (let tick = first; tick <= last && is_mounted(mine); tick++)
            if (!known.is_known(tick)) {
                await known.load(tick, tick);
                if (is_mounted(mine))
                    schedule();
            }
    } catch (failure) {
        if (is_mounted(mine) && !failure.cancelled)
            v.app.remark(failure.message);
        return;         /* and not again until the view is mounted anew */
    }
    mine.comparing = false;
}

/* Of 0 to 7 how much differs; 0 is nothing. */
export function level_of(count) {
    return count > 0 ? Math.min(DIFFERENCES - 1, 1 + Math.floor(Math.log2(count))) : 0;
}

/* For a line: a level for each column of the picture, that of the tick in it that differs most. */
export function levels_of(pen) {
    const { frame } = v;
    frame.levels = frame.levels || new Map();       /* lanes of one line have the same */
    if (!frame.levels.has(pen))
        frame.levels.set(pen, find_levels(pen, frame.scale));
    return frame.levels.get(pen);
}

function find_levels(pen, scale) {
    const known = differences_of(v.app);
    const levels = new Uint8Array(scale.width);
    const [first, last] = ticks_shown(scale);
    let is_whole = true;
    for (let tick = first; tick <= last; tick++) {
        is_whole = is_whole && known.is_known(tick);
        const level = level_of(known.at(pen, tick));
        if (!level)
            continue;
        const [begin, end] = v.clock.tick_range(tick) || [0, 0];
        const x0 = Math.max(0, x_of(scale, begin)), x1 = Math.min(scale.width, Math.max(x0 + 1, x_of(scale, end)));
        for (let x = x0; x < x1; x++)
            levels[x] = Math.max(levels[x], level);
    }
    if (!is_whole)
        load_missing(first, last);
    return levels;
}

/* What differs at a time on a line, in words; '' where that is not shown. */
export function difference_words(pen, time) {
    if (v.app.state.by !== 'difference' || !difference_mode())
        return '';
    const tick = v.clock.tick_at(time), known = differences_of(v.app);
    if (tick === null || !known.is_known(tick))
        return '';
    const count = known.at(pen, tick);
    return count ? `${v.app.format.count(count)} differ in tick ${tick}` : `the same in tick ${tick}`;
}
