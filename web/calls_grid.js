/* calls_grid.js - the call tree as a tree grid: what the rectangles show, for keys and screen readers. */
import { change_of } from './calls_tree.js';
import { change_text } from './calls_flame.js';

const ROWS_MOST = 1000;
const FIRST_ROWS = 40;
const BAR = 160;

/* The nodes that are open at first: the heaviest paths, about as many rows as fit. */
export function open_at_first(root) {
    const open = new Set([root]);
    let rows = root.children.length;
    const waiting = [...root.children];
    while (waiting.length && rows < FIRST_ROWS) {
        waiting.sort((a, b) => b.weight - a.weight);
        const node = waiting.shift();
        if (!node.children.length || rows + node.children.length > FIRST_ROWS * 1.5)
            continue;
        open.add(node);
        rows += node.children.length;
        waiting.push(...node.children);
    }
    return open;
}

function visible_rows(root, open) {
    const rows = [];
    const stack = [...root.children].reverse();
    while (stack.length && rows.length < ROWS_MOST) {
        const node = stack.pop();
        rows.push(node);
        if (open.has(node))
            for (let i = node.children.length - 1; i >= 0; i--)
                stack.push(node.children[i]);
    }
    return { rows, more: stack.length > 0 };
}

function change_cell(app, node, by) {
    const { el } = app;
    const change = change_of(node, by);
    const size = change === null ? 0 : Math.min(1, Math.abs(change === Infinity ? 1 : change) / 0.5);
    const word = change_text(change);
    return el('td', { class: 'barc' },
        size > 0.02 ? el('span', { class: change > 0 ? 'bar plus' : 'bar minus',
            style: { width: `${4 + size * 60}px` } })
            : null, el('span', { class: 'dim', text: word }));
}

function grid_row(app, node, look, base) {
    const { el, format } = app;
    const share = look.all ? node.total / look.all : 0;
    const twist = node.children.length ? (look.open.has(node) ? '\u25be' : '\u25b8') : '\u00b7';
    const depth = node.depth - base;
    const row = el('tr', {
        role: 'row', 'aria-level': String(depth + 1), tabindex: look.selected === node ? '0' : '-1',
        'aria-selected': look.selected === node ? 'true' : 'false',
        'aria-expanded': node.children.length ? String(look.open.has(node)) : null,
        class: look.is_dim({ node }) ? 'dimmed' : null,
    },
    el('td', { role: 'rowheader', class: 'mono', style: { 'padding-left': `${16 + depth * 20}px` },
               title: app.visible(node.module ? `${node.name}, ${node.module}` : node.name) },
        el('span', { class: 'twist', 'aria-hidden': 'true', text: twist }), look.text(node.name),
        node.unfinished ? el('span', { class: 'dim', text: ` (${format.count(node.unfinished)} unfinished)` }) : null),
    el('td', { class: 'num', text: format.count(node.count) }),
    el('td', { class: 'num', text: look.value_of(node.total) }),
    el('td', { class: 'num', text: look.value_of(node.self) }),
    el('td', { class: 'num', text: `${(share * 100).toFixed(1)}%` }),
    el('td', { class: 'barc' }, el('span', { class: 'bar', style: { width: `${Math.max(1, share * BAR)}px` } })),
    look.diff ? change_cell(app, node, look.by) : null);
    row.addEventListener('click', (event) => look.choose(node, event.target.classList.contains('twist')));
    row.addEventListener('dblclick', () => look.zoom(node));
    return row;
}

/*
 * The grid below `root`. `look` is { by, diff, all, open, selected, text(name), value_of(n), is_dim(rect), unit,
 * other, choose(node, is_twist), zoom(node) }.
 */
export function call_grid(app, root, look) {
    const { el, format } = app;
    const { rows, more } = visible_rows(root, look.open);
    const calls = look.unit === 'samples' ? 'in polls' : 'calls';
    const heads = ['function', calls, 'total', 'self', 'share', ''];
    if (look.diff)
        heads.push(`against ${look.other}`);
    const base = root.depth + 1;
    return el('table', { role: 'treegrid', 'aria-label': 'call tree' },
        el('thead', null, el('tr', { role: 'row' }, heads.map((text, i) => el('th', { role: 'columnheader',
            class: i && i < 5 ? 'num' : null }, text || el('span', { class: 'unseen', text: 'bar' }))))),
        el('tbody', null, rows.map((node) => grid_row(app, node, look, base)),
            more ? el('tr', { role: 'row' }, el('td', { colspan: heads.length, class: 'dim',
                text: `more than ${format.count(ROWS_MOST)} rows: close some, or choose a part above` })) : null));
}

/* Which node an arrow key leads to: {node, open}, where open says what to do with its rows. */
export function move_in_grid(root, open, node, key) {
    const { rows } = visible_rows(root, open);
    const at = rows.indexOf(node);
    if (key === 'down' || key === 'up')
        return { node: rows[Math.max(0, Math.min(rows.length - 1, at + (key === 'down' ? 1 : -1)))] || null };
    if (!node)
        return { node: rows[0] || null };
    if (key === 'right')
        return open.has(node) || !node.children.length ? { node: node.children[0] || node } : { node, open: true };
    return open.has(node) && node.children.length ? { node, open: false }
        : { node: node.parent && node.parent.depth >= root.depth + 1 ? node.parent : node };
}
