/* wasm_module.js - the readers as a WebAssembly module: its memory, its files, its answers. */

const PAGE = 65536;
const PAGES_MAX = 65536;            /* 4 GiB */
const ROOM = 512 << 20;             /* for timelines and answers, beside the files */
const TIMELINE = 256 << 20;
const PIECE = 16 << 20;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/* How much memory files of so many bytes may take: what they need, and room to work. Compressed
 * ones are decompressed into memory, to a size that is not known. */
function pages_for(bytes, compressed) {
    return compressed ? PAGES_MAX : Math.min(PAGES_MAX, Math.ceil((bytes + ROOM) / PAGE));
}

/* `code` is a WebAssembly.Module. Files are {path, size, read(from, to)}: read gives bytes or a
 * promise of them. */
export async function make_module(code, { bytes = 0, compressed = false } = {}) {
    const memory = new WebAssembly.Memory({ initial: 64, maximum: pages_for(bytes, compressed) });
    const instance = await WebAssembly.instantiate(code,
        { env: { memory }, rastrum: { now: () => performance.now() } });
    const c = instance.exports;
    c._initialize();

    const heap = () => new Uint8Array(memory.buffer);

    function take(size) {
        const at = c.alloc(size) >>> 0;
        if (!at)
            throw new Error(`there is no memory left for ${size} bytes; rastrum view opens any size`);
        return at;
    }

    /* A text that ends with a zero byte, to be released by whoever gets it. */
    function put_text(text) {
        const said = encoder.encode(text.replaceAll('\0', '\ufffd'));
        const at = take(said.length + 1);
        heap().set(said, at);
        heap()[at + said.length] = 0;
        return at;
    }

    function text_at(at) {
        const all = heap();
        let end = at >>> 0;
        while (all[end])
            end++;
        return decoder.decode(all.slice(at >>> 0, end));
    }

    function check(status) {
        if (status < 0)
            throw new Error(text_at(c.why()) || `the module failed with ${status}`);
        return status;
    }

    async function copy(file, on_bytes) {
        const at = take(file.size);
        for (let from = 0; from < file.size; from += PIECE) {
            const piece = await file.read(from, Math.min(file.size, from + PIECE));
            heap().set(piece, at + from);
            on_bytes(piece.length);
        }
        return at;
    }

    return {
        start: () => check(c.start(TIMELINE)),
        /* One side: a file, or the files of a directory with their paths below it. */
        async open(name, files, on_bytes = () => null) {
            for (const file of files) {
                const at = await copy(file, on_bytes);
                check(c.add(put_text(file.path), at, file.size));
            }
            const called = put_text(name);
            try {
                return check(c.open(called));
            } finally {
                c.release(called);
            }
        },
        /* {status, type, name, bytes}; the bytes are a copy. */
        answer(path, body, post) {
            const uri = encoder.encode(path);
            const size = body ? body.byteLength : 0;
            const at = take(uri.length + size);
            try {
                heap().set(uri, at);
                if (size)
                    heap().set(new Uint8Array(body.buffer || body, body.byteOffset || 0, size),
                               at + uri.length);
                const status = check(c.answer(post ? 1 : 0, at, uri.length, at + uri.length, size));
                const from = c.answer_bytes() >>> 0;
                return { status, type: text_at(c.answer_type()), name: text_at(c.answer_name()),
                         bytes: memory.buffer.slice(from, from + (c.answer_size() >>> 0)) };
            } finally {
                c.release(at);
            }
        },
        /* Work for about so many ms; whether there is more to do. */
        step: (ms) => check(c.step(ms)) > 0,
        memory_bytes: () => memory.buffer.byteLength,
    };
}
