/* table_plot.js - a result as a plot: the first number over the first column; bars of few rows, else a line. */

const HEIGHT = 130;
const LEFT = 48;            /* the least room for figures beside the plot */
const BASE = 112;
const BARS_MOST = 80;
const POINTS_MOST = 560;
const CHARACTER = 6.5;      /* of a label, in pixels */

const is_number = (value) => typeof value === 'number' && Number.isFinite(value);

/* What is plotted: {x, y: index of columns}, or null where there are no numbers. */
export function choose_plot(result) {
    if (!result || result.rows.length < 2)
        return null;
    const numbers = result.columns.map((_, i) => result.rows.some((row) => is_number(row[i])) &&
        result.rows.every((row) => row[i] === null || is_number(row[i])));
    const y = numbers.findIndex((yes, i) => yes && i > 0);
    if (y > 0)
        return { x: 0, y };
    return numbers[0] ? { x: null, y: 0 } : null;
}

/* Lines at round values: about four. */
function steps_of(low, high) {
    const rough = Math.max(1e-12, (high - low) / 4), scale = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((n) => n * scale).find((n) => n >= rough);
    const found = [];
    for (let v = Math.ceil(low / step - 1e-9) * step; v <= high + step * 1e-9 && found.length < 8; v += step)
        found.push(Math.abs(v) < step / 1e6 ? 0 : v);
    return found;
}

/* Where the plot begins: after the longest figure, which would be another one if its start were cut off. */
function left_of(app, steps) {
    return Math.max(LEFT, ...steps.map((value) => Math.ceil(app.format.figure(value).length * CHARACTER) + 10));
}

function axis(app, steps, y_of, { left, width }) {
    const { el } = app;
    return steps.map((value) => [
        el('line', { x1: left, x2: width, y1: y_of(value), y2: y_of(value), stroke: 'var(--line)' }),
        el('text', { x: left - 6, y: y_of(value) + 4, 'font-size': 11, 'text-anchor': 'end', fill: 'var(--ink3)',
                     text: app.format.figure(value) })]);
}

/* Names below the axis: as many as there is room for, at round places where the column has numbers. */
function labels(app, rows, plot, x_of, { left, width }) {
    const { el } = app;
    const every = Math.max(1, Math.ceil(rows.length / Math.max(2, Math.min(14, Math.floor((width - left) / 56)))));
    const nice = every > 2 ? Math.ceil(every / 5) * 5 : every;
    const text_of = (row, i) => plot.x === null ? String(i + 1) : row[plot.x] === null ? 'none' : String(row[plot.x]);
    const by_value = plot.x !== null && rows.every((row, i) => Number.isInteger(row[plot.x]) &&
        (!i || row[plot.x] === rows[i - 1][plot.x] + 1));
    const shown = rows.map((row, i) => by_value ? row[plot.x] % nice === 0 : i % nice === 0);
    return rows.map((row, i) => {
        const text = shown[i] ? app.visible(text_of(row, i), 12) : '';
        const is_inside = x_of(i) + text.length * CHARACTER / 2 <= width;
        return text && is_inside ? el('text', { x: x_of(i), y: HEIGHT - 3, 'font-size': 11, 'text-anchor': 'middle',
            fill: 'var(--ink3)', text }) : null;
    });
}

function bars(app, rows, plot, x_of, y_of, look) {
    const { el } = app;
    const width = Math.max(1, (x_of(1) - x_of(0)) * 0.7);
    return rows.map((row, i) => {
        const value = row[plot.y] ?? 0, top = Math.min(y_of(value), y_of(0)), height = Math.abs(y_of(value) - y_of(0));
        return el('rect', { x: x_of(i) - width / 2, y: top, width, height: Math.max(0.5, height),
            rx: Math.min(2, width / 3),
            fill: `var(${look.hue})`, opacity: look.marked(row) ? 1 : 0.75,
            stroke: look.marked(row) ? 'var(--ink)' : 'none', 'stroke-width': 1.5 },
        el('title', { text: app.visible(`${row[plot.x ?? plot.y]}: ${value}`) }));
    });
}

/* Many rows: the band from the smallest to the largest of each piece, and its mean. */
function band(app, rows, plot, y_of, look, { left, width }) {
    const { el } = app;
    const pieces = Math.min(POINTS_MOST, rows.length), points = [];
    for (let i = 0; i < pieces; i++) {
        const part = rows.slice(Math.floor(i * rows.length / pieces), Math.floor((i + 1) * rows.length / pieces))
            .map((row) => row[plot.y]).filter(is_number);
        if (part.length)
            points.push({ x: left + (i + 0.5) / pieces * (width - left), low: Math.min(...part),
                high: Math.max(...part),
                          mean: part.reduce((a, b) => a + b, 0) / part.length });
    }
    const line = (of) => points.map((p) => `${p.x.toFixed(1)} ${y_of(of(p)).toFixed(1)}`);
    return [
        el('path', { d: `M${line((p) => p.high).join('L')}L${line((p) => p.low).reverse().join('L')}Z`,
            fill: `var(${look.hue})`,
                     opacity: 0.25 }),
        el('path', { d: `M${line((p) => p.mean).join('L')}`, fill: 'none', stroke: `var(${look.hue})`,
            'stroke-width': 1.5 }),
    ];
}

/*
 * The plot of a result, `width` pixels wide, or null. `look` is { hue: custom property, marked(row) }.
 */
export function make_plot(app, result, look, width) {
    const { el } = app;
    const plot = choose_plot(result);
    if (!plot)
        return null;
    const rows = result.rows, values = rows.map((row) => row[plot.y]).filter(is_number);
    const low = Math.min(0, ...values.slice(0, 100000)), high = Math.max(...values.slice(0, 100000), low + 1e-9);
    const y_of = (value) => BASE - (value - low) / (high - low) * (BASE - 8);
    const steps = steps_of(low, high), left = left_of(app, steps), area = { left, width };
    const x_of = (i) => left + (i + 0.5) / rows.length * (width - left);
    const [x_name, y_name] = [plot.x === null ? 'row' : result.columns[plot.x].name, result.columns[plot.y].name];
    return el('svg', { viewBox: `0 0 ${width} ${HEIGHT}`, role: 'img',
        'aria-label': app.visible(`${y_name} by ${x_name}, from ${Math.min(...values)} to ${Math.max(...values)}`) },
    axis(app, steps, y_of, area),
    rows.length <= BARS_MOST ? bars(app, rows, plot, x_of, y_of, look) : band(app, rows, plot, y_of, look, area),
    labels(app, rows, plot, x_of, area));
}
