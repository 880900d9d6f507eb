/* view_table.js - Table: what tables there are, SQL with a plot; without SQL the records of one type by a condition. */
import { make_plot, choose_plot } from './table_plot.js';
import { link_of, make_rows, to_csv } from './table_rows.js';
import { make_sql_box } from './table_sql.js';

const PAGE = 500;
const SHOWS = [['table', 'Table'], ['plot', 'Plot'], ['both', 'Both']];

let o = null;

const show_of = (app) => SHOWS.some(([id]) => id === app.state.rows) ? app.state.rows : 'both';
/* Both sides of a pair at once, or one. */
const side_of = (app) => app.open.sides.length === 2 && app.state.of === 'both' ? null : app.side();

/* ---- which tables ---- */

const name_in_sql = (name) => /^[a-z_][a-z0-9_]*$/i.test(name) ? name : `"${name.replaceAll('"', '""')}"`;

function schema_of(app, table) {
    if (side_of(app) !== null)
        return table.schema;
    const side = app.open.sides[app.source(table.src).side];
    const name = o.schemas[app.source(table.src).side];
    return side.kind === 'run' ? `${name}_${table.schema}` : name;
}

/* The names of both sides as the program makes schemas of them. */
function schemas_of(app) {
    const names = app.open.sides.map((side) => [...side.name].slice(0, 31).map((c, i) =>
        /[a-z]/i.test(c) || (/\d/.test(c) && i) ? c : '_').join(''));
    return names.length === 2 && (names[0] === names[1] || !names[0] || !names[1]) ? ['expected', 'actual'] : names;
}

function first_query(app, table) {
    const schema = schema_of(app, table), prefix = schema === 'main' ? '' : `${name_in_sql(schema)}.`;
    return `SELECT * FROM ${prefix}${name_in_sql(table.name)} LIMIT 500`;
}

function choose_table(app, table) {
    o.table = table;
    show_tables(app);
    if (o.has_sql) {
        o.box.set(first_query(app, table));
        run(app, o.box.get());
    } else
        app.set({ type: table.type || table.name, src: table.src, q: null }, { push: true });
}

function table_button(app, table) {
    const { el } = app;
    return el('button', { type: 'button', class: 'table-row', 'aria-current': o.table === table ? 'true' : null,
        title: app.visible(table.columns.map((c) => `${c.name} ${c.type}${c.unit ? `/${c.unit}` : ''}`).join('\n'),
            3000),
        onclick: () => choose_table(app, table) },
    el('span', { text: app.visible(table.name, 40) }),
    el('span', { class: 'num', text: table.rows === null ? '' : app.format.count(table.rows) }));
}

/* A list for each source: types with records first; lists inside them and empty ones below. */
function source_tables(app, source, tables) {
    const { el } = app;
    const main = tables.filter((t) => t.kind === 'records' && t.rows && t.type);
    const rest = tables.filter((t) => !main.includes(t) && (o.has_sql || (t.kind === 'records' && t.type)));
    const mixed = app.open.sides.length === 2 && side_of(app) === null;
    const title = app.pen_of(source.pen).id ? app.pen_of(source.pen).name : source.pen;
    return el('section', null, el('h2', null, app.pen_tag(source.pen,
        mixed ? `${title}, ${app.visible(app.open.sides[source.side].name, 12)}` : title)),
    main.map((table) => table_button(app, table)),
    rest.length ? el('details', null, el('summary', { text: `${rest.length} more` }),
        rest.map((table) => table_button(app, table))) : null);
}

function show_tables(app) {
    const { el, fill } = app;
    const open = [...o.tabs.querySelectorAll('details')].map((d) => d.open);
    const both = app.open.sides.length === 2;
    fill(o.tabs, both ? el('div', { class: 'of' }, ['0', '1', 'both'].map((of) => el('button',
        { class: 'btn', type: 'button',
        text: of === 'both' ? 'both' : app.visible(app.open.sides[Number(of)].name, 12),
        'aria-pressed': String(of === 'both' ? side_of(app) === null : side_of(app) === Number(of)),
        onclick: () => app.set(of === 'both' ? { of: 'both' } : { of: null, side: Number(of) },
            { push: true }) }))) : null,
    app.open.sources.filter((s) => !s.error && (side_of(app) === null || s.side === side_of(app))).map((source) =>
        source_tables(app, source, o.tables.filter((table) => table.src === source.src))));
    o.tabs.querySelectorAll('details').forEach((d, i) => {
        d.open = Boolean(open[i]);
    });
}

/* ---- results ---- */

/* A row that is about the tick that is shown elsewhere. */
function marked_in(app, result) {
    const at = result.columns.findIndex((column) => ['tick', 'run_tick'].includes(column.name));
    return (row) => at >= 0 && app.state.tick !== undefined && row[at] === app.state.tick;
}

function hue_of(text) {
    const found = /\b(murk|cdt|aerogpu|dial9|atf)\b/.exec((text || '').toLowerCase().replaceAll('_', '.'));
    return found ? `--${found[1]}` : '--cdt';
}

function say_status(app) {
    const { format } = app;
    const result = o.result;
    const parts = [['rows',
        result ? `${format.count(result.rows.length)}${result.more ? ', and more' : ''}` : '\u2013']];
    if (result && result.ms !== undefined)
        parts.push(['took', `${result.ms < 10 ? result.ms.toFixed(1) : Math.round(result.ms)} ms`]);
    parts.push(['engine', o.has_sql ? 'SQL, read-only' : 'conditions on records']);
    app.status(parts);
}

function show_result(app) {
    const { el, fill } = app;
    const result = o.result, mode = show_of(app);
    if (!result)
        return;
    const marked = marked_in(app, result);
    const plot = mode === 'table' ? null : make_plot(app, result, { hue: hue_of(result.text), marked },
        Math.max(200, o.out.clientWidth - 32));
    o.rows = mode === 'plot' && plot ? null : make_rows(app, result, { marked, link: link_of(app, result.src) });
    fill(o.out,
        plot ? el('div', { class: mode === 'plot' ? 'plot tall' : 'plot' }, plot) : null,
        mode === 'plot' && !plot ? el('p', { class: 'none', text: 'There is no column of numbers to plot.' }) : null,
        (result.notes || []).map((note) => el('p', { class: 'none', text: app.visible(note) })),
        result.more ? el('p',
            { class: 'none', text: `Only the first ${app.format.count(result.rows.length)} rows are shown.` }) : null,
        o.rows ? o.rows.node : null,
        !result.rows.length ? el('p', { class: 'none', text: 'No rows.' }) : null);
    if (o.rows)
        o.rows.paint();
    show_tools(app);
    say_status(app);
}

async function run(app, text) {
    const mine = o;
    if (!text.trim())
        return;
    o.ran = text;
    app.set({ sql: text }, { push: true });
    o.run_button.textContent = 'Stop';
    if (!o.result)
        app.fill(o.out, app.el('p', { class: 'none', role: 'status', text: 'Running the query\u2026' }));
    o.is_running = true;
    try {
        const side = side_of(app);
        const result = await app.api.job(side === null ? 'sql' : `sql?side=${side}`, text);
        if (mine !== o)
            return;
        o.result = { ...result, text, src: o.table ? o.table.src : null };
        show_result(app);
        app.announce(`${app.format.plural(result.rows.length, 'row')}`);
    } catch (failure) {
        if (mine !== o)
            return;
        if (failure.cancelled)
            app.remark('The query was cancelled.');
        else
            app.show_failure(o.out, failure);
    }
    o.is_running = false;
    o.run_button.textContent = 'Run';
}

/* ---- without SQL ---- */

/* Records as a result: common columns, then fields. */
function result_of_records(answer) {
    const names = [];
    for (const record of answer.records)
        for (const field of record.fields)
            if (!names.includes(field.name))
                names.push(field.name);
    const columns = ['seq', 'tick', 'time', ...names].map((name) => ({ name, type: null, hex: false }));
    const rows = answer.records.map((record) => {
        const values = new Map(record.fields.map((field) => [field.name, field.value]));
        return [Number(record.seq), record.tick === null ? null : Number(record.tick), record.time,
            ...names.map((name) => values.get(name) ?? null)];
    });
    return { columns, rows, more: Boolean(answer.more) };
}

async function filter(app) {
    const mine = o;
    const sources = app.open.sources.filter((s) => !s.error && s.side === app.side());
    const src = sources.some((s) => s.src === app.state.src) ? app.state.src : sources[0].src;
    try {
        const answer = await app.api.post(`records?src=${src}&from=0&n=${PAGE}`,
            `${app.state.type || ''}\n${app.state.where || ''}`);
        if (mine !== o)
            return;
        o.result = { ...result_of_records(answer), text: app.source(src).pen, src };
        show_result(app);
    } catch (failure) {
        if (mine === o)
            app.show_failure(o.out, failure);
    }
}

/* ---- building ---- */

function save(app) {
    if (!o.result)
        return false;
    const blob = new Blob([to_csv(o.result)], { type: 'text/csv' });
    const link = app.el('a', { href: URL.createObjectURL(blob), download: 'result.csv' });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    return true;
}

function show_tools(app) {
    const { el, fill } = app;
    const can_plot = o.result && choose_plot(o.result);
    fill(o.shows, SHOWS.map(([id, text]) => el('button', { class: 'btn', type: 'button', text,
        'aria-pressed': String(id === show_of(app)), disabled: id !== 'table' && o.result && !can_plot,
        onclick: () => app.set({ rows: id === 'both' ? null : id }) })),
    el('button', { class: 'btn', type: 'button', text: 'Save as CSV', title: 'save the rows (E)',
        onclick: () => save(app) }));
}

function run_or_stop(app) {
    if (o.is_running)
        app.api.cancel('sql');
    else
        run(app, o.box.get());
}

function sql_part(app, answer) {
    const { el } = app;
    const mb = Math.round(answer.memory_bytes / (1024 * 1024));
    o.run_button = el('button', { class: 'btn primary', type: 'button', text: 'Run', onclick: () => run_or_stop(app) });
    o.box = make_sql_box(app, 'SQL', (text) => run(app, text));
    return el('div', { class: 'sql' }, o.box.node, el('div', { class: 'row' }, o.run_button,
        el('kbd', { text: 'Ctrl Enter' }),
        el('span', { class: 'dim', text: `read-only \u00b7 at most ${answer.timeout_ms / 1000} s, ${mb} MB and ` +
            `${app.format.count(answer.rows_most)} rows` }), el('span', { class: 'grow' }), o.shows));
}

function where_part(app) {
    const { el } = app;
    o.field = el('input', { class: 'field', type: 'text', 'aria-label': 'condition', value: app.state.where || '',
        placeholder: "a condition, such as tick > 300 and payload_name == 'Move'", onkeydown: (event) => {
            if (event.key === 'Enter')
                app.set({ where: o.field.value || null }, { push: true });
        } });
    return el('div', { class: 'sql' }, o.field, el('div', { class: 'row' },
        el('button', { class: 'btn primary', type: 'button', text: 'Filter',
                       onclick: () => app.set({ where: o.field.value || null }, { push: true }) }),
        el('span', { class: 'dim', text: `there is no SQL here: records of one type, the first ${PAGE}` }),
        el('span', { class: 'grow' }), o.shows));
}

/* A question that shows something at once, for what is open. */
function opening_query(app) {
    const here = o.tables.filter((t) => t.kind === 'records' && t.rows && t.type);
    const draws = here.find((t) => t.name === 'rng'), first = here[0];
    if (draws && side_of(app) !== null) {
        const prefix = draws.schema === 'main' ? '' : `${draws.schema}.`;
        return `SELECT tick, count(*) draws, max(caller) last_caller\nFROM ${prefix}rng\nGROUP BY tick ORDER BY tick`;
    }
    return first ? first_query(app, first) : '';
}

async function load(app) {
    const mine = o;
    try {
        const answer = await app.api.job('tables', null, (done) => mine === o &&
            app.fill(o.tabs, app.el('p', { class: 'none', role: 'status',
                text: `Counting: ${app.format.share(done)}` })));
        if (mine !== o)
            return;
        o.tables = answer.tables;
        o.has_sql = answer.sql;
        show_tables(app);
        app.fill(o.top, answer.sql ? sql_part(app, answer) : where_part(app));
        show_tools(app);
        say_status(app);
        if (answer.sql) {
            o.box.set(app.state.sql || opening_query(app));
            run_again(app);
        } else
            filter(app);
    } catch (failure) {
        if (mine === o)
            app.show_failure(o.out, failure);
    }
}

/* What the address says, without a new entry of the history. */
function run_again(app) {
    const text = o.box.get();
    if (!text.trim())
        return;
    o.ran = null;
    run(app, text);
}

function mount(root, app) {
    const { el, fill } = app;
    o = { tables: [], has_sql: false, table: null, result: null, rows: null, schemas: schemas_of(app), ran: null,
        is_running: false,
          box: null, shows: el('span', { class: 'shows' }) };
    o.tabs = el('nav', { class: 'tabs', 'aria-label': 'tables' }, el('p',
        { class: 'none', role: 'status', text: 'Counting\u2026' }));
    o.top = el('div', { class: 'top' });
    o.out = el('div', { class: 'out' });
    fill(root, o.tabs, el('div', { class: 'work' }, o.top, o.out));
    o.observer = new ResizeObserver(() => {
        if (o.width !== o.out.clientWidth && o.result) {
            o.width = o.out.clientWidth;
            show_result(app);
        } else if (o.rows)
            o.rows.paint();
    });
    o.observer.observe(o.out);
    load(app);
}

function update(app, changed) {
    if (!o || !o.tables.length)
        return;
    if (changed.has('side') || changed.has('of')) {
        o.table = null;
        show_tables(app);
        if (o.has_sql) {
            o.box.set(opening_query(app));
            run_again(app);
        } else
            filter(app);
        return;
    }
    if (o.has_sql && changed.has('sql') && app.state.sql && app.state.sql !== o.ran) {
        o.box.set(app.state.sql);
        run_again(app);
    }
    if (!o.has_sql && (changed.has('type') || changed.has('where') || changed.has('src')))
        filter(app);
    if (changed.has('rows') || changed.has('theme') || changed.has('tick'))
        show_result(app);
}

function unmount() {
    if (o)
        o.observer.disconnect();
    o = null;
}

const keys = [
    { key: 'Ctrl Enter', does: 'run the query', group: 'find', run: (app) => o.box ? run(app, o.box.get()) : false },
    { key: 'Enter', does: 'write a query', group: 'find', run: () => {
        if (o.box)
            o.box.focus();
        else if (o.field)
            o.field.focus();
    } },
    { key: 'B', does: 'table, plot, both', group: 'move', run: (app) => {
        const ids = SHOWS.map(([id]) => id), next = ids[(ids.indexOf(show_of(app)) + 1) % ids.length];
        app.set({ rows: next === 'both' ? null : next });
    } },
    { key: 'E', does: 'save the rows as CSV', group: 'keep', run: (app) => save(app) },
];

export default { id: 'table', title: 'Table', key: '7', missing: () => null, mount, update, unmount, keys };
