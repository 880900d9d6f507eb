/* wasm_worker.js - the worker that holds the module: requests in the order in which they come, and
 * work between them. */
import { make_module } from './wasm_module.js';

const STEP_MS = 8;
let code = null;                /* the compiled module */
let module = null;              /* with what is open */
let busy = false;               /* a step is due */

const wake = new MessageChannel();      /* quicker than a timer, and messages come in between */
wake.port1.onmessage = () => work();

function work() {
    busy = false;
    try {
        if (module && module.step(STEP_MS))
            keep_working();
    } catch (failure) {
        postMessage({ broken: failure.message });
    }
}

function keep_working() {
    if (busy)
        return;
    busy = true;
    wake.port2.postMessage(null);
}

const file_of = ({ path, file }) => ({ path, size: file.size,
    read: async (from, to) => new Uint8Array(await file.slice(from, to).arrayBuffer()) });

/* A new module for what was dropped: the memory of the last one goes with it. */
async function open({ sides, bytes, compressed }) {
    const fresh = await make_module(code, { bytes, compressed });
    let copied = 0;
    fresh.start();
    for (const side of sides)
        await fresh.open(side.name, side.files.map(file_of), (count) => {
            copied += count;
            postMessage({ copied: bytes ? copied / bytes : 1 });
        });
    module = fresh;
    keep_working();
    return {};
}

async function answer({ path, body, post }) {
    if (!module) {
        module = await make_module(code);
        module.start();
    }
    const said = module.answer(path, body, post);
    keep_working();
    return said;
}

const verbs = {
    start: async ({ bytes }) => {
        code = await WebAssembly.compile(bytes);
        return {};
    },
    open,
    answer,
};

/* One after the other: the next waits until the one before it is done. */
let last = Promise.resolve();
addEventListener('message', ({ data }) => {
    last = last.then(async () => {
        try {
            const said = await verbs[data.verb](data);
            postMessage({ id: data.id, said }, said.bytes ? [said.bytes] : []);
        } catch (failure) {
            postMessage({ id: data.id, error: failure.message });
        }
    });
});
