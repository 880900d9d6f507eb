// parquet_wasm.mjs - read Parquet files with parquet-wasm, which is arrow-rs in WebAssembly.
import { readFileSync } from 'node:fs';
import { tableFromIPC } from 'apache-arrow';
import { readParquet } from 'parquet-wasm/node';
import { columns } from './arrow_table.mjs';
import { run, table } from './lib.mjs';

await run(async ({ file, limit }) => {
  const read = readParquet(readFileSync(file));
  return table(columns(tableFromIPC(read.intoIPCStream())), limit);
});
