/* timeline_panel.js - below the lanes: the record, the selection summed up, what it is linked with. */

const FIELDS_OPEN = 40;
const BARS = 90;
const HEX_LINE = 32;

/* The panel of a timeline. `on` has select(src, seq), show(item), next_hit(i), toggle_fold(). */
export function make_panel(app, on) {
    const { el, fill, format, visible } = app;
    const record_box = el('section', { class: 'record', 'aria-label': 'record', tabindex: '0' });
    const sum_box = el('section', { class: 'sum', 'aria-label': 'selection', tabindex: '0' });
    const link_box = el('section', { class: 'links', 'aria-label': 'linked', tabindex: '0' });
    const root = el('div', { class: 'sel' }, record_box, sum_box, link_box);
    let hits = null, sum = null, tab = 'sum';

    function pair(name, value, cls = null) {
        return [el('dt', { text: visible(name, 60) }),
                el('dd', { class: cls }, typeof value === 'string' ? visible(value, 400) : value)];
    }

    function bytes_of(record) {
        const words = `${record.part ? record.part + ' ' : ''}at ${format.count(record.offset)}, ` +
            format.plural(record.size, 'byte');
        if (!record.hex)
            return words;
        const lines = record.hex.match(new RegExp(`.{1,${HEX_LINE}}`, 'g')) || [];
        return el('details', null, el('summary', { text: words }),
            el('pre', { class: 'mono hex', text: lines.map((line) => line.match(/../g).join(' ')).join('\n') +
                (record.more ? '\n\u2026' : '') }));
    }

    function value_of(field) {
        const text = field.value === null || field.value === undefined ? '\u2013'
            : typeof field.value === 'object' ? JSON.stringify(field.value) : String(field.value);
        const words = field.word ? `${text} (${field.word})` : text;
        return (field.unit ? `${words} ${field.unit}` : words) + (field.cut ? '\u2026' : '');
    }

    function times_of(record, clock) {
        const rows = [];
        const has_tick = record.tick !== null && record.tick !== undefined;
        const tick = has_tick ? `${on.tick_word()} ${format.count(record.tick)}` : '';
        if (record.time !== null && record.time !== undefined && !clock.is_tick_axis)
            rows.push(pair('start', [format.place(clock.rel(record.time)), tick].filter(Boolean).join(' \u00b7 ')));
        else if (tick)
            rows.push(pair('at', tick));
        const slice = record.slice;
        if (slice && slice.end !== null && slice.end !== slice.begin && !clock.is_tick_axis) {
            rows.push(pair('duration', format.ns(BigInt(slice.end) - BigInt(slice.begin))));
            if (slice.self !== null && slice.self !== undefined)
                rows.push(pair('self', format.ns(slice.self)));
        }
        return rows;
    }

    function source_words(record) {
        const source = app.source(record.src);
        if (!source)
            return '';
        const stream = source.streams.length > 1 && record.stream !== null
            ? source.streams.find((s) => s.id === record.stream) : null;
        return source.name + (stream ? `, ${stream.name || 'stream ' + stream.id}` : '');
    }

    function show_record(record, clock) {
        const title = record.slice && record.slice.name ? record.slice.name : record.type;
        fill(record_box, el('h2', { text: visible(title), title: visible(title, 2000) }),
            el('dl', null, times_of(record, clock),
                pair('record', `${format.count(record.seq)}, ${record.type}`),
                pair('in', source_words(record)),
                pair('bytes', bytes_of(record)),
                record.fields.slice(0, FIELDS_OPEN).map((field) =>
                    pair(field.name, value_of(field), field.changed ? 'changed' : null))),
            record.fields.length > FIELDS_OPEN
                ? el('p', { class: 'dim', text: `${record.fields.length - FIELDS_OPEN} more fields: see Table` })
                : null);
    }

    function show_no_record(words) {
        fill(record_box, el('h2', { text: 'Nothing selected' }), el('p', { class: 'dim', text: words }));
    }

    function link_row(link) {
        const pen = app.source(link.src) ? app.source(link.src).pen : '';
        return el('li', null, el('button', { type: 'button', class: 'link', onclick: () => on.follow(link) },
            el('svg', { viewBox: '0 0 11 11', width: 11, height: 11, 'aria-hidden': 'true' }, app.glyph(pen)),
            el('span', { class: 'dim', text: visible(link.word, 40) }), ' ', visible(link.name, 120)));
    }

    function show_links(links, others) {
        fill(link_box, el('h2', { text: 'Linked' }),
            links.length || others.length
                ? el('ul', null, links.map(link_row), others.map((other) =>
                    el('li', null, el('a', { href: other.href }, el('span', { 'aria-hidden': 'true',
                        text: other.letter + ' ' }), other.text))))
                : el('p', { class: 'dim', text: 'Select a record to see its caller, its callees, its tick.' }));
    }

    function bar(share) {
        return el('span', { class: 'cell', style: { width: `${Math.max(1, Math.round(share * BARS))}px` } });
    }

    /* Rows of one name on several lanes are one row. */
    function by_name(rows) {
        const found = new Map();
        for (const row of rows) {
            const known = found.get(row.name);
            const [count, total] = [row.count + (known ? known.count : 0),
                                    BigInt(row.total ?? 0) + (known ? known.total : 0n)];
            const self = row.self === null || (known && known.self === null) ? null
                : BigInt(row.self) + (known ? known.self : 0n);
            found.set(row.name, { name: row.name, count, total, self, mean: count ? total / BigInt(count) : null });
        }
        return [...found.values()].sort((a, b) => Number((b.self ?? b.total) - (a.self ?? a.total)));
    }

    function sum_table(answer) {
        const rows = by_name(answer.names);
        const most = rows.reduce((m, n) => Math.max(m, Number(n.self ?? n.total)), 1);
        const head = ['function', 'count', 'total', 'self', 'mean', ''];
        return el('table', null,
            el('thead', null, el('tr', null, head.map((text, i) =>
                text ? el('th', { scope: 'col', class: i ? 'num' : null, text }) : el('td')))),
            el('tbody', null, rows.slice(0, 200).map((row) => el('tr', null,
                el('td', { class: 'mono' }, el('button', { type: 'button', class: 'link', title: 'search it',
                    text: visible(row.name, 80), onclick: () => app.set({ q: row.name }, { push: true }) })),
                el('td', { class: 'num', text: format.count(row.count) }),
                ...['total', 'self', 'mean'].map((key) =>
                    el('td', { class: 'num', text: row[key] === null ? '\u2013' : on.span(row[key]) })),
                el('td', null, bar(Number(row.self ?? row.total) / most))))));
    }

    function counter_table(answer) {
        if (!answer.counters.length)
            return null;
        return el('table', null,
            el('thead', null, el('tr', null, ['counter', 'min', 'max', 'mean'].map((text, i) =>
                el('th', { scope: 'col', class: i ? 'num' : null, text })))),
            el('tbody', null, answer.counters.map((row) => el('tr', null,
                el('td', { text: visible(row.name, 60) }),
                ...['min', 'max', 'mean'].map((key) =>
                    el('td', { class: 'num', text: format.figure(row[key]) }))))));
    }

    function hit_table() {
        return el('table', null, el('thead', null, el('tr', null, ['hit', 'place'].map((text) =>
            el('th', { scope: 'col', text })))),
            el('tbody', null, hits.list.slice(0, 300).map((hit, i) => el('tr', {
                class: i === hits.at ? 'chosen' : null }, el('td', null, el('button', { type: 'button',
                class: 'link mono', text: visible(hit.name || hit.text, 80),
                onclick: () => on.hit(i) })),
                el('td', { class: 'dim', text: on.place(hit) })))));
    }

    function tabs() {
        if (!hits)
            return el('h2', { text: sum ? sum.title : 'Selection' });
        const one = (id, text) => el('button', { type: 'button', class: 'btn', text,
            'aria-pressed': String(tab === id), onclick: () => {
                tab = id;
                render_middle();
            } });
        return el('div', { class: 'tabs' }, one('hits', hits.title), one('sum', sum ? sum.title : 'Selection'));
    }

    function sum_body() {
        if (!sum)
            return el('p', { class: 'dim', text: 'Drag over the lanes, or select a record, to sum up a range.' });
        if (!sum.answer)
            return el('p', { class: 'dim', role: 'status', text: sum.words });
        return [el('div', { class: 'tables' }, sum.answer.names.length ? sum_table(sum.answer) : null,
            counter_table(sum.answer)),
            sum.answer.cut ? el('p', { class: 'dim',
                text: 'There are more names; those with the largest totals are listed.' }) : null,
            !sum.answer.names.length && !sum.answer.counters.length
                ? el('p', { class: 'dim', text: 'Nothing is in this range.' }) : null];
    }

    function hits_body() {
        if (hits.words)
            return el('p', { class: 'dim', role: 'status', text: hits.words });
        return hits.list.length ? hit_table() : el('p', { class: 'dim', text: 'No record matches.' });
    }

    function render_middle() {
        fill(sum_box, tabs(), hits && tab === 'hits' ? hits_body() : sum_body());
    }

    render_middle();
    show_no_record('Click a slice, or press an arrow key.');
    show_links([], []);
    return {
        root, show_record, show_no_record, show_links,
        set_sum(next) {
            sum = next;
            if (next && next.is_new)
                tab = 'sum';
            render_middle();
        },
        set_hits(next) {
            if (next && !hits)
                tab = 'hits';
            hits = next;
            render_middle();
        },
        show_tab(id) {
            tab = id;
            render_middle();
        },
    };
}
