/* table_sql.js - a box for SQL: a plain text area above a layer that colours the same text. */

const WORDS = ['select', 'from', 'where', 'group', 'by', 'order', 'having', 'limit', 'offset', 'join', 'left', 'inner',
    'cross', 'on', 'using', 'as', 'and', 'or', 'not', 'in', 'is', 'null', 'between', 'like', 'glob', 'case', 'when',
        'then',
    'else', 'end', 'distinct', 'union', 'all', 'with', 'recursive', 'asc', 'desc', 'count', 'sum', 'avg', 'min', 'max',
        'over',
    'partition', 'exists', 'cast', 'create', 'temp', 'table', 'view', 'values', 'intersect', 'except'];
const TOKEN = new RegExp(['(--[^\\n]*|/\\*[\\s\\S]*?(?:\\*/|$))', "('(?:[^']|'')*'?)", '("(?:[^"]|"")*"?)',
    '\\b(\\d+(?:\\.\\d+)?(?:e[+-]?\\d+)?|0x[0-9a-f]+)\\b', `\\b(${WORDS.join('|')})\\b`].join('|'), 'gi');
const KINDS = ['c', 's', 'q', 'n', 'k'];

/* Pieces of a text: [kind or '', text]. */
export function sql_pieces(text) {
    const pieces = [];
    let at = 0;
    for (const found of text.matchAll(TOKEN)) {
        if (found.index > at)
            pieces.push(['', text.slice(at, found.index)]);
        pieces.push([KINDS[found.slice(1).findIndex((group) => group !== undefined)], found[0]]);
        at = found.index + found[0].length;
    }
    if (at < text.length)
        pieces.push(['', text.slice(at)]);
    return pieces;
}

/* The box; `on_run(text)` with Ctrl Enter. */
export function make_sql_box(app, label, on_run) {
    const { el, fill } = app;
    const layer = el('pre', { 'aria-hidden': 'true' });
    const area = el('textarea', { 'aria-label': label, spellcheck: 'false', autocomplete: 'off', autocapitalize: 'off',
                                  maxlength: '60000', rows: '1' });

    function paint() {
        fill(layer, sql_pieces(area.value).map(([kind, text]) => kind ? el('span', { class: kind, text }) : text),
            '\n');
        area.style.setProperty('height', 'auto');
        area.style.setProperty('height', `${area.scrollHeight}px`);
    }

    area.addEventListener('input', paint);
    area.addEventListener('scroll', () => {
        layer.scrollTop = area.scrollTop;
    });
    area.addEventListener('keydown', (event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
            event.preventDefault();
            on_run(area.value);
        }
    });
    return {
        node: el('div', { class: 'sql-box' }, layer, area),
        get: () => area.value,
        set(text) {
            area.value = text;
            paint();
        },
        paint, focus: () => area.focus(),
    };
}
