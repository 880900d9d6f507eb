/* access.mjs - axe-core finds nothing, in any view, in either theme. */
import { INPUTS } from './data.mjs';
import { axe_source, no_trouble, ok, open_page, serve, settled, test } from './harness.mjs';

const RULES = { runOnly: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21aa'] }, resultTypes: ['violations'] };

async function violations(page) {
    await page.evaluate(axe_source());
    const found = await page.evaluate((rules) => window.axe.run(document, rules), RULES);
    return found.violations.map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) =>
        `${n.target} ${n.failureSummary}`).join(' | ').replace(/\s+/g, ' ').slice(0, 300)}`);
}

for (const theme of ['light', 'dark'])
    test(`axe ${theme}`, async () => {
        const page = await open_page(await serve(...INPUTS.get('pair')()), '', { theme });
        const ids = await page.$$eval('nav.views a', (links) => links.map((link) => link.dataset.view));
        for (const id of ids) {
            await page.click(`nav.views a[data-view=${id}]`);
            await settled(page);
            const found = await violations(page);
            ok(found.length === 0, `${id}: ${found.join('\n')}`);
        }
        no_trouble(page);
    });

test('axe of a selection, help, palette and search', async () => {
    const page = await open_page(await serve(...INPUTS.get('run')()), 'timeline?tick=302&q=arena');
    await page.keyboard.press('ArrowRight');
    await settled(page);
    for (const [keys, what] of [[[], 'selection'], [['?'], 'help'], [['Escape', 'Control+k'], 'palette'],
        [['Escape', '/', 'a', 'r'], 'search'], [['Escape', 'Escape', 'e'], 'export']]) {
        for (const key of keys)
            await page.keyboard.press(key);
        await page.waitForTimeout(150);
        const found = await violations(page);
        ok(found.length === 0, `${what}: ${found.join('\n')}`);
    }
    no_trouble(page);
});

test('axe of what is cut, damaged and absent', async () => {
    for (const name of ['cut', 'damaged', 'empty']) {
        const page = await open_page(await serve(...INPUTS.get(name)()));
        const found = await violations(page);
        ok(found.length === 0, `${name}: ${found.join('\n')}`);
        no_trouble(page);
    }
    const page = await open_page(await serve());
    ok((await violations(page)).length === 0, 'the page without a trace');
});
