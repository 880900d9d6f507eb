// hyparquet.mjs - read Parquet files with hyparquet, a reader in JavaScript.
import { readFileSync } from 'node:fs';
import { parquetMetadata, parquetReadObjects, parquetSchema } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { run, table } from './lib.mjs';

// The kind of a column, or of the items of a list: that of its leaf.
function kind(node) {
  while (node.children.length) node = node.children[0];
  const { type, logical_type: logical, converted_type: converted } = node.element;
  if (type === 'BOOLEAN') return 'bool';
  if (type === 'FLOAT' || type === 'DOUBLE') return 'float';
  if (type === 'INT32' || type === 'INT64') return 'int';
  return logical?.type === 'STRING' || converted === 'UTF8' ? 'text' : 'bytes';
}

await run(async ({ file, limit }) => {
  const bytes = readFileSync(file);
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  const metadata = parquetMetadata(buffer);
  const rows = await parquetReadObjects({ file: buffer, metadata, compressors, utf8: false });
  const columns = parquetSchema(metadata).children.map((node) => ({
    name: node.element.name,
    kind: kind(node),
    values: rows.map((row) => row[node.element.name] ?? null),
  }));
  const answer = table(columns, limit);
  if (BigInt(answer.rows) !== metadata.num_rows && columns.length) {
    throw new Error(`${answer.rows} rows, and its footer says ${metadata.num_rows}`);
  }
  const metadataOf = Object.fromEntries(
    (metadata.key_value_metadata ?? []).map(({ key, value }) => [key, value]));
  return { ...answer, groups: metadata.row_groups.length, metadata: metadataOf };
});
