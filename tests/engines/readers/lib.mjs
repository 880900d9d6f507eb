// lib.mjs - what all readers share: jobs in, one line of JSON a job out, values in one form.
//
// Standard input is a JSON array of jobs, each an object with `file` and what else the reader
// takes. Each answer is one line: {"file": ..., what was read} or {"file": ..., "error": ...}.
import { createHash } from 'node:crypto';
import { readFileSync, writeSync } from 'node:fs';

// JSON with integers of any size, and floats that JSON cannot hold as text.
export function json(value) {
  switch (typeof value) {
    case 'bigint':
      return value.toString();
    case 'number':
      if (Object.is(value, -0)) return '-0.0';
      return Number.isFinite(value) ? JSON.stringify(value) : `"${value}"`;
    case 'undefined':
      return 'null';
    case 'object':
      if (value === null) return 'null';
      if (value instanceof Uint8Array) return `{"bytes":"${Buffer.from(value).toString('hex')}"}`;
      if (Array.isArray(value)) return `[${value.map(json).join(',')}]`;
      return `{${Object.entries(value)
        .map(([name, item]) => `${JSON.stringify(name)}:${json(item)}`)
        .join(',')}}`;
    default:
      return JSON.stringify(value);
  }
}

// Answers are written at once: what is in a pipe survives the death of the process.
function answer(line) {
  const bytes = Buffer.from(line + '\n');
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
    }
  }
}

export async function run(read) {
  for (const job of JSON.parse(readFileSync(0, 'utf8'))) {
    try {
      answer(json({ file: job.file, ...(await read(job)) }));
    } catch (error) {
      answer(json({ file: job.file, error: `${error?.message ?? error}` }));
    }
  }
  process.exit(0); // some of these libraries leave threads behind
}

const DOUBLE = new DataView(new ArrayBuffer(8));

// The same bytes for the same value in every reader and in values.py.
function feed(hash, kind, value) {
  if (value === null || value === undefined) hash.update('n');
  else if (Array.isArray(value)) {
    hash.update('[');
    for (const item of value) feed(hash, kind, item);
    hash.update(']');
  } else if (typeof value === 'boolean') hash.update(value ? 't' : 'f');
  else if (value instanceof Uint8Array) hash.update(`b${value.length}:`).update(value);
  else if (typeof value === 'string') {
    const bytes = Buffer.from(value);
    hash.update(`s${bytes.length}:`).update(bytes);
  } else if (kind === 'float') {
    DOUBLE.setFloat64(0, value);
    hash.update('d').update(Number.isNaN(value) ? 'nan' : new Uint8Array(DOUBLE.buffer));
  } else hash.update(`i${value};`);
}

function nulls(values) {
  return values.reduce((count, value) => count + (value === null || value === undefined), 0);
}

// columns: [{name, kind, values}], kind: bool int float text bytes. A list's kind is that of its
// items. All values are told of tables of at most `limit` rows.
export function table(columns, limit = 1000) {
  const rows = columns.length ? columns[0].values.length : 0;
  return {
    rows,
    columns: columns.map(({ name, kind, values }) => {
      const hash = createHash('sha256');
      let sum = 0n;
      for (const value of values) {
        feed(hash, kind, value);
        if (kind === 'int' && value !== null && !Array.isArray(value)) sum += BigInt(value);
      }
      return {
        name,
        kind,
        count: values.length,
        nulls: nulls(values),
        sum: kind === 'int' ? sum : null,
        digest: hash.digest('hex').slice(0, 32),
        values: rows <= limit ? values : null,
      };
    }),
  };
}
