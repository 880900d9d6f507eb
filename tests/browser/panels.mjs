/* panels.mjs - Ticks, Frames, Calls and Table: their figures are those that rastrum prints; keys; addresses. */
import { INPUTS, runs } from './data.mjs';
import { close_page, equal, golden, no_trouble, ok, open_page, rastrum, serve, test } from './harness.mjs';

const WAIT_MS = 90000;
const run = () => serve(...INPUTS.get('run')());
const pair = () => serve(...INPUTS.get('pair')());
const until = (page, what, arg = null) => page.waitForFunction(what, arg, { timeout: WAIT_MS });
const number_of = (text) => Number(text.replaceAll(',', '').replace('\u2212', '-'));

const state_of = (page) => page.evaluate(() => Object.fromEntries(new URLSearchParams(location.hash.split('?')[1] || '')));

async function press(page, ...keys) {
    for (const key of keys)
        await page.keyboard.press(key);
    await page.waitForTimeout(400);
}

/* ---- Ticks ---- */

const at_tick = (page, tick) => until(page, (n) => {
    const title = document.querySelector('.view-ticks .side .big');
    return title && title.textContent === `Tick ${n}`;
}, tick);

/* Rows of the panel: name -> texts of both columns. */
const fields_of = (page) => page.$$eval('.view-ticks .side section', (sections) => Object.fromEntries(sections
    .flatMap((section) => [...section.querySelectorAll('tbody tr')].filter((tr) => tr.cells.length === 3)
        .map((tr) => [`${section.getAttribute('aria-label')} ${tr.cells[0].textContent}`,
            [tr.cells[1].title, tr.cells[2].title]]))));

test('panels ticks figures are those of tick', async () => {
    const page = await open_page(await run(), 'ticks?tick=302');
    await at_tick(page, 302);
    const now = JSON.parse(rastrum('tick', '--json', `${runs().good}/state.cdt`, '302'));
    const before = JSON.parse(rastrum('tick', '--json', `${runs().good}/state.cdt`, '301'));
    const fields = await fields_of(page);
    for (const name of ['kills', 'score_xp', 'creature_count', 'rng_state'])
        equal(fields[`checkpoint ${name}`], [String(before.checkpoint[name]), String(now.checkpoint[name])], name);
    equal(fields['checkpoint players[1].pos.x'][1], String(now.checkpoint.players[1].pos.x), 'a place');
    equal(fields['entity_counts creatures'][1], String(now.entity_counts.creatures), 'creatures');
    const shown = await page.innerText('.view-ticks .side [aria-label="random numbers"] h2');
    ok(shown.includes(`${now.rng_stream_count} draws`), `${shown}, not ${now.rng_stream_count}`);
    const commands = rastrum('cat', '--type', 'command', '--from', '302', '--to', '303', `${runs().good}/replay.murk`);
    equal((await page.$$('.view-ticks .side [aria-label=commands] tr')).length, commands.trim().split('\n').length,
        'commands');
    no_trouble(page);
});

test('panels ticks say what became of commands', async () => {
    const page = await open_page(await run(), 'ticks?tick=302');
    await until(page, () => /applied/.test(document.querySelector('.view-ticks [aria-label=commands] h2')?.textContent || ''));
    const verdicts = await page.$$eval('.view-ticks [aria-label=commands] td:last-child', (cells) =>
        cells.map((cell) => cell.textContent));
    ok(verdicts.length === 6 && verdicts.every((text) => text === 'applied'), verdicts.join());
    no_trouble(page);
});

test('panels ticks play, step and select by keys', async () => {
    const page = await open_page(await run(), 'ticks?tick=100');
    await at_tick(page, 100);
    await press(page, '.', '.');
    equal((await state_of(page)).tick, '102', 'steps on');
    await press(page, ',');
    equal((await state_of(page)).tick, '101', 'steps back');
    await press(page, 'Home');
    equal((await state_of(page)).tick, '1', 'the first');
    await press(page, 'End');
    equal((await state_of(page)).tick, '600', 'the last');
    await at_tick(page, 600);
    await press(page, 'ArrowDown');
    const { ent } = await state_of(page);
    ok(/^\d+\.\d+$/.test(ent), `a thing is selected: ${ent}`);
    ok(/^\w+ \d+/.test(await page.textContent('#live')), 'and announced');
    await press(page, 'Home', 'Space');
    await page.waitForTimeout(600);
    await press(page, 'Space');
    const { tick } = await state_of(page);
    ok(Number(tick) > 5 && Number(tick) < 600, `played to ${tick}`);
    no_trouble(page);
});

test('panels ticks of two runs differ from the tick on that compare finds', async () => {
    const page = await open_page(await pair(), 'ticks?tick=299');
    await at_tick(page, 299);
    await until(page, () => /the same/.test(document.querySelector('.view-ticks .side .chip').textContent));
    await press(page, 'End');
    await at_tick(page, 600);
    await until(page, () => /entities differ/.test(document.querySelector('.view-ticks .side .chip').textContent));
    await until(page, () => document.querySelector('.view-ticks .slider title'));
    ok(/tick 300/.test(await page.$eval('.view-ticks .slider title', (t) => t.textContent)), 'the place is marked');
    await press(page, 'f');
    equal((await state_of(page)).tick, '300', 'a key leads there');
    ok(await page.$('.view-ticks .side .now'), 'what differs is marked');
    no_trouble(page);
});

test('panels ticks show commands of a replay without state', async () => {
    const page = await open_page(await serve(...INPUTS.get('murk')()), 'ticks');
    await until(page, () => document.querySelector('.view-ticks .side .big'));
    ok(/Move|Spawn|SetField|commands/.test(await page.innerText('.view-ticks .legend')), 'the legend');
    no_trouble(page);
});

/* ---- Frames ---- */

const facts_of = (page) => page.$$eval('.view-frames .right dl:first-of-type', ([list]) => Object.fromEntries(
    [...list.querySelectorAll('dt')].map((dt) => [dt.textContent, dt.nextElementSibling.textContent])));

const drawn = (page) => until(page, () => /sha256|differ/.test(document.querySelector('footer').textContent));

test('panels frames are those of replay', async () => {
    const gpu = `${runs().good}/gpu.aerogputrace`;
    const page = await open_page(await run(), 'frames?frame=299&px=435.396');
    await drawn(page);
    const [frame] = JSON.parse(rastrum('replay', '--json', '--frame', '299', '--pixel', '435,396', gpu)).frames;
    ok((await page.innerText('footer')).includes(frame.sha256.slice(0, 8)), 'the hash');
    await until(page, () => /draw \d/.test(document.querySelector('.view-frames .right dl').textContent));
    const facts = await facts_of(page);
    equal(facts.rgba.replaceAll(' ', ''), frame.pixel.rgba.slice(1), 'the pixel');
    equal(facts['written by'], `draw ${frame.pixel.last_draw}`, 'who wrote it');
    equal(facts.before.replaceAll(' ', ''), frame.pixel.changes.at(-1).before.slice(1), 'before');
    const draws = await page.$$eval('.view-frames .list td:last-child', (cells) =>
        cells.map((cell) => cell.textContent).filter(Boolean));
    equal(draws.length, frame.draws, 'draws in the list');
    no_trouble(page);
});

test('panels frames step through draws', async () => {
    const gpu = `${runs().good}/gpu.aerogputrace`;
    const page = await open_page(await run(), 'frames?frame=40');
    await drawn(page);
    await until(page, () => document.querySelectorAll('.view-frames .list tr').length > 3);
    await press(page, '.', '.');
    equal((await state_of(page)).draw, '2', 'the second draw');
    const [frame] = JSON.parse(rastrum('replay', '--json', '--frame', '40', '--until-draw', '2', gpu)).frames;
    await until(page, (hash) => document.querySelector('footer').textContent.includes(hash), frame.sha256.slice(0, 8));
    ok((await page.$$('.view-frames .list tr.after')).length > 0, 'what comes after it is dim');
    await press(page, 'ArrowRight');
    equal((await state_of(page)).frame, '41', 'the next frame');
    equal((await state_of(page)).draw, undefined, 'from its end');
    no_trouble(page);
});

test('panels frames of two runs', async () => {
    const page = await open_page(await pair(), 'frames?frame=302&show=difference');
    await drawn(page);
    equal((await page.$$('.view-frames .three canvas')).length, 3, 'three pictures');
    const differs = await page.evaluate(() => {
        const [a, b] = [...document.querySelectorAll('.view-frames .three canvas')].map((canvas) =>
            new Uint32Array(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer));
        return a.reduce((sum, value, i) => sum + (value !== b[i]), 0);
    });
    ok(differs > 0, 'they differ');
    ok(number_of(/differ ([\d,]+) pixels/.exec(await page.innerText('footer'))[1]) === differs, 'as many as is said');
    await until(page, () => document.querySelector('.view-frames .strip figure.d'));
    await press(page, 'b');
    equal((await state_of(page)).show, 'flicker', 'by turns');
    await press(page, 'b');
    await until(page, () => document.querySelector('.view-frames .wiper'));
    no_trouble(page);
});

test('panels frames do not flicker where motion is reduced', async () => {
    const page = await open_page(await pair(), 'frames?frame=302&show=flicker', { reduced: true });
    await until(page, () => document.querySelector('.view-frames .turn'));
    const first = await page.innerText('.view-frames .turn');
    await page.waitForTimeout(1300);
    equal(await page.innerText('.view-frames .turn'), first, 'it stays');
    await page.click('.view-frames .turn-button');
    ok(await page.innerText('.view-frames .turn') !== first, 'until a person asks for the other');
    no_trouble(page);
});

/* ---- Calls ---- */

test('panels calls are those of tree', async () => {
    const page = await open_page(await run(), 'calls');
    await until(page, () => document.querySelector('.view-calls [role=treegrid]'));
    const { columns, rows } = JSON.parse(rastrum('tree', '--json', `${runs().good}/calls`)).tables.tree;
    const at = (name) => columns.indexOf(name);
    const shown = await page.$$eval('.view-calls tbody tr', (list) => list.map((tr) =>
        [Number(tr.getAttribute('aria-level')), tr.cells[0].textContent.slice(1), tr.cells[1].textContent,
            tr.cells[4].textContent]));
    equal(shown.length, rows.length, 'rows');
    shown.forEach(([level, name, count, share], i) => {
        equal([level, name, number_of(count)], [rows[i][at('depth')], rows[i][at('function')], rows[i][at('count')]],
            `row ${i}`);
        equal(share, `${rows[i][at('share_percent')].toFixed(1)}%`, `the share of row ${i}`);
    });
    no_trouble(page);
});

test('panels calls zoom, open and close by keys', async () => {
    const page = await open_page(await run(), 'calls');
    await until(page, () => document.querySelector('.view-calls [role=treegrid]'));
    await press(page, 'ArrowDown', 'ArrowDown');
    const name = await page.$eval('.view-calls tr[aria-selected=true] td', (td) => td.textContent.slice(1));
    ok((await page.textContent('#live')).startsWith(name), 'the row is announced');
    await press(page, 'f');
    ok((await state_of(page)).at.endsWith(name), 'zooms in');
    await press(page, 'Escape');
    ok(!((await state_of(page)).at || '').endsWith(name), 'zooms out');
    await press(page, 'b');
    equal((await state_of(page)).mode, 'sandwich', 'callers and callees');
    no_trouble(page);
});

test('panels calls of samples', async () => {
    const page = await open_page(await serve(...INPUTS.get('dial9')()), 'calls');
    await until(page, () => document.querySelector('.view-calls [role=treegrid]'));
    const { rows } = JSON.parse(rastrum('tree', '--json', INPUTS.get('dial9')()[0])).tables.tree;
    const groups = new Set(rows.map((row) => row[0]));
    equal((await page.$$('.view-calls tbody tr')).length, rows.length + groups.size, 'rows, and one for each kind');
    await page.selectOption('.view-calls select[aria-label="samples by"]', 'task');
    await until(page, () => [...document.querySelectorAll('.view-calls tbody tr')].some((tr) =>
        tr.textContent.includes('on-CPU, task ')));
    equal((await state_of(page)).group, 'task', 'the group is in the address');
    no_trouble(page);
});

test('panels calls say why there are none', async () => {
    const file = golden('dial9/empty.trc');
    const said = rastrum('tree', file).split('\n').find((line) => /no samples/.test(line)).replace(/^[^:]*: /, '');
    for (const mode of ['heavy', 'order', 'sandwich']) {
        const page = await open_page(await serve(file), `calls?mode=${mode}`);
        await until(page, () => document.querySelector('.view-calls .tree p'));
        equal(await page.innerText('.view-calls .tree'), said, mode);
        no_trouble(page);
        await close_page(page);
    }
});

/* ---- all ---- */

test('panels without anything to show have their sentence in the middle', async () => {
    const server = await serve(golden('dial9/runtime.trc'));
    for (const view of ['ticks', 'frames', 'compare']) {
        const page = await open_page(server, view);
        const [left, right] = await page.$eval('main > .empty', (node) => {
            const box = node.getBoundingClientRect();
            return [box.left, innerWidth - box.right];
        });
        ok(Math.abs(left - right) < 20 && left > 100, `${view}: ${left} pixels at the left, ${right} at the right`);
        no_trouble(page);
        await close_page(page);
    }
});

test('panels show whole figures in a narrow status line', async () => {
    const server = await pair();
    for (const view of ['overview', 'calls', 'compare']) {
        const page = await open_page(server, view, { width: 390 });
        const found = await page.$eval('footer .parts', (parts) => {
            const box = parts.getBoundingClientRect();
            const shown = [...parts.children].map((node) => node.getBoundingClientRect())
                .filter((one) => one.top < box.bottom - 2);
            return { shown: shown.length, cut: shown.filter((one) => one.right > box.right + 1).length };
        });
        ok(found.shown >= 1 && found.cut === 0, `${view}: ${JSON.stringify(found)}`);
        no_trouble(page);
        await close_page(page);
    }
});

test('panels ticks have curves that reach the edges', async () => {
    const page = await open_page(await serve(golden('cdt/c2_21.cdt')), 'ticks');
    await until(page, () => document.querySelector('.scrub .slider path'));
    const d = await page.$eval('.scrub .slider path', (path) => path.getAttribute('d'));
    const at = [...d.matchAll(/([\d.]+) ([\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)]);
    equal([at[0][0], at[1][0], at.at(-2)[0], at.at(-1)[0]], [0, 0, 1000, 1000], `the sides are upright: ${d}`);
    equal([at[1][1], at.at(-2)[1]], [at[2][1], at.at(-3)[1]], 'as high as the first and the last tick');
    no_trouble(page);
});

/* ---- Table ---- */

const QUERY = 'SELECT tick, count(*) n, max(caller) m FROM cdt.rng WHERE tick BETWEEN 286 AND 325 GROUP BY tick ORDER BY tick';

test('panels table rows are those of sql', async () => {
    const page = await open_page(await run(), `table?sql=${encodeURIComponent(QUERY)}`);
    await until(page, () => document.querySelectorAll('.view-table .res tbody tr').length > 10);
    const wanted = rastrum('sql', '--format', 'csv', runs().good, QUERY).trim().split('\n').map((line) => line.split(','));
    const shown = await page.$$eval('.view-table .res tr:not(.spacer)', (rows) => rows.map((row) =>
        [...row.cells].map((cell) => cell.textContent)));
    equal(shown, wanted.slice(0, shown.length), 'rows');
    equal((await page.$$('.view-table .plot rect')).length, wanted.length - 1, 'bars');
    await page.click('.view-table .res tbody a');
    await at_tick(page, 286);
    no_trouble(page);
});

test('panels table has figures beside its plot in full, however long', async () => {
    const sql = 'SELECT tick, tick * 123456789012 big FROM murk.frame';
    const page = await open_page(await run(), `table?sql=${encodeURIComponent(sql)}`);
    await until(page, () => document.querySelector('.view-table .plot path'));
    const cut = await page.$$eval('.view-table .plot text', (texts) => texts.filter((text) =>
        text.getBoundingClientRect().left < text.ownerSVGElement.getBoundingClientRect().left)
        .map((text) => text.textContent));
    equal(cut, [], 'figures that begin outside the plot');
    no_trouble(page);
});

test('panels table says what is wrong with a query', async () => {
    const page = await open_page(await run(), `table?sql=${encodeURIComponent('SELECT tick,\n  wrong FROM murk.frame')}`);
    await until(page, () => document.querySelector('.view-table .failure'));
    const said = await page.innerText('.view-table .failure');
    ok(said.includes('line 2, column 3') && said.includes('wrong'), said);
    await page.fill('.view-table textarea', 'SELECT 1 a');
    await page.keyboard.press('Control+Enter');
    await until(page, () => document.querySelector('.view-table .res'));
    equal((await state_of(page)).sql, 'SELECT 1 a', 'the query is the address');
    no_trouble(page);
});

test('panels table has thousands of rows and few nodes', async () => {
    const page = await open_page(await run(), `table?rows=table&sql=${encodeURIComponent('SELECT * FROM cdt.creature')}`);
    await until(page, () => document.querySelector('.view-table .res tbody tr'));
    ok(/10,000/.test(await page.innerText('footer')), await page.innerText('footer'));
    ok((await page.$$('.view-table .res tbody tr')).length < 120, 'nodes');
    await page.$eval('.view-table .res', (node) => { node.scrollTop = node.scrollHeight; });
    await until(page, () => [...document.querySelectorAll('.view-table .res tbody tr:not(.spacer)')].pop()
        .getAttribute('aria-rowindex') === '10001');
    no_trouble(page);
});

/* ---- addresses ---- */

test('panels come back from their addresses', async () => {
    const server = await pair();
    for (const [fragment, what] of [['ticks?tick=303&ent=1.0', '.side'], ['frames?frame=299&draw=3&px=10.20', '.right dl'],
        ['calls?by=self&mode=sandwich&fn=arena_die', '.path'], [`table?rows=plot&sql=${encodeURIComponent('SELECT 1 a, 2 b')}`, '.tabs']]) {
        const page = await open_page(server, fragment);
        const selector = `.view-${fragment.split('?')[0]} ${what}`;
        await until(page, (s) => document.querySelector(s) && document.querySelector(s).textContent.length > 5, selector);
        await page.waitForTimeout(600);
        const state = await state_of(page);
        for (const [key, value] of new URLSearchParams(fragment.split('?')[1]))
            equal(state[key], value, `${fragment}: ${key}`);
        no_trouble(page);
        await close_page(page);
    }
});
