// arrow_table.mjs - the columns of a table of apache-arrow as values.
import { DataType } from 'apache-arrow';

function kind(type) {
  if (DataType.isDictionary(type)) return kind(type.dictionary);
  if (DataType.isList(type)) return kind(type.children[0].type);
  if (DataType.isBool(type)) return 'bool';
  if (DataType.isInt(type)) return 'int';
  if (DataType.isFloat(type)) return 'float';
  if (DataType.isUtf8(type) || DataType.isLargeUtf8(type)) return 'text';
  if (DataType.isBinary(type) || DataType.isLargeBinary(type)) return 'bytes';
  throw new Error(`a column of type ${type}`);
}

function value(item) {
  if (item === null || item === undefined) return null;
  if (typeof item === 'object' && !(item instanceof Uint8Array)) return [...item].map(value);
  return item;
}

export function columns(table) {
  return table.schema.fields.map(({ name, type }, i) => ({
    name,
    kind: kind(type),
    values: [...table.getChildAt(i)].map(value),
  }));
}
