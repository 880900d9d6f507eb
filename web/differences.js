/* differences.js - in which ticks two runs differ, and how much, by line: fetched in pieces, kept for all views. */

const PIECE = 256;      /* ticks */

let kept = null;

/* What is known of the two sides that are open. */
export function differences_of(app) {
    const { generation, sides } = app.open;
    const key = JSON.stringify([generation, sides.map((side) => [side.name, side.fingerprint])]);
    if (!kept || kept.key !== key)
        kept = { key, ...make_differences(app.api) };
    return kept;
}

/*
 *   at(pen, tick)               how much differs there; 0 too where it is not known
 *   is_known(tick)              it was fetched
 *   load(from, to, is_wanted)   a promise: fetch what is missing there, while is_wanted()
 *   next(tick, step, range)     a promise of the next tick in that direction that differs, or null
 */
export function make_differences(api) {
    const pieces = new Map();       /* number -> {from, pens}, or a promise of it */

    const number_of = (tick) => Math.floor(tick / PIECE);

    function fetch_piece(i) {
        if (!pieces.has(i)) {
            const from = i * PIECE;
            pieces.set(i, api.job(`staff?from=${from}&to=${from + PIECE - 1}`, null, null, `difference ${i}`)
                .then(({ pens }) => {
                    const piece = { from, pens };
                    pieces.set(i, piece);
                    return piece;
                }, (failure) => {
                    pieces.delete(i);
                    throw failure;
                }));
        }
        return pieces.get(i);
    }

    function at(pen, tick) {
        const piece = pieces.get(number_of(tick));
        const line = piece && piece.pens ? piece.pens[pen] : null;
        return line ? line.d[tick - piece.from] || 0 : 0;
    }

    function differs(piece, tick) {
        return Object.values(piece.pens).some((line) => line.d[tick - piece.from] > 0);
    }

    async function load(from, to, is_wanted = () => true) {
        for (let i = number_of(from); i <= number_of(to) && is_wanted(); i++)
            await fetch_piece(i);
    }

    async function next(tick, step, [first, last]) {
        for (let t = tick + step; t >= first && t <= last; t += step) {
            const piece = await fetch_piece(number_of(t));
            if (differs(piece, t))
                return t;
        }
        return null;
    }

    return { at, load, next, is_known: (tick) => Boolean(pieces.get(number_of(tick))?.pens) };
}
