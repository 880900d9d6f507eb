/* compare_cards.js - what each line says of a tick, as cards: expected here, actual there. */

const ROWS_SHOWN = 6;
const PLACES_SHOWN = 1;
const CROP = 32;            /* pixels of the square around a small difference */
const VALUE_SHOWN = 40;
const LABEL_SHOWN = 34;
const WHOLE_CHARACTERS = 14; /* of a value that is never broken */
const ROW_CHARACTERS = 24;   /* of a name and two values beside each other */
const HEX_SHOWN = 10;       /* digits */
const HEX_LEAST = 6;

/* ---- values ---- */

/* Leading zeros of a register say nothing; of a long hash the beginning is enough, if that differs. */
function short_hex(text, other) {
    const digits = text.slice(2).replace(/^0+(?=.{4})/, '');
    if (digits.length <= HEX_SHOWN)
        return `0x${digits}`;
    return other && other.slice(0, 2 + HEX_LEAST) === text.slice(0, 2 + HEX_LEAST) && other !== text
        ? `\u2026${text.slice(-HEX_SHOWN)}` : `0x${text.slice(2, 2 + HEX_LEAST)}\u2026`;
}

/* A number with as many figures as show that it differs. */
function short_number(text, other) {
    const short = String(Number(Number(text).toPrecision(7)));
    const like = other === null ? null : String(Number(Number(other).toPrecision(7)));
    return short.length < text.length && (short !== like || text === other) ? short : text;
}

/* A value as a card has room for it; all of it is in its title. */
function shown(app, text, other) {
    if (/^0x[0-9a-f]+$/.test(text))
        return short_hex(text, other);
    if (/^[0-9a-f]{64}$/.test(text))
        return `${text.slice(0, HEX_LEAST)}\u2026`;
    if (/^-?\d+\.\d+(e[-+]?\d+)?$/.test(text))
        return short_number(text, other);
    return app.visible(text, VALUE_SHOWN);
}

/* The text of a side of a row. */
function cell_text(app, row, side) {
    const value = side ? row.actual : row.expected, other = side ? row.expected : row.actual;
    return value === null ? 'has none' : shown(app, value, other);
}

/* What differs is bold and vermilion. */
function cell(app, row, side, span = null) {
    const value = side ? row.actual : row.expected, text = cell_text(app, row, side);
    const whole = text.length <= WHOLE_CHARACTERS ? ' whole' : '';
    return app.el('td', { class: `mono num ${side && row.differs ? 'now' : 'was'}${whole}`, colspan: span,
                          title: value !== null && value !== text ? app.visible(value, Infinity) : null, text });
}

/* The end of a path says most; it may break at its joints. */
function short_label(app, label) {
    const parts = label.split('.');
    return app.visible(label.length > LABEL_SHOWN && parts.length > 2 ? parts.slice(-2).join('.') : label, 80);
}

/* A row of a table; one whose texts are too long to be beside each other has its name above its values. */
function field_rows(app, row) {
    const { el } = app, label = short_label(app, row.label);
    const name = { scope: 'row', title: app.visible(row.label, Infinity) };
    const room = label.length + cell_text(app, row, 0).length + cell_text(app, row, 1).length;
    if (room <= ROW_CHARACTERS)
        return el('tr', null, el('th', name, app.breakable(label)), cell(app, row, 0), cell(app, row, 1));
    return [el('tr', { class: 'above' }, el('th', { ...name, colspan: 3 }, app.breakable(label))),
            el('tr', null, cell(app, row, 0, 2), cell(app, row, 1))];
}

function rows_table(app, rows) {
    const { el } = app;
    return el('table', null,
        el('thead', null, el('tr', null, el('th', { scope: 'col' }, el('span', { class: 'unseen', text: 'field' })),
            el('th', { scope: 'col', class: 'num', text: 'expected' }),
            el('th', { scope: 'col', class: 'num', text: 'actual' }))),
        el('tbody', null, rows.map((row) => field_rows(app, row))));
}

/* Rows of a place; the rest behind a button. */
function place_of(app, place, is_known) {
    const { el, fill } = app, body = el('div');
    const few = place.rows.length > ROWS_SHOWN + 1 ? ROWS_SHOWN : place.rows.length;
    const hidden = place.rows.length - few + place.left;

    function show(count) {
        const more = count < place.rows.length ? el('button', { type: 'button', class: 'more',
            text: app.format.plural(hidden, 'more field'), onclick: () => show(place.rows.length) }) : null;
        const left = count === place.rows.length && place.left
            ? el('p', { class: 'dim', text: `and ${app.format.plural(place.left, 'more field')}` }) : null;
        fill(body, count ? rows_table(app, place.rows.slice(0, count)) : null, more, left);
    }
    show(few);
    return [
        place.where && !is_known || !place.rows.length ? el('div', { class: 'dim',
            text: app.visible([place.where, place.kind].filter(Boolean).join(': '), 200) }) : null,
        place.context ? el('div', { class: 'mono', text: app.visible(place.context, 400) }) : null,
        body];
}

/* The first place, and the others when they are asked for. */
function places_of(app, about, answer, is_known) {
    const { el, fill } = app, body = el('div'), { places } = answer;

    function show(count) {
        const left = answer.count - Math.min(count, places.length);
        const more = count < places.length ? el('button', { type: 'button', class: 'more',
            text: app.format.plural(left, 'more place'), onclick: () => show(places.length) }) : null;
        const rest = count >= places.length && left > 0 ? el('p', { class: 'dim',
            text: `and ${app.format.plural(left, 'more place')} of this ${about.word}` }) : null;
        fill(body, places.slice(0, count).map((place) => place_of(app, place, is_known)), more, rest);
    }
    show(PLACES_SHOWN);
    return body;
}

/* ---- pictures ---- */

/* The square to show: around a small difference, else all. */
function crop_of(box, width, height) {
    if (box.length < 4 || box[2] - box[0] > CROP || box[3] - box[1] > CROP || width < CROP || height < CROP)
        return [0, 0, width, height];
    const place = (low, high, size) => Math.max(0, Math.min(size - CROP, Math.round((low + high - CROP) / 2)));
    return [place(box[0], box[2], width), place(box[1], box[3], height), CROP, CROP];
}

async function size_of(address) {
    const image = new Image();
    image.src = address;
    await image.decode();
    return [image.naturalWidth, image.naturalHeight];
}

/* Facts and files in one answer: u32 length of the JSON, the JSON, the files. */
function unpack(buffer) {
    const length = new DataView(buffer).getUint32(0, true);
    const facts = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
    let at = 4 + length;
    const files = facts.files.map((size) => {
        const address = URL.createObjectURL(new Blob([new Uint8Array(buffer, at, size)], { type: 'image/png' }));
        at += size;
        return address;
    });
    return { facts, files };
}

async function put_pictures(app, where, chip, frame, awaited) {
    const { el, fill, format } = app;
    try {
        const { facts, files } = unpack(await awaited(app.api.job(`pixels?n=${frame}`, null, null, 'pixels')));
        const [width, height] = await size_of(files[0]);
        const [x, y, w, h] = crop_of(facts.box, width, height);
        const scale = w < width ? ` Shown \u00d7${Math.round(width / w)}.` : '';
        const names = ['expected', 'actual', 'what differs'];
        fill(where, files.map((address, i) => el('figure', null,
            el('svg', { viewBox: `${x} ${y} ${w} ${h}`, role: 'img', 'aria-label': `${names[i]}, frame ${frame}` },
                el('image', { href: address, width, height })), el('figcaption', { text: names[i] }))));
        where.after(el('p', { class: 'dim', text: facts.sizes ? 'The sizes differ.'
            : facts.differs ? `${format.plural(facts.differs, 'pixel')} differ, box ` +
                `${facts.box[0]},${facts.box[1]} to ${facts.box[2]},${facts.box[3]}.${scale}`
            : 'No pixel differs.' }));
        chip.textContent = `frame ${format.count(frame)} \u00b7 ${format.plural(facts.differs, 'pixel')}`;
        setTimeout(() => files.forEach((address) => URL.revokeObjectURL(address)), 60000);
    } catch (failure) {
        if (!failure.cancelled)
            fill(where, el('p', { class: 'dim', text: app.visible(failure.message, 300) }));
    }
}

/* ---- cards ---- */

/* Where to go on from a card: the tick, the frame or the record, each with both sides. */
function ways(app, about, line, answer) {
    const { el } = app, links = [], at = answer.at, place = answer.places[0];
    const frame = place ? /frame (\d+)/.exec(place.where) : null;
    const source = app.source_of(line.pen, 0);
    if (line.name === 'pictures' && frame)
        links.push(['the frame in Frames', app.link('frames', { frame: Number(frame[1]), tick: at })]);
    else if (place && place.seq[0] !== null && source)
        links.push(['the record in Timeline',
            app.link('timeline', { sel: { src: source.src, seq: place.seq[0] }, tick: at })]);
    else if (about.word === 'tick' && at !== null)
        links.push(['the tick in Ticks', app.link('ticks', { tick: at })]);
    return links.length ? el('div', { class: 'on' }, links.map(([text, href]) => el('a', { href, text }))) : null;
}

/* Up to which place both sides are known; Infinity: to their ends. */
function reach_of(line) {
    return Math.min(...line.sides.map((side) => side.ending === 'cut' || side.ending === 'damaged'
        ? side.last === null ? 0 : side.last : Infinity));
}

function chip_of(app, about, line, answer, tick) {
    const { el, format } = app, { word } = about;
    if (!answer.failed && answer.at === null && tick > reach_of(line))
        return el('span', { class: 'chip warn', text: `known up to ${word} ${format.count(reach_of(line))}` });
    const places = answer.count > 1 ? `, ${format.plural(answer.count, 'place')}` : '';
    if (answer.failed)
        return el('span', { class: 'chip warn', text: 'not compared' });
    if (answer.at === null)
        return el('span', { class: 'chip ok',
            text: line.first === null ? 'the same' : `the same in ${word} ${format.count(tick)}` });
    return el('span', { class: 'chip part', text: `${word} ${format.count(answer.at)}${places}` });
}

function said(app, about, line, answer, tick) {
    const { el, format } = app, { word } = about;
    if (answer.failed)
        return el('p', { class: 'dim', text: app.visible(answer.failed, 300) });
    if (answer.at === null && tick > reach_of(line))
        return el('p', { class: 'dim', text: `What ${word} ${format.count(tick)} has is not known: ` +
            `a side ends after ${word} ${format.count(reach_of(line))}.` });
    if (answer.at === null)
        return el('p', { class: 'dim', text: line.first === null
            ? `The same in all ${format.plural(line.checked, 'position')} that were compared.`
            : `Nothing differs here in ${word} ${format.count(tick)}; first in ${word} ${format.count(line.first)}.` });
    return answer.at !== tick
        ? el('p', { class: 'dim', text: `the same in ${word} ${format.count(tick)}, then` }) : null;
}

function card(app, about, line, answer, tick, awaited) {
    const { el } = app, chip = chip_of(app, about, line, answer, tick);
    const frame = answer.places.length ? /frame (\d+)/.exec(answer.places[0].where) : null;
    const pictures = line.name === 'pictures' && (frame || about.word === 'frame') && answer.at !== null
        ? el('div', { class: 'pics' }) : null;
    if (pictures)
        put_pictures(app, pictures, chip, frame ? Number(frame[1]) : answer.at, awaited);
    return el('article', { class: 'panel', style: { '--c': `var(${app.pen_of(line.pen).hue})` } },
        el('h2', null, app.pen_tag(line.pen, line.name), el('span', { class: 'grow' }), chip),
        el('div', { class: 'in' }, said(app, about, line, answer, tick), pictures,
            places_of(app, about, answer, pictures !== null),
            ways(app, about, line, answer)));
}

/* `awaited` is given promises of what comes later. */
export function evidence_cards(app, about, answer, awaited) {
    const lines = new Map(about.lines.map((line) => [line.pen, line]));
    return answer.lines.filter((row) => lines.has(row.pen))
        .map((row) => card(app, about, lines.get(row.pen), row, answer.tick, awaited));
}

/* Cards of the right size before anything is known. */
export function waiting_cards(app, about) {
    const { el } = app;
    return about.lines.map((line) => el('article', { class: 'panel',
            style: { '--c': `var(${app.pen_of(line.pen).hue})` } },
        el('h2', null, app.pen_tag(line.pen, line.name)), el('div', { class: 'in dim', text: '\u2026' })));
}
