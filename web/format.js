/* format.js - numbers as text: the same figure reads the same in every view. */

const GROUPS = /\B(?=(\d{3})+(?!\d))/g;
const TIME_UNITS = [[1e9, 's'], [1e6, 'ms'], [1e3, '\u00b5s'], [1, 'ns']];
const SIZE_UNITS = [[1e12, 'TB'], [1e9, 'GB'], [1e6, 'MB'], [1e3, 'kB']];

/* 13978 -> "13,978"; takes numbers, BigInts and strings of digits. null -> an en dash. */
export function count(value) {
    if (value === null || value === undefined)
        return '\u2013';
    const text = typeof value === 'number' ? String(Math.round(value)) : String(value);
    return text.replace(GROUPS, ',');
}

/* Three significant figures, or all of the whole part. */
function three(value) {
    const size = Math.abs(value);
    if (size >= 100)
        return value.toFixed(0);
    return value.toFixed(size >= 10 ? 1 : 2).replace(/\.?0+$/, '');
}

/* A duration of nanoseconds (number, BigInt or digits): "2.5 us" with the real sign, "626 ms". */
export function ns(value) {
    if (value === null || value === undefined)
        return '\u2013';
    const number = Number(value);
    if (number === 0)
        return '0 ns';
    const [scale, unit] = TIME_UNITS.find(([s]) => Math.abs(number) >= s) || TIME_UNITS[3];
    return `${three(number / scale)} ${unit}`;
}

/* A place in time after the begin of a side, precise to `step` ns: "+277.081 ms". */
export function place(value, step = 1) {
    const number = Number(value);
    const [scale, unit] = TIME_UNITS.find(([s]) => Math.abs(number) >= s) || TIME_UNITS[3];
    const digits = Math.min(9, Math.max(0, Math.ceil(Math.log10(scale / Math.max(1, step)))));
    const text = (number / scale).toFixed(digits);
    const [whole, part] = text.split('.');
    return `+${whole.replace(GROUPS, ',')}${part ? '.' + part : ''} ${unit}`;
}

/* 163840 -> "164 kB": powers of ten, as `rastrum info` prints sizes. */
export function bytes(value) {
    if (value === null || value === undefined)
        return '\u2013';
    const number = Number(value);
    const row = SIZE_UNITS.find(([s]) => number >= s);
    return row ? `${three(number / row[0])} ${row[1]}` : `${count(number)} bytes`;
}

/* [1, 600] -> "1 to 600" */
export function ticks(range) {
    return range ? `${count(range[0])} to ${count(range[1])}` : '\u2013';
}

/* "1 record", "2 records" */
export function plural(n, word, more = word + 's') {
    return `${count(n)} ${Number(n) === 1 ? word : more}`;
}

/* A value of a counter: at most four figures after the point, no exponent below a billion. */
export function figure(value) {
    if (value === null || value === undefined || !Number.isFinite(value))
        return '\u2013';
    const size = Math.abs(value);
    if (Number.isInteger(value) && size < 1e15)
        return count(value);
    if (size >= 1e9 || size < 1e-4)
        return value.toPrecision(4);
    return size >= 100 ? count(value) : three(value);
}

/* A share of one: "12.5 %". */
export function share(value) {
    return `${three(value * 100)} %`;
}
