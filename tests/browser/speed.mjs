/* speed.mjs - three million events in the Timeline: how long frames take while it is panned. What is judged is the
 * processor's time of the page's thread, which a busy machine does not change much; what passed is reported, too. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { close_page, maker_path, no_trouble, ok, open_page, scratch_path, serve, test, traced } from './harness.mjs';

const EVENTS = 3_000_000;
const FRAMES = 240;
const P50_MS = 16, P99_MS = 50;

const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];

/* Wheel by wheel over the window and back, a step in each frame; resolves with the times between frames, in ms. */
const pan_over = (page, frames) => page.evaluate((count) => new Promise((done) => {
    const canvas = document.querySelector('canvas.base'), times = [];
    const box = canvas.getBoundingClientRect();
    let before = performance.now(), i = 0;
    console.timeStamp('panning begins');
    const step = (now) => {
        times.push(now - before);
        before = now;
        if (i++ === count) {
            console.timeStamp('panning ends');
            done(times.slice(1));
            return;
        }
        canvas.dispatchEvent(new WheelEvent('wheel', { bubbles: true, cancelable: true, shiftKey: true,
            deltaY: i < count / 2 ? 48 : -36, clientX: box.left + 100, clientY: box.top + 50 }));
        requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
}), frames);

/* How long the first paint took, and until a window that was zoomed to has all its tiles, in ms: as passed. */
const waits_of = (page) => page.evaluate(async () => {
    const paint = performance.getEntriesByName('first-contentful-paint')[0].startTime;
    const main = document.getElementById('main'), began = performance.now();
    dispatchEvent(new KeyboardEvent('keydown', { key: 'w' }));
    do
        await new Promise((done) => requestAnimationFrame(done));
    while (main.dataset.settled !== 'true' && performance.now() - began < 30000);
    return { paint, settled: performance.now() - began };
});

/* Processor time of the tasks of the page's thread that painted a frame, in ms. */
function frame_times(events) {
    const marks = events.filter((e) => e.name === 'TimeStamp' && /panning/.test(e.args?.data?.message || ''));
    const { pid, tid } = marks[0], [from, to] = [marks[0].ts, marks.at(-1).ts];
    const mine = events.filter((e) => e.pid === pid && e.tid === tid && e.ph === 'X' && e.ts >= from && e.ts <= to);
    const drawn = mine.filter((e) => e.name === 'FireAnimationFrame');
    const tasks = mine.filter((e) => /RunTask$/.test(e.name)).filter((task) => drawn.some((e) =>
        e.ts >= task.ts && e.ts < task.ts + task.dur));
    return { cpu: tasks.map((task) => task.tdur / 1000).filter(Number.isFinite).sort((a, b) => a - b),
             wall: tasks.map((task) => task.dur / 1000).sort((a, b) => a - b) };
}

test('speed: frames while panning over 3 M events', async () => {
    const maker = maker_path();
    if (!existsSync(maker)) {
        console.log(`# speed: not run: ${maker} is not built`);
        return;
    }
    execFileSync(maker, [scratch_path('many'), String(EVENTS)]);
    const page = await open_page(await serve(scratch_path('many')), 'timeline',
        { width: 1600, height: 900 });
    for (let i = 0; i < 8; i++)
        await page.keyboard.press('w');
    await page.waitForTimeout(500);
    const waits = await waits_of(page);
    let between = [];
    const events = await traced(page, async () => { between = await pan_over(page, FRAMES); });
    const { cpu, wall } = frame_times(events);
    between.sort((a, b) => a - b);
    const words = (list) => `p50 ${at(list, 0.5).toFixed(1)} ms, p99 ${at(list, 0.99).toFixed(1)} ms`;
    ok(cpu.length > FRAMES / 2, `${cpu.length} frames were traced`);
    console.log(`# speed: ${EVENTS.toLocaleString('en-US')} events, ${cpu.length} frames: processor ${words(cpu)}; ` +
        `passed ${words(wall)}; between frames ${words(between)}; first paint ${waits.paint.toFixed(0)} ms, tiles after a ` +
        `zoom ${waits.settled.toFixed(0)} ms`);
    ok(at(cpu, 0.5) < P50_MS && at(cpu, 0.99) < P99_MS, `frames take ${words(cpu)}`);
    no_trouble(page);
    await close_page(page);
});
