/* keys.mjs - every key of every view can be pressed, and does no harm. */
import { INPUTS } from './data.mjs';
import { ok, open_page, serve, settled, test } from './harness.mjs';

/* What leaves the page or asks for a name. */
const LEFT_OUT = new Set(['1 \u2013 7', 'Backspace', 'Shift M', 'E', 'Shift E', 'Y']);
const NAMES = new Map([['\u2190', 'ArrowLeft'], ['\u2192', 'ArrowRight'], ['\u2191', 'ArrowUp'], ['\u2193', 'ArrowDown'],
    ['Esc', 'Escape'], ['Space', ' ']]);

function stroke(key) {
    const parts = key.split(' ');
    const last = NAMES.get(parts.at(-1)) || parts.at(-1);
    const key_name = last.length === 1 && parts[0] !== 'Shift' ? last.toLowerCase() : last;
    return [...parts.slice(0, -1).map((part) => part === 'Ctrl' ? 'Control' : part), key_name].join('+');
}

for (const input of ['pair', 'run'])
    test(`keys of all views, ${input}`, async () => {
        const page = await open_page(await serve(...INPUTS.get(input)()));
        const ids = await page.$$eval('nav.views a:not([data-missing])', (links) => links.map((a) => a.dataset.view));
        for (const id of ids) {
            await page.keyboard.press(await page.$eval(`nav.views a[data-view=${id}]`, (a) => /\((\d)\)$/.exec(a.title)[1]));
            await settled(page);
            await page.keyboard.press('?');
            const keys = await page.$$eval('dialog.help dd', (list) => list.flatMap((dd) =>
                [...dd.querySelectorAll('.keys')].map((one) => [...one.querySelectorAll('kbd')].map((k) => k.textContent).join(' '))));
            ok(keys.length >= 8, `${id} has keys: ${keys}`);
            await page.keyboard.press('Escape');
            for (const key of keys.filter((one) => !LEFT_OUT.has(one))) {
                await page.keyboard.press(stroke(key));
                await page.waitForTimeout(15);
                if (await page.$('dialog[open]'))
                    await page.keyboard.press('Escape');
                await page.evaluate(() => document.activeElement && document.activeElement.blur());
                ok(page.trouble.length === 0, `${id}, ${key}: ${page.trouble.join('; ')}`);
            }
        }
        ok(page.trouble.length === 0, page.trouble.join('; '));
    });
