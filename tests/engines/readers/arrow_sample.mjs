// arrow_sample.mjs - write an Arrow stream with apache-arrow: two batches, the text a dictionary.
import { writeFileSync } from 'node:fs';
import {
  Binary, Dictionary, Field, Float64, Int32, List, RecordBatch, RecordBatchStreamWriter, Schema,
  Struct, Uint64, Utf8, makeData, vectorFromArray,
} from 'apache-arrow';

const TOP = 18446744073709551615n;
const text = new Dictionary(new Utf8(), new Int32(), 1);
const columns = {
  u64: vectorFromArray([TOP, 0n, 3n], new Uint64()),
  f64: vectorFromArray([NaN, -Infinity, 1e300], new Float64()),
  t: vectorFromArray(["ä'x\n", null, ''], text),
  x: vectorFromArray([new Uint8Array([97, 98, 0, 255]), null, new Uint8Array()], new Binary()),
  l: vectorFromArray([[1n, TOP], null, []], new List(new Field('item', new Uint64(), false))),
};
const schema = new Schema(
  Object.entries(columns).map(([name, vector]) => new Field(name, vector.type, true)));
const batch = new RecordBatch(schema, makeData({
  type: new Struct(schema.fields), length: 3, nullCount: 0,
  children: Object.values(columns).map((vector) => vector.data[0]),
}));
const writer = new RecordBatchStreamWriter();
writer.write(batch);
writer.write(batch);
writer.close();
writeFileSync(process.argv[2], await writer.toUint8Array());
