/* address.mjs - the address is the state: reload, copy, paste, back, and what is no address. */
import { INPUTS } from './data.mjs';
import { close_page, equal, no_trouble, ok, open_page, raster_hash, serve, settled, test } from './harness.mjs';

const fragment_of = (page) => page.evaluate(() => location.hash);

test('address has no token', async () => {
    const server = await serve(...INPUTS.get('run')());
    const page = await open_page(server, 'timeline');
    ok(!page.url().includes(server.token), 'the token is in the address');
    ok(!(await page.evaluate(() => document.documentElement.outerHTML)).includes(server.token), 'or in the page');
    await page.reload();
    await settled(page);
    ok(await page.$('.view-timeline .lane'), 'a reload keeps it');
    no_trouble(page);
});

test('address alone shows the same picture', async () => {
    const server = await serve(...INPUTS.get('run')());
    const page = await open_page(server, 'timeline?tick=302');
    for (const key of ['w', 'w', 'd', 'ArrowRight', 'c', 'x'])
        await page.keyboard.press(key);
    await page.waitForTimeout(500);
    await page.mouse.move(2, 2);
    await settled(page);
    const fragment = await fragment_of(page), hash = await raster_hash(page);
    const panel = await page.innerText('.sel .record');
    const again = await open_page(server, fragment.slice(1));
    equal(await fragment_of(again), fragment, 'the address');
    equal(await raster_hash(again), hash, 'the picture');
    equal(await again.innerText('.sel .record'), panel, 'the selection');
    no_trouble(again);
});

test('address of every view comes back', async () => {
    const server = await serve(...INPUTS.get('pair')());
    const first = await open_page(server);
    const ids = await first.$$eval('nav.views a', (links) => links.map((link) => link.dataset.view));
    await close_page(first);
    for (const id of ids) {
        const page = await open_page(server, `${id}?tick=302&side=1&own=kept`);
        const state = new URLSearchParams((await fragment_of(page)).split('?')[1]);
        ok((await fragment_of(page)).startsWith(`#${id}?`), `${id}: ${await fragment_of(page)}`);
        equal(state.get('tick'), '302', `${id}: the tick`);
        equal(state.get('own'), 'kept', `${id}: a key that the page does not know`);
        no_trouble(page);
        await close_page(page);
    }
});

test('address goes back and forth', async () => {
    const page = await open_page(await serve(...INPUTS.get('run')()));
    await page.keyboard.press('2');
    await settled(page);
    await page.goBack();
    await settled(page);
    ok(await page.$('.view-overview'), 'back');
    await page.goForward();
    await settled(page);
    ok(await page.$('.view-timeline'), 'forth');
    no_trouble(page);
});

const GARBAGE = ['timeline?t=9..1', 'timeline?t=99999999999999999999999..1', 'timeline?sel=x.y', 'nowhere?tick=1',
    'timeline?sel=99.12', 'timeline?sel=0.99999999999999999999', 'timeline?lanes=a.b&tick=-1', '%00%ff??&&==',
    'timeline?m=zz@1', 'timeline?t=0..18446744073709551615', 'timeline?range=1..2&q=%2F(%2F', '__proto__?constructor=1',
    'overview?__proto__=1&view=timeline', 'timeline?tick=99999999999999'];

test('address of garbage is survived', async () => {
    const server = await serve(...INPUTS.get('run')());
    const page = await open_page(server);
    for (const text of GARBAGE) {
        await page.goto(`${server.base}#${text}`);
        await page.waitForTimeout(100);
        ok(await page.$('nav.views a[aria-current]'), `${text}: a view is shown`);
        await page.reload();
        await page.waitForFunction(() => document.getElementById('main')?.childElementCount > 0);
        await page.waitForTimeout(100);
        ok(await page.$('nav.views a[aria-current]'), `${text}: a view is shown after a reload`);
        ok(page.trouble.length === 0, `${text}: ${page.trouble.join('; ')}`);
    }
});
