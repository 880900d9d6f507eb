/* transport_wasm.js - requests to the readers in this page: a worker with a WebAssembly module. */
import { Failure } from './api.js';
import { el } from './el.js';

const BUSY_MS = 3000;
const BUSY = 'This page is reading, and cannot answer until that is done. ';
const SIZE_MAX = 1.5e9;
const TOO_LARGE = 'rastrum view opens any size';
const HEAD = 4;

let worker = null;
let started = null;
let ids = 0;
let on_copied = null;
let opened = null;              /* the files that are open, for a new worker */
let notice = null;
const waiting = new Map();      /* id -> {done, fail} */

/* Kept: what is in the page is gone when something is shown. */
const texts = new Map();

function text_of(id) {
    if (!texts.has(id))
        texts.set(id, document.getElementById(id).textContent);
    return texts.get(id);
}

/* The traces of a report are in the page: gzip, then base64. What is part of the page itself is packed by make-html,
 * whose script unpacks it: window.rastrum_unpack. */
async function unpack(text) {
    const packed = atob(text.trim());
    const bytes = new Uint8Array(packed.length);
    for (let i = 0; i < packed.length; i++)
        bytes[i] = packed.charCodeAt(i);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
    return new Response(stream).arrayBuffer();
}

function ask(message, transfer = []) {
    return new Promise((done, fail) => {
        const id = ++ids;
        waiting.set(id, { done, fail });
        worker.postMessage({ ...message, id }, transfer);
    });
}

function fail_all(why, cancelled = false) {
    for (const { fail } of waiting.values())
        fail(new Failure(why, { cancelled }));
    waiting.clear();
}

/* There are no threads: what takes long holds up everything else. Say so, and offer to end it. */
function show_busy() {
    if (notice)
        return;
    notice = el('div', { class: 'remark on', role: 'status' }, BUSY,
        el('button', { class: 'btn', type: 'button', text: 'End it', onclick: restart }));
    document.body.append(notice);
}

function hide_busy() {
    if (notice)
        notice.remove();
    notice = null;
}

/* A new worker with the same files. */
function restart() {
    hide_busy();
    worker.terminate();
    fail_all('ended', true);
    started = begin().then(() => opened && ask({ verb: 'open', ...opened }));
}

function on_message({ data }) {
    if (data.copied !== undefined) {
        if (on_copied)
            on_copied(data.copied);
        return;
    }
    if (data.broken) {
        fail_all(data.broken);
        return;
    }
    const mine = waiting.get(data.id);
    waiting.delete(data.id);
    if (!mine)
        return;
    if (data.error)
        mine.fail(new Failure(data.error));
    else
        mine.done(data.said);
}

async function begin() {
    const url = URL.createObjectURL(new Blob([text_of('rastrum-worker')], { type: 'text/javascript' }));
    worker = new Worker(url);
    worker.onmessage = on_message;
    worker.onerror = () => fail_all('the WebAssembly module of this page has failed');
    const bytes = await window.rastrum_unpack(text_of('rastrum-module'));
    URL.revokeObjectURL(url);
    await ask({ verb: 'start', bytes }, [bytes]);
}

/* The traces of a report, by their sides. */
async function open_inside(scripts) {
    const sides = [];
    for (const { side, path, number, text } of scripts) {
        sides[number] ??= { name: side, files: [] };
        sides[number].files.push({ path, file: new File([await unpack(text)], path) });
    }
    const bytes = sides.flatMap((side) => side.files).reduce((sum, { file }) => sum + file.size, 0);
    opened = { sides, bytes, compressed: true };
    await ask({ verb: 'open', ...opened });
}

function start() {
    if (started)
        return;
    const scripts = [...document.querySelectorAll('script.rastrum-file')].map((script) =>
        ({ ...script.dataset, text: script.textContent }));
    started = begin();
    if (scripts.length)
        started = started.then(() => open_inside(scripts));
}

async function send(path, body, post) {
    start();
    await started;
    const timer = setTimeout(show_busy, BUSY_MS);
    try {
        return await ask({ verb: 'answer', path: `/v1/${path}`, body, post });
    } finally {
        clearTimeout(timer);
        hide_busy();
    }
}

const first_of = (path) => path.slice(0, Math.max(0, path.indexOf('/')));
const below = (path) => path.slice(path.indexOf('/') + 1);
const is_hidden = (path) => path.split('/').some((part) => part.startsWith('.'));

/* A folder that holds run directories and nothing else. */
function is_shelf(files) {
    const runs = new Set(files.map(({ path }) => first_of(path)));
    return !runs.has('') && [...runs].every((run) => files.some(({ path }) => path === `${run}/run.json`));
}

/* What was dropped as sides, in the order of their names: each folder is one, and so is each file.
 * A folder of run directories is opened; files that were chosen without their folder, more than
 * two, are one. */
export function sides_of(given) {
    let files = given.filter(({ path }) => !is_hidden(path));
    const folders = new Set(files.map(({ path }) => first_of(path)));
    if (folders.size === 1 && !folders.has('')) {
        const inner = files.map(({ path, file }) => ({ path: below(path), file }));
        if (is_shelf(inner))
            files = inner;
    }
    if (files.length > 2 && files.every(({ path }) => !first_of(path)))
        return [{ name: 'files', files }];
    const sides = new Map();
    for (const { path, file } of files) {
        const folder = first_of(path), key = folder ? `${folder}/` : path;
        if (!sides.has(key))
            sides.set(key, { name: folder || path, files: [] });
        sides.get(key).files.push({ path: folder ? below(path) : '', file });
    }
    return [...sides.values()].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/* By the first bytes: gzip or zstd. */
async function is_compressed(file) {
    const head = new Uint8Array(await file.slice(0, HEAD).arrayBuffer());
    const starts = (...bytes) => bytes.every((byte, i) => head[i] === byte);
    return starts(0x1f, 0x8b) || starts(0x28, 0xb5, 0x2f, 0xfd);
}

function giga(bytes) {
    return `${(bytes / 1e9).toFixed(1)} GB`;
}

/* Open files, [{path, file}]; those that are open already are closed, but with `is_other` the first
 * of them stays, and is compared. Sizes are checked before a byte is copied. */
async function add(files, on_progress = null, { is_other = false } = {}) {
    const sides = is_other ? [opened.sides[0], ...sides_of(files)] : sides_of(files);
    const all = sides.flatMap((side) => side.files);
    const bytes = all.reduce((sum, { file }) => sum + file.size, 0);
    if (!sides.length)
        throw new Failure('there are no files in it');
    if (sides.length > 2)
        throw new Failure(`${sides.length} traces or folders were given; two at most can be compared`);
    if (bytes > SIZE_MAX)
        throw new Failure(`${giga(bytes)} are more than a page can hold, ${giga(SIZE_MAX)}`,
            { hint: TOO_LARGE });
    let compressed = false;
    for (const { file } of all)
        compressed = compressed || await is_compressed(file);
    start();
    await started;
    on_copied = on_progress;
    try {
        await ask({ verb: 'open', sides, bytes, compressed });
        opened = { sides, bytes, compressed };
    } finally {
        on_copied = null;
    }
}

export default {
    name: 'wasm',
    start,
    send,
    add,
};
