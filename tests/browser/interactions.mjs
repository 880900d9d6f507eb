/* interactions.mjs - colour by difference, links that a search finds, threads in order, and what is compared with. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { INPUTS, runs } from './data.mjs';
import { close_page, equal, golden, has_offline_page, no_trouble, ok, open_page, rastrum, scratch_path, serve, settled,
         test } from './harness.mjs';

const WAIT_MS = 90000;
const until = (page, what, arg = null) => page.waitForFunction(what, arg, { timeout: WAIT_MS });
const state_of = (page) => page.evaluate(() => Object.fromEntries(new URLSearchParams(location.hash.split('?')[1] || '')));
const pair = () => serve(...INPUTS.get('pair')());
const first_tick = () => JSON.parse(rastrum('diff', '--json', ...INPUTS.get('pair')())).first_divergent_tick;

/* Of a line: how much differs in the middle of the column of each tick, 0 to 7. */
const levels_of = (page, pen, ticks) => page.evaluate(([name, list]) => {
    const frame = document.getElementById('main').timeline_probe.frame(), levels = frame.levels_of(name);
    return list.map((tick) => {
        const [from, to] = frame.clock.tick_range(tick);
        return levels[Math.floor((from + to) / 2 / frame.scale.step) - frame.scale.origin];
    });
}, [pen, ticks]);

test('timeline colours by difference', async () => {
    const first = first_tick();
    const page = await open_page(await pair(), `timeline?tick=${first}`);
    await page.keyboard.press('s');
    for (const mode of ['module', 'duration', 'difference']) {
        await page.keyboard.press('c');
        await page.waitForTimeout(300);
        equal((await state_of(page)).by, mode, 'C goes through the modes');
    }
    await until(page, () => {
        const frame = document.getElementById('main').timeline_probe.frame();
        return frame.levels_of('cdt').some((level) => level > 0);
    });
    const ticks = [first - 1, first, first + 1];
    for (let i = 0; i < 20 && (await levels_of(page, 'cdt', ticks)).includes(undefined); i++) {
        await page.keyboard.press('s');                   /* one of them took long when it was recorded */
        await settled(page);
        await page.waitForTimeout(300);
    }
    const [before, at, after] = await levels_of(page, 'cdt', ticks);
    ok(before === 0 && at > 0 && after > 0, `levels of state: ${before}, ${at}, ${after}`);
    equal(await levels_of(page, 'atf', ticks), [0, 0, 0], 'calls do not differ yet');
    const painted = await page.evaluate(() => {
        const canvas = document.querySelector('canvas.base'), context = canvas.getContext('2d');
        const frame = document.getElementById('main').timeline_probe.frame();
        const wanted = new Set(frame.colours.parts.map((colour) => colour >>> 0));
        const pixels = new Uint32Array(context.getImageData(0, 0, canvas.width, canvas.height).data.buffer);
        return pixels.reduce((sum, pixel) => sum + wanted.has(pixel), 0);
    });
    ok(painted > 1000, `${painted} pixels are vermilion`);
    await page.keyboard.press('c');
    await page.waitForTimeout(300);
    equal((await state_of(page)).by, undefined, 'and back to names');
    no_trouble(page);
});

test('timeline of one run has nothing to colour by difference', async () => {
    const page = await open_page(await serve(...INPUTS.get('run')()), 'timeline?by=duration');
    await page.keyboard.press('c');
    await page.waitForTimeout(300);
    equal((await state_of(page)).by, undefined, 'duration is followed by name');
    no_trouble(page);
});

test('timeline of an address that is pasted into the same tab', async () => {
    const page = await open_page(await serve(...INPUTS.get('run')()));
    await page.evaluate(() => { location.hash = '#timeline?tick=302'; });
    await settled(page);
    await page.waitForTimeout(400);
    const { t, range } = await state_of(page);
    ok(t && range, `the tick is shown: ${page.url()}`);
    no_trouble(page);
});

test('panels ticks step through differences', async () => {
    const first = first_tick();
    const page = await open_page(await pair(), `ticks?tick=${first - 1}`);
    await until(page, () => document.querySelector('.view-ticks .side .big'));
    for (const [key, tick] of [['n', first], ['n', first + 1], ['p', first]]) {
        await page.keyboard.press(key);
        await until(page, (wanted) => new URLSearchParams(location.hash.split('?')[1]).get('tick') === String(wanted), tick);
    }
    await page.keyboard.press('p');
    await until(page, () => /Nothing differs before/.test(document.querySelector('.remark').textContent));
    no_trouble(page);
});

/* Follow the link with this word. */
async function follow(page, word, seq) {
    await until(page, (wanted) => [...document.querySelectorAll('.links .link')]
        .some((link) => link.textContent.trim().startsWith(wanted)), word);
    await page.$$eval('.links .link', (links, wanted) => links.find((link) =>
        link.textContent.trim().startsWith(wanted)).click(), word);
    await until(page, (wanted) => location.hash.includes(`sel=0.${wanted}`), seq);
}

test('timeline links a wake with its poll, and a call with its detail', async () => {
    const wakes = await open_page(await serve(...INPUTS.get('dial9')()), 'timeline?sel=0.2');
    await follow(wakes, 'wakes', 3);
    await follow(wakes, 'woken by', 2);
    no_trouble(wakes);
    const calls = await open_page(await serve(...INPUTS.get('atf')()), 'timeline?sel=0.2');
    await follow(calls, 'its detail', 8);
    await follow(calls, 'of the call', 2);
    no_trouble(calls);
});

test('panels calls in order show all threads, or one', async () => {
    const page = await open_page(await serve(...INPUTS.get('atf')()), 'calls?mode=order');
    const height = () => page.$eval('.view-calls .flame canvas:not([hidden])', (canvas) => canvas.clientHeight);
    await page.waitForSelector('select[aria-label=thread]');
    const options = await page.$$eval('select[aria-label=thread] option', (list) => list.map((one) => one.textContent));
    equal(options, ['2 threads', 'thread 0', 'thread 1'], 'what can be chosen');
    const all = await height();
    await page.selectOption('select[aria-label=thread]', { label: 'thread 1' });
    await until(page, (before) => document.querySelector('.view-calls .flame canvas:not([hidden])').clientHeight < before, all);
    ok((await state_of(page)).thread !== undefined, 'the address has it');
    no_trouble(page);
});

test('overview compares with what is beside it', async () => {
    mkdirSync(scratch_path('beside'), { recursive: true });
    cpSync(runs().good, scratch_path('beside/first'), { recursive: true });
    cpSync(runs().bad, scratch_path('beside/second'), { recursive: true });
    const page = await open_page(await serve(scratch_path('beside/first')));
    await page.click('text=Compare with');
    equal(await page.$$eval('dialog .choices .btn', (list) => list.map((b) => b.textContent)), ['second'], 'what is offered');
    ok(!(await page.content()).includes(scratch_path('')), 'no path of the machine is in the page');
    await page.click('dialog .choices .btn');
    await until(page, () => /diverge in tick 300/.test(document.querySelector('.view-compare h1')?.textContent || ''));
    equal(await page.title(), 'first and second: Compare \u00b7 rastrum', 'the title');
    no_trouble(page);
});

test('offline: compare with a file that is chosen later', async () => {
    if (!has_offline_page())
        return;
    const page = await open_page({ base: pathToFileURL(scratch_path('rastrum.html')).href, token: '' }, '', { wait: false });
    await page.waitForSelector('.drop');
    await page.setInputFiles('input[type=file]:not([webkitdirectory])', golden('murk/world.murk'));
    await page.waitForSelector('.view-overview');
    await page.click('text=Compare with');
    await page.setInputFiles('dialog input[type=file]:not([webkitdirectory])', golden('murk/world_differs.murk'));
    await until(page, () => /diverge/.test(document.querySelector('.view-compare h1')?.textContent || ''));
    equal(await page.title(), 'world.murk and world_differs.murk: Compare \u00b7 rastrum', 'the title');
    no_trouble(page);
    await close_page(page);
});

test('overview of a trace that grows keeps no findings of before', async () => {
    const data = readFileSync(golden('murk/all_payloads.murk'));
    writeFileSync(scratch_path('grows.murk'), data.subarray(0, 130));
    const page = await open_page(await serve('--follow', 'grows.murk'));
    await until(page, () => /It is being written/.test(document.querySelector('.findings').textContent));
    await page.click('.findings .btn');
    await until(page, () => /murk\.frame\.cut/.test(document.querySelector('.findings').textContent));
    writeFileSync(scratch_path('grows.murk'), data.subarray(130), { flag: 'a' });
    await until(page, () => /11 records/.test(document.querySelector('main').textContent));
    await until(page, () => /It is being written/.test(document.querySelector('.findings').textContent));
    equal(await page.$$eval('.chips .chip', (list) => list.length), 0, 'chips that stay');
    await page.click('.findings .btn');
    await until(page, () => /found nothing wrong/.test(document.querySelector('.findings').textContent));
    no_trouble(page);
});
