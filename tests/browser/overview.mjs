/* overview.mjs - figures, endings and findings of the Overview are those that rastrum prints. */
import { INPUTS } from './data.mjs';
import { equal, golden, job, no_trouble, ok, open_page, rastrum, serve, test } from './harness.mjs';

const SINGLE = ['murk', 'cdt', 'aerogpu', 'dial9', 'atf', 'cut', 'damaged', 'empty'];
const count = (n) => String(n).replace(/\B(?=(\d{3})+(?!\d))/g, ',');

const rows_of = (page) => page.$$eval('.lines tbody tr', (rows) => rows.map((row) =>
    [...row.cells].map((cell) => cell.innerText.trim())));

for (const name of SINGLE)
    test(`overview figures ${name}`, async () => {
        const [path] = INPUTS.get(name)();
        const info = JSON.parse(rastrum('info', '--json', path));
        const page = await open_page(await serve(path));
        const [row] = await rows_of(page);
        equal(row[2], count(info.records.total), 'records');
        ok(row[4].endsWith(info.ending.state), `ending ${row[4]}, not ${info.ending.state}`);
        const banner = await page.$('.banner');
        equal(Boolean(banner), info.ending.state !== 'complete', 'a banner says that it is not complete');
        if (banner) {
            const said = await banner.innerText();
            ok(said.includes(`at byte ${count(info.ending.offset)}`), `where: ${said}`);
            ok(/rastrum repair /.test(said), `the command: ${said}`);
        }
        const types = await page.$$eval('.types tr', (list) => Object.fromEntries(list.map((tr) =>
            [tr.cells[0].innerText, Number(tr.cells[1].innerText.replace(/,/g, ''))])));
        for (const [type, n] of Object.entries(info.records.by_type).slice(0, 40))
            equal(types[type] ?? 0, n, `records of type ${type}`);
        no_trouble(page);
    });

test('overview findings are those of verify', async () => {
    for (const name of ['cut', 'damaged']) {
        const [path] = INPUTS.get(name)();
        const verdict = JSON.parse(rastrum('verify', '--json', path));
        const page = await open_page(await serve(path));
        const shown = await page.$$eval('.findings li', (list) => list.map((li) => li.innerText));
        equal(shown.length, verdict.findings.length, 'how many');
        verdict.findings.forEach((finding, i) => {
            ok(shown[i].includes(finding.rule) && shown[i].includes(finding.text), `${shown[i]} / ${finding.text}`);
        });
        const { findings } = await job(await serve(path), 'verify?src=0');
        const links = await page.$$eval('.findings a', (list) => list.map((a) => /sel=0\.(\d+)/.exec(a.hash)[1]));
        equal(links, findings.filter((one) => one.seq !== undefined && one.seq !== null).map((one) => String(one.seq)),
            'findings whose record is known lead there');
        no_trouble(page);
    }
});

test('overview of two traces counts the records of both', async () => {
    const paths = ['cdt/python.cdt', 'cdt/c2_21.cdt'].map(golden);
    const page = await open_page(await serve(...paths));
    const shown = await page.$$eval('.types tbody tr', (list) => list.map((tr) =>
        [...tr.cells].map((cell) => cell.innerText)));
    const counts = paths.map((path) => JSON.parse(rastrum('info', '--json', path)).records.by_type);
    for (const [type, ...sides] of shown)
        equal(sides, counts.map((by_type) => count(by_type[type] ?? 0)), `records of type ${type}`);
    for (const type of counts.flatMap(Object.keys))
        ok(shown.some(([name]) => name === type), `${type} is there`);
    no_trouble(page);
});

test('overview of a run has its five lines', async () => {
    const [path] = INPUTS.get('run')();
    const page = await open_page(await serve(path));
    const rows = await rows_of(page);
    equal(rows.map((row) => row[0]), ['inputs', 'state', 'pictures', 'events', 'calls'], 'the lines');
    equal(await page.innerText('h1'), 'good', 'the name is the last component');
    ok(/600 ticks/.test(await page.innerText('.lead')), await page.innerText('.lead'));
    const curves = await page.$$eval('.spark path', (list) => list.filter((p) => p.getAttribute('d').length > 50).length);
    ok(curves >= 10, `${curves} curves`);
    ok(!(await page.content()).includes(path), 'no path of the machine is in the page');
    await page.click('text=Slowest tick');
    await page.waitForSelector('.view-timeline .lane');
    ok(/tick=\d+/.test(page.url()), page.url());
    no_trouble(page);
});

test('overview of a pair names both', async () => {
    const page = await open_page(await serve(...INPUTS.get('pair')()));
    equal((await page.$$('.lines')).length, 2, 'two tables');
    ok(/Expected: [^]*Actual: /.test(await page.innerText('main')), 'which is which');
    no_trouble(page);
});
