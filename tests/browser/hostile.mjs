/* hostile.mjs - names that a trace chose are shown as text, and no link or page elsewhere gets anything. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { INPUTS } from './data.mjs';
import { close_page, golden, no_trouble, ok, open_page, scratch_path, serve, settled, test } from './harness.mjs';

const NAMES = ['<img src=x onerror="window.harmed=1">', '"><script>window.harmed=1</script>', 'javascript:window.harmed=1',
    '\u202egnp.exe', 'a\u0000b\u0007\u001b[31mred', '__proto__', 'constructor', '{{7*7}}${window.harmed=1}',
    'x'.repeat(5000), '&lt;b&gt;&amp;', '\u{1f600}\u0301\u0301\u0301'];

/* Sessions of ATF whose functions and modules have these names, three in each. */
function sessions() {
    const found = [];
    for (let i = 0; i < NAMES.length; i += 3) {
        const path = scratch_path(`hostile_${i}`), names = NAMES.slice(i, i + 3);
        cpSync(golden('atf/two_threads'), path, { recursive: true });
        const file = join(path, 'manifest.json'), manifest = JSON.parse(readFileSync(file, 'utf8'));
        manifest.symbols.forEach((symbol, k) => { symbol.name = names[k % names.length]; });
        manifest.modules[0].path = names[0];
        writeFileSync(file, JSON.stringify(manifest));
        found.push({ path, names });
    }
    return found;
}

test('hostile names are text', async () => {
    for (const { path, names } of sessions()) {
        const name = names.map((one) => one.slice(0, 40)).join(' | ');
        const page = await open_page(await serve(path));
        const ids = await page.$$eval('nav.views a', (links) => links.map((link) => link.dataset.view));
        for (const id of ids) {
            await page.click(`nav.views a[data-view=${id}]`);
            await settled(page);
            if (id === 'timeline')
                for (const key of ['ArrowRight', 'ArrowDown', '.'])
                    await page.keyboard.press(key);
        }
        await page.waitForTimeout(100);
        ok(await page.evaluate(() => window.harmed === undefined), `${name} ran`);
        ok(!await page.$('main img, main script, main iframe'), `${name} became an element`);
        ok(await page.evaluate(() => ({}).polluted === undefined && !Object.hasOwn(Object.prototype, 'name')), 'prototype');
        const said = await page.evaluate(() => document.body.innerText);
        ok(!/[\u202a-\u202e\u2066-\u2069\u0000-\u0008]/.test(said), 'controls are visible');
        ok(page.trouble.length === 0, `${name}: ${page.trouble.join('; ')}`);
        await close_page(page);
    }
});

test('hostile pages elsewhere get nothing', async () => {
    const server = await serve(...INPUTS.get('run')());
    const other = createServer((_, answer) => answer.end('<!doctype html><title>other</title>')).listen(0, '127.0.0.1');
    await new Promise((done) => other.once('listening', done));
    try {
        const page = await open_page({ ...server, base: `http://127.0.0.1:${other.address().port}/` }, '', { wait: false });
        const tried = await page.evaluate(async ({ base, token }) => {
            const said = {};
            const attempt = async (name, run) => {
                said[name] = await run().then((x) => `got ${x}`, () => 'refused');
            };
            await attempt('fetch', () => fetch(`${base}v1/open`).then((a) => a.text()));
            await attempt('token', () => fetch(`${base}v1/open`, { headers: { 'X-Rastrum-Token': token } })
                .then((a) => a.text()));
            await attempt('opaque', () => fetch(`${base}v1/open`, { mode: 'no-cors' }).then((a) => a.text())
                .then((text) => text || Promise.reject()));
            await attempt('frame', () => new Promise((done, fail) => {
                const frame = document.createElement('iframe');
                frame.src = base;
                frame.onload = () => {
                    try {
                        done(frame.contentDocument ? frame.contentDocument.title : fail());
                    } catch {
                        fail();
                    }
                };
                document.body.append(frame);
            }));
            return said;
        }, { base: server.base, token: server.token });
        for (const [name, result] of Object.entries(tried))
            ok(result === 'refused', `${name}: ${result.slice(0, 80)}`);
        await close_page(page);
    } finally {
        other.close();
    }
});

test('hostile or no token shows a sentence', async () => {
    const server = await serve(...INPUTS.get('run')());
    for (const token of ['', '0'.repeat(32)]) {
        const page = await open_page({ ...server, token }, '', { wait: false });
        await page.waitForSelector('.failure');
        ok(!/good|arena/.test(await page.innerText('body')), 'nothing of the run is shown');
        no_trouble(page);
        await close_page(page);
    }
});
