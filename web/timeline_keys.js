/* timeline_keys.js - what the keys of the Timeline do. */
import { differences_of } from './differences.js';
import { ask, in_field } from './keys.js';
import { difference_mode } from './timeline_differences.js';
import { save_part } from './timeline_export.js';
import { ruler_mode, schedule } from './timeline_paint.js';
import { go_hit, reveal_item } from './timeline_select.js';
import { center, fit_selection, is_mounted, pan, set_window, v, whole_end, zoom } from './timeline_state.js';

const ZOOM = 1.5;
const PAN = 0.18;
const COLOUR_MODES = ['name', 'module', 'duration', 'difference'];

async function walk(dir) {
    const { app } = v, mine = v;
    const from = v.item || first_place();
    if (!from)
        return;
    const at = v.clock.abs(from.begin);
    const time = from.is_before && at > 0n ? at - 1n : at;
    try {
        const answer = await app.api.get(`near?track=${from.track}&row=${from.row || 0}&time=${time}&dir=${dir}`);
        const item = answer.item === undefined ? answer : answer.item;
        if (!is_mounted(mine))
            return;
        if (!item) {
            app.announce('no more in this direction');
            return;
        }
        v.item = { ...item, begin: v.clock.rel(item.time), end: v.clock.rel(item.end ?? item.time) };
        v.is_walking = true;
        app.set({ sel: { src: item.src, seq: String(item.seq) } }, { push: true });
        reveal_item();
        v.is_walking = false;
        app.announce(app.visible(item.text || item.name));
    } catch (failure) {
        if (is_mounted(mine) && !failure.cancelled)
            app.remark(failure.message);
    }
}

export function fold_panel() {
    v.root.classList.toggle('folded');
    v.root.style.setProperty('--panel-height', v.root.classList.contains('folded') ? '0px'
                                                                                  : `${v.panel_height}px`);
}

/* Where walking begins without a selection: the first lane in view that has records. */
function first_place() {
    const top = v.scroll.scrollTop;
    const lane = v.lanes.list().find((l) => l.y + l.height > top && l.track.kind !== 'group' &&
        l.track.kind !== 'counter') || v.lanes.list().find((l) => l.track.kind !== 'group');
    return lane ? { track: lane.track.track, row: 0, begin: v.win[0], is_before: true } : null;
}

function step_difference(step) {
    const { app } = v;
    if (app.open.sides.length < 2) {
        app.remark('There is nothing to compare with: open two runs.');
        return;
    }
    go_difference(step);
}

/* To the next tick in which any line differs, or the one before. */
async function go_difference(step) {
    const { app } = v, mine = v;
    const now = app.state.tick ?? v.clock.tick_at((v.win[0] + v.win[1]) / 2);
    try {
        const tick = await differences_of(app).next(now, step, app.open.sides[v.side].ticks || [0, -1]);
        if (!is_mounted(mine))
            return;
        if (tick === null)
            app.remark(step > 0 ? 'Nothing differs after this tick.' : 'Nothing differs before this tick.');
        else
            app.set({ tick, range: null }, { push: true });
    } catch (failure) {
        if (is_mounted(mine) && !failure.cancelled)
            app.remark(failure.message);
    }
}

function cursor_time() {
    if (v.pointer_time !== null && v.pointer_time !== undefined)
        return v.pointer_time;
    if (v.item)
        return v.item.begin;
    return v.range ? v.range[0] : (v.win[0] + v.win[1]) / 2;
}

async function add_mark(with_note) {
    const { app } = v, at = v.clock.abs(cursor_time()), mine = v;
    const note = with_note ? await ask('Note at a mark', 'note') : '';
    if (note === null || !is_mounted(mine))
        return;
    const mark = v.marks.add(at, note);
    if (!mark)
        app.remark('All letters are used.');
    else
        app.announce(`mark ${mark.letter} set`);
    v.moved_at = 0;
    schedule();
}

function wait_for_letter() {
    const { app } = v, mine = v;
    const letters = v.marks.list().map((m) => m.letter).join(' ');
    app.remark(letters ? `To which mark? ${letters}` : 'There are no marks yet: M sets one.');
    if (!letters)
        return;
    const once = (event) => {
        removeEventListener('keydown', once, true);
        if (!is_mounted(mine) || in_field(event.target))
            return;
        const mark = v.marks.get(event.key.toLowerCase());
        event.preventDefault();
        event.stopPropagation();
        if (mark)
            center(v.clock.rel(mark.at));
    };
    addEventListener('keydown', once, true);
}

function same_function() {
    const name = v.record && v.record.slice ? v.record.slice.name : v.item ? name_of(v.item) : '';
    if (name)
        v.app.set({ q: name }, { push: true });
    else
        v.app.remark('Select a slice first.');
}

export function name_of(item) {
    return typeof item.name === 'number' ? v.app.names(v.side).get(item.name) : item.name || '';
}

export function follow(link) {
    const side = v.app.source(link.src) ? v.app.source(link.src).side : v.side;
    v.app.set({ sel: { src: link.src, seq: String(link.seq) }, side: side || null }, { push: true });
}

function follow_first() {
    const link = v.record && (v.record.links || [])[0];
    if (link)
        follow(link);
    else
        v.app.remark('The selected record has no link.');
}

function cycle_colour() {
    const modes = COLOUR_MODES.filter((mode) => mode !== 'difference' || difference_mode());
    const next = modes[(modes.indexOf(v.app.state.by || 'name') + 1) % modes.length];
    v.app.set({ by: next === 'name' ? null : next });
    v.app.remark(`Colour by ${next}.`);
}

function toggle_ruler() {
    if (!v.clock.has_ticks || v.clock.is_tick_axis) {
        v.app.remark(v.clock.is_tick_axis ? 'This trace has ticks but no times.'
            : 'This trace does not say when its ticks began.');
        return;
    }
    v.app.set({ ruler: ruler_mode() === 'tick' ? 'time' : null });
}

export function filter_lanes() {
    v.filter.hidden = false;
    v.left.hidden = true;
    v.filter.focus();
    v.filter.select();
}

function share_link(app) {
    if (v.marks.list().length)
        app.set({ m: v.marks.list().slice(0, 8) });
    return false;       /* the shell copies it */
}

function lane_key(act) {
    const id = v.names_column.lane_of(document.activeElement);
    if (id === null)
        return false;
    act(id);
    return true;
}

export const keys = [
    { key: ['W', 'S'], does: 'zoom in / out', group: 'move', run: (a, e, i) => zoom(i ? ZOOM : 1 / ZOOM) },
    { key: ['A', 'D'], does: 'pan left / right', group: 'move', run: (a, e, i) => pan(i ? PAN : -PAN) },
    { key: 'F', does: 'to the selection', group: 'move', run: fit_selection },
    { key: '0', does: 'whole trace', group: 'move', run: () => set_window(0, whole_end(), { push: true }) },
    { key: ['\u2192', '\u2190'], does: 'next / previous record', group: 'move',
      run: (a, e, i) => { walk(i ? 0 : 1); } },
    { key: ['\u2191', '\u2193'], does: 'up / down a depth', group: 'move', run: (a, e, i) => { walk(i ? 3 : 2); } },
    { key: ['N', 'P'], does: 'next / previous difference', group: 'move', run: (a, e, i) => {
        if (!(i && lane_key((id) => v.on_lane.pin(id))))
            step_difference(i ? -1 : 1);
    } },
    { key: 'X', does: 'ruler: time, ticks', group: 'move', run: toggle_ruler },
    { key: 'C', does: 'colour by name, module, duration, difference', group: 'move', run: cycle_colour },
    { key: 'B', does: 'the other run', group: 'move', run: () => other_side() },
    { key: ['Enter', 'Shift Enter'], does: 'next / previous hit', group: 'find',
      run: (a, e, i) => go_hit(v.hit_at < 0 ? null : v.hit_at + (i ? -1 : 1)) },
    { key: 'L', does: 'filter lanes', group: 'find', run: filter_lanes },
    { key: '.', does: 'same function', group: 'find', run: same_function },
    { key: 'O', does: 'follow a link', group: 'find', run: follow_first },
    { key: ['M', 'Shift M'], does: 'mark here / with a note', group: 'keep', run: (a, e, i) => { add_mark(i === 1); } },
    { key: '\'', does: 'to a mark: \u2019 then its letter', group: 'keep', run: wait_for_letter },
    { key: 'Y', does: 'copy link with the marks', group: 'keep', hidden: true, run: share_link },
    { key: 'E', does: 'export what is shown', group: 'keep', run: (a) => save_part(a, v) },
    { key: 'Shift E', does: 'fold or show the panel', group: 'keep', run: () => fold_panel() },
];

export function other_side() {
    if (v.app.open.sides.length < 2) {
        v.app.remark('Only one run is open.');
        return;
    }
    const tick = v.clock.has_ticks ? v.clock.tick_at((v.win[0] + v.win[1]) / 2) : null;
    v.app.set({ side: v.side ? null : 1, sel: null, range: null, t: null, tick }, { push: true });
}
