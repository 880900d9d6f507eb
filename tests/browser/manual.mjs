/* manual.mjs - the manual that `make docs` writes, from a disk: search, links, both themes. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT, axe_source, close_page, equal, no_trouble, ok, open_page, scratch_path, test } from './harness.mjs';

let base = null;

/* The manual, made once; every request below its folder is one of its own. */
function manual() {
    if (base === null) {
        execFileSync(join(ROOT, 'tools', 'make-docs'), [scratch_path('manual')], { stdio: ['ignore', 'ignore', 'pipe'] });
        base = `${pathToFileURL(scratch_path('manual')).href}/`;
    }
    return { base, start: 'index.html', token: '' };
}

async function open_manual(options = {}) {
    return open_page(manual(), '', { wait: false, ...options });
}

async function search(page, words) {
    await page.keyboard.press('Escape');
    await page.fill('#query', words);
    return page.$$eval('#results a', (links) => links.map((a) => a.getAttribute('href')));
}

/* What a reader would type, and the section that must be among the first of what is found. */
const QUESTIONS = [
    ['ras_cdt_open', 'include/rastrum/cdt.h.html#ras_cdt_open', 1],
    ['struct ras_scan', 'include/rastrum/rastrum.h.html#ras_scan', 3],
    ['bisect', 'docs/commands/bisect.html', 5],
    ['diff --fail-if conditions', 'docs/commands/diff.html#conditions', 3],
    ['flight recorder', 'docs/recording.html', 8],
    ['perfetto', 'docs/export.html', 8],
    ['atf.footer.count', 'docs/formats/atf.html', 5],
];

test('manual: search finds what a reader types', async () => {
    const page = await open_manual();
    await page.keyboard.press('/');
    equal(await page.evaluate(() => document.activeElement.id), 'query', 'where / leads');
    for (const [words, wanted, most] of QUESTIONS) {
        const found = await search(page, words);
        const at = found.findIndex((address) => address.startsWith(wanted));
        ok(at >= 0 && at < most, `${words}: ${wanted} is at ${at} of ${found.slice(0, most)}`);
    }
    equal(await search(page, 'zebra bisect'), [], 'what no section has');
    equal(await search(page, '<>"(['), [], 'marks alone');
    no_trouble(page);
    await close_page(page);
});

test('manual: a result is a click or a key away, and pages need no server', async () => {
    const page = await open_manual();
    await search(page, 'ras_bisect_window');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => location.hash === '#ras_bisect_window');
    ok((await page.textContent('h1')).includes('<rastrum/compare.h>'), await page.textContent('h1'));
    await search(page, 'Exit status');
    await page.keyboard.press('ArrowDown');
    ok(await page.evaluate(() => document.activeElement.matches('#results a')), 'the arrow does not lead to a result');
    await page.keyboard.press('Escape');
    equal(await page.evaluate(() => document.getElementById('results').hidden), true, 'Escape closes the list');
    await page.click('nav summary:has-text("Commands")');
    await page.click('nav a:has-text("rastrum cat")');
    await page.waitForFunction(() => location.pathname.endsWith('/docs/commands/cat.html'));
    no_trouble(page);
    await close_page(page);
});

for (const theme of ['light', 'dark'])
    test(`manual: no violation of WCAG 2.1 AA, ${theme}`, async () => {
        const page = await open_manual({ theme });
        for (const address of ['index.html', 'docs/commands/cat.html', 'include/rastrum/rastrum.h.html']) {
            await page.goto(base + address);
            await page.screenshot({ path: join(process.env.BROWSER_SHOTS, `manual-${theme}-${address.replace(/\W/g, '-')}.png`) });
            await page.evaluate(axe_source());
            const found = await page.evaluate(async () => (await window.axe.run(document,
                { preload: false, runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'] })).violations
                .map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => node.target).join(', ')}`));
            equal(found, [], address);
        }
        no_trouble(page);
        await close_page(page);
    });

test('manual: no page is wider than a phone', async () => {
    const page = await open_manual({ width: 390 });
    for (const address of ['index.html', 'docs/performance.html', 'include/rastrum/atf.h.html']) {
        await page.goto(base + address);
        equal(await page.evaluate(() => document.documentElement.scrollWidth), 390, address);
    }
    await close_page(page);
});
