/* clock.js - times of one side. Inside the page a time is a Number of units after the side's begin. */

const TICK_SHIFT = 20n;

/* The index of the last element that is <= value, or -1. */
export function last_at_most(list, value) {
    let [low, high] = [0, list.length];
    while (low < high) {
        const middle = (low + high) >> 1;
        if (list[middle] <= value)
            low = middle + 1;
        else
            high = middle;
    }
    return low - 1;
}

/* A clock of a side of `open`, with the ticks of its `tracks` answer (null before it is there).
 * Absolute times (BigInt, digits) may need all 64 bits; relative ones fit a double. */
export function make_clock(side, ticks) {
    const last_tick = side.ticks ? side.ticks[1] : Infinity;
    const base = BigInt(side.from || 0);
    const to = side.to === null || side.to === undefined ? base : BigInt(side.to);
    const is_tick_axis = side.axis === 'tick';
    const begins = ticks ? ticks.at.map((at) => Number(BigInt(at) - base)) : [];

    function tick_at(rel) {
        if (is_tick_axis)
            return Math.min(last_tick, Number((base + BigInt(Math.floor(rel))) >> TICK_SHIFT));
        const i = last_at_most(begins, rel);
        if (i < 0)
            return null;
        const next = i + 1 < begins.length ? begins[i + 1] : null;
        const inside = next !== null && next > begins[i] ? (rel - begins[i]) / (next - begins[i]) : 0;
        return Math.min(last_tick, ticks.first + i * ticks.every + Math.floor(inside * ticks.every));
    }

    function tick_begin(tick) {
        if (is_tick_axis)
            return Number((BigInt(tick) << TICK_SHIFT) - base);
        if (!begins.length || tick < ticks.first)
            return null;
        const place = (tick - ticks.first) / ticks.every;
        const i = Math.floor(place);
        if (i >= begins.length)
            return null;
        const next = i + 1 < begins.length ? begins[i + 1] : begins[i];
        return begins[i] + (next - begins[i]) * (place - i);
    }

    return {
        base, is_tick_axis,
        /* How long the side is, in units; at least 1. */
        length: Math.max(1, Number(to - base)),
        /* Ticks can be placed. */
        has_ticks: is_tick_axis || begins.length > 0,
        begins, ticks,
        rel: (time) => Number(BigInt(time) - base),
        abs: (rel) => base + BigInt(Math.round(rel)),
        tick_at, tick_begin,
        /* [begin, end) of a tick, or null. */
        tick_range(tick) {
            const begin = tick_begin(tick);
            if (begin === null)
                return null;
            const end = tick_begin(tick + 1);
            return [begin, end === null || end <= begin ? Number(to - base) : end];
        },
    };
}
