/* keyboard.mjs - everything a pointer can do a key can do, and the focus can always be seen. */
import { INPUTS } from './data.mjs';
import { equal, no_trouble, ok, open_page, raster_hash, serve, settled, test } from './harness.mjs';

const state_of = (page) => page.evaluate(() => {
    const [view, query = ''] = location.hash.slice(1).split('?');
    return { view, ...Object.fromEntries(new URLSearchParams(query)) };
});

async function timeline(fragment = 'timeline') {
    return open_page(await serve(...INPUTS.get('run')()), fragment);
}

async function press(page, ...keys) {
    for (const key of keys)
        await page.keyboard.press(key);
    await page.waitForTimeout(420);     /* the address follows within a quarter of a second */
    await settled(page);
}

function width(state) {
    const [from, to] = state.t.split('..').map(BigInt);
    return Number(to - from);
}

test('keyboard moves the window', async () => {
    const page = await timeline();
    await press(page, 'w', 'w', 'w');
    const near = await state_of(page);
    ok(near.t, 'W zooms');
    await press(page, 's');
    ok(width(await state_of(page)) > width(near), 'S zooms out');
    const before = await state_of(page);
    await press(page, 'd');
    const right = await state_of(page);
    ok(BigInt(right.t.split('..')[0]) > BigInt(before.t.split('..')[0]), 'D pans right');
    await press(page, 'a');
    equal((await state_of(page)).t, before.t, 'A pans back');
    await press(page, '0');
    equal((await state_of(page)).t, undefined, '0 shows the whole');
    no_trouble(page);
});

test('keyboard walks records and says them', async () => {
    const page = await timeline();
    await press(page, 'ArrowRight');
    const first = await state_of(page);
    ok(first.sel, 'an arrow selects');
    const said = await page.textContent('#live');
    ok(said.length > 3, 'the record is announced');
    ok((await page.innerText('.sel .record h2')).length > 0, 'the panel shows it');
    await press(page, 'ArrowRight');
    ok((await state_of(page)).sel !== first.sel, 'the next record');
    await press(page, 'ArrowLeft');
    equal((await state_of(page)).sel, first.sel, 'and back');
    await press(page, 'f');
    ok((await state_of(page)).t, 'F fits it');
    await press(page, 'Escape');
    equal((await state_of(page)).sel, undefined, 'Esc clears the selection');
    await page.goBack();
    await page.waitForTimeout(100);
    ok((await state_of(page)).sel, 'the history has it');
    no_trouble(page);
});

test('keyboard searches, lists hits and follows them', async () => {
    const page = await timeline();
    await press(page, '/');
    const before = await raster_hash(page);
    await page.keyboard.type('arena_step');
    await page.waitForTimeout(300);
    ok(await raster_hash(page) !== before, 'the rest dims while it is written');
    equal((await state_of(page)).q, undefined, 'the address waits for Enter');
    await press(page, 'Enter');
    equal((await state_of(page)).q, 'arena_step', 'the address has the search');
    await page.waitForFunction(() => /^[\d,]+ hits? of/.test(document.querySelector('.sum .btn')?.textContent || ''));
    ok(await page.$$eval('.sum tbody tr', (rows) => rows.length) > 10, 'hits are listed');
    await press(page, 'Enter');
    const one = (await state_of(page)).sel;
    await press(page, 'Enter');
    const two = (await state_of(page)).sel;
    ok(one && two && one !== two, 'Enter goes from hit to hit');
    await press(page, 'Shift+Enter');
    equal((await state_of(page)).sel, one, 'Shift Enter goes back');
    await press(page, 'Escape');
    equal((await state_of(page)).q, undefined, 'Esc ends the search');
    no_trouble(page);
});

test('keyboard goes to a tick and sums it up', async () => {
    const page = await timeline();
    await press(page, 'g');
    await page.keyboard.type('tick 302');
    await press(page, 'Enter');
    const state = await state_of(page);
    equal(state.tick, '302', 'the tick');
    ok(state.range && state.t, 'its range is selected and shown');
    await page.waitForSelector('.sum table');
    ok(/tick 302/.test(await page.innerText('.sum h2')), await page.innerText('.sum h2'));
    no_trouble(page);
});

test('keyboard sets marks and notes and comes back to them', async () => {
    const page = await timeline();
    await press(page, 'w', 'w', 'w', 'w', 'm');
    const at = (await state_of(page)).t;
    await page.keyboard.press('Shift+M');
    await page.keyboard.type('odd, here');
    await page.keyboard.press('Enter');
    await press(page, '0', '\'', 'a');
    ok((await state_of(page)).t, 'the mark is shown');
    await press(page, 'y');
    const { m } = await state_of(page);
    ok(/^a@\d+,b@\d+:/.test(m), `marks are in the link: ${m}`);
    ok(at, 'there was a window');
    const stored = await page.evaluate(() => Object.entries(localStorage).filter(([key]) => /marks/.test(key)));
    equal(stored.length, 1, 'kept under one fingerprint');
    equal(JSON.parse(stored[0][1])[1].note, 'odd, here', 'the note');
    no_trouble(page);
});

test('keyboard folds, pins, moves, resizes, hides and filters lanes', async () => {
    const page = await timeline();
    const lanes = () => page.$$eval('.lane', (list) => list.map((lane) => [lane.querySelector('b').textContent,
        lane.offsetHeight, lane.classList.contains('pinned')]));
    const before = await lanes();
    ok(before.length > 3, 'there are lanes');
    await page.focus('.lane:nth-child(2) .fold');
    await press(page, '+');
    ok((await lanes())[1][1] > before[1][1], '+ makes it higher');
    await press(page, 'p');
    equal((await lanes())[0][0], before[1][0], 'P pins it to the top');
    await press(page, 'p');
    await page.focus('.lane:nth-child(2) .fold');
    await press(page, 'Enter');
    ok((await lanes())[1][1] < before[1][1], 'Enter on the button folds it');
    await press(page, 'h');
    equal((await lanes()).length < before.length, true, 'H hides it');
    ok((await state_of(page)).lanes, 'the address says so');
    await press(page, 'l');
    await page.keyboard.type('calls');
    await press(page, 'Enter');
    ok((await lanes()).length > 0 && (await lanes()).length < before.length, 'L filters by pen');
    equal((await state_of(page)).filter, 'calls', 'the filter is in the address');
    no_trouble(page);
});

test('keyboard opens help and palette, changes theme, ruler and colours', async () => {
    const page = await timeline();
    await page.keyboard.press('?');
    ok(await page.isVisible('dialog.help'), '? shows help');
    const rows = await page.$$eval('.help dt', (list) => list.map((row) => row.textContent));
    for (const row of ['zoom in / out', 'search', 'copy link to view', 'this help'])
        ok(rows.includes(row), `help has ${row}`);
    await page.keyboard.press('Escape');
    await page.waitForSelector('dialog', { state: 'detached' }); // Esc closes it, a task later
    const theme = await page.evaluate(() => document.documentElement.dataset.theme);
    await page.keyboard.press('t');
    ok(await page.evaluate(() => document.documentElement.dataset.theme) !== theme, 'T changes the theme');
    await press(page, 'x');
    equal((await state_of(page)).ruler, 'time', 'X changes the ruler');
    await press(page, 'c');
    equal((await state_of(page)).by, 'module', 'C changes colours');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('whole');
    await press(page, 'Enter');
    await page.waitForSelector('dialog', { state: 'detached' }); // the palette ran it
    for (const [key, view] of [['1', 'overview'], ['2', 'timeline']]) {
        await press(page, key);
        equal((await state_of(page)).view, view, `key ${key}`);
    }
    no_trouble(page);
});

test('keyboard keys are letters in a field', async () => {
    const page = await timeline();
    await page.focus('header input');
    await page.keyboard.type('wsad0');
    await page.waitForTimeout(400);
    equal((await state_of(page)).t, undefined, 'nothing moved');
    equal(await page.inputValue('header input'), 'wsad0', 'they are text');
    no_trouble(page);
});

for (const view of ['overview', 'timeline'])
    test(`keyboard focus is visible on every control of ${view}`, async () => {
        const page = await open_page(await serve(...INPUTS.get('run')()), view);
        const wanted = await page.$$eval('a[href], button, input, select, textarea, summary, [tabindex="0"]', (list) =>
            list.filter((node) => node.offsetParent !== null && !node.disabled && node.tabIndex >= 0).length);
        const seen = await walk(page, wanted);
        ok(seen.reached >= wanted, `Tab reaches ${seen.reached} of ${wanted} controls`);
        equal(seen.unseen, [], 'controls without a visible focus');
        no_trouble(page);
    });

test('keyboard alone compares two runs', async () => {
    const page = await open_page(await serve(...INPUTS.get('pair')()));
    await page.keyboard.press('6');
    await page.waitForSelector('.view-compare svg.staff');
    await settled(page);
    await page.keyboard.press('f');
    await page.waitForTimeout(400);
    const first = Number((await state_of(page)).tick);
    await page.keyboard.press('ArrowRight');
    await page.waitForTimeout(400);
    equal(Number((await state_of(page)).tick), (first || 300) + 1, 'the next tick');
    await page.keyboard.press('n');
    await page.waitForTimeout(400);
    ok(Number((await state_of(page)).tick) > 300, 'the next difference');
    await page.keyboard.press('p');
    await page.waitForTimeout(400);
    await settled(page);
    ok((await page.$$('.view-compare article')).length === 5, 'what each line says');
    await page.keyboard.press('2');
    await settled(page);
    ok(await page.$('.view-timeline .lane'), 'and on to the Timeline');
    no_trouble(page);
});

/* Press Tab until it comes round; which elements had the focus, and which did not show it. */
async function walk(page, wanted) {
    const unseen = [];
    let reached = 0;
    await page.evaluate(() => { window.walked = new Set(); });
    for (let i = 0; i < wanted + 20; i++) {
        await page.keyboard.press('Tab');
        const found = await page.evaluate(() => {
            const node = document.activeElement;
            if (!node || node === document.body || window.walked.has(node))
                return null;
            window.walked.add(node);
            const ring = (n) => n && getComputedStyle(n).outlineStyle !== 'none' &&
                parseFloat(getComputedStyle(n).outlineWidth) >= 1;
            return { is_seen: ring(node) || ring(node.closest('label, .search')),
                     what: `${node.tagName} ${node.className} ${node.textContent.slice(0, 20)}` };
        });
        if (!found)
            continue;
        reached++;
        if (!found.is_seen)
            unseen.push(found.what);
    }
    return { reached, unseen };
}
