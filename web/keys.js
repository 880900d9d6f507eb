/* keys.js - keys as rows of one table; help, palette and tooltips are made from it. */
import { el } from './el.js';

const NAMED = new Map([['Escape', 'Esc'], [' ', 'Space'], ['ArrowLeft', '\u2190'],
    ['ArrowRight', '\u2192'], ['ArrowUp', '\u2191'], ['ArrowDown', '\u2193']]);
const CHORDS = new Set(['Ctrl K', 'Ctrl Enter']);
/* These mean something to the element that has the focus. */
const OF_CONTROLS = new Set(['Space', 'Enter']);
const TEXT_INPUTS = new Set(['text', 'search', 'number', 'email', 'url', 'tel', 'password']);
export const GROUPS = [['move', 'Move'], ['find', 'Find'], ['keep', 'Keep']];

/* The name of the key of an event as rows write it: "W", "Shift M", "Ctrl K", "Esc"; '' for none. */
export function key_name(event) {
    const base = NAMED.get(event.key) || event.key;
    if (event.altKey || base === 'Dead' || base === 'Unidentified')
        return '';
    const letter = base.length === 1 ? base.toUpperCase() : base;
    if (event.ctrlKey || event.metaKey) {
        const chord = `Ctrl ${letter}`;
        return CHORDS.has(chord) ? chord : '';
    }
    const is_letter = /^[A-Z]$/.test(letter);
    if (event.shiftKey && (is_letter || base.length > 1 || base === '\u2190' || base === '\u2192'))
        return `Shift ${letter}`;
    return letter;
}

/* Text is being written: keys belong to the field. */
export function in_field(target) {
    if (!(target instanceof Element))
        return false;
    const field = target.closest('input, textarea, select, [contenteditable]');
    return Boolean(field) && (field.tagName !== 'INPUT' || TEXT_INPUTS.has(field.type));
}

function on_control(target) {
    return target instanceof Element && Boolean(target.closest('button, a, summary, input, [role=option]'));
}

export function keys_of(row) {
    return Array.isArray(row.key) ? row.key : [row.key];
}

/* Run the first row of the tables that has the key; true if one did. */
export function dispatch(event, tables, app) {
    const name = key_name(event);
    if (!name || event.defaultPrevented)
        return false;
    if (in_field(event.target) && name !== 'Esc' && !CHORDS.has(name))
        return false;
    if (OF_CONTROLS.has(name) && on_control(event.target))
        return false;
    for (const row of tables.flat()) {
        const which = keys_of(row).indexOf(name);
        if (which < 0 || !row.run)
            continue;
        if (row.run(app, event, which) !== false) {
            event.preventDefault();
            return true;
        }
    }
    return false;
}

/* "Ctrl K" as <kbd>s. */
export function key_caps(key) {
    return key.split(' ').map((cap) => el('kbd', { text: cap }));
}

/* A key for people: the tooltip "fit the selection (F)". */
export function with_key(text, key) {
    return `${text} (${key})`;
}

function help_row(row) {
    return el('div', { class: 'key-row' }, el('dt', { text: row.does }),
        el('dd', null, keys_of(row).map((key) => [el('span', { class: 'keys' }, key_caps(key)), ' '])));
}

/* The keyboard page: three columns of what acts now. Returns the dialog, which is shown. */
export function show_help(tables, on_close) {
    const rows = tables.flat();
    const close = el('button', { class: 'btn', type: 'button', 'aria-label': 'close (Esc)' },
        el('kbd', { text: 'Esc' }));
    const dialog = el('dialog', { class: 'help panel', 'aria-labelledby': 'help-title' },
        el('h2', { id: 'help-title' }, 'Keyboard', el('span', { class: 'grow' }), close),
        el('div', { class: 'cols', tabindex: '0', role: 'group', 'aria-label': 'keys' },
            GROUPS.map(([group, title]) => el('div', null, el('h3', { text: title }),
                el('dl', null, rows.filter((row) => (row.group || 'move') === group && !row.hidden)
                    .map(help_row))))));
    close.addEventListener('click', () => dialog.close());
    return open_dialog(dialog, on_close);
}

/* Put a dialog into the page, show it, remove it when it is closed. */
export function open_dialog(dialog, on_close = null) {
    dialog.addEventListener('click', (event) => {
        if (event.target === dialog)
            dialog.close();
    });
    dialog.addEventListener('close', () => {
        dialog.remove();
        if (on_close)
            on_close();
    });
    document.body.append(dialog);
    dialog.showModal();
    return dialog;
}

/* Ask for one line of text; resolves with it, or null. */
export function ask(title, label, value = '') {
    return new Promise((done) => {
        let said = null;
        const input = el('input', { type: 'text', class: 'field', 'aria-label': label, value,
                                    maxlength: 200, autocomplete: 'off' });
        const accept = () => {
            said = input.value;
            dialog.close();
        };
        input.addEventListener('keydown', (event) => {
            if (event.key === 'Enter')
                accept();
        });
        const dialog = el('dialog', { class: 'ask panel', 'aria-label': title },
            el('h2', { text: title }),
            el('div', { class: 'in' }, input,
                el('div', { class: 'row-end' },
                    el('button', { class: 'btn', type: 'button', text: 'Cancel',
                                   onclick: () => dialog.close() }),
                    el('button', { class: 'btn primary', type: 'button', text: 'OK',
                                   onclick: accept }))));
        open_dialog(dialog, () => done(said));
        input.focus();
        input.select();
    });
}

