/* lanes.js - which tracks are shown, in which order, how high, and where. */

const ROW = 23;
const FOLDED = 26;
const HEIGHTS = { instant: 44, counter: 46, film: 92, group: 26 };
const PAD = 6;
const LEAST = 22;
const MOST = 900;

/* Rows get smaller where there are many: 8 rows at 23 px, 24 at 14, then at 7, at most 420 px. */
function slice_height(rows) {
    if (rows <= 1)
        return HEIGHTS.instant;
    if (rows <= 8)
        return PAD * 2 + ROW * rows;
    return Math.min(420, PAD * 2 + rows * (rows <= 24 ? 14 : 7));
}

function default_height(track) {
    return track.kind === 'slice' ? slice_height(track.rows) : HEIGHTS[track.kind] || HEIGHTS.instant;
}

function matches(track, text, pen_name) {
    const low = text.toLowerCase();
    return `${track.name} ${track.detail || ''} ${pen_name}`.toLowerCase().includes(low);
}

/* Parents before children, each with its depth; what has no parent in the list is a root. */
function in_order(tracks, order) {
    const known = new Set(tracks.map((t) => t.track));
    const children = new Map();
    for (const track of tracks) {
        const parent = track.parent !== null && track.parent !== track.track && known.has(track.parent)
            ? track.parent : -1;
        if (!children.has(parent))
            children.set(parent, []);
        children.get(parent).push(track);
    }
    const place = new Map(order.map((id, i) => [id, i]));
    const found = [], seen = new Set();
    const walk = (parent, depth) => {
        const list = (children.get(parent) || []).map((t, i) => [t, place.get(t.track) ?? i + 1e6]);
        list.sort((a, b) => a[1] - b[1]);
        for (const [track] of list)
            if (!seen.has(track.track)) {
                seen.add(track.track);
                found.push({ track, depth });
                walk(track.track, depth + 1);
            }
    };
    walk(-1, 0);
    return found;
}

/* A model of the lanes of one side. */
export function make_lanes() {
    let tracks = [];
    const folded = new Set(), pinned = new Set(), heights = new Map();
    let order = [], list = [], total = 0;

    function height_of(track) {
        if (folded.has(track.track))
            return FOLDED;
        return heights.get(track.track) || default_height(track);
    }

    function row_height(track, height) {
        if (track.kind !== 'slice')
            return height - PAD * 2;
        const rows = folded.has(track.track) ? 1 : Math.max(1, track.rows);
        return Math.max(1, Math.min(40, (height - PAD * 2) / rows));
    }

    function layout(hidden, filter, pen_name) {
        const gone = new Set(hidden), closed = new Set();
        list = [];
        for (const { track, depth } of in_order(tracks, order)) {
            const under = closed.has(track.parent);
            if (under || (folded.has(track.track) && track.kind === 'group'))
                closed.add(track.track);
            if (under || gone.has(track.track))
                continue;
            if (filter && !matches(track, filter, pen_name(track.pen)))
                continue;
            list.push({ track, depth, height: height_of(track), is_pinned: pinned.has(track.track),
                        is_folded: folded.has(track.track) });
        }
        list.sort((a, b) => Number(b.is_pinned) - Number(a.is_pinned));
        let y = 0;
        for (const lane of list) {
            lane.y = y;
            lane.pad = lane.is_folded ? 2 : PAD;
            lane.row = lane.is_folded ? FOLDED - 5 : row_height(lane.track, lane.height);
            if (lane.track.kind === 'slice' && lane.track.rows <= 1 && !lane.is_folded) {
                lane.row = Math.min(ROW, lane.height - PAD * 2);
                lane.pad = Math.round((lane.height - lane.row) / 2);
            }
            y += lane.height;
        }
        total = y;
        return list;
    }

    function toggle(set, id) {
        if (!set.delete(id))
            set.add(id);
    }

    return {
        set_tracks(next) { tracks = next; },
        layout,
        list: () => list,
        total: () => total,
        of: (id) => list.find((lane) => lane.track.track === id) || null,
        at(y) {
            return list.find((lane) => y >= lane.y && y < lane.y + lane.height) || null;
        },
        fold: (id) => toggle(folded, id),
        unfold: (id) => folded.delete(id),
        pin: (id) => toggle(pinned, id),
        resize(id, height) {
            folded.delete(id);
            heights.set(id, Math.max(LEAST, Math.min(MOST, height)));
        },
        /* Put a lane before or after its neighbour of the same parent. */
        move(id, step) {
            const ids = in_order(tracks, order).map((row) => row.track);
            const mine = ids.find((t) => t.track === id);
            if (!mine)
                return;
            const group = ids.filter((t) => t.parent === mine.parent).map((t) => t.track);
            const at = group.indexOf(id), to = Math.max(0, Math.min(group.length - 1, at + step));
            group.splice(at, 1);
            group.splice(to, 0, id);
            order = ids.map((t) => t.track).filter((one) => !group.includes(one));
            order.push(...group);
        },
    };
}
