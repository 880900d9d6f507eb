/* view_ticks.js - Ticks: the state of a tick on a map and in figures, played as a film; of one run or two. */
import { differences_of } from './differences.js';
import { differing_items, make_film } from './ticks_film.js';
import { draw_map, item_at, item_color, map_area, map_colors, TAIL } from './ticks_map.js';
import { tick_panel } from './ticks_panel.js';
import { make_scrub } from './ticks_scrub.js';

const TICKS_A_SECOND = 60;
const FIGURES_MS = 120;     /* between two requests for figures while the tick moves */
const LEGEND_TYPES = 8;
const LEGEND_CLEAR = 204;   /* pixels that the legend takes at the left of the map */
const is_narrow = matchMedia('(max-width: 900px)');     /* the legend is above the map then */

let o = null;

const has_map = (source) => !source.error && (source.pen === 'cdt' || source.pen === 'murk');

function missing(open) {
    return open.sources.some(has_map) ? null
        : 'There is no map here: Ticks shows states of CDT and commands of Murk.';
}

const is_pair = (app) => app.open.sides.length === 2 &&
    app.open.sides.every((_, i) => app.open.sources.some((s) => s.side === i && has_map(s)));

/* The side whose items are filled; of a pair the expected one. */
const first_side = (app) => is_pair(app) ? 0 : app.side();

/* ---- what is shown ---- */

function selected_item(items) {
    return o.key ? items.find((item) => item.key === o.key) || null : null;
}

/* "creature 36"; the number is known once the thing was seen. */
function name_of(key) {
    const kind = o.scene.kinds[Number(key.split('.')[0])];
    const item = (o.films[0].items(o.tick) || []).find((one) => one.key === key);
    if (item)
        o.numbers.set(key, item.number);
    const number = o.numbers.get(key);
    return `${kind ? kind.name : 'thing'}${number === undefined ? '' : ` ${number}`}`;
}

function by_key_of(film) {
    const known = new Map();
    return (tick) => {
        const items = film.items(tick);
        if (!items)
            return null;
        if (known.size > 64)
            known.clear();
        if (!known.has(tick) || known.get(tick).items !== items)
            known.set(tick, { items, map: new Map(items.map((item) => [item.key, item])) });
        return known.get(tick).map;
    };
}

function note_types(app, items) {
    for (const item of items) {
        const kind = o.scene.kinds[item.kind];
        const type = kind.shape === 'disc' ? item.type : '';
        const key = `${item.kind}/${type}`;
        if (!o.types.has(key) && o.types.size < 40) {
            o.types.set(key, { kind, index: item.kind, type });
            o.legend_is_old = true;
        }
    }
    if (o.legend_is_old)
        show_legend(app);
}

function legend_mark(app, kind, index, type, colors) {
    const { el } = app;
    const color = kind.shape === 'ring' ? 'var(--ink)' : item_color(kind, index, type || 0, colors);
    const hollow = kind.shape === 'ring' || kind.shape === 'diamond' || kind.shape === 'square';
    const paint = { fill: hollow ? 'none' : color, stroke: color, 'stroke-width': 1.6 };
    const shape = kind.shape === 'diamond' ? el('path', { d: 'M6 1L11 6L6 11L1 6Z', ...paint })
        : kind.shape === 'square' || (kind.shape === 'disc' && Math.floor(Math.abs(type) / 4) % 3 === 1)
            ? el('rect', { x: 2, y: 2, width: 8, height: 8, ...paint })
            : kind.shape === 'arrow' ? el('path', { d: 'M2 10L10 6L2 2Z', ...paint })
                : el('circle', { cx: 6, cy: 6, r: kind.shape === 'dot' ? 3 : 4.6, ...paint });
    return el('svg', { width: 12, height: 12, 'aria-hidden': 'true' }, shape);
}

function show_legend(app) {
    const { el, fill } = app;
    const colors = map_colors();
    o.legend_is_old = false;
    const rows = [...o.types.values()].sort((a, b) => a.index - b.index || a.type - b.type);
    const other = is_pair(app) ? app.visible(app.open.sides[1].name, 24) : null;
    const sized = o.scene.kinds.find((kind) => kind.size);
    fill(o.legend,
        rows.slice(0, LEGEND_TYPES + o.scene.kinds.length).map(({ kind, index, type }) =>
            el('span', null, legend_mark(app, kind, index, type, colors), `${kind.name} ${type}`)),
        other ? el('span', null, el('svg', { width: 12, height: 12, 'aria-hidden': 'true' },
            el('circle', { cx: 6, cy: 6, r: 4.6, fill: 'none', stroke: 'var(--part)', 'stroke-width': 1.6,
                           'stroke-dasharray': '3 2' })), `differs, in ${other}`) : null,
        el('span', { class: 'dim', text: o.scene.is_state
            ? `${sized ? `size: ${sized.size} \u00b7 ` : ''}tail: ${TAIL} ticks` : 'commands: where they go' }));
}

function say_status(app, items) {
    const { format } = app;
    const alive = items ? items.filter((item) => item.is_alive).length : null;
    const parts = [['tick', `${format.count(o.tick)} of ${format.count(o.scene.last)}`]];
    if (o.figures && o.figures.tick === o.tick && o.figures.answer.time !== null)
        parts.push(['time', format.place(o.figures.answer.time, 1e6)]);
    parts.push([o.scene.is_state ? 'entities' : 'commands', format.count(alive)],
        ['speed', `${o.speed < 1 ? `1/${1 / o.speed}` : o.speed}\u00d7 (${TICKS_A_SECOND * o.speed} ticks a second)`]);
    if (is_pair(app))
        parts.push(['differ', format.count(o.differing.length)]);
    app.status(parts);
}

function draw(app) {
    if (!o || !o.scene)
        return;
    const items = o.films[0].items(o.tick) || o.last_items;
    const others = o.films[1] ? o.films[1].items(o.tick) : null;
    o.last_items = items;
    o.differing = others && o.films[0].items(o.tick) ? differing_items(items, others) : [];
    note_types(app, items);
    const item = selected_item(items);
    o.area.clear = is_narrow.matches ? 0 : LEGEND_CLEAR;
    draw_map(o.canvas, { area: o.area, kinds: o.scene.kinds, items, film: { by_key: o.by_key }, tick: o.tick,
        first: o.scene.first, differing: o.differing, selected: item ? { item, name: name_of(o.key) } : null });
    o.canvas.setAttribute('aria-label', `map of tick ${o.tick}: ${count_sentence(items)}` +
        (o.films[1] ? `; ${o.differing.length} differ in the other run` : ''));
    o.scrub.show(o.tick, o.playing);
    say_status(app, items);
    if (o.figures && o.figures.tick === o.tick && o.figures.differing !== o.differing.length)
        show_figures(app);
}

function count_sentence(items) {
    const counts = new Map();
    for (const item of items)
        counts.set(item.kind, (counts.get(item.kind) || 0) + 1);
    return [...counts].map(([kind, n]) => `${n} ${o.scene.kinds[kind].name}`).join(', ') || 'nothing';
}

function redraw(app) {
    if (o && !o.frame)
        o.frame = requestAnimationFrame(() => {
            if (!o)
                return;
            o.frame = 0;
            draw(app);
        });
}

/* ---- figures ---- */

function show_figures(app) {
    const { answer, other, tick, receipts } = o.figures;
    const names = app.open.sides.map((side) => app.visible(side.name, 20));
    const heads = other ? names : [answer.changed === null ? '' : app.format.count(tick - 1), app.format.count(tick)];
    const scroll = o.side.scrollTop;
    o.figures.differing = o.differing.length;
    app.fill(o.side, tick_panel(app, { tick, answer, other, receipts, heads,
        differing: o.differing.length, selected: o.key ? name_of(o.key) : null }));
    o.side.scrollTop = scroll;
}

async function fetch_figures(app, tick, key) {
    const chosen = key ? `&kind=${key.split('.')[0]}&id=${key.split('.')[1]}` : '';
    const get = (side) => app.api.get(`tick?side=${side}&n=${tick}${chosen}`);
    const [answer, other] = await Promise.all([get(first_side(app)), is_pair(app) ? get(1).catch(() => null) : null]);
    return { tick, key, answer, other, receipts: null };
}

/* What became of the commands, once the tick stays. */
async function load_receipts(app, figures) {
    const mine = o;
    if (o.no_receipts || o.playing || !figures.answer.commands || !figures.answer.commands.count)
        return;
    try {
        const receipts = await app.api.job(`receipts?side=${first_side(app)}&n=${figures.tick}`);
        if (mine !== o || o.figures !== figures)
            return;
        figures.receipts = receipts;
        show_figures(app);
    } catch (failure) {
        if (mine === o && !failure.cancelled)
            o.no_receipts = true;   /* the world is not known here: commands are shown without */
    }
}

/* Figures of the tick that is shown; while it moves only some of them. */
async function load_figures(app) {
    const mine = o;
    if (o.is_loading) {
        o.wants_figures = true;
        return;
    }
    o.is_loading = true;
    o.wants_figures = false;
    const { tick, key } = o;
    try {
        const figures = await fetch_figures(app, tick, key);
        if (mine !== o)
            return;
        o.figures = figures;
        show_figures(app);
        redraw(app);
    } catch (failure) {
        if (mine === o)
            app.show_failure(o.side, failure);
    }
    await new Promise((done) => setTimeout(done, FIGURES_MS));
    if (mine !== o)
        return;
    o.is_loading = false;
    if (o.wants_figures || tick !== o.tick || key !== o.key)
        load_figures(app);
    else if (o.figures && !o.figures.receipts)
        load_receipts(app, o.figures);
}

/* ---- moving ---- */

function clamp(tick) {
    return Math.min(o.scene.last, Math.max(o.scene.first, tick));
}

/* Show a tick; `push` where a person chose it. */
function show_tick(app, tick, push) {
    if (!o.scene || o.scene.last === null)
        return;
    o.tick = clamp(tick);
    redraw(app);
    load_figures(app);
    if (push)
        app.announce(`tick ${o.tick}`);
    app.set({ tick: o.tick }, { push });
}

function stop(app) {
    o.playing = false;
    redraw(app);
    app.set({ tick: o.tick });
}

function play(app) {
    if (!o.scene || o.scene.last === null)
        return;
    if (o.playing) {
        stop(app);
        return;
    }
    if (o.tick >= o.scene.last)
        o.tick = o.scene.first;
    o.playing = true;
    o.at = o.tick;
    o.clock = performance.now();
    requestAnimationFrame((now) => advance(app, now));
}

/* Positions between ticks are not invented: a tick is shown, then the next. */
function advance(app, now) {
    if (!o || !o.playing)
        return;
    o.at += Math.max(0, now - o.clock) / 1000 * TICKS_A_SECOND * o.speed;
    o.clock = now;
    const next = clamp(Math.floor(o.at));
    o.films.forEach((film) => film && film.ahead(next));
    if (next !== o.tick && o.films[0].items(next)) {
        o.tick = next;
        draw(app);
        load_figures(app);
        app.set({ tick: o.tick });
    } else if (next !== o.tick)
        o.at = o.tick;      /* wait for the reel */
    if (o.tick >= o.scene.last)
        stop(app);
    else
        requestAnimationFrame((later) => advance(app, later));
}

function select(app, key, push = true) {
    o.key = key;
    redraw(app);
    load_figures(app);
    if (key)
        app.announce(name_of(key));
    app.set({ ent: key }, { push });
}

/* The next thing in the order of the list, for the keyboard. */
function select_next(app, by) {
    const items = o.films[0].items(o.tick) || [];
    if (!items.length)
        return;
    const at = items.findIndex((item) => item.key === o.key);
    select(app, items[(at + by + items.length) % items.length].key);
}

/* To the next tick (1) or the one before (-1) that differs in anything that the runs recorded. */
async function next_difference(app, by) {
    const mine = o;
    if (!o.films[1]) {
        app.remark('There is nothing to compare with: open two runs.');
        return;
    }
    if (!o.scene || o.scene.last === null)
        return;
    try {
        const tick = await differences_of(app).next(o.tick, by, [o.scene.first, o.scene.last]);
        if (mine !== o)
            return;
        if (tick === null)
            app.remark(by > 0 ? 'Nothing differs after this tick.' : 'Nothing differs before this tick.');
        else
            show_tick(app, tick, true);
    } catch (failure) {
        if (mine === o && !failure.cancelled)
            app.remark(failure.message);
    }
}

function to_divergence(app) {
    if (o.diverges === null)
        app.remark('No tick is known in which the runs diverge.');
    else
        show_tick(app, o.diverges, true);
}

/* ---- loading ---- */

async function load_scene(app) {
    const mine = o;
    try {
        const scene = await app.api.job(`scene?side=${first_side(app)}`, null, (done) => mine === o &&
            app.fill(o.wait, `Reading the trace: ${app.format.share(done)}`));
        if (mine !== o)
            return;
        o.wait.remove();
        if (scene.last === null) {
            app.fill(o.side, app.el('p', { class: 'none', text: 'The trace has no ticks with anything to draw.' }));
            return;
        }
        o.scene = scene;
        o.area = map_area(scene.bounds);
        o.scrub.curves(scene);
        const wanted = app.state.tick ?? scene.first;
        o.tick = clamp(wanted);
        if (wanted !== o.tick)
            app.remark(`There is no tick ${wanted}: the ticks are ${app.format.ticks([scene.first, scene.last])}.`);
        redraw(app);
        load_figures(app);
        load_divergence(app);
    } catch (failure) {
        if (mine === o) {
            o.wait.remove();
            app.show_failure(o.side, failure);
        }
    }
}

/* Where the runs diverge, if they are compared. */
async function load_divergence(app) {
    const mine = o;
    if (!o.films[1])
        return;
    try {
        const verdict = await app.api.job('compare');
        if (mine !== o || verdict.first === null || verdict.first === undefined)
            return;
        o.diverges = Number(verdict.first);
        o.scrub.diverges(o.diverges);
    } catch {
        /* Compare says why. */
    }
}

function build(root, app) {
    const { el, fill } = app;
    o.canvas = el('canvas', { role: 'img', tabindex: '0', 'aria-label': 'map' });
    o.legend = el('div', { class: 'legend' });
    o.wait = el('p', { class: 'wait', role: 'status', text: 'Reading the trace\u2026' });
    o.side = el('aside', { class: 'side', 'aria-label': 'figures of the tick', tabindex: '0' });
    o.scrub = make_scrub(app, {
        tick: (tick) => show_tick(app, tick, false), step: (by) => step(app, by), play: () => play(app),
        speed: (speed) => {
            o.speed = speed;
            redraw(app);
        },
    });
    fill(root, el('div', { class: 'map' }, o.canvas, o.legend, o.wait), o.side, o.scrub.node);
    o.canvas.addEventListener('pointerdown', (event) => {
        if (!o.scene)
            return;
        const item = item_at(o.canvas, o.area, o.films[0].items(o.tick) || [], event.offsetX, event.offsetY);
        select(app, item ? item.key : null);
    });
    o.observer = new ResizeObserver(() => redraw(app));
    o.observer.observe(o.canvas);
}

function step(app, by) {
    if (o.playing)
        stop(app);
    show_tick(app, o.tick + by, true);
}

function mount(root, app) {
    const failed = (failure) => o && app.show_failure(o.side, failure);
    o = { key: app.state.ent || null, types: new Map(), numbers: new Map(), differing: [], figures: null,
        last_items: [], speed: 1,
          playing: false, scene: null, diverges: null, tick: app.state.tick ?? 0, frame: 0 };
    const film = (side) => make_film(app.api, side, () => o && redraw(app), failed);
    o.films = is_pair(app) ? [film(0), film(1)] : [film(app.side()), null];
    o.by_key = by_key_of(o.films[0]);
    build(root, app);
    load_scene(app);
}

function update(app, changed) {
    if (!o)
        return;
    if (changed.has('side') || changed.has('open')) {
        o.films.forEach((film) => film && film.forget());
        if (changed.has('side')) {
            const root = o.canvas.closest('main');
            unmount();
            mount(root, app);
            return;
        }
    }
    if (changed.has('theme') && o.scene)
        show_legend(app);
    if (changed.has('ent') && (app.state.ent || null) !== o.key) {
        o.key = app.state.ent || null;
        load_figures(app);
    }
    if (changed.has('tick') && o.scene && !o.playing && app.state.tick !== undefined && app.state.tick !== o.tick) {
        o.tick = clamp(app.state.tick);
        load_figures(app);
    }
    redraw(app);
}

function unmount() {
    if (!o)
        return;
    o.playing = false;
    if (o.frame)
        cancelAnimationFrame(o.frame);
    o.observer.disconnect();
    o = null;
}

const keys = [
    { key: 'Space', does: 'play, pause', group: 'move', run: (app) => play(app) },
    { key: [',', '.'], does: 'tick before, next tick', group: 'move',
        run: (app, _, which) => step(app, which ? 1 : -1) },
    { key: ['\u2190', '\u2192'], does: 'tick before, next tick', group: 'move', hidden: true,
      run: (app, _, which) => step(app, which ? 1 : -1) },
    { key: ['\u2191', '\u2193'], does: 'thing before, next thing', group: 'move',
      run: (app, _, which) => select_next(app, which ? 1 : -1) },
    { key: ['Home', 'End'], does: 'first, last tick', group: 'move',
      run: (app, _, which) => o.scene && show_tick(app, which ? o.scene.last : o.scene.first, true) },
    { key: ['A', 'D'], does: '10 ticks back, on', group: 'move', run: (app, _, which) => step(app, which ? 10 : -10) },
    { key: ['W', 'S'], does: 'faster, slower', group: 'move', run: (_, __, which) => o.scrub.faster(which ? -1 : 1) },
    { key: ['N', 'P'], does: 'next / previous difference', group: 'find',
      run: (app, _, which) => { next_difference(app, which ? -1 : 1); } },
    { key: 'F', does: 'where the runs diverge', group: 'find', run: (app) => to_divergence(app) },
    { key: 'O', does: 'the frame of this tick', group: 'find', run: (app) => app.go('frames',
        { tick: o.tick, frame: null }) },
    { key: 'Esc', does: 'select nothing', group: 'keep', hidden: true,
      run: (app) => o.key ? select(app, null) : false },
];

export default { id: 'ticks', title: 'Ticks', key: '4', missing, mount, update, unmount, keys };
