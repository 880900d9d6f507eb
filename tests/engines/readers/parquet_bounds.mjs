// parquet_bounds.mjs - hold the statistics and the page index of a Parquet file to its values, as
// hyparquet reads them. A job may name the columns. Columns with lists have no bounds here.
import { readFileSync } from 'node:fs';
import { parquetMetadata, parquetReadObjects, readColumnIndex, readOffsetIndex } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { run } from './lib.mjs';

const isText = (value) => typeof value === 'string' || value instanceof Uint8Array;
const asBytes = (value) => Buffer.from(value);

function compare(a, b) {
  if (isText(a)) return Buffer.compare(asBytes(a), asBytes(b));
  return a < b ? -1 : a > b ? 1 : 0;
}

// The least, the greatest, and how many are null; NaN has no place in an order.
function rangeOf(values) {
  const range = { nulls: 0 };
  for (const value of values) {
    if (value === null || value === undefined) range.nulls++;
    else if (!Number.isNaN(value)) {
      if (range.min === undefined || compare(value, range.min) < 0) range.min = value;
      if (range.max === undefined || compare(value, range.max) > 0) range.max = value;
    }
  }
  return range;
}

// Bounds of numbers are exact; those of text may be cut, and then are wider. Those of bytes are
// text for hyparquet, which loses some.
function wrong(name, min, max, range) {
  if (min === undefined || range.min === undefined || range.min instanceof Uint8Array) return [];
  const low = compare(min, range.min);
  const high = compare(max, range.max);
  if (low > 0 || high < 0 || (!isText(min) && (low || high))) {
    return [`${name}: from ${min} to ${max}, and the values are from ${range.min} to ${range.max}`];
  }
  return [];
}

function pagesOf(buffer, chunk, element) {
  const part = (at, length) => ({ view: new DataView(buffer, Number(at), length), offset: 0 });
  return {
    index: readColumnIndex(part(chunk.column_index_offset, chunk.column_index_length), element),
    places: readOffsetIndex(part(chunk.offset_index_offset, chunk.offset_index_length))
      .page_locations,
  };
}

await run(async ({ file, columns }) => {
  const bytes = readFileSync(file);
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  const metadata = parquetMetadata(buffer);
  const flat = metadata.row_groups[0]?.columns.map((chunk) => chunk.meta_data.path_in_schema)
    .filter((path) => path.length === 1).map((path) => path[0]) ?? [];
  const wanted = columns ?? flat;
  const answer = { groups: metadata.row_groups.length, pages: 0, bounds: 0, complaints: [] };
  let first = 0;
  for (const group of metadata.row_groups) {
    const end = first + Number(group.num_rows);
    const rows = await parquetReadObjects({
      file: buffer, metadata, compressors, utf8: false, columns: wanted,
      rowStart: first, rowEnd: end,
    });
    for (const chunk of group.columns) {
      const [name, ...more] = chunk.meta_data.path_in_schema;
      if (more.length || !wanted.includes(name)) continue;
      const values = rows.map((row) => row[name]);
      const { statistics: told } = chunk.meta_data;
      const range = rangeOf(values);
      const at = `${name}, rows ${first} to ${end}`;
      if (Number(told?.null_count ?? -1) !== range.nulls) {
        answer.complaints.push(`${at}: ${told?.null_count} nulls, not ${range.nulls}`);
      }
      const min = told.min_value ?? told.min;
      const max = told.max_value ?? told.max;
      answer.bounds += min !== undefined;
      answer.complaints.push(...wrong(at, min, max, range));
      const element = metadata.schema.find((node) => node.name === name);
      const { index, places } = pagesOf(buffer, chunk, element);
      answer.pages += places.length;
      places.forEach(({ first_row_index: from }, i) => {
        const to = Number(places[i + 1]?.first_row_index ?? end - first);
        const inside = rangeOf(values.slice(Number(from), to));
        const page = `${at}, page ${i}`;
        if (Number(index.null_counts[i]) !== inside.nulls) {
          answer.complaints.push(`${page}: ${index.null_counts[i]} nulls, not ${inside.nulls}`);
        }
        if (index.null_pages[i] !== (inside.nulls === to - Number(from))) {
          answer.complaints.push(`${page}: null page ${index.null_pages[i]}`);
        }
        if (!index.null_pages[i]) {
          answer.complaints.push(
            ...wrong(page, index.min_values[i], index.max_values[i], inside));
        }
      });
    }
    first = end;
  }
  return answer;
});
