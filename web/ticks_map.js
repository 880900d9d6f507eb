/* ticks_map.js - the map of a tick on a canvas: things by shape and colour, tails, the other run's outlines. */

export const TAIL = 10;
/* Four hues that colour-blind people tell apart; further types have other shapes in the same hues. */
export const HUES = ['#56b4e9', '#e69f00', '#009e73', '#cc79a7'];
const OTHER_HUES = ['--murk', '--dial9', '--aerogpu', '--atf'];
const MARGIN = 14;
const GRID_LINES = 8;
const FAR = 1 / 8;          /* of the map: twins further apart are joined by a dotted line */
const JUMP = 1 / 16;        /* of the map: a tail does not cross it */

/* The next larger of 1, 2, 5 or a power of two. */
function nice(value) {
    if (value >= 1 && value <= 4096)
        return 2 ** Math.ceil(Math.log2(value));
    const scale = 10 ** Math.floor(Math.log10(value));
    return [1, 2, 5, 10].map((n) => n * scale).find((n) => n >= value * 0.999);
}

/* The area that the map shows: the bounds of all items, widened to lines of the grid. */
export function map_area(bounds) {
    const [left, top, right, bottom] = bounds.length === 4 ? bounds : [0, 0, 1, 1];
    const span = Math.max(right - left, bottom - top, 1e-9);
    const step = nice(span / GRID_LINES);
    const from = (v) => Math.floor(v / step + 1e-9) * step;
    const to = (v) => Math.ceil(v / step - 1e-9) * step;
    const area = { left: from(left), top: from(top), right: to(right), bottom: to(bottom), step };
    if (area.right <= area.left)
        area.right = area.left + step;
    if (area.bottom <= area.top)
        area.bottom = area.top + step;
    return area;
}

/* Where the area is on a canvas of that many CSS pixels: to(x, y) converts. `area.clear` pixels at the left are left
 * to the legend. */
export function map_scale(area, width, height) {
    const across = area.right - area.left, down = area.bottom - area.top, clear = area.clear || MARGIN;
    const scale = Math.max(1e-9, Math.min((width - clear - MARGIN) / across, (height - 2 * MARGIN) / down));
    const left = Math.max(clear, (width - across * scale) / 2), top = (height - down * scale) / 2;
    return {
        scale, left, top, width: across * scale, height: down * scale,
        x: (x) => left + (x - area.left) * scale,
        y: (y) => top + (y - area.top) * scale,
    };
}

/* Colours of the theme, read once for a drawing. */
export function map_colors() {
    const style = getComputedStyle(document.documentElement);
    const get = (name) => style.getPropertyValue(name).trim();
    return { get, ink: get('--ink'), panel: get('--panel'), line: get('--line'), part: get('--part'),
             accent: get('--accent'), sans: get('--sans') };
}

/* The colour of a thing of a kind. */
export function item_color(kind, kind_index, type, colors) {
    if (kind.shape === 'disc' || kind.shape === 'arrow')
        return HUES[((type % 4) + 4) % 4];
    if (kind.shape === 'ring')
        return colors.ink;
    if (kind.shape === 'diamond' || kind.shape === 'square')
        return colors.accent;
    return colors.get(OTHER_HUES[kind_index % OTHER_HUES.length]);
}

export function item_radius(kind, item, unit) {
    if (kind.shape === 'disc')
        return unit * (5 + Math.sqrt(Math.max(0, item.size || 0)) * 0.95);
    return unit * (kind.shape === 'ring' ? 17 : kind.shape === 'dot' ? 6 : 12);
}

function polygon(c, points) {
    c.beginPath();
    points.forEach(([x, y], i) => i ? c.lineTo(x, y) : c.moveTo(x, y));
    c.closePath();
}

/* The outline of a type: the first four are discs, then squares, then triangles. */
function disc_path(c, x, y, r, type) {
    const form = Math.floor(Math.abs(type) / 4) % 3;
    if (form === 1)
        polygon(c, [[x - r, y - r], [x + r, y - r], [x + r, y + r], [x - r, y + r]]);
    else if (form === 2)
        polygon(c, [[x, y - r * 1.2], [x + r * 1.1, y + r], [x - r * 1.1, y + r]]);
    else {
        c.beginPath();
        c.arc(x, y, r, 0, 7);
    }
}

function draw_disc(c, x, y, r, item, color, unit) {
    disc_path(c, x, y, r, item.type);
    if (!item.is_alive) {
        c.setLineDash([3 * unit, 3 * unit]);
        c.strokeStyle = color;
        c.lineWidth = Math.max(1, 2 * unit);
        c.stroke();
        c.setLineDash([]);
        return;
    }
    c.fillStyle = color;
    c.fill();
    if (item.heading === null)
        return;
    c.beginPath();
    c.moveTo(x, y);
    c.lineTo(x + Math.cos(item.heading) * (r + 6 * unit), y + Math.sin(item.heading) * (r + 6 * unit));
    c.strokeStyle = color;
    c.lineWidth = Math.max(1, 2.5 * unit);
    c.stroke();
}

function draw_ring(c, x, y, r, item, colors, unit) {
    c.beginPath();
    c.arc(x, y, r, 0, 7);
    c.fillStyle = colors.panel;
    c.fill();
    c.strokeStyle = colors.ink;
    c.lineWidth = Math.max(1.5, 4 * unit);
    if (!item.is_alive)
        c.setLineDash([3, 3]);
    c.stroke();
    c.setLineDash([]);
    c.fillStyle = colors.ink;
    c.font = `700 ${Math.max(9, 20 * unit)}px ${colors.sans}`;
    c.textAlign = 'center';
    c.textBaseline = 'middle';
    c.fillText(String(item.number), x, y + unit);
}

function draw_hollow(c, x, y, r, shape, item, color, unit) {
    const s = r * (shape === 'square' ? 0.8 : 1);
    polygon(c, shape === 'square' ? [[x - s, y - s], [x + s, y - s], [x + s, y + s], [x - s, y + s]]
                                  : [[x, y - s], [x + s, y], [x, y + s], [x - s, y]]);
    c.strokeStyle = color;
    c.lineWidth = Math.max(1.5, 3.5 * unit);
    if (!item.is_alive)
        c.setLineDash([2, 3]);
    c.stroke();
    c.setLineDash([]);
}

/* A command to go somewhere: from where the last one went, if that is known. */
function draw_arrow(c, x, y, item, tail, color, unit) {
    const from = tail.length > 1 ? tail[tail.length - 2] : null;
    const angle = from ? Math.atan2(y - from[1], x - from[0]) : -Math.PI / 2;
    const size = Math.max(5, 13 * unit);
    c.strokeStyle = c.fillStyle = color;
    c.lineWidth = Math.max(1.5, 3 * unit);
    if (from) {
        c.beginPath();
        c.moveTo(from[0], from[1]);
        c.lineTo(x, y);
        c.stroke();
    }
    const at = (turn, length) => [x + Math.cos(angle + turn) * length, y + Math.sin(angle + turn) * length];
    polygon(c, [at(0, size * 0.6), at(2.5, size), at(-2.5, size)]);
    c.fill();
}

function draw_grid(c, area, to, colors) {
    c.fillStyle = colors.panel;
    c.fillRect(to.left, to.top, to.width, to.height);
    c.strokeStyle = colors.line;
    c.lineWidth = 1;
    c.beginPath();
    for (let x = area.left + area.step; x < area.right - area.step / 2; x += area.step) {
        c.moveTo(Math.round(to.x(x)) + 0.5, to.top);
        c.lineTo(Math.round(to.x(x)) + 0.5, to.top + to.height);
    }
    for (let y = area.top + area.step; y < area.bottom - area.step / 2; y += area.step) {
        c.moveTo(to.left, Math.round(to.y(y)) + 0.5);
        c.lineTo(to.left + to.width, Math.round(to.y(y)) + 0.5);
    }
    c.rect(Math.round(to.left) + 0.5, Math.round(to.top) + 0.5, Math.round(to.width), Math.round(to.height));
    c.stroke();
}

/* Places of a thing in the last ticks, the oldest first, from the last jump on. */
function tail_of(key, film, tick, first, to, area) {
    const most = Math.max(area.right - area.left, area.bottom - area.top) * JUMP;
    const places = [];
    let last = null;
    for (let t = tick; t > tick - TAIL && t >= first; t--) {
        const items = film.by_key(t);
        const at = items ? items.get(key) : null;
        if (!at && items)
            break;
        if (!at)
            continue;
        if (last && Math.hypot(at.x - last.x, at.y - last.y) > most)
            break;
        places.unshift([to.x(at.x), to.y(at.y)]);
        last = at;
    }
    return places;
}

function draw_tail(c, tail, color, unit) {
    if (tail.length < 2)
        return;
    c.globalAlpha = 0.4;
    c.strokeStyle = color;
    c.lineWidth = Math.max(1, 2.5 * unit);
    c.lineCap = 'round';
    c.beginPath();
    tail.forEach(([x, y], i) => i ? c.lineTo(x, y) : c.moveTo(x, y));
    c.stroke();
    c.globalAlpha = 1;
}

/* Things of the other run that are not the same: dashed outlines, joined to their twins. */
function draw_differences(c, differing, kinds, to, area, colors, unit) {
    const far = Math.max(area.right - area.left, area.bottom - area.top) * FAR;
    c.strokeStyle = colors.part;
    for (const { a, b } of differing) {
        if (!b)
            continue;
        if (a) {
            const is_far = Math.hypot(a.x - b.x, a.y - b.y) > far;
            c.globalAlpha = is_far ? 0.6 : 1;
            c.lineWidth = Math.max(1, (is_far ? 1.5 : 3) * unit);
            c.setLineDash(is_far ? [2, 6] : []);
            c.beginPath();
            c.moveTo(to.x(a.x), to.y(a.y));
            c.lineTo(to.x(b.x), to.y(b.y));
            c.stroke();
            c.globalAlpha = 1;
        }
        c.lineWidth = Math.max(1.5, 3 * unit);
        c.setLineDash([5, 3]);
        c.beginPath();
        c.arc(to.x(b.x), to.y(b.y), item_radius(kinds[b.kind], b, unit) + 3 * unit, 0, 7);
        c.stroke();
        c.setLineDash([]);
    }
}

function draw_selection(c, item, name, to, area, colors, unit, width) {
    const x = to.x(item.x), y = to.y(item.y);
    c.strokeStyle = c.fillStyle = colors.accent;
    c.lineWidth = 2.5;
    c.beginPath();
    c.arc(x, y, Math.max(12, 26 * unit), 0, 7);
    c.stroke();
    c.font = `600 13px ${colors.sans}`;
    c.textBaseline = 'alphabetic';
    const room = c.measureText(name).width + 24;
    c.textAlign = x + room > width ? 'right' : 'left';
    c.fillText(name, x + (x + room > width ? -18 : 18), y - 12);
}

/* Draw one thing at its place. */
function draw_item(c, kind, kind_index, item, tail, to, colors, unit) {
    const x = to.x(item.x), y = to.y(item.y), r = item_radius(kind, item, unit);
    const color = item_color(kind, kind_index, item.type, colors);
    if (kind.shape === 'disc')
        draw_disc(c, x, y, r, item, color, unit);
    else if (kind.shape === 'ring')
        draw_ring(c, x, y, r, item, colors, unit);
    else if (kind.shape === 'arrow')
        draw_arrow(c, x, y, item, tail, color, unit);
    else if (kind.shape === 'dot') {
        c.beginPath();
        c.arc(x, y, Math.max(2, r), 0, 7);
        c.fillStyle = color;
        c.fill();
    } else
        draw_hollow(c, x, y, r, kind.shape, item, color, unit);
}

/*
 * Draw a tick. `view` is { area, kinds, items, film: {by_key}, tick, first, differing, selected:
 * {item, name} or null }.
 */
export function draw_map(canvas, view) {
    const ratio = Math.min(2, devicePixelRatio || 1);
    const width = canvas.clientWidth, height = canvas.clientHeight;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
        canvas.width = Math.round(width * ratio);
        canvas.height = Math.round(height * ratio);
    }
    const c = canvas.getContext('2d');
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, width, height);
    const { area, kinds, items } = view;
    const to = map_scale(area, width, height), colors = map_colors();
    const unit = Math.max(to.width, to.height) / 1024;
    draw_grid(c, area, to, colors);
    const tails = items.map((item) => tail_of(item.key, view.film, view.tick, view.first, to, area));
    items.forEach((item, i) => {
        if (kinds[item.kind].shape !== 'arrow')
            draw_tail(c, tails[i], item_color(kinds[item.kind], item.kind, item.type, colors), unit);
    });
    /* Those with a number are above the rest. */
    const order = items.map((_, i) => i).sort((a, b) =>
        (kinds[items[a].kind].shape === 'ring') - (kinds[items[b].kind].shape === 'ring'));
    for (const i of order)
        draw_item(c, kinds[items[i].kind], items[i].kind, items[i], tails[i], to, colors, unit);
    draw_differences(c, view.differing, kinds, to, area, colors, unit);
    if (view.selected)
        draw_selection(c, view.selected.item, view.selected.name, to, area, colors, unit, width);
}

/* The thing nearest to a place on the canvas, within some pixels; null: none. */
export function item_at(canvas, area, items, x, y) {
    const to = map_scale(area, canvas.clientWidth, canvas.clientHeight);
    let best = null, least = 20;
    for (const item of items) {
        const away = Math.hypot(to.x(item.x) - x, to.y(item.y) - y);
        if (away < least) {
            least = away;
            best = item;
        }
    }
    return best;
}
