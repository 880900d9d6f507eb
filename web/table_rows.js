/* table_rows.js - rows of a result, of which only those in view are nodes; cells that lead somewhere are links. */

const ROW = 26;
const BEYOND = 12;
/* Columns that are places: which view shows one, and by which key. */
const PLACES = new Map([['tick', ['ticks', 'tick']], ['run_tick', ['ticks', 'tick']], ['tick_id', ['ticks', 'tick']],
    ['tick_index', ['ticks', 'tick']], ['frame', ['frames', 'frame']], ['frame_index', ['frames', 'frame']]]);

export function cell_text(app, value) {
    if (value === null || value === undefined)
        return 'NULL';
    if (typeof value === 'number')
        return String(value);
    return typeof value === 'object' ? app.visible(JSON.stringify(value), 120) : app.visible(String(value), 120);
}

function cell(app, column, value, link) {
    const { el } = app;
    const is_number = typeof value === 'number' || column.hex;
    const to = link(column.name, value);
    const text = cell_text(app, value);
    return el('td', { class: is_number ? 'num' : value === null ? 'dim' : null, title: text.length > 30 ? text : null,
        role: 'cell' },
        to ? el('a', { href: to, text }) : text);
}

/* Where a cell leads: the fragment, or null. */
export function link_of(app, source) {
    return (name, value) => {
        const place = PLACES.get(name);
        if (place && Number.isInteger(value) && value >= 0)
            return app.link(place[0], { [place[1]]: value, ...(place[1] === 'frame' ? { tick: null } : {}) });
        if (name === 'seq' && source !== null && (Number.isInteger(value) || /^\d+$/.test(String(value))))
            return app.link('timeline', { sel: { src: source, seq: String(value) } });
        return null;
    };
}

/*
 * A table of `result.rows` below a head that stays. `look` is { link(name, value), marked(row) }. Rows have one
 * height; nodes are made for those in view.
 */
export function make_rows(app, result, look) {
    const { el, fill } = app;
    const body = el('tbody', { role: 'rowgroup' });
    const is_number = result.columns.map((column, i) => column.hex
        || result.rows.some((row) => typeof row[i] === 'number'));
    const table = el('table', { role: 'table', 'aria-label': 'result',
        'aria-rowcount': String(result.rows.length + 1) },
        el('thead', { role: 'rowgroup' }, el('tr', { role: 'row' }, result.columns.map((column, i) => el('th', {
            class: is_number[i] ? 'num' : null, role: 'columnheader', text: app.visible(column.name, 60),
            title: app.visible(`${column.name} ${column.type || ''}`) })))), body);
    const node = el('div', { class: 'res', tabindex: '0', role: 'region', 'aria-label': 'rows' }, table);
    let from = -1, to = -1;

    const spacer = (rows) => rows > 0 ? el('tr', { 'aria-hidden': 'true', class: 'spacer' },
        el('td', { colspan: result.columns.length || 1, style: { height: `${rows * ROW}px` } })) : null;

    function paint() {
        const first = Math.max(0, Math.floor(node.scrollTop / ROW) - BEYOND);
        const last = Math.min(result.rows.length, Math.ceil((node.scrollTop + (node.clientHeight || 600)) / ROW)
            + BEYOND);
        if (first === from && last === to)
            return;
        [from, to] = [first, last];
        fill(body, spacer(first), result.rows.slice(first, last).map((row, i) => el('tr', { role: 'row',
            'aria-rowindex': String(first + i + 2), 'aria-selected': look.marked(row) ? 'true' : null },
        result.columns.map((column, k) => cell(app, column, row[k], look.link)))), spacer(result.rows.length - last));
    }

    node.addEventListener('scroll', paint);
    return { node, paint };
}

/* A result as CSV: text in quotes where it must be. */
export function to_csv(result) {
    const quoted = (value) => {
        const text = value === null || value === undefined ? '' : typeof value === 'object'
            ? JSON.stringify(value) : String(value);
        return /[",\n\r]/.test(text) || (text === '' && value === '') ? `"${text.replaceAll('"', '""')}"` : text;
    };
    return [result.columns.map((column) => quoted(column.name)), ...result.rows.map((row) => row.map(quoted))]
        .map((row) => `${row.join(',')}\n`).join('');
}
