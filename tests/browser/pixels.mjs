/* pixels.mjs - the raster is the same on every machine, and panning moves its pixels only. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { INPUTS } from './data.mjs';
import { close_page, equal, has_offline_page, HERE, no_trouble, ok, open_page, raster_hash, scratch_path, serve, settled,
         test } from './harness.mjs';

const STORE = join(HERE, 'pixels.json');
const stored = JSON.parse(readFileSync(STORE, 'utf8'));
const is_update = process.argv.includes('--update');
/* input -> keys that are pressed before the picture is hashed, each from the whole on; in the dark theme the first. */
const VIEWS = new Map([['murk', ['', 'w w w w d']], ['cdt', ['', 'w w w w w d']], ['aerogpu', ['', 'w w']],
    ['dial9', ['', 'w w w c', 'w w w c c']], ['atf', ['', 'w w d']], ['cut', ['']]]);
const LONGEST_MS = 90000;           /* a busy machine is no failure */

/* A page of the Timeline, served by the program. */
async function served(name, theme) {
    return open_page(await serve(...INPUTS.get(name)()), 'timeline', { theme });
}

/* The same in rastrum.html: the file or folder is chosen there. */
async function offline(name, theme) {
    const [path] = INPUTS.get(name)();
    const page = await open_page({ base: pathToFileURL(scratch_path('rastrum.html')).href, token: '' }, 'timeline',
        { theme, wait: false });
    await page.waitForSelector('.drop');
    await page.setInputFiles(statSync(path).isDirectory() ? 'input[webkitdirectory]'
        : 'input[type=file]:not([webkitdirectory])', path);
    await page.waitForSelector('header.bar');
    await settled(page, LONGEST_MS);
    return page;
}

/* Hashes of the views of an input: Map of "input keys theme". */
async function hashes_of(page, name, theme) {
    const found = new Map(), list = VIEWS.get(name);
    for (const keys of theme === 'light' ? list : list.slice(0, 1)) {
        await page.evaluate(() => { location.hash = '#timeline'; });
        for (const key of keys.split(' ').filter(Boolean))
            await page.keyboard.press(key);
        await page.waitForTimeout(120);
        await settled(page, LONGEST_MS);
        const id = `${name} ${keys} ${theme}`;
        found.set(id, await raster_hash(page));
        if (is_update)
            await page.screenshot({ path: join(process.env.BROWSER_SHOTS, `pixels-${id.replace(/ /g, '_')}.png`) });
    }
    return found;
}

async function check(open, names, theme) {
    const wrong = [];
    for (const name of names) {
        const page = await open(name, theme);
        for (const [id, hash] of await hashes_of(page, name, theme))
            if (is_update)
                stored[id] = hash;
            else if (stored[id] !== hash)
                wrong.push(`${id}: ${hash}, not ${stored[id]}`);
        no_trouble(page);
        await close_page(page);
    }
    if (is_update)
        writeFileSync(STORE, JSON.stringify(stored, null, 1) + '\n');
    ok(wrong.length === 0, wrong.join('\n'));
}

const NAMES = [...VIEWS.keys()];
for (const theme of ['light', 'dark'])
    for (const [part, names] of [['1', NAMES.slice(0, 3)], ['2', NAMES.slice(3)]]) {
        test(`pixels ${theme} ${part}`, () => check(served, names, theme));
        if (!is_update)     /* the same hashes: pictures do not depend on who answers */
            test(`pixels offline ${theme} ${part}`, () => has_offline_page() ? check(offline, names, theme) : null);
    }

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
