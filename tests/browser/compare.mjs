/* compare.mjs - Compare says what diff says, is walked by keys, and draws what the report draws. */
import { readFileSync } from 'node:fs';
import { INPUTS, runs } from './data.mjs';
import { equal, golden, job, no_trouble, ok, open_page, rastrum, scratch_path, serve, settled, test } from './harness.mjs';

const PENS = ['murk', 'cdt', 'aerogpu', 'dial9', 'atf'];
/* The staff of the report is 1396 pixels wide: so is the page's in this window. */
const LIKE_REPORT = { width: 1442, height: 1000 };

async function compare(paths, fragment = 'compare', options = {}) {
    const page = await open_page(await serve(...paths), fragment, options);
    await page.waitForSelector('.view-compare h1');
    await settled(page, 60000);
    return page;
}

const tick_of = (page) => page.evaluate(() => Number(/tick=(\d+)/.exec(location.hash)?.[1]));
const window_of = (page) => page.evaluate(() => /ticks (\d+) to (\d+)/.exec(
    document.querySelector('svg.staff').getAttribute('aria-label')).slice(1).map(Number));

async function press(page, key) {
    await page.keyboard.press(key);
    await settled(page, 60000);
    await page.waitForTimeout(200);
}

test('compare says what diff says', async () => {
    const paths = INPUTS.get('pair')(), diff = JSON.parse(rastrum('diff', '--json', ...paths));
    const page = await compare(paths);
    const title = await page.innerText('h1');
    equal(title, `The two runs diverge in tick ${diff.first_divergent_tick}.`, 'the verdict');
    const server = await serve(...paths), about = await job(server, 'compare');
    for (const pen of PENS)
        equal(about.lines.find((line) => line.pen === pen).first, diff.pens[pen].tick, `first tick of ${pen}`);
    equal(about.checked, Object.values(diff.pens).reduce((sum, pen) => sum + pen.checked_count, 0), 'checked');
    const cards = await page.$$eval('.cards article', (list) => list.map((card) => card.innerText));
    equal(cards.length, 5, 'cards');
    const hash = diff.pens.murk.mismatch.detail.mismatches[0];
    equal(await page.$eval('.cards td.now', (td) => td.title), hash.actual, 'the actual hash, in full');
    ok(/tick 302/.test(cards[4]) && /arena_blast/.test(cards[4]), cards[4]);
    no_trouble(page);
});

test('compare draws a note for each tick', async () => {
    const paths = INPUTS.get('pair')(), page = await compare(paths, 'compare', LIKE_REPORT);
    const staff = await job(await serve(...paths), 'staff?from=286&to=315');
    equal(await window_of(page), [286, 315], 'the window');
    const differ = PENS.reduce((sum, pen) => sum + staff.pens[pen].d.filter((d) => d > 0).length, 0);
    equal(await page.$$eval('svg.staff ellipse.ink', (list) => list.length), 5 * 30, 'filled notes');
    equal(await page.$$eval('svg.staff ellipse.hollow', (list) => list.length), differ, 'hollow notes');
    equal(await page.$$eval('svg.staff .ring', (list) => list.length), 5, 'rings');
    const shape = await page.$eval('svg.staff .voice', (path) => getComputedStyle(path).strokeDasharray);
    ok(shape !== 'none', 'the second voice is dashed: colour is not alone');
    const fills = await page.$eval('svg.staff ellipse.hollow', (note) => {
        const style = getComputedStyle(note);
        return [style.fill, style.stroke];
    });
    ok(fills[0] !== fills[1], 'its notes are hollow');
    no_trouble(page);
});

test('compare draws what the report draws', async () => {
    const paths = INPUTS.get('pair')(), page = await compare(paths, 'compare', LIKE_REPORT);
    rastrum('report', ...paths, '--pictures', '0', '-f', '-o', 'same.html');
    const report = readFileSync(scratch_path('same.html'), 'utf8');
    const svg = /<svg class="staff".*?<\/svg>/s.exec(report)[0];
    for (const kind of ['voice', 'tint']) {
        const theirs = [...svg.matchAll(new RegExp(`<path class="${kind}" d="([^"]*)"`, 'g'))].map((m) => m[1]);
        const ours = await page.$$eval(`svg.staff path.${kind}`, (list) => list.map((path) => path.getAttribute('d')));
        equal(ours, theirs, kind);
    }
    const stems = (text) => [...text.matchAll(/<line class="stem" x1="([\d.]+)" y1="([\d.]+)" x2="[\d.]+" y2="([\d.]+)"/g)]
        .map((m) => m.slice(1).map(Number));
    const ours = await page.$$eval('svg.staff .stem', (list) => list.map((line) =>
        ['x1', 'y1', 'y2'].map((name) => Number(line.getAttribute(name)))));
    equal(ours, stems(svg), 'stems');
    no_trouble(page);
});

test('compare is walked by keys', async () => {
    const page = await compare(INPUTS.get('pair')(), 'compare', LIKE_REPORT);
    await press(page, 'ArrowRight');
    equal(await tick_of(page), 301, 'the tick after');
    equal(await window_of(page), [286, 315], 'nothing moves while the tick is visible');
    await press(page, 'n');
    equal(await tick_of(page), 302, 'calls diverge there');
    await press(page, 'p');
    equal(await tick_of(page), 300, 'the difference before');
    await press(page, 'p');
    equal(await tick_of(page), 300, 'there is none before');
    ok(/no earlier difference/.test(await page.innerText('.remark')), 'which is said');
    await press(page, 's');
    const [a, b] = await window_of(page);
    ok(b - a + 1 === 45, `a wider window: ${a} to ${b}`);
    await press(page, 'w');
    await press(page, 'd');
    const [c] = await window_of(page);
    ok(c > 286, `later: ${c}`);
    await press(page, 'f');
    equal(await window_of(page), [286, 315], 'back to the divergence');
    await press(page, '0');
    const [d, e] = await window_of(page);
    equal(e - d + 1, 400, 'as much as fits');
    equal(await page.$$eval('svg.staff ellipse.ink', (list) => list.length), 0, 'lines alone');
    no_trouble(page);
});

test('compare by a pointer, and its address', async () => {
    const paths = INPUTS.get('pair')(), page = await compare(paths, 'compare?tick=302&win=290..310', LIKE_REPORT);
    equal(await window_of(page), [290, 310], 'the window of the address');
    const box = await page.locator('svg.staff').boundingBox();
    await page.mouse.click(box.x + box.width - 24, box.y + 120);
    await settled(page, 60000);
    equal(await tick_of(page), 310, 'the last tick');
    await page.mouse.click(box.x + 140, box.y + 74 + 4 * 62 + 48);
    await settled(page, 60000);
    const [from] = await window_of(page);
    equal(from, 1, 'the begin of the run');
    await page.goBack();
    await settled(page, 60000);
    equal(await window_of(page), [290, 310], 'back');
    const bad = await compare(paths, 'compare?tick=99999&win=5..x', LIKE_REPORT);
    equal(await window_of(bad), [286, 315], 'what is not valid is ignored');
    no_trouble(page);
    no_trouble(bad);
});

test('compare saves the report', async () => {
    const page = await compare(INPUTS.get('pair')());
    const [download] = await Promise.all([page.waitForEvent('download', { timeout: 60000 }),
                                          page.click('text=Save report')]);
    equal(download.suggestedFilename(), 'report.html', 'its name');
    const text = readFileSync(await download.path(), 'utf8');
    ok(text.includes('<em>tick 300</em>') && !text.includes('<script'), 'what is in it');
    no_trouble(page);
});

test('compare of what is the same, single, cut, or not of a kind', async () => {
    const { good } = runs();
    rastrum('run', 'arena', '--seed', '7', '--pens', 'murk,cdt', '--force', '-o', 'two');
    const cases = [
        [[good, good], /^The two runs are the same: 600 ticks on five lines\.$/, 5],
        [[good, scratch_path('two')], /^The two runs are the same on the two lines that both have/, 5],
        [[golden('cdt/big-run-golden.cdt'), golden('cdt/big-run-candidate.cdt')], /^The two traces diverge in tick 5\.$/, 1],
        [[golden('dial9/runtime.trc'), golden('dial9/cut_event.trc')], /traces/, 1],
    ];
    for (const [paths, title, lines] of cases) {
        const page = await compare(paths);
        ok(title.test(await page.innerText('h1')), await page.innerText('h1'));
        equal(await page.$$eval('svg.staff .pen-name', (list) => list.length), lines, 'lines');
        no_trouble(page);
    }
    const page = await open_page(await serve(golden('cdt/big-run-golden.cdt'), golden('murk/big-steady.murk')), 'compare');
    await page.waitForSelector('.failure, .empty');
    ok(/different formats|one kind/.test(await page.innerText('main')), await page.innerText('main'));
});

test('compare does not move while data arrives', async () => {
    const page = await compare(INPUTS.get('pair')(), 'compare', LIKE_REPORT);
    const shifts = await page.evaluate(() => window.shifts);
    ok(shifts.every((shift) => shift < 0.01), `${shifts}`);
    no_trouble(page);
});
