/* ticks_panel.js - a tick in figures: what changed, one thing, commands, random numbers; of one run or two. */
import { HUES } from './ticks_map.js';

const ROWS_SHOWN = 14;
const ROWS_BESIDE = 6;      /* of a group, while a thing is selected */
const BARS_SHOWN = 200;

/* A value as a cell shows it; numbers with at most so many digits after the point. */
export function cell_text(app, value, digits = 4) {
    if (value === undefined)
        return '';
    if (value === null)
        return 'none';
    if (typeof value === 'number')
        return number_text(value, digits);
    if (typeof value === 'object')
        return Array.isArray(value) ? '[ ]' : '{ }';
    return app.visible(String(value), 60);
}

/* Groups of digits in the whole part. */
export function number_text(value, digits = 4) {
    if (!Number.isFinite(value) || Math.abs(value) >= 1e15 || (value !== 0 && Math.abs(value) < 1e-6))
        return String(value);
    const [whole, part] = String(value).split('.');
    const grouped = whole.replace(/\B(?=(\d{3})+(?!\d))/g, ',').replace('-', '\u2212');
    return part === undefined ? grouped : `${grouped}.${part.slice(0, digits)}`;
}

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/* Rows of one run: {name, before, value, differs}. */
function rows_of_one(fields) {
    return fields.map((f) => ({ name: f.name, left: f.before, right: f.value, differs: f.changed === true,
                                full: [f.before, f.value] }));
}

/* Rows of two runs, by name. */
function rows_of_two(fields, others) {
    const there = new Map(others.map((f) => [f.name, f]));
    const rows = fields.filter((f) => f.value !== undefined).map((f) => {
        const other = there.get(f.name);
        there.delete(f.name);
        const right = other ? other.value : undefined;
        return { name: f.name, left: f.value, right, differs: !same(f.value, right), full: [f.value, right] };
    });
    for (const f of there.values())
        if (f.value !== undefined)
            rows.push({ name: f.name, left: undefined, right: f.value, differs: true, full: [undefined, f.value] });
    return rows;
}

/* Both values, with as many digits as it takes to see that they differ. */
function two_texts(app, row) {
    for (let digits = 4; ; digits += 3) {
        const texts = [cell_text(app, row.left, digits), cell_text(app, row.right, digits)];
        if (!row.differs || texts[0] !== texts[1] || digits > 16)
            return texts;
    }
}

function field_row(app, row, is_pair) {
    const { el } = app;
    const [left, right] = two_texts(app, row);
    return el('tr', { class: row.differs && !is_pair ? 'ch' : null },
        el('td', { text: app.visible(row.name, 80), title: app.visible(row.name) }),
        el('td', { class: 'mono num was', text: left, title: String(row.full[0] ?? '') }),
        el('td', { class: row.differs && is_pair ? 'mono num now' : 'mono num', text: right,
                   title: String(row.full[1] ?? '') }));
}

function field_table(app, rows, heads, is_pair) {
    const { el } = app;
    return el('table', null,
        el('thead', null, el('tr', null, el('th', null, el('span', { class: 'unseen', text: 'field' })),
            el('th', { class: 'num', text: heads[0] }), el('th', { class: 'num', text: heads[1] }))),
        el('tbody', null, rows.map((row) => field_row(app, row, is_pair))));
}

/* A section of fields: those that changed, and all others behind a button; `most` null: all of them. */
function field_section(app, title, rows, heads, is_pair, most) {
    const { el } = app;
    const changed = rows.filter((row) => row.differs), others = rows.filter((row) => !row.differs);
    const shown = most === null ? rows : changed.slice(0, most);
    const rest = most === null ? [] : [...changed.slice(most), ...others];
    const word = is_pair ? 'differ' : 'changed';
    return el('section', { 'aria-label': title },
        el('h2', null, title, el('span', { class: 'grow' }),
            el('span', { class: 'dim', text: heads[0] === '' ? app.format.plural(rows.length, 'field')
                : `${changed.length} of ${rows.length} ${word}` })),
        shown.length ? field_table(app, shown, heads, is_pair)
            : el('p', { class: 'none', text: is_pair ? 'The same in both runs.' : 'Nothing changed.' }),
        rest.length ? el('details', null,
            el('summary', { text: `${app.format.plural(rest.length, 'field')} more` }),
            field_table(app, rest, heads, is_pair)) : null);
}

/* What only counts ticks goes last: it says nothing. */
function counters_last(rows, tick) {
    const counts = (row) => row.right === tick && row.left === tick - 1;
    return [...rows.filter((row) => !counts(row)), ...rows.filter(counts)];
}

function state_sections(app, tick, other, heads, most) {
    const is_first = !other && tick.changed === null;
    return tick.state.map((group) => {
        const twin = other ? other.state.find((g) => g.name === group.name) : null;
        const rows = other ? rows_of_two(group.fields, twin ? twin.fields : []) : rows_of_one(group.fields);
        return field_section(app, app.visible(group.name, 40), counters_last(rows, tick.tick), heads, Boolean(other),
            is_first ? null : most);
    });
}

function entity_section(app, tick, other, heads, name) {
    if (!tick.entity && !(other && other.entity))
        return name ? app.el('section', null, app.el('h2', { text: name }),
            app.el('p', { class: 'none', text: 'It is not in this tick.' })) : null;
    const mine = tick.entity ? tick.entity.fields : [];
    const rows = other ? rows_of_two(mine, other.entity ? other.entity.fields : []) : rows_of_one(mine);
    return field_section(app, name, rows, heads, Boolean(other), null);
}

/* ---- commands ---- */

function receipt_of(receipts, command) {
    const found = receipts ? receipts.items.find((r) => r.index === command.index) : null;
    return found ? (found.reason || 'applied') : '';
}

function command_row(app, command, receipts, twin) {
    const { el } = app;
    const differs = twin !== undefined && (!twin || twin.name !== command.name || twin.text !== command.text);
    return el('tr', { class: differs ? 'differs' : null },
        el('td', { class: 'mono', text: app.visible(command.name || 'unknown', 40) }),
        el('td', { class: differs ? 'now' : null, text: app.visible(command.text, 120) }),
        el('td', { class: 'num dim', text: differs && !twin ? 'only here' : receipt_of(receipts, command) }));
}

function commands_title(app, mine, theirs, receipts) {
    const { format } = app;
    if (!theirs) {
        const applied = receipts ? receipts.items.filter((r) => !r.reason).length : 0;
        if (!receipts)
            return format.count(mine.count);
        if (!receipts.agrees)
            return `${format.count(mine.count)}; a replay gives another result`;
        return applied === mine.count ? `${format.count(mine.count)}, all applied`
                                      : `${format.count(mine.count)}, ${format.count(applied)} applied`;
    }
    const is_same = mine.count === theirs.count && mine.items.every((c, i) => theirs.items[i] &&
        c.name === theirs.items[i].name && c.text === theirs.items[i].text);
    return is_same ? `${format.count(mine.count)}, the same` : `${mine.count} and ${theirs.count}`;
}

function commands_section(app, tick, other, receipts) {
    const { el } = app;
    const mine = tick.commands, theirs = other ? other.commands : null;
    if (!mine)
        return null;
    return el('section', { 'aria-label': 'commands' },
        el('h2', null, 'commands', el('span', { class: 'grow' }),
            el('span', { class: 'dim', text: commands_title(app, mine, theirs, receipts) })),
        mine.items.length ? el('table', null, el('tbody', null, mine.items.slice(0, 200).map((c, i) =>
            command_row(app, c, receipts, theirs ? theirs.items[i] || null : undefined))))
            : el('p', { class: 'none', text: 'No commands in this tick.' }));
}

/* ---- random numbers ---- */

function draw_bars(app, draws, callers) {
    const { el } = app;
    const shown = draws.items.slice(0, BARS_SHOWN);
    return el('div', { class: 'bars', role: 'img', 'aria-label': `${draws.count} random numbers by caller` },
        shown.map(([value, caller], i) => el('span', {
            title: `${i + 1}: ${value}, caller ${caller === null ? 'unknown' : caller}`,
            style: { height: `${4 + 20 * value / Math.max(1, draws.values)}px`,
                     background: HUES[callers.indexOf(caller) % HUES.length] } })));
}

function callers_of(draws) {
    const counts = new Map();
    for (const [, caller] of draws.items)
        counts.set(caller, (counts.get(caller) || 0) + 1);
    return [...counts].sort((a, b) => b[1] - a[1]);
}

function draws_section(app, tick, other) {
    const { el, format } = app;
    const mine = tick.draws, theirs = other ? other.draws : null;
    if (!mine)
        return null;
    const counts = callers_of(mine), callers = counts.map(([caller]) => caller);
    const differs = theirs && !same(mine.items, theirs.items);
    const title = theirs ? `${format.count(mine.count)} and ${format.count(theirs.count)} draws`
        : `${format.plural(mine.count, 'draw')} by ${format.plural(callers.length, 'caller')}`;
    return el('section', { 'aria-label': 'random numbers' },
        el('h2', null, 'random numbers', el('span', { class: 'grow' }),
            el('span', { class: differs ? 'now' : 'dim', text: title })),
        draw_bars(app, mine, callers), differs ? draw_bars(app, theirs, callers) : null,
        el('ul', { class: 'callers' }, counts.slice(0, 12).map(([caller, n]) => el('li', null,
            el('i', { style: { background: HUES[callers.indexOf(caller) % HUES.length] }, 'aria-hidden': 'true' }),
            `caller ${caller === null ? 'unknown' : caller}: ${format.count(n)}`))));
}

/*
 * The panel of a tick. `data` is { tick, answer, other, receipts, differing, heads, selected }: the answers of
 * `tick` of one side, of the other (null: one run), receipts (null: not known), how many things differ, the heads of
 * the two columns, and the name of what is selected (null: nothing).
 */
export function tick_panel(app, data) {
    const { el, format } = app;
    const { answer, other, heads } = data;
    const chip = other
        ? el('span', { class: data.differing ? 'chip part' : 'chip ok',
                       text: data.differing ? `${format.plural(data.differing, 'entity differs', 'entities differ')}`
                           : 'all entities the same' })
        : el('span', { class: 'chip', text: answer.changed === null ? 'the first tick'
            : `${format.plural(answer.changed, 'field')} changed` });
    return [
        el('section', null, el('h2', null, el('span', { class: 'big', text: `Tick ${format.count(data.tick)}` }),
            el('span', { class: 'grow' }), chip)),
        state_sections(app, answer, other, heads, data.selected ? ROWS_BESIDE : ROWS_SHOWN).slice(0, 1),
        entity_section(app, answer, other, heads, data.selected),
        state_sections(app, answer, other, heads, ROWS_BESIDE).slice(1),
        commands_section(app, answer, other, data.receipts),
        draws_section(app, answer, other),
    ];
}
