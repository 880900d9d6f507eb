/* view_overview.js - what is open, how it ends, what is wrong with it, and where to go on. */
import { show_compare_with } from './compare_with.js';
import { counter_limits } from './timeline_draw.js';
import { save_bytes } from './timeline_export.js';
import { BUCKETS, KIND, parse_tiles } from './tile_cache.js';

const VERIFY_BY_ITSELF = 256e6;
const SPARK_POINTS = 300;
const FACTS_SHOWN = 8;
const ENDINGS = new Map([['complete', ['ok', '\u2713']], ['open', ['', '\u25cb']]]);
const PEN_WORDS = ['no lines', 'one line', 'two lines', 'three lines', 'four lines', 'five lines'];

let o = null;

function is_mounted(instance) {
    return o === instance;
}

/* ---- words ---- */

function sources_of(app, side) {
    return app.open.sources.filter((s) => s.side === side);
}

function fact(source, ...keys) {
    for (const key of keys) {
        const found = source.facts.find((f) => f.key === key);
        if (found)
            return String(found.value);
    }
    return null;
}

function length_words(app, side) {
    const { format } = app, words = [];
    if (side.ticks)
        words.push(format.plural(side.ticks[1] - side.ticks[0] + 1, 'tick'));
    if (side.axis === 'ns' && side.from !== null && side.to !== null)
        words.push(format.ns(BigInt(side.to) - BigInt(side.from)));
    return words.length ? ` ${words.join(', ')}.` : '';
}

/* What it is, in one sentence. */
function sentence(app, i) {
    const side = app.open.sides[i], list = sources_of(app, i);
    if (side.kind === 'run') {
        const world = list.map((s) => fact(s, 'world', 'murk_version')).find(Boolean);
        const pens = PEN_WORDS[list.length] || `${list.length} lines`;
        return `One execution${world ? ` of ${app.visible(world, 60)}` : ''}, recorded on ${pens}.` +
            length_words(app, side);
    }
    const source = list[0];
    if (!source)
        return '';
    const records = source.records === null ? '' : `, ${app.format.plural(source.records, 'record')}`;
    return `${app.visible(source.title || source.format)}${records}, ${app.format.bytes(source.size)}.` +
        length_words(app, side);
}

/* ---- parts ---- */

function copy_button(app, text) {
    return app.el('button', { type: 'button', class: 'btn', text: 'Copy', 'aria-label': `copy ${text}`,
        onclick: async () => {
            try {
                await navigator.clipboard.writeText(text);
                app.remark('The command is in the clipboard.');
            } catch {
                app.remark('The browser does not let this page write to the clipboard.');
            }
        } });
}

/* What is left: a gap is where records were lost, and is not one of them. */
function shown_words(app, source) {
    if (source.records === null)
        return '';
    const gaps = source.types.filter((type) => type.name === 'gap').reduce((sum, type) => sum + type.records, 0);
    const whole = source.records - gaps;
    if (!whole)
        return '; no record is whole';
    return `; ${app.format.plural(whole, 'record')} ${whole === 1 ? 'is' : 'are'} shown`;
}

function ending_words(app, source) {
    const { ending } = source;
    const where = ending.offset !== null && ending.offset !== undefined
        ? `${ending.part ? ending.part + ' ' : ''}at byte ${app.format.count(ending.offset)}` : '';
    const why = ending.why || '';
    return [why, where].filter(Boolean).join(', ') + shown_words(app, source) + '.';
}

/* What was lost comes first. */
function banners(app) {
    const { el, visible } = app;
    return app.open.sources.filter((s) => s.error || (s.ending && !ENDINGS.has(s.ending.kind)))
        .map((source) => {
            const name = visible(source.name, 80);
            if (source.error)
                return el('div', { class: 'banner wide', role: 'status' },
                    el('b', { text: `${name} cannot be opened.` }), el('span', { text: visible(source.error, 400) }));
            const command = source.ending.repair;
            return el('div', { class: 'banner wide', role: 'status' },
                el('b', { text: `${name} is ${source.ending.kind}.` }),
                el('span', { text: visible(ending_words(app, source), 400) }), el('span', { class: 'grow' }),
                command ? el('code', { class: 'mono', text: visible(command, 300) }) : null,
                command ? copy_button(app, command) : null);
        });
}

function ending_chip(app, source) {
    const { el } = app;
    if (source.error)
        return el('span', { class: 'chip warn', text: '\u2717 unreadable' });
    const [cls, sign] = ENDINGS.get(source.ending.kind) || ['warn', '\u2702'];
    return el('span', { class: `chip ${cls}`, text: `${sign} ${source.ending.kind}` });
}

function line_row(app, source) {
    const { el, format, visible } = app;
    const spark = el('div', { class: 'spark', 'data-src': source.src });
    o.sparks.set(source.src, spark);
    return el('tr', null, el('td', null, app.pen_tag(source.pen)),
        el('td', null, el('span', { class: 'mono' }, app.breakable(visible(source.name, 60))),
            el('small', { text: visible(source.title || source.format, 80) })),
        el('td', { class: 'num hide', text: format.count(source.records) }),
        el('td', { class: 'num hide', text: format.bytes(source.size) }),
        el('td', null, ending_chip(app, source)),
        el('td', { class: 'over' }, spark));
}

function lines_panel(app, side) {
    const { el } = app, list = sources_of(app, side);
    const heads = ['pen', 'trace', 'records', 'size', 'ending', 'over the run'];
    const title = app.open.sides.length > 1 ? app.visible(app.open.sides[side].name, 60)
        : list.length > 1 ? 'The lines' : 'The trace';
    return el('section', { class: 'panel' }, el('h2', { text: title }),
        el('table', { class: 'lines' }, el('thead', null, el('tr', null, heads.map((text, i) =>
            el('th', { scope: 'col', text, class: i === 2 || i === 3 ? 'num hide' : i === 5 ? 'over' : null })))),
        el('tbody', null, list.map((source) => line_row(app, source)))));
}

/* ---- curves ---- */

/* The track of a source that says most over the run: a counter, else the one with most records. */
function best_track(tracks, src) {
    const mine = tracks.filter((t) => t.src === src && t.kind !== 'group' && t.records > 0);
    const counters = mine.filter((t) => t.kind === 'counter' && t.max > t.min);
    const most = [...mine].sort((a, b) => b.records - a.records);
    return counters[0] || most[0] || null;
}

function curve_of(tiles, track, clock) {
    const points = new Float64Array(SPARK_POINTS), seen = new Uint8Array(SPARK_POINTS);
    for (const tile of tiles)
        for (let i = 0; i < tile.items; i++) {
            const x = Math.floor((tile.start + tile.u16[i * 8] * tile.unit) / clock.length * SPARK_POINTS);
            if (x < 0 || x > SPARK_POINTS)
                continue;
            const at = Math.min(SPARK_POINTS - 1, x);
            if (tile.kind === KIND.counter) {
                points[at] = tile.f32[i * 4 + 3];
                seen[at] = 1;
            } else {
                points[at] += 2 ** (tile.u8[i * 16 + 15] >> 3);
                seen[at] = 1;
            }
        }
    const holds = track.kind === 'counter';
    for (let i = 1; i < SPARK_POINTS && holds; i++)
        if (!seen[i])
            points[i] = points[i - 1];
    return points;
}

function spark_svg(app, points, hue, low) {
    const { el } = app, n = points.length;
    const high = Math.max(...points, low + 1e-9);
    const y = (value) => (29 - Math.max(0, value - low) / (high - low) * 27).toFixed(1);
    const line = [...points].map((value, i) => `${i ? 'L' : 'M'}${i} ${y(value)}`).join('');
    return el('svg', { viewBox: `0 0 ${n - 1} 30`, preserveAspectRatio: 'none', 'aria-hidden': 'true' },
        el('path', { d: `${line}L${n - 1} 30L0 30Z`, fill: `var(${hue})`, opacity: 0.3 }),
        el('path', { d: line, fill: 'none', stroke: `var(${hue})`, 'stroke-width': 1.2,
                     'vector-effect': 'non-scaling-stroke' }));
}

function tile_requests(track, clock) {
    const shift = Math.max(0, Math.ceil(Math.log2(clock.length / BUCKETS)));
    const size = BigInt(BUCKETS) << BigInt(shift);
    const found = [];
    for (let index = clock.base / size; index <= clock.abs(clock.length) / size; index++)
        found.push({ track, shift, index });
    return found;
}

function encode(requests) {
    const view = new DataView(new ArrayBuffer(requests.length * 16));
    requests.forEach((r, i) => {
        view.setUint32(i * 16, r.track, true);
        view.setInt32(i * 16 + 4, r.shift, true);
        view.setBigUint64(i * 16 + 8, r.index, true);
    });
    return new Uint8Array(view.buffer);
}

async function load_curves(app, side) {
    const mine = o;
    const { tracks, clock } = await app.tracks(side);
    for (const source of sources_of(app, side)) {
        const track = best_track(tracks, source.src), box = mine.sparks.get(source.src);
        if (!track || !box)
            continue;
        const bytes = await app.api.bytes('tiles', encode(tile_requests(track.track, clock)));
        if (!is_mounted(mine))
            return;
        const points = curve_of(parse_tiles(bytes, () => clock.base), track, clock);
        const low = track.kind === 'counter' ? counter_limits(track).low : 0;
        app.fill(box, spark_svg(app, points, app.pen_of(source.pen).hue, low),
            app.el('small', { text: app.visible(track.name, 50) + (track.kind === 'counter' ? '' : ', records') }));
    }
}

/* ---- findings ---- */

const SEVERITIES = new Map([['error', 'warn'], ['warning', 'warn']]);

function finding_node(app, source, finding) {
    const { el, visible } = app;
    const place = finding.offset !== undefined && finding.offset !== null
        ? `${visible(finding.part || source.name, 60)} at ${app.format.count(finding.offset)}`
        : visible(finding.part || source.name, 60);
    const seq = finding.seq ?? null;
    return el('li', null, el('span', { class: 'mono', text: visible(finding.rule || '', 80) }), el('br'),
        visible(finding.text || '', 300), ' ',
        seq !== null ? el('a', { href: app.link('timeline', { sel: { src: source.src, seq: String(seq) }, t: null,
                                                              side: source.side || null }), text: place })
            : el('span', { class: 'dim', text: place }));
}

function findings_panel(app) {
    const { el } = app;
    o.chips = el('span', { class: 'chips' });
    o.findings = el('div', { class: 'in findings', tabindex: '0', role: 'group', 'aria-label': 'findings' });
    return el('section', { class: 'panel', 'aria-label': 'findings of verify' },
        el('h2', null, 'Findings of verify', o.chips), o.findings);
}

function count_chips(app, list) {
    const { el } = app;
    const counts = new Map();
    for (const { finding } of list) {
        const word = finding.severity || 'note';
        counts.set(word, (counts.get(word) || 0) + 1);
    }
    return [...counts].map(([word, n]) => el('span', { class: `chip ${SEVERITIES.get(word) || ''}`,
        text: app.format.plural(n, word) }));
}

function show_findings(app, list, words) {
    const { el, fill } = app;
    fill(o.chips, count_chips(app, list));
    fill(o.findings,
        list.length ? el('ul', null, list.map((row) => finding_node(app, row.source, row.finding))) : null,
        words ? el('p', { class: 'dim', role: 'status', text: words }) : null);
}

/* Only of what was there when it began: a trace that has grown since is checked again. */
async function verify_all(app) {
    const mine = o, found = [], run = { generation: app.open.generation };
    o.verifying = run;
    const is_wanted = () => is_mounted(mine) && o.verifying === run;
    const list = app.open.sources.filter((s) => !s.error);
    for (const source of list) {
        show_findings(app, found, `Checking ${app.visible(source.name, 60)}\u2026`);
        try {
            const answer = await app.api.job(`verify?src=${source.src}`, null, (done) => is_wanted() &&
                show_findings(app, found, `Checking ${app.visible(source.name, 60)}: ${app.format.share(done)}`));
            if (!is_wanted())
                return;
            for (const finding of answer.findings || [])
                found.push({ source, finding });
        } catch (failure) {
            if (!is_wanted() || failure.cancelled)
                return;
            found.push({ source, finding: { severity: 'error', rule: 'verify', text: failure.message } });
        }
    }
    show_findings(app, found, found.length ? ''
        : `verify found nothing wrong in ${app.format.plural(list.length, 'trace')}.`);
}

/* What is being written ends anywhere, which is no fault of it. */
function begin_verify(app) {
    const { el, fill } = app;
    const size = app.open.sources.reduce((sum, s) => sum + (s.size || 0), 0);
    o.verifying = null;
    if (size <= VERIFY_BY_ITSELF && !app.open.follow) {
        verify_all(app);
        return;
    }
    fill(o.chips);
    fill(o.findings,
        app.open.follow && el('p', { class: 'dim', text: 'It is being written: only what is there can be checked.' }),
        el('button', { type: 'button', class: 'btn', text: `Check ${app.format.bytes(size)}`,
                       onclick: () => verify_all(app) }));
}

/* ---- facts ---- */

/* Facts of a side by key: ticks first, then those of the run, then of each trace. */
function facts_of(app, side) {
    const rows = new Map(), one = app.open.sides[side];
    if (one.ticks)
        rows.set('ticks', app.format.ticks(one.ticks));
    for (const { key, value } of [...one.facts, ...sources_of(app, side).flatMap((source) => source.facts)])
        if (!rows.has(key) && value !== null && value !== '')
            rows.set(key, String(value));
    return rows;
}

function fact_list(app, rows) {
    const { el, visible } = app;
    return el('dl', { class: 'facts' }, rows.map(([key, value]) =>
        [el('dt', null, app.breakable(visible(key, 60))), el('dd', { text: visible(value, 200) })]));
}

function notes_of(app, side) {
    const { el, visible } = app, list = sources_of(app, side);
    const notes = list.flatMap((s) => s.notes.map((note) => (list.length > 1 ? `${s.name}: ` : '') + note));
    return notes.length ? el('ul', { class: 'notes' }, notes.slice(0, 20).map((note) =>
        el('li', { text: visible(note, 300) }))) : null;
}

function facts_panel(app) {
    const { el } = app;
    const rows = [...facts_of(app, 0), ['made with', `rastrum ${app.open.version}`]];
    return el('section', { class: 'panel' }, el('h2', { text: app.open.kind === 'run' ? 'This run' : 'This trace' }),
        el('div', { class: 'in' }, fact_list(app, rows.slice(0, FACTS_SHOWN)),
            rows.length > FACTS_SHOWN ? el('details', null,
                el('summary', { text: app.format.plural(rows.length - FACTS_SHOWN, 'more fact') }),
                fact_list(app, rows.slice(FACTS_SHOWN))) : null,
            notes_of(app, 0)));
}

/* Two sides beside each other; what differs comes first and is marked. */
function pair_panel(app) {
    const { el, visible } = app;
    const [expected, actual] = [facts_of(app, 0), facts_of(app, 1)];
    const keys = [...new Set([...expected.keys(), ...actual.keys()])];
    const differs = (key) => expected.get(key) !== actual.get(key);
    const row = (key) => el('tr', null, el('th', { scope: 'row' }, app.breakable(visible(key, 60))),
        el('td', { class: differs(key) ? 'was' : null, text: visible(expected.get(key) ?? '\u2013', 120) }),
        el('td', { class: differs(key) ? 'now' : null, text: visible(actual.get(key) ?? '\u2013', 120) }));
    const table = (list) => el('table', { class: 'pair' }, el('thead', null, el('tr', null,
        ['fact', 'expected', 'actual'].map((text) => el('th', { scope: 'col', text })))),
    el('tbody', null, list.map(row)));
    const different = keys.filter(differs), same = keys.filter((key) => !differs(key));
    const first = [...different, ...same].slice(0, Math.max(different.length, FACTS_SHOWN));
    const rest = same.filter((key) => !first.includes(key));
    return el('section', { class: 'panel' }, el('h2', { text: different.length
        ? `${app.format.plural(different.length, 'fact')} differ${different.length === 1 ? 's' : ''}`
        : 'All facts are the same' }),
    el('div', { class: 'in' }, table(first), rest.length ? el('details', null,
        el('summary', { text: app.format.plural(rest.length, 'more fact') }), table(rest)) : null));
}

/* The counts of a trace, or of two beside each other; of a run its lines have them. */
function types_panel(app) {
    const { el, format, visible } = app, counts = app.open.sides.map((_, side) => {
        const list = sources_of(app, side);
        return new Map(list.length === 1 ? list[0].types.map((type) => [type.name, type.records]) : []);
    });
    const most = (name) => Math.max(...counts.map((count) => count.get(name) ?? 0));
    const names = [...new Set(counts.flatMap((count) => [...count.keys()]))].sort((a, b) => most(b) - most(a));
    const of = (count, name) => count.has(name) ? count.get(name) : count.size ? 0 : null;
    if (!names.length)
        return null;
    return el('section', { class: 'panel' }, el('h2', { text: 'Records by type' }),
        el('table', { class: 'types' },
            counts.length > 1 ? el('thead', null, el('tr', null, ['type', 'expected', 'actual'].map((text, i) =>
                el('th', { scope: 'col', class: i ? 'num' : null, text })))) : null,
            el('tbody', null, names.slice(0, 40).map((name) =>
                el('tr', null, el('td', { class: 'mono', text: visible(name, 60) }), counts.map((count) =>
                    el('td', { class: 'num', text: format.count(of(count, name)) })))))));
}

function go_panel(app) {
    const { el } = app;
    const way = (text, href, primary = false) => el('a', { class: 'btn' + (primary ? ' primary' : ''), href, text });
    const is_pair = app.open.sides.length > 1;
    return el('section', { class: 'panel', 'aria-label': 'go on' }, el('h2', { text: 'Go on' }),
        el('div', { class: 'in ways' }, way('Timeline', app.link('timeline'), true),
            app.open.sides[0].ticks && app.open.sides[0].axis === 'ns' ? el('button', { type: 'button', class: 'btn',
                text: 'Slowest tick', onclick: () => slowest_tick(app) }) : null,
            is_pair ? way('Compare', app.link('compare')) : el('button', { type: 'button', class: 'btn',
                text: 'Compare with\u2026', onclick: () => show_compare_with(app) }),
            way('Query', app.link('table')),
            el('button', { type: 'button', class: 'btn', text: 'Save report', onclick: () => save_report(app) })));
}

function names_of(app) {
    return app.open.sides.map((side) => app.visible(side.name, 60)).join(' ');
}

async function save_report(app) {
    app.remark('Writing the report\u2026');
    try {
        const { bytes } = await app.api.file('report');
        save_bytes(app, bytes, 'text/html', 'report.html');
        app.remark('The report was saved as report.html.');
    } catch (failure) {
        if (!failure.cancelled)
            app.remark(`${failure.message}; rastrum report ${names_of(app)} -o report.html writes it, too`);
    }
}

async function slowest_tick(app) {
    const { clock } = await app.tracks(app.side());
    let best = -1, longest = -1;
    for (let i = 0; i + 1 < clock.begins.length; i++)
        if (clock.begins[i + 1] - clock.begins[i] > longest) {
            longest = clock.begins[i + 1] - clock.begins[i];
            best = clock.ticks.first + i * clock.ticks.every;
        }
    if (best < 0)
        app.remark('This run does not say when its ticks began.');
    else
        app.go('timeline', { tick: best, t: null, range: null });
}

/* ---- mounting ---- */

function say_status(app) {
    const side = app.open.sides[0], { format } = app;
    const size = app.open.sources.reduce((sum, s) => sum + (s.size || 0), 0);
    const records = app.open.sources.reduce((sum, s) => sum + (s.records || 0), 0);
    const is_known = app.open.sources.every((s) => s.error || s.records !== null);
    app.status([[names_of(app), side.kind === 'run' ? 'run directory' : 'trace'], ['size', format.bytes(size)],
        ['records', is_known ? format.count(records) : `${format.count(records)} so far`],
        ...(side.built < 1 ? [['building', format.share(side.built)]] : [])]);
}

function render(app) {
    const { el, fill } = app;
    o.sparks = new Map();
    const sides = app.open.sides.map((_, i) => i);
    const title = app.open.sides.map((side) => app.visible(side.name, 80)).join(' and ');
    fill(o.root,
        el('div', { class: 'wide' }, el('h1', { text: title }),
            sides.length === 1 ? el('p', { class: 'lead', text: sentence(app, 0) })
                : sides.map((i) => el('p', { class: 'lead' }, el('b', { text: i ? 'Actual: ' : 'Expected: ' }),
                    sentence(app, i)))),
        banners(app),
        el('div', { class: 'stack' }, sides.map((i) => lines_panel(app, i)), types_panel(app)),
        el('div', { class: 'stack' }, o.findings_panel,
            sides.length > 1 ? pair_panel(app) : facts_panel(app), go_panel(app)));
    say_status(app);
    for (const i of sides)
        load_curves(app, i).catch(() => null);
}

function mount(root, app) {
    o = { root, sparks: new Map(), findings_panel: null };
    o.findings_panel = findings_panel(app);
    render(app);
    begin_verify(app);
}

function update(app, changed) {
    if (!o || !changed.has('open'))
        return;
    render(app);
    if (app.open.follow && (!o.verifying || o.verifying.generation !== app.open.generation))
        begin_verify(app);
}

function unmount() {
    if (o)
        o = null;
}

export default { id: 'overview', title: 'Overview', key: '1', missing: () => null, mount, update, unmount, keys: [] };
