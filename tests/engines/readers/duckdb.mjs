// duckdb.mjs - ask DuckDB. A job is {file, sql}: without SQL all of the Parquet file is read.
import { DuckDBInstance, DuckDBTypeId } from '@duckdb/node-api';
import { run, table } from './lib.mjs';

const instance = await DuckDBInstance.create(':memory:');
const connection = await instance.connect();
await connection.run('SET threads = 1; SET memory_limit = \'2GB\'');

const KINDS = {
  BOOLEAN: 'bool', FLOAT: 'float', DOUBLE: 'float', VARCHAR: 'text', BLOB: 'bytes',
};

function kind(type) {
  const name = DuckDBTypeId[type.typeId];
  if (name === 'LIST') return kind(type.valueType);
  if (KINDS[name]) return KINDS[name];
  if (/INT/.test(name)) return 'int';
  throw new Error(`a column of type ${name}`);
}

function value(item) {
  if (item === null || item === undefined) return null;
  if (typeof item !== 'object') return item;
  return item.bytes ? new Uint8Array(item.bytes) : item.items.map(value);
}

await run(async ({ file, sql, limit }) => {
  const quoted = file?.replaceAll("'", "''");
  const reader = await connection.runAndReadAll(sql ?? `SELECT * FROM read_parquet('${quoted}')`);
  const values = reader.getColumns();
  return table(
    reader.columnNames().map((name, i) => ({
      name,
      kind: kind(reader.columnType(i)),
      values: (values[i] ?? []).map(value),
    })), limit);
});
