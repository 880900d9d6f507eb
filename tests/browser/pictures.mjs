/* pictures.mjs - the pictures of the documentation are what the pages show; --update takes them anew. */
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { INPUTS, near, runs } from './data.mjs';
import { ask, close_page, has_offline_page, no_trouble, ok, open_page, rastrum, ROOT, scratch_path, serve, settled, test }
    from './harness.mjs';
import { palette_png } from './png.mjs';

const FOLDER = join(ROOT, 'docs', 'images');
const BYTES_MOST = 150_000;
const BLOCK = 8;                /* pixels; a block is compared by its mean colour */
const FAR = 26;                 /* of 255: a block that is this far from the old one has changed */
const CHANGED_MOST = 0.004;     /* of all blocks; text is a little elsewhere with another version of a font */
const is_update = process.argv.includes('--update');
const QUERY = 'SELECT tick, count(*) draws, max(caller) last_caller\nFROM cdt.rng\nGROUP BY tick ORDER BY tick';
const LANES = /^(inputs commands|state creature_count|state rng calls|pictures frames|events ticks|calls .*thread 0.*)$/;
const LINES = { murk: 'inputs', cdt: 'state', aerogpu: 'pictures', dial9: 'events', atf: 'calls' };

/* Lanes other than those that say most, for `lanes` of the address. */
async function hidden_lanes(server) {
    while ((await ask(server, 'open')).sides.some((side) => side.built < 1))
        await new Promise((done) => setTimeout(done, 100));
    const { tracks } = await ask(server, 'tracks?side=0');
    return tracks.filter((t) => t.kind !== 'group' && !LANES.test(`${LINES[t.pen]} ${t.name}`)).map((t) => t.track).join('.');
}

/* The Timeline of a tick, with a call that is selected. */
async function timeline_fragment(server) {
    const calls = rastrum('cat', '--json', '--type', 'event', '--where', "function == 'arena_rockets_step'",
        `${runs().good}/calls`).trim().split('\n').map((line) => JSON.parse(line)).filter((row) => row.values.event_kind === 1);
    const src = (await ask(server, 'open')).sources.find((s) => s.pen === 'atf' && s.side === 0).src;
    return `timeline?tick=302&lanes=${await hidden_lanes(server)}&sel=${src}.${calls[301].seq}`;
}

const difference_fragment = async (server) => `timeline?tick=301&by=difference&lanes=${await hidden_lanes(server)}`;

/*
 * name, what is open, the address, what must be there, and what differs from run to run (times are real ones) and is
 * not compared. `height` where 800 are too few or too many.
 */
const PICTURES = [
    { name: 'overview', input: 'run', fragment: 'overview', ready: '.spark path', moves: '.spark, .lead, .lines .num, footer' },
    { name: 'timeline', input: 'pair', fragment: timeline_fragment, ready: '.sum table', height: 940,
      moves: 'canvas, .sel section, footer, .mini .l, .rule .l' },
    { name: 'timeline-difference', input: 'pair', fragment: difference_fragment, ready: '.sum table',
      theme: 'dark', keys: 's s', height: 940, moves: 'canvas, .sel section, footer, .mini .l, .rule .l' },
    { name: 'calls', input: 'pair', fragment: 'calls', ready: '[role=treegrid]',
      moves: '.flame, .tree, footer' },
    { name: 'ticks', input: 'pair', fragment: 'ticks?tick=303', ready: '.side .chip', moves: 'footer, .scrub svg' },
    { name: 'frames', input: 'pair', fragment: 'frames?frame=302&show=difference&px=435.396',
      ready: '.strip figure:nth-child(30)', moves: null },
    { name: 'compare', input: 'pair', fragment: 'compare', ready: '.pics image', height: 1120, moves: 'footer' },
    { name: 'compare-dark', input: 'pair', fragment: 'compare?tick=302', theme: 'dark', ready: '.pics image', height: 1120,
      moves: 'footer' },
    { name: 'table', input: 'run', fragment: `table?sql=${encodeURIComponent(QUERY)}`, ready: '.plot path', moves: 'footer' },
    { name: 'damaged', input: () => [near('cdt/bad_zstd.cdt')], fragment: 'overview', ready: '.findings li', height: 720,
      moves: null },
    { name: 'drop', input: null, fragment: '', ready: '.drop', height: 620, moves: null },
];

async function page_of(one) {
    const how = { theme: one.theme || 'light', width: 1280, height: one.height || 800, fonts: true };
    if (!one.input) {
        const page = await open_page({ base: pathToFileURL(scratch_path('rastrum.html')).href, token: '' }, '',
            { ...how, wait: false });
        await page.waitForSelector(one.ready);
        return page;
    }
    const server = await serve(...(INPUTS.get(one.input) || one.input)());
    const page = await open_page(server, typeof one.fragment === 'string' ? one.fragment : await one.fragment(server), how);
    await page.waitForSelector(`main ${one.ready}`, { timeout: 90000, state: 'attached' });
    for (const key of (one.keys || '').split(' ').filter(Boolean))
        await page.keyboard.press(key);
    await page.waitForTimeout(700);
    await settled(page);
    await page.evaluate(() => document.activeElement && document.activeElement.blur());
    await page.mouse.move(1, 1);
    return page;
}

/* Pixels of a PNG, decoded by the browser. */
async function decode(page, bytes) {
    const { width, height, text } = await page.evaluate(async (base64) => {
        const blob = new Blob([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], { type: 'image/png' });
        const image = await createImageBitmap(blob);
        const canvas = new OffscreenCanvas(image.width, image.height), context = canvas.getContext('2d');
        context.drawImage(image, 0, 0);
        const { data } = context.getImageData(0, 0, image.width, image.height);
        let said = '';
        for (let i = 0; i < data.length; i += 30000)
            said += String.fromCharCode(...data.subarray(i, i + 30000));
        return { width: image.width, height: image.height, text: btoa(said) };
    }, bytes.toString('base64'));
    return { width, height, data: Buffer.from(text, 'base64') };
}

/* Boxes that are not compared: [left, top, right, bottom]. */
const moving_boxes = (page, selector) => selector ? page.$$eval(selector, (nodes) => nodes.map((node) => {
    const box = node.getBoundingClientRect();
    return [box.left, box.top, box.right, box.bottom];
})) : [];

/* The mean colour of a block. */
function mean_of({ data, width }, x0, y0) {
    const sum = [0, 0, 0];
    for (let y = y0; y < y0 + BLOCK; y++)
        for (let x = x0; x < x0 + BLOCK; x++)
            for (let c = 0; c < 3; c++)
                sum[c] += data[(y * width + x) * 4 + c];
    return sum.map((value) => value / BLOCK / BLOCK);
}

/* Which share of the blocks has changed. */
function changed_share(now, before, boxes) {
    let blocks = 0, changed = 0;
    for (let y = 0; y + BLOCK <= now.height; y += BLOCK)
        for (let x = 0; x + BLOCK <= now.width; x += BLOCK) {
            if (boxes.some(([l, t, r, b]) => x + BLOCK > l && x < r && y + BLOCK > t && y < b))
                continue;
            const [a, b] = [mean_of(now, x, y), mean_of(before, x, y)];
            blocks++;
            changed += Math.max(...a.map((value, i) => Math.abs(value - b[i]))) > FAR;
        }
    return changed / Math.max(1, blocks);
}

for (const one of PICTURES)
    test(`pictures ${one.name}`, async () => {
        if (!one.input && !has_offline_page())
            return;
        const page = await page_of(one), file = join(FOLDER, `${one.name}.png`);
        const now = await decode(page, await page.screenshot());
        if (is_update) {
            mkdirSync(FOLDER, { recursive: true });
            writeFileSync(file, palette_png(now.data, now.width, now.height));
            ok(statSync(file).size <= BYTES_MOST, `${file} has ${statSync(file).size} bytes, of at most ${BYTES_MOST}`);
        } else {
            const before = await decode(page, readFileSync(file));
            ok(now.width === before.width && now.height === before.height, `the size of ${one.name}.png`);
            const share = changed_share(now, before, await moving_boxes(page, one.moves));
            ok(share <= CHANGED_MOST, `docs/images/${one.name}.png is not what the page shows, ` +
                `${(share * 100).toFixed(2)} % of it: 'make pictures' takes it anew; look at it`);
        }
        no_trouble(page);
        await close_page(page);
    });
