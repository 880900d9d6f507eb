/* timeline.mjs - what the Timeline shows of records, sums and hits is what rastrum prints. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { INPUTS } from './data.mjs';
import { equal, no_trouble, ok, open_page, rastrum, scratch_path, serve, settled, test } from './harness.mjs';

const number = (text) => Number(text.replace(/,/g, ''));

/* "2.5 us" as ns, and how far three figures may be off. */
function duration(text) {
    const found = /^([\d.]+) (ns|\u00b5s|ms|s)$/.exec(text);
    const scale = { ns: 1, '\u00b5s': 1e3, ms: 1e6, s: 1e9 }[found[2]];
    return Number(found[1]) * scale;
}

async function sums(page) {
    await page.waitForSelector('.sum table');
    return page.$$eval('.sum table:first-of-type tbody tr', (rows) => rows.map((row) =>
        [...row.cells].map((cell) => cell.innerText.trim())));
}

test('timeline sums of a trace are those of stats', async () => {
    const [path] = INPUTS.get('atf')();
    const { functions } = JSON.parse(rastrum('stats', '--json', path)).tables;
    const server = await serve(path);
    const page = await open_page(server, 'timeline?range=0..100000000000000');
    const shown = new Map();
    for (const [name, count, total, self] of await sums(page)) {
        const before = shown.get(name) || [0, 0, 0];
        shown.set(name, [before[0] + number(count), before[1] + duration(total), before[2] + duration(self)]);
    }
    for (const [name, , count, total, self] of functions.rows) {
        equal(shown.get(name), [count, total, self], name);
    }
    no_trouble(page);
});

test('timeline record is that of the trace', async () => {
    const [path] = INPUTS.get('atf')();
    const page = await open_page(await serve(path), 'timeline');
    await page.keyboard.press('ArrowRight');
    await settled(page);
    await page.waitForSelector('.record dl');
    const fields = await page.$$eval('.record dt', (list) => list.map((dt) =>
        [dt.innerText, dt.nextElementSibling.innerText]));
    const seq = Number(/sel=\d+\.(\d+)/.exec(page.url())[1]);
    const line = JSON.parse(rastrum('cat', '--json', path).split('\n')[seq]);
    const shown = Object.fromEntries(fields);
    ok(shown.record.startsWith(`${seq}, ${line.type}`), `${shown.record}: ${JSON.stringify(line)}`);
    no_trouble(page);
});

test('timeline search finds as many as the trace has', async () => {
    const [path] = INPUTS.get('atf')();
    const { functions } = JSON.parse(rastrum('stats', '--json', path)).tables;
    const wanted = functions.rows.find((row) => row[0] === 'read_line')[2];
    const page = await open_page(await serve(path), 'timeline?q=read_line');
    await page.waitForFunction(() => /^[\d,]+ hits? of/.test(document.querySelector('.sum .btn')?.textContent || ''));
    const said = await page.innerText('.sum .btn');
    ok(number(/^[\d,]+/.exec(said)[0]) >= wanted, said);
    no_trouble(page);
});

test('timeline shows what a pointer is on, selects a range, zooms at the pointer', async () => {
    const page = await open_page(await serve(...INPUTS.get('run')()), 'timeline?tick=302');
    const box = await page.$eval('canvas.base', (canvas) => canvas.getBoundingClientRect().toJSON());
    const lane = await page.$$eval('.lane', (list) => list.map((l) => [l.querySelector('b').textContent,
        l.getBoundingClientRect().top, l.className]).find(([, , cls]) => /kind-slice/.test(cls)));
    let found = false;
    for (let x = 20; x < box.width && !found; x += 8) {
        await page.mouse.move(box.x + x, lane[1] + 18);
        await page.waitForTimeout(10);
        found = await page.isVisible('.tip');
    }
    ok(found, 'a tip names a slice');
    const before = await page.evaluate(() => location.hash);
    await page.mouse.down();
    await page.mouse.up();
    await page.waitForTimeout(100);
    ok(/sel=\d+\.\d+/.test(page.url()) && page.url() !== before, 'a click selects it');
    await page.mouse.move(box.x + 300, box.y + 10);
    await page.mouse.down();
    await page.mouse.move(box.x + 400, box.y + 12);
    await page.mouse.move(box.x + 500, box.y + 12);
    await page.mouse.up();
    await page.waitForTimeout(100);
    ok(/range=\d+\.\.\d+/.test(page.url()), 'a drag selects a range');
    await page.waitForSelector('.sum table');
    const width = () => page.evaluate(() => /t=(\d+)\.\.(\d+)/.exec(location.hash).slice(1).map(BigInt)
        .reduce((a, b) => Number(b - a)));
    const wide = await width();
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -300);
    await page.keyboard.up('Control');
    await page.waitForTimeout(500);
    ok(await width() < wide, 'Ctrl and wheel zoom');
    no_trouble(page);
});

test('timeline goes to the other run and back', async () => {
    const page = await open_page(await serve(...INPUTS.get('pair')()), 'timeline?tick=302');
    await page.keyboard.press('b');
    await settled(page);
    ok(/side=1/.test(page.url()) && /tick=302/.test(page.url()), page.url());
    equal(await page.$eval('.sides [aria-pressed=true]', (button) => button.textContent), 'bad', 'the side');
    await page.keyboard.press('b');
    await settled(page);
    ok(!/side=1/.test(page.url()), page.url());
    no_trouble(page);
});

test('timeline exports a part that passes verify', async () => {
    const [path] = INPUTS.get('atf')();
    const page = await open_page(await serve(path), 'timeline');
    await page.keyboard.press('e');
    const waiting = page.waitForEvent('download', { timeout: 60000 });
    await page.click('text=This part as a trace');
    const download = await waiting;
    const folder = scratch_path('part');
    mkdirSync(folder, { recursive: true });
    const name = download.suggestedFilename();
    ok(/^[\w.-]+$/.test(name), `the name ${name}`);
    writeFileSync(join(folder, name), readFileSync(await download.path()));
    let file = join(folder, name);
    if (name.endsWith('.tar')) {
        execFileSync('tar', ['-xf', name], { cwd: folder });
        file = join(folder, readdirSync(folder).find((one) => one !== name));
    }
    const verdict = JSON.parse(rastrum('verify', '--json', file));
    ok(verdict.findings.every((finding) => finding.severity !== 'error'), JSON.stringify(verdict));
    no_trouble(page);
});

test('timeline follows the links of a record', async () => {
    const [path] = INPUTS.get('atf')();
    const page = await open_page(await serve(path), 'timeline');
    await page.keyboard.press('ArrowRight');
    await settled(page);
    await page.keyboard.press('ArrowDown');
    await settled(page);
    const before = /sel=([\d.]+)/.exec(page.url())[1];
    await page.waitForSelector('.links .link');
    await page.keyboard.press('o');
    await settled(page);
    ok(/sel=([\d.]+)/.exec(page.url())[1] !== before, 'O follows the first link');
    await page.keyboard.press('Backspace');
    await page.waitForTimeout(200);
    equal(/sel=([\d.]+)/.exec(page.url())[1], before, 'Backspace comes back');
    no_trouble(page);
});

test('timeline steps through differences', async () => {
    const { first_divergent_tick } = JSON.parse(rastrum('diff', '--json', ...INPUTS.get('pair')()));
    const page = await open_page(await serve(...INPUTS.get('pair')()), `timeline?tick=${first_divergent_tick - 40}`);
    await page.keyboard.press('n');
    await page.waitForFunction((tick) => location.hash.includes(`tick=${tick}`), first_divergent_tick);
    await page.keyboard.press('n');
    await page.waitForFunction((tick) => location.hash.includes(`tick=${tick + 1}`), first_divergent_tick);
    await page.keyboard.press('p');
    await page.waitForFunction((tick) => location.hash.includes(`tick=${tick}&`) || location.hash.endsWith(`tick=${tick}`),
        first_divergent_tick);
    no_trouble(page);
});
