/* views.mjs - every view of every input: it shows something, and nothing goes wrong. */
import { INPUTS } from './data.mjs';
import { close_page, no_trouble, ok, open_page, serve, settled, test } from './harness.mjs';

const WIDTHS = [1280, 1440, 390];

/* The page is never wider than the window, and no text is behind the edge of a box that cannot scroll. */
async function check_overflow(page, what) {
    for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 800 });
        const wide = await page.evaluate(async () => {
            for (let i = 0; i < 2; i++)
                await new Promise((done) => requestAnimationFrame(done));
            return Math.max(document.documentElement.scrollWidth, document.getElementById('main').scrollWidth);
        });
        ok(wide <= width, `${what} is ${wide} pixels wide in a window of ${width}`);
    }
    await page.setViewportSize({ width: WIDTHS[0], height: 800 });
}

for (const [name, paths] of INPUTS)
    test(`views ${name}`, async () => {
        const page = await open_page(await serve(...paths()));
        const ids = await page.$$eval('nav.views a', (links) => links.map((link) => link.dataset.view));
        ok(ids.length >= 2, 'there are no views');
        for (const id of ids) {
            await page.click(`nav.views a[data-view=${id}]`);
            await settled(page);
            const said = await page.evaluate(() => document.getElementById('main').innerText.trim());
            ok(said.length > 20, `${id} shows no text: "${said}"`);
            ok(!await page.$('#main > .failure'), `${id} fails: ${said}`);
            ok((await page.title()).endsWith('\u00b7 rastrum'), 'the title');
            ok(await page.$eval(`nav.views a[data-view=${id}]`, (a) => a.getAttribute('aria-current')) === 'page', id);
            await check_overflow(page, id);
            const shifts = await page.evaluate(() => window.shifts.splice(0));
            ok(shifts.length === 0 || id !== ids[0], `${id} moves while data arrives: ${shifts}`);
            ok(page.trouble.length === 0, `${id}: ${page.trouble.join('; ')}`);
        }
        ok(page.requests > 10, 'requests were counted');
        no_trouble(page);
        await close_page(page);
    });

test('views say that nothing is open', async () => {
    const page = await open_page(await serve());
    ok(/Nothing is open/.test(await page.innerText('main')), 'the sentence');
    no_trouble(page);
});

test('views layout does not shift', async () => {
    for (const id of ['overview', 'timeline']) {
        const page = await open_page(await serve(...INPUTS.get('run')()), id);
        await page.waitForTimeout(300);
        const shifts = await page.evaluate(() => window.shifts);
        ok(shifts.length === 0, `${id}: ${shifts}`);
        await close_page(page);
    }
});
