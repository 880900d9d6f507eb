/* offline.mjs - rastrum.html from a disk: files, folders and pairs are dropped, and nothing is loaded. */
import { mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { INPUTS, runs } from './data.mjs';
import { close_page, equal, golden, has_offline_page, no_trouble, ok, open_page, rastrum, scratch_path,
         settled, test } from './harness.mjs';

const LONGEST_MS = 90000;           /* a busy machine is no failure */

function offline_test(name, run) {
    test(name, () => (has_offline_page() ? run() : null));
}

const offline = () => ({ base: pathToFileURL(scratch_path('rastrum.html')).href, token: '' });

async function drop_page(fragment = '', options = {}) {
    const page = await open_page(offline(), fragment, { wait: false, ...options });
    page.setDefaultTimeout(LONGEST_MS);
    await page.waitForSelector('.drop');
    return page;
}

/* Choose files as a person does; `folder` by the other button. */
async function choose(page, paths, folder = false) {
    await page.setInputFiles(folder ? 'input[webkitdirectory]' : 'input[type=file]:not([webkitdirectory])', paths);
}

async function shown(page) {
    await page.waitForSelector('header.bar');
    await settled(page, LONGEST_MS);
}

/* Figures arrive while the trace is read. */
async function says(page, text) {
    await page.waitForFunction((wanted) => document.getElementById('main').textContent.includes(wanted), text);
}

/* A drop of bytes that are in the page already, as a drag from another window. */
async function drop(page, files) {
    await page.evaluate((list) => {
        const transfer = new DataTransfer();
        for (const { name, bytes } of list)
            transfer.items.add(new File([new Uint8Array(bytes)], name));
        document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true }));
    }, files);
}

function only_blobs(page) {
    no_trouble(page);
    equal(page.requests, 1, 'requests: the page itself');
}

for (const name of ['murk', 'cdt', 'aerogpu', 'dial9', 'cut', 'damaged'])
    offline_test(`offline ${name}: the same numbers as info`, async () => {
        const [path] = INPUTS.get(name)();
        const page = await drop_page();
        await choose(page, path);
        await shown(page);
        const info = JSON.parse(rastrum('info', '--json', path));
        await says(page, `, ${info.records.total.toLocaleString('en-US')} record`);
        await says(page, info.ending.state);
        only_blobs(page);
        await close_page(page);
    });

offline_test('offline: a folder is a trace', async () => {
    const page = await drop_page();
    await choose(page, golden('atf/two_threads'), true);
    await shown(page);
    ok((await page.textContent('main')).includes('two_threads'), 'the name of the folder is missing');
    only_blobs(page);
    await close_page(page);
});

offline_test('offline: a run directory has five lines', async () => {
    const { good } = runs();
    const page = await drop_page();
    await choose(page, good, true);
    await shown(page);
    const text = await page.textContent('main');
    for (const line of ['inputs', 'state', 'pictures', 'events', 'calls'])
        ok(text.includes(line), `${line} is missing`);
    only_blobs(page);
    await close_page(page);
});

offline_test('offline: a folder of two runs is a pair', async () => {
    const page = await drop_page();
    mkdirSync(scratch_path('shelf'), { recursive: true });
    rastrum('run', 'arena', '--seed', '7', '--ticks', '40', '--force', '-o', 'shelf/a');
    rastrum('run', 'arena', '--seed', '8', '--ticks', '40', '--force', '-o', 'shelf/b');
    await choose(page, scratch_path('shelf'), true);
    await shown(page);
    const title = await page.title();
    ok(/^a and b/.test(title), `the title is ${title}`);
    only_blobs(page);
    await close_page(page);
});

offline_test('offline: two files are a pair, and a drop replaces what is shown', async () => {
    const page = await drop_page();
    await choose(page, [golden('murk/world.murk'), golden('murk/world_differs.murk')]);
    await shown(page);
    ok(/^world\.murk and world_differs\.murk/.test(await page.title()), await page.title());
    const bytes = [...readFileSync(golden('cdt/python.cdt'))];
    await drop(page, [{ name: 'python.cdt', bytes }]);
    await page.waitForFunction(() => /^python\.cdt/.test(document.title));
    only_blobs(page);
    await close_page(page);
});

offline_test('offline: what is not a trace is refused with the sentence of the library', async () => {
    writeFileSync(scratch_path('note.txt'), 'not a trace\n');
    const page = await drop_page();
    await choose(page, scratch_path('note.txt'));
    await page.waitForFunction(() => /\w/.test(document.querySelector('.said').textContent) &&
        !/^Reading/.test(document.querySelector('.said').textContent));
    const said = await page.textContent('.said');
    let natively = '';
    try {
        rastrum('info', 'note.txt');
    } catch (error) {
        natively = error.message;
    }
    ok(natively.includes(said.split(';')[0]), `${said}, natively ${natively}`);
    await choose(page, golden('cdt/python.cdt'));      /* and the page goes on */
    await shown(page);
    only_blobs(page);
    await close_page(page);
});

offline_test('offline: a file that is too large is refused before it is read', async () => {
    writeFileSync(scratch_path('huge.murk'), 'MURK');
    truncateSync(scratch_path('huge.murk'), 1.6e9);
    const page = await drop_page();
    await choose(page, scratch_path('huge.murk'));
    await page.waitForFunction(() => /rastrum view opens any size/.test(document.querySelector('.said').textContent));
    only_blobs(page);
    await close_page(page);
});

offline_test('offline: a report has the viewer and the traces in it', async () => {
    const { good, bad } = runs();
    rastrum('report', good, bad, '--embed', '--force', '-o', 'embed.html');
    rastrum('report', good, bad, '--embed', '--force', '-o', 'again.html');
    ok(readFileSync(scratch_path('embed.html')).equals(readFileSync(scratch_path('again.html'))),
        'the same traces gave two reports');
    const file = { base: pathToFileURL(scratch_path('embed.html')).href, token: '' };
    const page = await open_page(file, '', { wait: false });
    await page.waitForSelector('#rastrum-open:not([hidden])');
    ok((await page.textContent('h1')).includes('tick 300'), 'the report does not say tick 300');
    equal(page.requests, 1, 'requests before it is opened');
    await page.click('#rastrum-open');
    await shown(page);
    ok(/^good and bad/.test(await page.title()), await page.title());
    const text = await page.textContent('main');
    for (const line of ['inputs', 'state', 'pictures', 'events', 'calls'])
        ok(text.includes(line), `${line} is missing`);
    ok(!/cannot be opened/.test(text), 'a trace cannot be opened');
    await page.keyboard.press('6');
    await page.waitForFunction(() => /tick 300/.test(document.getElementById('main').textContent));
    only_blobs(page);
    await close_page(page);
});
