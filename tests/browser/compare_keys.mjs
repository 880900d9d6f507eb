/* compare_keys.mjs - the verdict is that of diff, a comparison needs no pointer and no colour. */
import { INPUTS } from './data.mjs';
import { close_page, equal, no_trouble, ok, open_page, rastrum, serve, settled, test } from './harness.mjs';

const tick_of = (page) => page.evaluate(() =>
    Number(new URLSearchParams(location.hash.split('?')[1] || '').get('tick')));

async function compared(fragment = 'compare', options = {}) {
    const page = await open_page(await serve(...INPUTS.get('pair')()), fragment, options);
    await page.waitForSelector('.view-compare svg.staff .voice');
    await page.waitForFunction(() => !/\u2026$/.test(document.querySelector('h1').textContent));
    await settled(page);
    return page;
}

test('compare says the first tick that diff says', async () => {
    const verdict = JSON.parse(rastrum('diff', '--json', ...INPUTS.get('pair')()));
    const page = await compared();
    const said = await page.innerText('h1');
    ok(said.includes(`tick ${verdict.first_divergent_tick}`), said);
    no_trouble(page);
});

test('compare from the keyboard alone', async () => {
    const page = await open_page(await serve(...INPUTS.get('pair')()));
    await page.keyboard.press('6');
    await page.waitForSelector('.view-compare svg.staff');
    await settled(page);
    await page.keyboard.press('f');
    await page.waitForTimeout(400);
    const first = await tick_of(page);
    await page.keyboard.press('ArrowRight');
    await page.waitForTimeout(400);
    equal(await tick_of(page), (first || 300) + 1, 'the next tick');
    await page.keyboard.press('n');
    await page.waitForTimeout(400);
    ok(await tick_of(page) > 300, 'the next difference');
    await page.keyboard.press('p');
    await page.waitForTimeout(400);
    await settled(page);
    ok((await page.$$('.view-compare article')).length === 5, 'what each line says');
    await page.keyboard.press('2');
    await settled(page);
    ok(await page.$('.view-timeline .lane'), 'and on to the Timeline');
    no_trouble(page);
});

test('compare steps through differences on the Timeline', async () => {
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

test('compare reads without colour', async () => {
    for (const type of ['deuteranopia', 'achromatopsia']) {
        const page = await compared();
        const session = await page.context().newCDPSession(page);
        await session.send('Emulation.setEmulatedVisionDeficiency', { type });
        const shapes = await page.evaluate(() => {
            const style = (selector) => {
                const node = document.querySelector(`svg.staff ${selector}`);
                return node ? getComputedStyle(node) : null;
            };
            return { dashed: style('.voice').strokeDasharray !== 'none', solid: style('.line').strokeDasharray === 'none',
                     hollow: style('.hollow').fill !== style('.note:not(.hollow), .ink').fill,
                     rings: document.querySelectorAll('svg.staff .ring').length };
        });
        equal({ ...shapes, rings: shapes.rings > 0 }, { dashed: true, solid: true, hollow: true, rings: true }, type);
        no_trouble(page);
        await close_page(page);
    }
});
