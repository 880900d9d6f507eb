/* compare.mjs - the module answers as the native library does, byte for byte, over all goldens.
 *
 * node tests/wasm/compare.mjs MODULE.wasm ANSWERS RASTRUM [NAME...]
 *
 * Every golden, file or directory, some of them compressed, runs of the arena, and pairs of them: what opens, what is refused and how, records,
 * endings, tracks, tiles, pictures, results of jobs; with RASTRUM_EFFORT=reduced of every third golden. PNG is not compressed in the module: pictures
 * are compared by what they hold. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inflateSync } from 'node:zlib';

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const GOLDEN = join(ROOT, 'tests', 'golden');
const BESIDE = /\.(jsonl|json|rc|py|md|build)$/;
const [module_path, program, rastrum, ...only] = process.argv.slice(2);
/* The page's own module; node takes a .js for something else. */
const text = readFileSync(join(ROOT, 'web', 'wasm_module.js'));
const { make_module } = await import(`data:text/javascript;base64,${text.toString('base64')}`);
/* Answers that may take only so long are complete on a busy machine, too: time stands still, as in ANSWERS. */
Object.defineProperty(globalThis, 'performance', { value: { now: () => 1 } });
const ROW = 16;                         /* before each picture of a strip: number, length, hash */
const GENERATION_AT = 44, TICKS_GENERATION_AT = 24;
const MAGIC = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

function files_below(path) {
    if (!statSync(path).isDirectory())
        return [path];
    return readdirSync(path).sort().flatMap((name) => files_below(join(path, name)));
}

function goldens() {
    const found = [];
    for (const form of readdirSync(GOLDEN).sort()) {
        const folder = join(GOLDEN, form);
        if (!statSync(folder).isDirectory() || form === 'lines')
            continue;
        for (const name of readdirSync(folder).sort())
            if (!BESIDE.test(name) && !/^[._]/.test(name))
                found.push(join(form, name));
    }
    return found;
}

/* A golden as a page sees it: a name and files, with their paths below it. */
function side_of(name) {
    const path = name.startsWith('/') ? name : join(GOLDEN, name);
    const is_folder = statSync(path).isDirectory();
    return { name: name.split('/').pop(), files: files_below(path).map((file) =>
        ({ file, path: is_folder ? relative(path, file) : '' })) };
}

const file_of = ({ file, path }) => {
    const data = readFileSync(file);
    return { path, size: data.length, read: (from, to) => data.subarray(from, to) };
};

async function open_module(code, sides) {
    const module = await make_module(code, { compressed: true });
    const errors = [];
    module.start();
    for (const side of sides)
        try {
            await module.open(side.name, side.files.map(file_of));
        } catch (failure) {
            errors.push(`error: ${failure.message}`);
        }
    while (module.step(8));
    return { module, errors };
}

function ask_module(module, { post, uri, body }) {
    const said = module.answer(uri, body, post);
    while (module.step(8));
    return { head: `${said.status} ${said.type} `, bytes: Buffer.from(said.bytes) };
}

/* The same requests of the native program. */
function ask_program(sides, requests) {
    const words = sides.flatMap((side, i) => [...(i ? ['--'] : []), side.name,
        ...side.files.flatMap(({ file, path }) => [file, path])]);
    const child = spawn(program, words, { stdio: ['pipe', 'pipe', 'inherit'] });
    const pieces = [];
    child.stdout.on('data', (data) => pieces.push(data));
    child.stdin.end(requests.map(({ post, uri, body }) =>
        `${post ? 'POST' : 'GET'} ${uri} ${body ? Buffer.from(body).toString('hex') : ''}\n`).join(''));
    return new Promise((done, fail) => child.on('close', (status) => (
        status ? fail(new Error(`answers ended with ${status}`)) : done(parse(Buffer.concat(pieces))))));
}

function parse(all) {
    const errors = [], answers = [];
    for (let at = 0; at < all.length;) {
        const end = all.indexOf(10, at), line = all.toString('utf8', at, end);
        at = end + 1;
        if (line.startsWith('error: ')) {
            errors.push(line);
            continue;
        }
        const [, head, size] = /^(.* )(\d+)$/.exec(line);
        answers.push({ head, bytes: all.subarray(at, at + Number(size)) });
        at += Number(size);
    }
    return { errors, answers };
}

/* A generation says how many steps a build took, which depends on time. */
function without_generation(bytes) {
    if (bytes.toString('latin1', 0, 4) === 'RTL1') {
        const copy = Buffer.from(bytes);
        for (let at = 0; at < copy.length; at += copy.readUInt32LE(at + 4))
            copy.writeUInt32LE(0, at + GENERATION_AT);
        return copy;
    }
    if (bytes.toString('latin1', 0, 4) === 'RTK1') {
        const copy = Buffer.from(bytes);
        copy.writeUInt32LE(0, TICKS_GENERATION_AT);
        return copy;
    }
    return bytes[0] === 0x7b ? Buffer.from(bytes.toString('latin1').replace(/^\{"generation":"\d+"/, '{'), 'latin1')
                             : bytes;
}

/* Pictures inside of an answer as what they hold. */
function plain(bytes) {
    const out = [];
    let from = 0;
    for (let at = bytes.indexOf(MAGIC); at >= 0; at = bytes.indexOf(MAGIC, from)) {
        if (at >= from + ROW)           /* in a strip: without its length */
            out.push(bytes.subarray(from, at - ROW + 4), bytes.subarray(at - ROW + 8, at));
        let next = at + 8;
        for (let type = ''; type !== 'IEND';) {
            const size = bytes.readUInt32BE(next);
            const data = bytes.subarray(next + 8, next + 8 + size);
            type = bytes.toString('latin1', next + 4, next + 8);
            out.push(type === 'IDAT' ? inflateSync(data) : data);
            next += size + 12;
        }
        from = next;
    }
    return from ? Buffer.concat([...out, bytes.subarray(from)]) : without_generation(bytes);
}

const get = (uri) => ({ post: false, uri: `/v1/${uri}`, body: null });
const post = (uri, body) => ({ post: true, uri: `/v1/${uri}`, body: new Uint8Array(Buffer.from(body)) });

function tile_request(tracks) {
    const rows = [];
    for (const { track } of tracks.filter(({ kind }) => kind !== 'group').slice(0, 32))
        for (const shift of [8, 14, 20, 24, 30, 40])
            rows.push({ track, shift, index: 0n });
    const body = Buffer.alloc(rows.length * 16);
    rows.forEach(({ track, shift, index }, i) => {
        body.writeUInt32LE(track, i * 16);
        body.writeInt32LE(shift, i * 16 + 4);
        body.writeBigUInt64LE(index, i * 16 + 8);
    });
    return post('tiles', body);
}

/* A job is asked for, then fetched: the requests are the same on both sides, and so are ids. */
let job_id = 0;
const job = (request) => [request, get(`job?id=${++job_id}`)];

function requests_for(open, tracks) {
    job_id = 0;
    const out = [get('open'), get('tracks?side=0'), get('names?side=0&from=0')];
    if (tracks.some(({ kind }) => kind !== 'group'))
        out.push(tile_request(tracks));
    for (const { src, records, error } of open.sources) {
        if (error)
            continue;
        out.push(post(`records?src=${src}&from=0&n=500`, '\n'));
        for (const seq of [0, 1, Math.floor((records || 0) / 2)])
            out.push(get(`record?src=${src}&seq=${seq}`));
        for (const route of ['verify', 'stats', 'tree'])
            out.push(...job(get(`${route}?src=${src}`)));
        for (const n of [0, 1])
            out.push(...job(get(`frame?src=${src}&n=${n}`)), get(`commands?src=${src}&n=${n}`));
        out.push(...job(get(`strip?src=${src}&from=0&n=4&side_px=64`)));
    }
    out.push(get('tick?side=0&n=1'), get('ticks?side=0&from=0&n=240'), ...job(get('compare')),
        get('staff?from=0&to=40'), ...job(post('sql', 'select 1')), get('nothing'), get('open?x=%00'));
    return out;
}

function json_of(module, uri) {
    const said = ask_module(module, get(uri));
    return JSON.parse(said.bytes.toString());
}

/* What differs between both, in a line each. */
async function compare(code, names) {
    const sides = names.map(side_of);
    const { module, errors } = await open_module(code, sides);
    const first = await ask_program(sides, []);
    const wrong = [];
    if (errors.join() !== first.errors.join())
        wrong.push(`errors are ${errors}, natively ${first.errors}`);
    const open = json_of(module, 'open');
    const tracks = open.sides.length ? json_of(module, 'tracks?side=0').tracks || [] : [];
    const requests = requests_for(open, tracks);
    const natively = await ask_program(sides, [get('open'), get('tracks?side=0'), ...requests]
        .slice(open.sides.length ? 0 : 1));
    const skip = natively.answers.length - requests.length;
    requests.forEach((request, i) => {
        const here = ask_module(module, request), there = natively.answers[i + skip];
        if (is_without_opengl(here, there))
            return;
        if (here.head !== there.head)
            wrong.push(`${request.uri}: ${here.head} natively ${there.head}`);
        else if (!plain(here.bytes).equals(plain(there.bytes)))
            wrong.push(`${request.uri}: ${difference(here.bytes, there.bytes)}`);
    });
    return { wrong, count: requests.length + 1 };
}

/* Shaders that only OpenGL executes are refused in the module, with the reason. */
function is_without_opengl(here, there) {
    return here.head.startsWith('409') && /^(200|404)/.test(there.head) &&
        /more than this back end can prove|OpenGL ES runs in a confined process/.test(here.bytes);
}

function difference(a, b) {
    let at = 0;
    while (at < a.length && a[at] === b[at])
        at++;
    const from = Math.max(0, at - 60);
    return `${a.length} bytes, natively ${b.length}, differ at ${at}: ` +
        `${JSON.stringify(a.toString('latin1', from, at + 60))} natively ` +
        `${JSON.stringify(b.toString('latin1', from, at + 60))}`;
}

/* Two runs that diverge in tick 20. */
function make_runs(folder) {
    const run = (name, ...words) => execFileSync(rastrum, ['run', 'arena', '--seed', '7', '--ticks', '40', ...words,
        '-o', join(folder, name)], { stdio: 'ignore' });
    run('good');
    run('bad', '--perturb', '20:rng');
    return [join(folder, 'good'), join(folder, 'bad')];
}

/* A session and a lone file, compressed as `record --compress` does it. */
function make_packed(folder) {
    return ['atf/two_processes', 'atf/big-steady.atf', 'dial9/big-steady.trc'].map((name) => {
        const packed = join(folder, `packed_${name.split('/').pop()}`);
        execFileSync(rastrum, ['convert', '--compress', join(GOLDEN, name), '-o', packed], { stdio: 'ignore' });
        return packed;
    });
}

const scratch = mkdtempSync(join(tmpdir(), 'rastrum-wasm-'));
const code = await WebAssembly.compile(readFileSync(module_path));
const all = goldens().filter((_, i) => process.env.RASTRUM_EFFORT !== 'reduced' || i % 3 === 0);
const by_form = new Map(all.map((name) => [name.split('/')[0], name]));
const arena = make_runs(scratch);
const packed = make_packed(scratch).map((name) => [name]);
const runs = [[arena[0]], arena, ...packed, ...all.map((name) => [name]), ...[...by_form.values()].map((name) => [name, name])];
let passed = 0, failed = 0;
for (const names of runs) {
    if (only.length && !only.some((word) => names[0].includes(word)))
        continue;
    let wrong, count;
    try {
        ({ wrong, count } = await compare(code, names));
    } catch (failure) {
        wrong = [failure.stack];
        count = 1;
    }
    for (const line of wrong)
        console.log(`${names.join(' + ')}: ${line}`);
    passed += count - wrong.length;
    failed += wrong.length;
}
rmSync(scratch, { recursive: true });
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed || !passed ? 1 : 0;
