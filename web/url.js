/* url.js - the state of the page is its address: #VIEW?k=v&k=v. The token is never in it. */

const DIGITS = /^\d{1,20}$/;
const KEY = /^[a-z][a-z0-9_]{0,31}$/;
const VALUE_MOST = 4096;
const MARKS_MOST = 8;

function whole(text) {
    return DIGITS.test(text) && Number(text) <= Number.MAX_SAFE_INTEGER ? Number(text) : undefined;
}

function range(text) {
    const found = /^(\d{1,20})\.\.(\d{1,20})$/.exec(text);
    if (!found)
        return undefined;
    const [from, to] = [BigInt(found[1]), BigInt(found[2])];
    return from < to && to < 1n << 64n ? { from, to } : undefined;
}

function record(text) {
    const found = /^(\d{1,9})\.(\d{1,20})$/.exec(text);
    return found ? { src: Number(found[1]), seq: BigInt(found[2]).toString() } : undefined;
}

function id_list(text) {
    if (!/^\d{1,9}(\.\d{1,9})*$/.test(text))
        return undefined;
    return text.split('.').map(Number);
}

/* a@302:note,b@310 - the place is a time of the side. */
function marks(text) {
    const found = [];
    for (const part of text.split(',').slice(0, MARKS_MOST)) {
        const one = /^([a-z])@(\d{1,20})(?::([^,]*))?$/.exec(part);
        if (!one)
            return undefined;
        found.push({ letter: one[1], at: one[2], note: unescape_note(one[3] || '') });
    }
    return found.length ? found : undefined;
}

function unescape_note(text) {
    return text.replace(/~([0-9a-f]{1,6})~/g, (_, hex) => {
        const point = parseInt(hex, 16);
        return point <= 0x10ffff ? String.fromCodePoint(point) : '\ufffd';
    });
}

function escape_note(text) {
    return [...text].map((c) => /[,~:&=#%]/.test(c) ? `~${c.codePointAt(0).toString(16)}~` : c).join('');
}

function free(text) {
    return text.length <= VALUE_MOST ? text : undefined;
}

function word(text) {
    return /^[a-z_]{1,32}$/.test(text) ? text : undefined;
}

/* One row a key: what reads it (undefined: a bad value) and what prints it. */
const KEYS = new Map(Object.entries({
    side: { read: (text) => text === '0' || text === '1' ? Number(text) : undefined },
    src: { read: whole },
    t: { read: range, print: (v) => `${v.from}..${v.to}` },
    range: { read: range, print: (v) => `${v.from}..${v.to}` },
    tick: { read: whole },
    frame: { read: whole },
    draw: { read: whole },
    sel: { read: record, print: (v) => `${v.src}.${v.seq}` },
    lanes: { read: id_list, print: (v) => v.join('.') },
    q: { read: free },
    sql: { read: free },
    at: { read: free },
    by: { read: word },
    m: { read: marks,
         print: (v) => v.slice(0, MARKS_MOST)
             .map((m) => `${m.letter}@${m.at}` + (m.note ? `:${escape_note(m.note)}` : '')).join(',') },
}));

/* The state that a fragment says, and the keys whose values were bad: { state, bad }. */
export function read_url(fragment, default_view) {
    const text = fragment.replace(/^#/, '');
    const [view, query = ''] = [text.split('?', 1)[0], text.slice(text.indexOf('?') + 1)];
    const state = { view: /^[a-z]{1,16}$/.test(view) ? view : default_view };
    const bad = view && state.view !== view ? ['view'] : [];
    for (const [key, value] of new URLSearchParams(text.includes('?') ? query : '')) {
        if (!KEY.test(key) || key === 'view') {
            bad.push(key.slice(0, 32));
            continue;
        }
        const row = KEYS.get(key);
        const read = row ? row.read(value) : free(value);
        if (read === undefined)
            bad.push(key);
        else
            state[key] = read;
    }
    return { state, bad };
}

function escape_value(text) {
    return encodeURIComponent(text).replace(/%2C/g, ',').replace(/%40/g, '@').replace(/%3A/g, ':')
        .replace(/%20/g, '+').replace(/%2F/g, '/');
}

/* The fragment of a state: keys in the order of the table, then those of views, sorted. */
export function write_url(state) {
    const known = [...KEYS.keys()].filter((key) => state[key] !== undefined && state[key] !== null);
    const others = Object.keys(state).filter((key) => key !== 'view' && !KEYS.has(key) &&
        state[key] !== undefined && state[key] !== null && state[key] !== '').sort();
    const parts = [...known, ...others].map((key) => {
        const row = KEYS.get(key);
        const text = row && row.print ? row.print(state[key]) : String(state[key]);
        return text === '' ? null : `${key}=${escape_value(text)}`;
    }).filter((part) => part !== null);
    return `#${state.view}` + (parts.length ? `?${parts.join('&')}` : '');
}
