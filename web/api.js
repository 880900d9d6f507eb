/* api.js - requests and jobs of the protocol (docs/view-protocol.md) over any transport. */

/* What a request failed with: the sentence, what to do, and the status; `cancelled` where the page
 * itself ended it, which is no failure to show. */
export class Failure extends Error {
    constructor(message, { hint = '', status = 0, cancelled = false } = {}) {
        super(message);
        this.hint = hint;
        this.status = status;
        this.cancelled = cancelled;
    }
}

const decoder = new TextDecoder();
const FIRST_WAIT_MS = 15;
const LONGEST_WAIT_MS = 250;
/* What another page cancelled, by an equal request, is asked for again. */
const AGAIN = 6;
const AGAIN_MS = 60;
/* Pages of one program do not replace each other's jobs. */
const PAGE = crypto.getRandomValues(new Uint32Array(1))[0];

const wait = (ms) => new Promise((done) => setTimeout(done, ms));
const cancelled = () => new Failure('cancelled', { cancelled: true });

function parse(bytes) {
    try {
        return JSON.parse(decoder.decode(bytes));
    } catch {
        throw new Failure('the answer is not JSON');
    }
}

function is_json(answer) {
    return answer.type.startsWith('application/json');
}

function check(answer) {
    if (answer.status < 400)
        return answer;
    const said = is_json(answer) ? parse(answer.bytes) : {};
    throw new Failure(said.error || `the request failed with status ${answer.status}`,
        { hint: said.hint || '', status: answer.status });
}

function encode(body) {
    return typeof body === 'string' ? new TextEncoder().encode(body) : body;
}

/* The requests of a page. `transport.send(path, body or null, post)` gives {status, type, bytes, name}. */
export function make_api(transport) {
    const running = new Map();      /* kind -> the state of the newest job of it */

    async function send(path, body = null, post = body !== null) {
        return check(await transport.send(path, body === null ? null : encode(body), post));
    }

    async function finish(answer, path) {
        const result = is_json(answer) ? parse(answer.bytes) : answer.bytes;
        if (is_json(answer) && result.error && result.state === 'failed')
            throw new Failure(result.error, { hint: result.hint || '' });
        if (is_json(answer) && result.state === 'cancelled')
            throw cancelled();
        if (result === undefined)
            throw new Failure(`${path}: no answer`);
        return result;
    }

    async function await_job(mine, on_progress) {
        for (let ms = FIRST_WAIT_MS;; ms = Math.min(LONGEST_WAIT_MS, ms * 1.6)) {
            if (mine.ended)
                throw cancelled();
            const answer = await send(`job?id=${mine.id}`);
            if (mine.ended)
                throw cancelled();
            const said = is_json(answer) ? parse(answer.bytes) : null;
            const waits = said && (said.state === 'queued' || said.state === 'running');
            if (!waits)
                return answer;
            if (on_progress)
                on_progress(said.done || 0);
            await wait(ms);
        }
    }

    /* Equal requests are one job of the program: it goes on while anybody here waits for it. */
    function cancel_job(mine) {
        const is_shared = [...running.values()].some((other) => !other.ended && other.key === mine.key);
        if (mine.id !== null && !is_shared)
            send(`cancel?id=${mine.id}`, '', true).catch(() => null);
    }

    function end(mine, next = null) {
        if (!mine || mine.ended)
            return;
        mine.ended = true;
        if (!next || next.key !== mine.key)
            cancel_job(mine);
    }

    async function job(path, body = null, on_progress = null, kind = path.split('?')[0]) {
        return finish(await answer_of(path, body, on_progress, kind), path);
    }

    async function file(path, on_progress = null, kind = path.split('?')[0]) {
        const { bytes, type, name } = await answer_of(path, null, on_progress, kind);
        return { bytes, type, name: name || '' };
    }

    /* Send it and wait for its end. */
    async function one_answer(mine, path, body, on_progress) {
        const answer = await send(`${path}${path.includes('?') ? '&' : '?'}page=${PAGE}`, body);
        if (answer.status !== 202)
            return answer;
        mine.id = parse(answer.bytes).job;
        if (!mine.ended)
            return await_job(mine, on_progress);
        cancel_job(mine);
        throw cancelled();
    }

    function was_cancelled(answer) {
        return is_json(answer) && answer.bytes.byteLength < 1000 && parse(answer.bytes).state === 'cancelled';
    }

    /* The answer of a job, whichever it is. What others cancelled is asked for again. */
    async function answer_of(path, body, on_progress, kind) {
        const mine = { id: null, ended: false, key: `${path}\n${body ?? ''}` };
        end(running.get(kind), mine);
        running.set(kind, mine);
        try {
            let answer = await one_answer(mine, path, body, on_progress);
            for (let tries = 0; tries < AGAIN && !mine.ended && was_cancelled(answer); tries++) {
                await wait(AGAIN_MS * 2 ** tries * (1 + Math.random()));
                answer = await one_answer(mine, path, body, on_progress);
            }
            if (mine.ended)
                throw cancelled();
            return answer;
        } finally {
            mine.ended = true;
            if (running.get(kind) === mine)
                running.delete(kind);
        }
    }

    return {
        /* JSON of a GET. */
        get: async (path) => parse((await send(path)).bytes),
        /* JSON of a POST; the body is a string or bytes. */
        post: async (path, body) => parse((await send(path, body)).bytes),
        /* ArrayBuffer of a GET, or of a POST where there is a body. */
        bytes: async (path, body = null) => (await send(path, body)).bytes,
        /* A job to its end: the object of its JSON, else its ArrayBuffer. One of the same kind (the
         * route, if not given) that still runs is cancelled, and its promise fails with
         * `cancelled`. on_progress(share) is called with 0 to 1 meanwhile. */
        job,
        /* The same for what is saved: {bytes, type, name}. */
        file,
        /* End the running job of a kind, if there is one. */
        cancel: (kind) => end(running.get(kind)),
    };
}
