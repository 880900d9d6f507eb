/* pixels.mjs - the raster is the same on every machine, and panning moves its pixels only. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { INPUTS } from './data.mjs';
import { close_page, equal, HERE, no_trouble, ok, open_page, raster_hash, serve, settled, test } from './harness.mjs';

const STORE = join(HERE, 'pixels.json');
const stored = JSON.parse(readFileSync(STORE, 'utf8'));
const is_update = process.argv.includes('--update');
/* Keys that are pressed before the picture is hashed. */
const VIEWS = [
    ['murk', ''], ['murk', 'w w w w d'], ['cdt', ''], ['cdt', 'w w w w w d'], ['aerogpu', ''], ['aerogpu', 'w w'],
    ['dial9', ''], ['dial9', 'w w w c'], ['dial9', 'w w w c c'], ['atf', ''], ['atf', 'w w d'], ['cut', ''],
];

for (const theme of ['light', 'dark'])
    test(`pixels ${theme}`, async () => {
        const wrong = [];
        for (const [name, keys] of theme === 'light' ? VIEWS : VIEWS.filter(([, some]) => !some)) {
            const page = await open_page(await serve(...INPUTS.get(name)()), 'timeline', { theme });
            for (const key of keys.split(' ').filter(Boolean))
                await page.keyboard.press(key);
            await page.waitForTimeout(120);
            await settled(page);
            const id = `${name} ${keys} ${theme}`, hash = await raster_hash(page);
            if (is_update) {
                stored[id] = hash;
                await page.screenshot({ path: join(process.env.BROWSER_SHOTS, `pixels-${id.replace(/ /g, '_')}.png`) });
            }
            else if (stored[id] !== hash)
                wrong.push(`${id}: ${hash}, not ${stored[id]}`);
            no_trouble(page);
            await close_page(page);
        }
        if (is_update)
            writeFileSync(STORE, JSON.stringify(stored, null, 1) + '\n');
        ok(wrong.length === 0, wrong.join('\n'));
    });

const raster_of = (page) => page.evaluate(() => {
    const canvas = document.querySelector('canvas.base');
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    window.pixels_before = { data, origin: document.getElementById('main').timeline_probe.frame().scale.origin,
                             step: document.getElementById('main').timeline_probe.frame().scale.step };
});

/* How many pixels of what is visible before and after a pan differ. */
const changed_pixels = (page) => page.evaluate(() => {
    const canvas = document.querySelector('canvas.base');
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const { scale } = document.getElementById('main').timeline_probe.frame();
    const before = window.pixels_before;
    const by = scale.origin - before.origin;
    let changed = 0;
    for (let y = 0; y < canvas.height; y++)
        for (let x = 16; x < canvas.width - by - 16; x++)
            for (let c = 0; c < 3; c++)
                if (data[(y * canvas.width + x) * 4 + c] !== before.data[(y * canvas.width + x + by) * 4 + c]) {
                    changed++;
                    break;
                }
    return { by, changed, same_step: scale.step === before.step };
});

for (const name of ['run', 'dial9', 'cdt'])
    test(`pixels do not change by panning ${name}`, async () => {
        const page = await open_page(await serve(...INPUTS.get(name)()), 'timeline');
        for (const key of ['w', 'w', 'w', 'w'])
            await page.keyboard.press(key);
        await settled(page);
        await raster_of(page);
        await page.keyboard.press('d');
        await page.waitForTimeout(200);
        await settled(page);
        const { by, changed, same_step } = await changed_pixels(page);
        ok(by > 0 && same_step, `it moved by ${by}`);
        equal(changed, 0, 'pixels that changed');
        no_trouble(page);
    });
