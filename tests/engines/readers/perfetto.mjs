// perfetto.mjs - ask Perfetto's trace_processor (WebAssembly) about traces.
//
// A job is {file, queries: {NAME: SQL}}; the answer is {results: {NAME: {columns, rows}}}. The
// engine is reset between traces, and made anew after one that it refused.
import { readFileSync } from 'node:fs';
import { run } from './lib.mjs';

const FOLDER = new URL('../unpacked/trace-processor/', import.meta.url);
const BUNDLE = readFileSync(new URL('engine_bundle.node.js', FOLDER), 'utf8');
const MODULE = await WebAssembly.compile(readFileSync(new URL('trace_processor.wasm', FOLDER)));

// TraceProcessorMethod
const APPEND = 1;
const FINALIZE = 2;
const QUERY = 3;
const RESET = 11;

function varint(number) {
  const bytes = [];
  let rest = BigInt(number);
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return Buffer.from([...bytes, Number(rest)]);
}

function field(id, data) {
  if (typeof data === 'number') return Buffer.concat([varint(id << 3), varint(data)]);
  return Buffer.concat([varint((id << 3) | 2), varint(data.length), data]);
}

// The fields of a message: [id, varint as BigInt | eight bytes | bytes].
function* fields(data) {
  let at = 0;
  const number = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = data[at++];
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  while (at < data.length) {
    const tag = Number(number());
    let size = 0;
    switch (tag & 7) {
      case 0:
        yield [tag >> 3, number()];
        continue;
      case 1:
        size = 8;
        break;
      case 2:
        size = Number(number());
        break;
      default:
        throw new Error(`wire type ${tag & 7} in an answer`);
    }
    yield [tag >> 3, data.subarray(at, at + size)];
    at += size;
  }
}

function varints(data) {
  const all = [];
  for (let at = 0; at < data.length; ) {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = data[at++];
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) break;
    }
    all.push(BigInt.asIntN(64, value));
  }
  return all;
}

// What the bundle, made for a worker of a browser, takes from its surroundings.
const worker = new Function('self', 'console', 'WorkerGlobalScope', 'XMLHttpRequest',
  'WebAssembly', BUNDLE);

const MODULES = {
  ...Object.fromEntries(['Memory', 'Table', 'Global', 'RuntimeError', 'Instance']
    .map((name) => [name, WebAssembly[name]])),
  Module: function (bytes) {
    if (bytes.length === 0) return MODULE;
    // The 32-bit module is the one there is: the probe for 64-bit memory, a module that begins
    // with a section of memories, must fail.
    if (bytes[8] === 5) throw new Error('no 64-bit memory');
    return new WebAssembly.Module(bytes);
  },
};

// The module is asked for by its address; it is compiled already.
function Request() {
  return { open() {}, send() {}, response: new ArrayBuffer(0) };
}

class Engine {
  constructor() {
    this.told = []; // by the engine, on its standard error
    const quiet = { log() {}, warn: (line) => this.told.push(line), error() {} };
    const scope = { location: { href: '' } };
    this.answers = [];
    this.rest = Buffer.alloc(0);
    this.sequence = 0;
    worker(scope, quiet, function () {}, Request, MODULES);
    this.port = { postMessage: (data) => this.receive(data) };
    scope.onmessage({ data: this.port });
  }

  receive(data) {
    this.rest = Buffer.concat([this.rest, Buffer.from(data)]);
    for (;;) {
      let at = 1;
      let size = 0;
      if (this.rest.length < 2) return;
      for (let shift = 0; ; shift += 7) {
        if (at >= this.rest.length) return;
        const byte = this.rest[at++];
        size += (byte & 127) * 2 ** shift;
        if (byte < 128) break;
      }
      if (this.rest.length < at + size) return;
      this.answers.push([...fields(this.rest.subarray(at, at + size))]);
      this.rest = this.rest.subarray(at + size);
    }
  }

  // All answers to one request: the engine gives them before the call returns.
  ask(method, body) {
    this.answers = [];
    const message = Buffer.concat([field(1, this.sequence), field(2, method), body]);
    this.port.onmessage({ data: field(1, message) });
    this.sequence++;
    for (const answer of this.answers) {
      for (const [id, data] of answer) if (id === 5) throw new Error(`fatal: ${data}`);
    }
    return this.answers;
  }

  load(bytes) {
    for (let at = 0; at < bytes.length; at += 1 << 20) {
      this.expect(this.ask(APPEND, field(101, bytes.subarray(at, at + (1 << 20)))), 201, 2);
    }
    this.expect(this.ask(FINALIZE, Buffer.alloc(0)), 212, 1);
  }

  // Throw what field `error` of the result `id` says.
  expect(answers, id, error) {
    for (const answer of answers) {
      for (const [at, data] of answer) {
        if (at !== id) continue;
        for (const [inner, text] of fields(data)) {
          if (inner === error && text.length) throw new Error(`${text}`);
        }
      }
    }
  }

  query(sql) {
    const result = { columns: [], rows: [] };
    for (const answer of this.ask(QUERY, field(103, field(1, Buffer.from(sql))))) {
      for (const [id, data] of answer) {
        if (id !== 203) continue;
        for (const [inner, value] of fields(data)) {
          if (inner === 1) result.columns.push(value.toString());
          else if (inner === 2 && value.length) throw new Error(`${sql}: ${value}`);
          else if (inner === 3) batch(result, value);
        }
      }
    }
    return result;
  }
}

// CellsBatch: the kinds of all cells, then the cells of each kind.
function batch(result, data) {
  const parts = {};
  for (const [id, value] of fields(data)) (parts[id] ??= []).push(value);
  const cells = varints(parts[1]?.[0] ?? []).map(Number);
  const integers = varints(parts[2]?.[0] ?? []);
  const texts = parts[5] ? parts[5][0].toString().split('\0') : [];
  const doubles = parts[3]?.[0];
  let integer = 0, text = 0, double = 0, blob = 0;
  const width = result.columns.length;
  for (let at = 0; at < cells.length; at += width) {
    result.rows.push(cells.slice(at, at + width).map((kind) => {
      if (kind === 1) return null;
      if (kind === 2) return integers[integer++];
      if (kind === 3) return doubles.readDoubleLE(8 * double++);
      if (kind === 4) return texts[text++];
      if (kind === 5) return new Uint8Array(parts[4][blob++]);
      throw new Error(`a cell of kind ${kind}`);
    }));
  }
}

let engine = null;

await run(async ({ file, queries }) => {
  if (!engine) {
    engine = new Engine();
    await new Promise(setImmediate); // it initialises itself in a promise
  } else engine.ask(RESET, field(107, Buffer.alloc(0)));
  const used = engine;
  engine = null; // what fails is not used again
  used.load(readFileSync(file));
  const results = {};
  for (const [name, sql] of Object.entries(queries)) results[name] = used.query(sql);
  engine = used;
  return { results };
});
