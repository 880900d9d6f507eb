/* staff_counts.js - what goes on and what differs in each tick, fetched in pieces and kept. */

const WHOLE_MOST = 2048;    /* ticks that are fetched at once */
const PIECE = 512;
const NOTHING = { n: [null, null], d: null, loaded: false };
const HEAT_PARTS = 120;
const TRIES = 3;

/* A job whose result is wanted even if an equal one of before, which it shares, was cancelled meanwhile. */
export async function steady_job(api, path, kind, is_wanted) {
    for (let left = TRIES;; left--)
        try {
            return await api.job(path, null, null, kind);
        } catch (failure) {
            if (!failure.cancelled || !left || !is_wanted())
                throw failure;
        }
}

/*
 * Counts of two sides. `about` is the answer to `compare`; `changed` is called when more is known.
 *   at(pen, tick)      {n: [n, n], d, loaded}
 *   most(pen)          the largest d that is known
 *   need(from, to)     fetch what is missing there; a promise
 *   next(tick, dir)    a promise of the next tick in that direction in which something changes, or null
 *   heat()             parts of the whole run with how much differs, 0 to 1
 */
export function make_counts(api, about, changed, is_wanted) {
    const pens = new Map(about.lines.map((line) => [line.pen, { n: new Map(), d: new Map(), most: 0 }]));
    const asked = new Map();
    const total = about.from === null ? 0 : about.to - about.from + 1;
    const piece = total <= WHOLE_MOST ? Math.max(1, total) : PIECE;

    function take(answer) {
        for (const [name, counts] of Object.entries(answer.pens)) {
            const pen = pens.get(name);
            if (!pen)
                continue;
            counts.d.forEach((d, i) => {
                pen.n.set(answer.from + i, counts.n[i]);
                pen.d.set(answer.from + i, d);
                pen.most = Math.max(pen.most, d || 0);
            });
        }
        changed();
    }

    function fetch_piece(i) {
        const from = about.from + i * piece, to = Math.min(about.to, from + piece - 1);
        if (!asked.has(i)) {
            const path = `staff?from=${from}&to=${to}&stream=${about.stream}`;
            asked.set(i, steady_job(api, path, `staff ${i}`, is_wanted).then(take, (failure) => {
                asked.delete(i);
                throw failure;
            }));
        }
        return asked.get(i);
    }

    function at(name, tick) {
        const pen = pens.get(name);
        return pen.n.has(tick) ? { n: pen.n.get(tick), d: pen.d.get(tick), loaded: true } : NOTHING;
    }

    async function need(from, to) {
        const first = Math.max(0, Math.floor((from - about.from) / piece));
        const last = Math.floor((Math.min(to, about.to) - about.from) / piece);
        for (let i = first; i <= last && total; i++)
            await fetch_piece(i);
    }

    /* Another line diverges, or what differs doubles or halves. */
    function changes(tick) {
        return about.lines.some((line) => {
            const now = at(line.pen, tick).d, before = at(line.pen, tick - 1).d;
            if (line.first === tick)
                return true;
            if (now === null || before === null)
                return false;
            const share = (1 + now) / (1 + before);
            return share >= 2 || share <= 0.5;
        });
    }

    async function next(tick, dir) {
        for (let t = tick + dir; t >= about.from && t <= about.to; t += dir) {
            await need(Math.max(about.from, t - 1), t);
            if (changes(t))
                return t;
        }
        return null;
    }

    function heat() {
        const parts = Math.min(HEAT_PARTS, total), found = [];
        for (let i = 0; i < parts; i++) {
            const from = about.from + Math.floor(i * total / parts);
            const to = about.from + Math.floor((i + 1) * total / parts) - 1;
            let most = 0;
            for (const [name, pen] of pens)
                for (let t = from; t <= to; t++)
                    most = Math.max(most, Math.log2(1 + (at(name, t).d || 0)) / Math.log2(1 + Math.max(1, pen.most)));
            if (most > 0)
                found.push({ from, to, heat: most });
        }
        return found;
    }

    return { at, need, next, heat, most: (name) => pens.get(name).most };
}
