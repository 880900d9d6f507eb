// arrow.mjs - read Arrow IPC streams and files with apache-arrow.
import { readFileSync } from 'node:fs';
import { RecordBatchReader, Table } from 'apache-arrow';
import { columns } from './arrow_table.mjs';
import { run, table } from './lib.mjs';

await run(async ({ file, limit }) => {
  const reader = RecordBatchReader.from(readFileSync(file));
  reader.open();
  const batches = [...reader];
  const all = new Table(reader.schema, batches);
  const fields = Object.fromEntries(
    all.schema.fields.map((field) => [field.name, Object.fromEntries(field.metadata)]));
  return { ...table(columns(all), limit), batches: batches.length, fields };
});
