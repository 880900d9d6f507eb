/* view_calls.js - Calls: the call tree as a flame graph, in order, or callers and callees of one function; against
 * the other run where there is one. Samples of stacks are shown the same way. */
import { paint_flame, rect_at, ROW } from './calls_flame.js';
import { call_grid, move_in_grid, open_at_first } from './calls_grid.js';
import { paint_in_order } from './calls_order.js';
import { all_nodes, callees_of, callers_of, find_path, folded, functions_of, layout, make_tree, weigh }
    from './calls_tree.js';

const MODES = [['heavy', 'Left heavy', 'H'], ['order', 'In order', 'I'], ['sandwich', 'Sandwich', 'B']];
const MEASURES = [['total', 'Total'], ['self', 'Self'], ['count', 'Calls']];
const CALLERS_ROWS = 8;

let o = null;

const has_calls = (source) => !source.error && (source.pen === 'atf' || source.pen === 'dial9');

function missing(open) {
    return open.sources.some(has_calls) ? null
        : 'There are no calls here: Calls shows recordings of ATF and the stacks of dial9.';
}

function sources_here(app) {
    return app.open.sources.filter((s) => s.side === app.side() && has_calls(s))
        .sort((a, b) => (a.pen === 'atf' ? 0 : 1) - (b.pen === 'atf' ? 0 : 1));
}

function source_shown(app) {
    const here = sources_here(app);
    return here.find((s) => s.src === app.state.src) || here[0] || null;
}

/* The same line of the other run; null: there is none. */
function source_other(app) {
    const mine = source_shown(app);
    return mine && app.open.sides.length === 2 ? app.source_of(mine.pen, 1 - mine.side) : null;
}

const mode_of = (app) => MODES.some(([id]) => id === app.state.mode) ? app.state.mode : 'heavy';
const measure_of = (app) => MEASURES.some(([id]) => id === app.state.by) ? app.state.by : 'total';
const is_diff = (app) => Boolean(source_other(app)) && app.state.diff !== '0';

/* ---- words ---- */

function value_text(app, value) {
    return o.answer.unit === 'ns' ? app.format.ns(value) : app.format.plural(value, 'sample');
}

function weight_text(app, node) {
    return measure_of(app) === 'count' ? app.format.plural(node.count, 'call')
        : value_text(app, measure_of(app) === 'self' ? node.self : node.total);
}

function matches(app, name) {
    const q = (app.state.q || '').toLowerCase();
    return !q || name.toLowerCase().includes(q);
}

function look_of(app) {
    return {
        by: measure_of(app), diff: is_diff(app), all: o.root.total, open: o.open, selected: o.selected,
        unit: o.answer.unit, other: is_diff(app) ? app.visible(app.open.sides[1 - app.side()].name, 20) : '',
        text: (name) => app.visible(name, 160), value: (node) => weight_text(app, node),
        value_of: (value) => o.answer.unit === 'ns' ? app.format.ns(value) : app.format.count(value),
        is_dim: (rect) => Boolean(app.state.q) && (!rect.node || !matches(app, rect.node.name)),
        choose: (node, is_twist) => choose(app, node, is_twist), zoom: (node) => zoom(app, node),
    };
}

function say_status(app) {
    const { format } = app;
    const nodes = all_nodes(o.root);
    const parts = [[o.answer.unit === 'ns' ? 'calls' : 'samples', format.count(o.answer.unit === 'ns'
        ? nodes.reduce((sum, node) => sum + (o.groups.has(node) ? 0 : node.count), 0) : o.root.total)],
        ['paths', format.count(o.answer.nodes.length)],
        ['time', o.answer.unit === 'ns' ? format.ns(o.root.total) : 'sampled'],
        ['unfinished', format.count(nodes.reduce((sum, node) => sum + node.unfinished, 0))]];
    if (o.answer.left_out)
        parts.push(['left out', `${format.count(o.answer.left_out)} of the smallest`]);
    if (app.state.q) {
        const hits = nodes.filter((node) => matches(app, node.name));
        const self = hits.reduce((sum, node) => sum + node.self, 0);
        parts.push(['found',
            `${format.plural(hits.length, 'path')}, ${format.share(self / Math.max(1, o.root.total))} of it itself`]);
    }
    app.status(parts);
}

/* ---- drawing ---- */

function flame_root(app) {
    return find_path(o.root, app.state.at || '') || o.root;
}

function show_path(app, root) {
    const { el, fill } = app;
    const steps = [];
    for (let node = root; node && node.depth >= 0; node = node.parent)
        steps.unshift(node);
    const crumb = (text, node) => el('button', { class: 'crumb', type: 'button', text,
        onclick: () => zoom(app, node) });
    fill(o.path, steps.length ? [crumb('all', o.root), steps.map((node) => [' \u203a ',
        crumb(app.visible(node.name, 40), node)])] : null);
}

/* The rows below `root`; where there are none, why, in the words of the library. */
function grid_of(app, root, look) {
    const why = o.answer.coverage;
    return o.answer.nodes.length ? call_grid(app, root, look)
        : app.el('p', { class: 'wait', text: why ? app.visible(why, 200) : 'There are no calls in what was chosen.' });
}

function draw_heavy(app) {
    const root = flame_root(app), look = look_of(app);
    const top = root === o.root && root.children.length === 1 ? root.children[0] : root;
    o.shown = layout(top, o.canvas.clientWidth);
    o.up = false;
    paint_flame(o.canvas, o.shown.rects, Math.max(5, o.shown.rows), look);
    show_path(app, root);
    app.fill(o.grid, grid_of(app, root === o.root ? root : { children: [root], depth: root.depth - 1 }, look));
    o.canvas.setAttribute('aria-label',
        `flame graph of ${app.format.plural(o.answer.nodes.length, 'path')}; the same as a table below`);
}

function chosen_function(app) {
    const list = functions_of(o.root, measure_of(app));
    return list.find((row) => row.name === app.state.fn) || list.find((row) => !o.group_names.has(row.name)) || null;
}

function function_rows(app, chosen, look) {
    const list = functions_of(o.root, measure_of(app)).filter((row) => !o.group_names.has(row.name));
    for (const row of list)
        row.weight = row[measure_of(app)];
    const flat = { children: list, depth: -1 };
    return call_grid(app, flat, { ...look, selected: list.find((row) => row.name === chosen.name) || null,
        open: new Set(), choose: (node) => app.set({ fn: node.name }, { push: true }),
        zoom: (node) => app.set({ fn: node.name }, { push: true }) });
}

function draw_sandwich(app) {
    const { el, fill } = app;
    const look = look_of(app), chosen = chosen_function(app);
    if (!chosen) {
        fill(o.grid, grid_of(app, o.root, look));
        return;
    }
    const up = weigh(callers_of(o.root, chosen.name), 'total'), down = weigh(callees_of(o.root, chosen.name), 'total');
    o.callers = layout(up, o.upper.clientWidth || o.canvas.clientWidth);
    o.shown = layout(down, o.canvas.clientWidth);
    const rows = Math.min(CALLERS_ROWS, o.callers.rows);
    paint_flame(o.upper, o.callers.rects.filter((rect) => rect.row < rows), rows, { ...look, up: true, selected: up });
    paint_flame(o.canvas, o.shown.rects, Math.max(2, o.shown.rows), { ...look, selected: down });
    o.callers.rows = rows;
    fill(o.path, el('span', { class: 'dim', text: 'callers above, callees below: ' }),
        el('b', { text: app.visible(chosen.name, 80) }));
    fill(o.grid, function_rows(app, chosen, look));
    o.canvas.setAttribute('aria-label', `callees of ${app.visible(chosen.name, 80)}`);
    o.upper.setAttribute('aria-label', `callers of ${app.visible(chosen.name, 80)}`);
}

async function draw_order(app) {
    const look = look_of(app), mine = o, is_wanted = () => mine === o && mode_of(app) === 'order';
    app.fill(o.grid, grid_of(app, o.root, look));
    app.fill(o.path, app.el('span', { class: 'dim', text: 'as they happened; the Timeline shows every call' }));
    try {
        const shown = await paint_in_order(app, o.canvas, source_shown(app), look, is_wanted);
        if (!shown)
            return;
        o.shown = shown;
        show_tools(app);
        o.canvas.setAttribute('aria-label', 'calls in the order in which they happened');
    } catch (failure) {
        if (!is_wanted())
            return;
        app.fill(o.path, app.el('span', { class: 'dim', text: app.visible(failure.message) }));
        paint_flame(o.canvas, [], 1, look);
        o.shown = { rects: [], rows: 1 };
    }
}

function draw(app) {
    if (!o || !o.root)
        return;
    const mode = mode_of(app);
    o.upper.hidden = mode !== 'sandwich';
    if (mode === 'sandwich')
        draw_sandwich(app);
    else if (mode === 'order')
        draw_order(app);
    else
        draw_heavy(app);
    say_status(app);
    show_tools(app);
}

/* ---- choosing ---- */

function choose(app, node, is_twist) {
    o.selected = node;
    if (is_twist && node.children.length)
        toggle(node);
    draw(app);
    focus_row();
    app.announce(`${node.name}, ${weight_text(app, node)}, depth ${node.depth + 1}`);
}

function toggle(node) {
    if (o.open.has(node))
        o.open.delete(node);
    else
        o.open.add(node);
}

function zoom(app, node) {
    o.selected = node.depth >= 0 ? node : null;
    o.open.add(node);
    app.set({ at: node.path || null }, { push: true });
}

function focus_row() {
    const row = o.grid.querySelector('tr[aria-selected="true"]');
    if (row)
        row.focus({ preventScroll: false });
}

function move(app, key) {
    if (!o.root || mode_of(app) === 'sandwich')
        return false;
    const root = flame_root(app);
    const base = root === o.root ? root : { children: [root], depth: root.depth - 1 };
    const { node, open } = move_in_grid(base, o.open, o.selected, key);
    if (open === true)
        o.open.add(node);
    if (open === false)
        o.open.delete(node);
    if (node)
        choose(app, node, false);
    return true;
}

function pick(app, canvas, event) {
    const of = canvas === o.upper ? o.callers : o.shown;
    const rect = of ? rect_at(of.rects, of.rows, event.offsetX, event.offsetY, canvas === o.upper) : null;
    return rect && rect.node && !rect.title ? rect.node : null;
}

function on_click(app, canvas, event) {
    const node = pick(app, canvas, event);
    if (!node)
        return;
    if (mode_of(app) === 'heavy')
        zoom(app, node);
    else
        app.set({ fn: node.name, mode: 'sandwich' }, { push: true });
}

/* Lines about a node; one of the calls in order has a duration only. */
function tip_lines(app, node) {
    const { format } = app;
    if (node.total === undefined)
        return [`took ${format.ns(node.duration)}`];
    const calls = (n) => format.plural(n, o.answer.unit === 'ns' ? 'call' : 'sample');
    const lines = [`total ${value_text(app, node.total)}, self ${value_text(app, node.self)}`,
        `${calls(node.count)} \u00b7 ${format.share(node.total / Math.max(1, o.root.total))}`];
    if (is_diff(app))
        lines.push(`there: ${value_text(app, node.other_total)}, ${calls(node.other_count)}`);
    return lines;
}

function show_tip(app, canvas, event) {
    const { el, fill } = app;
    const node = pick(app, canvas, event);
    o.tip.hidden = !node;
    if (!node)
        return;
    fill(o.tip, el('b', { text: app.visible(node.name) }),
        node.module ? el('div', { class: 'dim', text: app.visible(node.module, 80) }) : null,
        tip_lines(app, node).map((text) => el('div', { text })));
    const box = o.top.getBoundingClientRect();
    o.tip.style.setProperty('left', `${Math.min(box.width - 300, Math.max(4, event.clientX - box.left + 12))}px`);
    o.tip.style.setProperty('top', `${event.clientY - box.top + 16}px`);
}

/* ---- tools ---- */

function choice(app, rows, current, set) {
    return rows.map(([id, text, key]) => app.el('button', { class: 'btn', type: 'button', text,
        title: key ? `${text} (${key})` : text, 'aria-pressed': String(id === current), onclick: () => set(id) }));
}

function difference_key(app) {
    const { el } = app;
    return el('span', { class: 'key' }, `against ${app.visible(app.open.sides[1 - app.side()].name, 20)}: less`,
        el('svg', { width: 112, height: 12, 'aria-hidden': 'true' }, [-3, -2, -1, 0, 1, 2, 3].map((v, i) =>
            el('rect', { x: i * 16, width: 15, height: 12, fill: v
                ? (v < 0 ? 'var(--accent)' : 'var(--part)') : 'var(--sunk)',
                         opacity: v ? Math.abs(v) / 3.4 : 1 }))), 'more');
}

const GROUPS = ['kind', 'thread', 'worker', 'task', 'spawn', 'span'];

function group_of(app) {
    return GROUPS.includes(app.state.group) ? app.state.group : 'kind';
}

/* Samples: one tree for each kind, thread, worker, ... */
function group_choice(app) {
    if (!o.answer || o.answer.unit !== 'samples')
        return null;
    return app.el('select', { class: 'btn', 'aria-label': 'samples by', onchange: (event) =>
        app.set({ group: event.target.value === 'kind' ? null : event.target.value, at: null }, { push: true }) },
    GROUPS.map((by) => app.el('option', { value: by, selected: by === group_of(app), text: `by ${by}` })));
}

/* In order: of all threads, below each other, or of one. */
function thread_choice(app) {
    const threads = mode_of(app) === 'order' && o.shown ? o.shown.threads || [] : [];
    if (threads.length < 2)
        return null;
    return app.el('select', { class: 'btn', 'aria-label': 'thread', onchange: (event) =>
        app.set({ thread: event.target.value || null }, { push: true }) },
    app.el('option', { value: '', text: app.format.plural(threads.length, 'thread') }),
    threads.map((track) => app.el('option', { value: String(track.track),
        selected: String(track.track) === app.state.thread, text: app.visible(track.name, 40) })));
}

function show_tools(app) {
    const { el, fill } = app;
    const here = sources_here(app), mine = source_shown(app);
    fill(o.tools,
        here.length > 1 ? el('select', { class: 'btn', 'aria-label': 'calls of', onchange: (event) =>
            app.set({ src: Number(event.target.value), at: null, fn: null }, { push: true }) },
        here.map((s) => el('option', { value: String(s.src), selected: s === mine,
            text: app.visible(s.name, 40) }))) : null,
        choice(app, MODES, mode_of(app), (mode) => app.set({ mode }, { push: true })), el('span', { class: 'gap' }),
        choice(app, MEASURES, measure_of(app), (by) => app.set({ by }, { push: true })),
        thread_choice(app),
        group_choice(app),
        app.state.range ? el('button', { class: 'btn', type: 'button', text: 'of the selection \u00d7',
            title: 'show all calls', onclick: () => app.set({ range: null }, { push: true }) }) : null,
        el('span', { class: 'grow' }),
        source_other(app) ? [is_diff(app) ? difference_key(app) : null, el('button', { class: 'btn', type: 'button',
            text: 'Difference', 'aria-pressed': String(is_diff(app)),
            onclick: () => app.set({ diff: is_diff(app) ? '0' : null }, { push: true }) })] : null,
        el('button', { class: 'btn', type: 'button', text: 'Export', title: 'as folded stacks (E)',
            onclick: () => save(app) }));
}

function save(app) {
    const blob = new Blob([folded(o.root)], { type: 'text/plain' });
    const link = app.el('a', { href: URL.createObjectURL(blob), download: 'calls.folded.txt' });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/* ---- loading ---- */

function request_of(app) {
    const mine = source_shown(app), other = source_other(app), range = app.state.range;
    return `tree?src=${mine.src}` + (other ? `&against=${other.src}` : '') +
        (range ? `&from=${range.from}&to=${range.to}` : '') +
        (group_of(app) === 'kind' ? '' : `&by=${group_of(app)}`);
}

async function load(app) {
    const mine = o, request = request_of(app);
    if (o.request === request)
        return;
    o.request = request;
    app.fill(o.grid, app.el('p', { class: 'wait', role: 'status', text: 'Adding up the calls\u2026' }));
    try {
        const answer = await app.api.job(request, null, (done) => mine === o &&
            app.fill(o.grid, app.el('p', { class: 'wait', role: 'status',
                text: `Adding up the calls: ${app.format.share(done)}` })));
        if (mine !== o || o.request !== request)
            return;
        o.answer = answer;
        o.root = weigh(make_tree(answer), measure_of(app));
        o.groups = new Set(answer.unit === 'samples' ? o.root.children : []);
        o.group_names = new Set([...o.groups].map((node) => node.name));
        o.open = open_at_first(o.root);
        o.selected = null;
        draw(app);
    } catch (failure) {
        if (mine === o)
            app.show_failure(o.grid, failure);
    }
}

function mount(root, app) {
    const { el, fill } = app;
    o = { root: null, answer: null, request: null, open: new Set(), selected: null, shown: null, callers: null };
    o.tools = el('div', { class: 'tools', role: 'toolbar', 'aria-label': 'how calls are shown' });
    o.upper = el('canvas', { role: 'img', 'aria-label': 'callers', hidden: true });
    o.canvas = el('canvas', { role: 'img', tabindex: '0', 'aria-label': 'flame graph' });
    o.path = el('div', { class: 'path' });
    o.tip = el('div', { class: 'tip', hidden: true });
    o.top = el('div', { class: 'flame' }, o.path, o.upper, o.canvas, o.tip);
    o.grid = el('div', { class: 'tree', tabindex: '0', role: 'region', 'aria-label': 'call tree as a table' });
    o.canvas.style.setProperty('height', `${5 * ROW + 2}px`);
    fill(root, o.tools, o.top, o.grid);
    for (const canvas of [o.canvas, o.upper]) {
        canvas.addEventListener('click', (event) => o.root && on_click(app, canvas, event));
        canvas.addEventListener('pointermove', (event) => o.root && show_tip(app, canvas, event));
        canvas.addEventListener('pointerleave', () => {
            o.tip.hidden = true;
        });
    }
    o.observer = new ResizeObserver(() => {
        if (o.width !== o.top.clientWidth) {
            o.width = o.top.clientWidth;
            draw(app);
        }
    });
    o.observer.observe(o.top);
    show_tools(app);
    load(app);
}

function update(app, changed) {
    if (!o)
        return;
    if (o.root && changed.has('by')) {
        weigh(o.root, measure_of(app));
        o.open = open_at_first(o.root);
    }
    load(app);
    if (o.root && o.request === request_of(app))
        draw(app);
}

function unmount() {
    if (o)
        o.observer.disconnect();
    o = null;
}

function leave(app) {
    if (!app.state.at)
        return false;
    const node = flame_root(app);
    zoom(app, node.parent || o.root);
    return true;
}

const keys = [
    ...MODES.map(([mode, does, key]) => ({ key, does: does.toLowerCase(), group: 'move',
        run: (app) => app.set({ mode }, { push: true }) })),
    { key: ['\u2191', '\u2193'], does: 'row above, below', group: 'move',
        run: (app, _, which) => move(app, which ? 'down' : 'up') },
    { key: ['\u2190', '\u2192'], does: 'close, open a row', group: 'move',
        run: (app, _, which) => move(app, which ? 'right' : 'left') },
    { key: ['Enter', 'F'], does: 'zoom in on the row', group: 'move',
        run: (app) => o.selected ? zoom(app, o.selected) : false },
    { key: 'Esc', does: 'zoom out', group: 'move', run: (app) => leave(app) },
    { key: '0', does: 'all calls', group: 'move', run: (app) => app.set({ at: null, range: null }, { push: true }) },
    { key: '.', does: 'callers and callees of the row', group: 'find',
      run: (app) => o.selected ? app.set({ mode: 'sandwich', fn: o.selected.name }, { push: true }) : false },
    { key: 'E', does: 'export as folded stacks', group: 'keep', run: (app) => o.root ? save(app) : false },
];

export default { id: 'calls', title: 'Calls', key: '3', missing, mount, update, unmount, keys };
