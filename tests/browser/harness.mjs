/* harness.mjs - servers, pages and verdicts of the tests in a browser. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

export const HERE = dirname(fileURLToPath(import.meta.url));
export const ROOT = dirname(dirname(HERE));
const FLAGS = ['--disable-dev-shm-usage', '--force-color-profile=srgb', '--font-render-hinting=none',
    '--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run'];
const START_MS = 120000;       /* a busy machine is no failure */
const WAIT_MS = 90000;
/* Answers that refuse something are shown as sentences; the browser logs them, too. */
const REFUSED = /^Failed to load resource: the server responded with a status of 4\d\d/;

/* Tests wait more than they work: so many run at a time. */
const AT_A_TIME = 5;
const POLL_MS = 40;
const PAUSE_MS = 60;        /* what is settled may begin something else */
/* Those that take longest come first, so that none of them is the last. */
const LONG = /^(views (pair|run)|keys|axe|hostile names|pictures|speed|pixels|address|damaged)/;
const running = new AsyncLocalStorage();    /* {contexts, worker} of the test that runs */

const tests = [];
const servers = new Map();
let browser = null, program = '', scratch = '';

export function test(name, run) {
    tests.push({ name, run });
}

/* The output of rastrum; its exit status may be 1 or 3 where that is a verdict. */
export function rastrum(...words) {
    try {
        return execFileSync(program, words, { cwd: scratch, encoding: 'utf8', maxBuffer: 1 << 28,
                                              stdio: ['ignore', 'pipe', 'pipe'] });
    } catch (error) {
        if (error.status === 1 || error.status === 3)
            return error.stdout;
        throw new Error(`rastrum ${words.join(' ')}: ${error.stderr}`);
    }
}

export function scratch_path(name) {
    return join(scratch, name);
}

/* The program that makes large traces, built beside rastrum. */
export function maker_path() {
    return join(dirname(program), 'tests', 'browser', 'make_calls');
}

const TRACED = ['devtools.timeline', 'disabled-by-default-devtools.timeline', 'toplevel', 'blink.console'];

/* Events of a trace that the browser takes while `run` runs. */
export async function traced(page, run) {
    await browser.startTracing(page, { categories: TRACED });
    await run();
    return JSON.parse((await browser.stopTracing()).toString()).traceEvents;
}

export function golden(name) {
    return join(ROOT, 'tests', 'golden', name);
}

/* A server that shows these paths; started once for the tests that run one after the other: a job of one page
 * replaces that of another. */
export async function serve(...paths) {
    const key = [running.getStore().worker, ...paths].join('\n');
    if (!servers.has(key))
        servers.set(key, start(paths));
    return servers.get(key);
}

function start(paths) {
    const child = spawn(program, ['view', '--no-open', '--port', '0', ...paths],
        { cwd: scratch, stdio: ['ignore', 'pipe', 'pipe'] });
    return new Promise((done, fail) => {
        let said = '', wrong = '';
        const timer = setTimeout(() => fail(new Error(`no address from view ${paths}: ${wrong}`)), START_MS);
        child.stderr.on('data', (text) => { wrong += text; });
        child.stdout.on('data', (text) => {
            said += text;
            const found = /^http:\/\/127\.0\.0\.1:(\d+)\/#t=([0-9a-f]+)\n/.exec(said);
            if (!found)
                return;
            clearTimeout(timer);
            done({ child, port: Number(found[1]), token: found[2], base: `http://127.0.0.1:${found[1]}/`, paths });
        });
        child.on('exit', (code) => {
            clearTimeout(timer);
            fail(new Error(`view ${paths} ended with ${code}: ${wrong}`));
        });
    });
}

/* JSON of a route, without a browser. */
export async function ask(server, path, body = null) {
    const answer = await fetch(`${server.base}v1/${path}`, { method: body === null ? 'GET' : 'POST', body,
        headers: { 'X-Rastrum-Token': server.token } });
    return answer.json();
}

/* A wait is long enough for a machine that has nothing else to do. On a busy one the page itself comes later to what
 * it has to do: its timers and frames that are due are waited for as well. */
function wait_for_the_page(page) {
    const wait = page.waitForTimeout.bind(page);
    page.waitForTimeout = async (ms) => {
        await wait(ms);
        await page.evaluate(() => new Promise((done) => {
            requestAnimationFrame(() => setTimeout(() => requestAnimationFrame(() => setTimeout(done))));
        }));
    };
}

/* A page of a server at a fragment. `page.trouble` collects what must not happen. */
export async function open_page(server, fragment = '', { theme = 'light', width = 1280, height = 800,
                                                         reduced = false, wait = true, fonts = false, ms = WAIT_MS } = {}) {
    const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme,
        reducedMotion: reduced ? 'reduce' : 'no-preference', deviceScaleFactor: 1 });
    running.getStore().contexts.push(context);
    const page = await context.newPage();
    wait_for_the_page(page);
    page.setDefaultTimeout(WAIT_MS);
    page.trouble = [];
    page.requests = 0;
    page.on('console', (message) => {
        if (message.type() === 'error' && !REFUSED.test(message.text()))
            page.trouble.push(`console: ${message.text()}`);
    });
    page.on('pageerror', (error) => page.trouble.push(`error: ${error.stack}`));
    page.on('dialog', (dialog) => {
        page.trouble.push(`dialog: ${dialog.message()}`);
        dialog.dismiss();
    });
    page.on('request', (request) => {
        if (request.url().startsWith('blob:'))
            return; // what the page has made itself: its worker, pictures
        page.requests++;
        if (!request.url().startsWith(server.base))
            page.trouble.push(`request to ${request.url()}`);
    });
    await page.addInitScript(() => {
        window.shifts = [];
        new PerformanceObserver((list) => {
            for (const entry of list.getEntries())
                if (!entry.hadRecentInput)
                    window.shifts.push(entry.value);
        }).observe({ type: 'layout-shift', buffered: true });
    });
    if (fonts)
        await page.addInitScript(set_fonts);
    const token = server.token ? `t=${server.token}` : '';      /* a page from a file has none */
    await page.goto(`${server.base}${server.start ?? ''}#${[token, fragment].filter(Boolean).join('&')}`);
    if (wait)
        await settled(page, ms);
    return page;
}

export async function close_page(page) {
    await page.context().close();
}

/* Until the view shows what it has to show. */
export async function settled(page, ms = WAIT_MS) {
    await page.waitForFunction(() => {
        const main = document.getElementById('main');
        if (!main || !main.childElementCount)
            return false;
        if (main.querySelector(':scope > .failure, :scope > .empty, .drop'))
            return true;
        if (main.querySelector('[aria-busy=true]'))
            return false;
        if (main.classList.contains('view-timeline'))
            return main.dataset.settled === 'true' && !/building/.test(document.querySelector('footer').textContent);
        return ![...main.querySelectorAll('[role=status]')].some((n) => /\u2026$|: [\d.]+ %$/.test(n.textContent));
    }, null, { timeout: ms, polling: POLL_MS });
    await page.waitForTimeout(PAUSE_MS);
}

/* The result of a job, without a browser. */
export async function job(server, path) {
    let answer = await ask(server, path);
    for (let id = answer.job; id !== undefined && (answer.job !== undefined || /queued|running/.test(answer.state));) {
        await new Promise((done) => setTimeout(done, 50));
        answer = await ask(server, `job?id=${id}`);
    }
    return answer;
}

/* The fonts of the pictures are those that tools/deps installs, whichever else there are. */
function set_fonts() {
    document.addEventListener('DOMContentLoaded', () => {
        for (const [name, font] of [['--sans', 'DejaVu Sans'], ['--serif', 'DejaVu Serif'], ['--mono', 'DejaVu Sans Mono']])
            document.documentElement.style.setProperty(name, font);
    });
}

let offline_made = null;

/* rastrum.html as the program writes it, in the scratch directory; false: this build has none, for want of a
 * compiler. */
export function has_offline_page() {
    if (offline_made === null)
        try {
            rastrum('view', '--html', 'rastrum.html');
            offline_made = true;
        } catch (error) {
            if (process.env.RASTRUM_BROWSER === 'required' || !/was built without/.test(error.message))
                throw error;
            offline_made = false;
            console.log('# offline: not run: this build has no rastrum.html');
        }
    return offline_made;
}

/* SHA-256 of the pixels of the raster, which has no text. */
export async function raster_hash(page) {
    const bytes = await page.evaluate(() => {
        const canvas = document.querySelector('canvas.base');
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        let text = `${canvas.width}x${canvas.height} `;
        for (let i = 0; i < data.length; i += 3000)
            text += String.fromCharCode(...data.subarray(i, Math.min(data.length, i + 3000)));
        return text;
    });
    return createHash('sha256').update(bytes, 'latin1').digest('hex').slice(0, 32);
}

export function equal(got, wanted, what) {
    const [a, b] = [JSON.stringify(got), JSON.stringify(wanted)];
    if (a !== b)
        throw new Error(`${what}: ${a}, not ${b}`);
}

export function ok(is, what) {
    if (!is)
        throw new Error(what);
}

export function no_trouble(page) {
    ok(page.trouble.length === 0, page.trouble.join('; '));
}

export function axe_source() {
    return readFileSync(join(HERE, 'node_modules', 'axe-core', 'axe.min.js'), 'utf8');
}

async function end_all() {
    if (browser)
        await browser.close();
    for (const one of servers.values()) {
        const server = await one.catch(() => null);
        if (server && server.child.exitCode === null) {
            const gone = new Promise((done) => server.child.once('exit', done));
            server.child.kill('SIGTERM');
            await gone;
        }
    }
    rmSync(scratch, { recursive: true, force: true });
}

async function keep_pictures(name, contexts) {
    const file = (i) => join(process.env.BROWSER_SHOTS, `failed-${name.replace(/\W+/g, '-')}-${i}.png`);
    let i = 0;
    for (const context of contexts)
        for (const page of context.pages())
            await page.screenshot({ path: file(i++) }).catch(() => null);
}

/* Whether it passed. */
async function run_one({ name, run }, worker) {
    const began = Date.now(), contexts = [];
    try {
        await running.run({ contexts, worker }, run);
        console.log(`ok ${name} # ${((Date.now() - began) / 1000).toFixed(1)} s`);
        return true;
    } catch (error) {
        console.log([`not ok ${name}`, ...String(error.message).split('\n').slice(0, 12).map((line) => `    ${line}`)]
            .join('\n'));
        await keep_pictures(name, contexts);
        return false;
    } finally {
        for (const context of contexts)
            await context.close().catch(() => null);
    }
}

/* Run tests, some at a time; how many passed and failed. A browser on a busy machine may take longer than any wait:
 * what failed is repeated once, alone, and is named where it passes then. */
async function run_all(list) {
    const left = [...list.filter((one) => LONG.test(one.name)), ...list.filter((one) => !LONG.test(one.name))];
    const again = [], count = { passed: 0, failed: 0 };
    const work = async (_, worker) => {
        for (let one = left.shift(); one; one = left.shift())
            if (await run_one(one, worker))
                count.passed++;
            else
                again.push(one);
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, work));
    for (const one of again) {
        const passed = await run_one(one, AT_A_TIME);
        count[passed ? 'passed' : 'failed']++;
        if (passed)
            console.log(`browser: ${one.name}: passed when repeated alone`);
    }
    return count;
}

/* Run the tests whose names have one of the words; prints the tally and gives the exit status. */
export async function main(rastrum_program, words) {
    program = rastrum_program;
    scratch = mkdtempSync(join(tmpdir(), 'rastrum-browser-'));
    process.once('SIGTERM', () => end_all().then(() => process.exit(1)));
    let count = { passed: 0, failed: 1 };
    try {
        browser = await chromium.launch({ executablePath: process.env.BROWSER_PROGRAM, headless: true, args: FLAGS });
        count = await run_all(tests.filter((one) => !words.length || words.some((word) => one.name.includes(word))));
    } finally {
        await end_all();
    }
    console.log(`${count.passed} passed, ${count.failed} failed`);
    return count.failed ? 1 : 0;
}
