/* view_timeline.js - the Timeline: minimap, ruler, lanes, selection. Its state is in the address. */
import { make_lanes } from './lanes.js';
import { make_marks } from './marks.js';
import { make_raster } from './raster.js';
import { window_of } from './search.js';
import { make_tile_cache } from './tile_cache.js';
import { hit_test } from './timeline_draw.js';
import { difference_words } from './timeline_differences.js';
import { make_film } from './timeline_film.js';
import { attach_pointer } from './timeline_input.js';
import { filter_lanes, fold_panel, follow, keys, name_of, other_side } from './timeline_keys.js';
import { make_names_column } from './timeline_names.js';
import { schedule, theme_look } from './timeline_paint.js';
import { make_panel } from './timeline_panel.js';
import { go_hit, load_hits, load_record, load_sum, preview, select, set_range } from './timeline_select.js';
import { center, clamp_window, is_mounted, set_mounted, set_window, TICK_UNITS, v, whole_end, window_from_state,
         zoom } from './timeline_state.js';

const DEFAULT_PANEL = 196;

function resize_panel(height) {
    v.panel_height = Math.max(80, Math.min(Math.round(innerHeight * 0.6), Math.round(height)));
    v.root.style.setProperty('--panel-height', `${v.panel_height}px`);
    v.splitter.setAttribute('aria-valuenow', String(v.panel_height));
}

function build_splitter(el) {
    const node = el('div', { class: 'splitter', role: 'separator', tabindex: '0', 'aria-orientation': 'horizontal',
        'aria-label': 'height of the selection panel', 'aria-valuenow': DEFAULT_PANEL, 'aria-valuemin': 80,
        'aria-valuemax': 1000 });
    node.addEventListener('keydown', (event) => {
        const step = { ArrowUp: 24, ArrowDown: -24 }[event.key];
        if (step) {
            resize_panel(v.panel_height + step);
            event.preventDefault();
            event.stopPropagation();
        }
    });
    node.addEventListener('pointerdown', (event) => {
        const start = { y: event.clientY, height: v.panel_height };
        const move = (e) => v && resize_panel(start.height + start.y - e.clientY);
        node.setPointerCapture(event.pointerId);
        node.addEventListener('pointermove', move);
        node.addEventListener('pointerup', () => node.removeEventListener('pointermove', move), { once: true });
    });
    node.addEventListener('dblclick', fold_panel);
    return node;
}

function side_buttons(app) {
    const { el } = app;
    if (app.open.sides.length < 2)
        return el('span', { text: app.open.sides[v.side].kind === 'run' ? 'whole run' : 'whole trace' });
    return el('span', { class: 'sides' }, app.open.sides.map((side, i) => el('button', { type: 'button',
        class: 'btn small', 'aria-pressed': String(i === v.side), text: app.visible(side.name, 14),
        title: i ? 'actual (B)' : 'expected (B)', onclick: () => i !== v.side && other_side() })));
}

/* A duration in the units of the axis. */
function span_words(units) {
    const { format } = v.app;
    if (!v.clock.is_tick_axis)
        return format.ns(units);
    return `${format.figure(Number(units) / TICK_UNITS)} ${v.is_frames ? 'frames' : 'ticks'}`;
}

function build(root, app) {
    const { el, fill } = app;
    v.mini = el('canvas', { class: 'minimap', role: 'img', 'aria-label': 'the whole, records over time' });
    v.about = el('span', { class: 'num' });
    v.ruler = el('canvas', { class: 'ruler', 'aria-hidden': 'true' });
    v.base = el('canvas', { class: 'base', role: 'img', tabindex: '0', 'aria-label': 'timeline' });
    v.over = el('canvas', { class: 'over', 'aria-hidden': 'true' });
    v.tip = el('div', { class: 'tip', hidden: true });
    v.left = el('span', { class: 'left' });
    v.filter = el('input', { type: 'search', class: 'field filter', 'aria-label': 'filter lanes by name or pen',
        placeholder: 'name or pen', hidden: !app.state.filter, value: app.state.filter || '' });
    v.left.hidden = Boolean(app.state.filter);
    v.names_column = make_names_column(app, v.on_lane);
    v.draw = el('div', { class: 'draw' }, v.base, v.over, v.tip);
    v.scroll = el('div', { class: 'lanes' }, v.names_column.root, v.draw);
    v.panel = make_panel(app, { follow, hit: go_hit, span: span_words, tick_word: () => v.is_frames ? 'frame' : 'tick',
        place: (hit) => hit.text ? app.visible(hit.text, 60) : app.format.place(hit.begin) });
    v.splitter = build_splitter(el);
    fill(root,
        el('div', { class: 'mini' }, el('div', { class: 'l' }, side_buttons(app), el('br'), v.about), v.mini),
        el('div', { class: 'rule' }, el('div', { class: 'l' }, v.left, v.filter,
            el('button', { type: 'button', class: 'filter-button', title: 'filter lanes (L)',
                           'aria-label': 'filter lanes', text: '\u2261', onclick: filter_lanes })),
        v.ruler),
        v.scroll, v.splitter, v.panel.root);
    v.filter.addEventListener('input', () => app.set({ filter: v.filter.value || null }));
    v.filter.addEventListener('blur', () => {
        if (!v.filter.value) {
            v.filter.hidden = true;
            v.left.hidden = false;
        }
    });
    v.filter.addEventListener('keydown', (event) => {
        if (event.key === 'Enter' || event.key === 'Escape') {
            if (event.key === 'Escape')
                app.set({ filter: null });
            v.filter.value = app.state.filter || '';
            v.base.focus();
            event.stopPropagation();
        }
    });
    v.scroll.addEventListener('scroll', () => {
        v.moved_at = 0;
        schedule();
    }, { passive: true });
}

function relayout() {
    const { app } = v;
    const lanes = v.lanes.layout(app.state.lanes || [], app.state.filter || '', (pen) => app.pen_of(pen).name);
    v.names_column.render(lanes);
    v.drawn = null;
    schedule();
}

/* What a lane's name can do; ids are tracks. */
function lane_acts() {
    const then = (act) => (...args) => {
        act(...args);
        relayout();
    };
    return {
        fold: then((id) => v.lanes.fold(id)),
        pin: then((id) => v.lanes.pin(id)),
        move: then((id, step) => v.lanes.move(id, step)),
        resize: then((id, height) => v.lanes.resize(id, height)),
        hide: (id) => v.app.set({ lanes: [...(v.app.state.lanes || []), id] }, { push: true }),
    };
}

/* What a pointer can do; times are relative. */
function pointer_acts() {
    return {
        frame: () => v.frame, window: () => v.win, set_window,
        zoom: (factor, at) => zoom(factor, at),
        hover(time, x, y) {
            v.pointer_time = time;
            show_tip(time === null ? null : hit_test(v.frame, x, y), x, y);
        },
        range: (range) => {
            v.range = range;
            schedule();
        },
        range_done: (range) => set_range(range),
        click(x, y) {
            const hit = hit_test(v.frame, x, y);
            if (hit && hit.item && hit.item.kind !== 'counter') {
                v.item = hit.item;
                v.is_walking = true;
                select(hit.item.src, hit.item.seq);
                v.is_walking = false;
                v.app.announce(item_words(hit.item).join(', '));
            } else
                v.app.set({ sel: null, range: null }, { push: true });
        },
        go_whole: (share) => center(share * whole_end()),
        brush: (from, to) => set_window(from * whole_end(), to * whole_end()),
    };
}

function item_words(item) {
    const { format } = v.app;
    const tick = v.clock.has_ticks ? v.clock.tick_at(item.begin) : null;
    const where = tick === null ? format.place(item.begin) : `${v.is_frames ? 'frame' : 'tick'} ${tick}`;
    if (item.kind === 'counter')
        return [item.min === item.max ? format.figure(item.mean)
            : `${format.figure(item.min)} to ${format.figure(item.max)}, mean ${format.figure(item.mean)}`, where];
    const many = item.many > 0 ? `about ${format.count(2 ** item.many)} in this pixel, the longest shown` : '';
    const length = item.kind === 'slice' && !v.clock.is_tick_axis && !item.goes_on && !item.before
        ? format.ns(item.end - item.begin) : '';
    return [v.app.visible(name_of(item)), [length, item.kind === 'slice' ? `depth ${item.row + 1}` : '']
        .filter(Boolean).join(' \u00b7 '), [where, many].filter(Boolean).join(' \u00b7 ')].filter(Boolean);
}

function show_tip(hit, x, y) {
    const { el, fill } = v.app;
    v.draw.classList.toggle('over-item', Boolean(hit && hit.item));
    if (!hit || !hit.item) {
        v.tip.hidden = true;
        return;
    }
    const [first, ...rest] = item_words(hit.item);
    rest.push(difference_words(hit.lane.track.pen, hit.item.begin));
    const title = hit.item.kind === 'counter' ? v.app.visible(hit.lane.track.name) : first;
    fill(v.tip, el('b', { text: title }), hit.item.kind === 'counter'
        ? el('div', { class: 'mono', text: first + (hit.lane.track.unit ? ` ${hit.lane.track.unit}` : '') }) : null,
        rest.filter(Boolean).map((text, i) => el('div', { class: i ? 'dim' : 'mono', text })));
    v.tip.hidden = false;
    const wide = Math.min(300, v.tip.offsetWidth), high = v.tip.offsetHeight;
    v.tip.style.setProperty('left', `${Math.max(4, Math.min(v.width - wide - 4, x + 14))}px`);
    v.tip.style.setProperty('top', `${y + 18 + high > v.height ? Math.max(0, y - high - 10) : y + 18}px`);
}

function take_data({ tracks, clock, ticks }) {
    v.tracks = tracks;
    v.clock = clock;
    v.lanes.set_tracks(tracks);
    v.is_frames = clock.is_tick_axis && !ticks && v.app.open.sources.filter((s) => s.side === v.side)
        .every((s) => s.pen === 'aerogpu');
    const side = v.app.open.sides[v.side];
    const count = side.ticks ? `${v.app.format.count(side.ticks[1] - side.ticks[0] + 1)} ` +
        `${v.is_frames ? 'frames' : 'ticks'}` : '';
    v.about.textContent = [count, clock.is_tick_axis ? '' : v.app.format.ns(clock.length)]
        .filter(Boolean).join(' \u00b7 ');
}

function read_state(app) {
    v.win = window_from_state(app);
    const { range } = app.state;
    v.range = range ? [v.clock.rel(range.from), v.clock.rel(range.to)] : null;
}

async function load(reveal) {
    const mine = v, { app } = v;
    try {
        const data = await app.tracks(v.side);
        if (!is_mounted(mine))
            return;
        const is_first = !v.clock;
        const was_whole = !app.state.t;
        take_data(data);
        if (is_first || was_whole)
            read_state(app);
        if (is_first) {
            v.marks = make_marks(app.open.sides[v.side].fingerprint || 'none', app.state.m);
            relayout();
            if (app.state.tick !== undefined && !app.state.t)
                go_tick_quietly(app.state.tick);
            load_record(reveal && !app.state.t);
            load_hits();
            if (v.range)
                load_sum(true);
        } else
            relayout();
    } catch (failure) {
        if (is_mounted(mine))
            app.show_failure(v.root, failure);
    }
}

function go_tick_quietly(tick) {
    const range = v.clock.tick_range(tick);
    if (!range)
        return;
    const margin = (range[1] - range[0]) * 0.6;
    v.win = clamp_window(range[0] - margin, range[1] + margin);
    v.app.set({ t: window_of(v.clock, v.win), range: v.app.state.range || window_of(v.clock, range) });
}

function mount(root, app) {
    set_mounted({
          app, root, side: app.side(), clock: null, win: [0, 1], range: null, item: null, record: null, flows: [],
          hits: null, hit_at: -1, hit_count: 0, matching: null, lanes: make_lanes(), raster: make_raster(),
          tracks: [], marks: make_marks('none', null), width: 0, height: 0, times: [], pending: false,
          panel_height: DEFAULT_PANEL, pointer_time: null, moved_at: 0, sum_key: '', on_lane: null });
    const mine = v;
    v.on_lane = lane_acts();
    v.cache = make_tile_cache({ fetch: (body) => app.api.bytes('tiles', body),
        base_of: () => mine.clock.base, on_tiles: () => {
            if (!is_mounted(mine))
                return;
            v.drawn = null;
            schedule();
        }, generation: () => app.open.generation });
    v.film = make_film(app, () => {
        if (is_mounted(mine)) {
            v.drawn = null;
            schedule();
        }
    });
    theme_look();
    build(root, app);
    v.observer = new ResizeObserver(() => {
        if (!is_mounted(mine))
            return;
        v.width = v.draw.clientWidth;
        v.height = v.scroll.clientHeight;
        v.scroll.style.setProperty('--view-height', `${v.height}px`);
        v.drawn = null;
        schedule();
    });
    v.observer.observe(v.scroll);
    v.detach = attach_pointer({ draw: v.draw, ruler: v.ruler, mini: v.mini }, pointer_acts());
    load(true);
    root.timeline_probe = { times: v.times, cache: v.cache, frame: () => mine.frame };
}

function update(app, changed) {
    if (!v)
        return;
    if (changed.has('side') && app.side() !== v.side) {
        unmount();
        app.fill(document.getElementById('main'));
        mount(document.getElementById('main'), app);
        return;
    }
    if (changed.has('open')) {
        load(false);
        return;
    }
    if (!v.clock)
        return;
    if (changed.has('theme'))
        theme_look();
    if (changed.has('t') || changed.has('range')) {
        read_state(app);
    }
    if (changed.has('range'))
        load_sum(true);
    if (changed.has('lanes') || changed.has('filter')) {
        v.filter.value = app.state.filter || '';
        relayout();
    }
    if (changed.has('q'))
        load_hits();
    if (changed.has('sel'))
        load_record(!v.is_walking && !changed.has('t'));
    if (changed.has('tick') && app.state.tick !== undefined && !changed.has('t') && !changed.has('view'))
        go_tick_quietly(app.state.tick);
    v.drawn = null;
    schedule();
}

function unmount() {
    if (!v)
        return;
    v.observer.disconnect();
    v.detach();
    clearTimeout(v.still);
    clearTimeout(v.sum_wait);
    for (const kind of ['sum', 'find', 'film'])
        v.app.api.cancel(kind);
    delete v.root.timeline_probe;
    set_mounted(null);
}

export default {
    id: 'timeline', title: 'Timeline', key: '2',
    missing: (open) => open.sources.every((s) => s.error) ? 'No trace could be opened.' : null,
    mount, update, unmount, preview, keys,
};
