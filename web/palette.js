/* palette.js - every command by name (Ctrl K), and what the search box understands. */
import { el, fill, visible } from './el.js';
import { key_caps, keys_of, open_dialog } from './keys.js';
import { places } from './search.js';

const SHOWN = 60;

/* Rows that have several keys are as many commands. */
function commands_of(rows) {
    return rows.filter((row) => row.run).flatMap((row) => keys_of(row).map((key, which) => {
        const parts = row.does.split(' / ');
        const words = parts.length === keys_of(row).length && which > 0 && parts[which]
            ? joined(parts, which) : parts[0];
        return { text: words, key, run: (app, event) => row.run(app, event, which) };
    }));
}

/* "zoom in / out" is "zoom in" and "zoom out"; "next / previous hit" is "next hit" and so on. */
function joined(parts, which) {
    const first = parts[0].split(' ');
    return first.length > 1 ? [...first.slice(0, -1), parts[which]].join(' ') : parts[which];
}

function matches(text, typed) {
    const low = text.toLowerCase();
    return typed.toLowerCase().split(/\s+/).every((word) => low.includes(word));
}

function option(row, i) {
    return el('div', { role: 'option', id: `palette-${i}`, class: 'option', 'aria-selected': 'false' },
        el('span', { text: visible(row.text) }), el('span', { class: 'grow' }),
        row.key ? el('span', null, key_caps(row.key)) : null);
}

/* Show it. `rows` are rows of keys; `extra(text)` gives more commands for what was typed. */
export function show_palette(app, rows) {
    const commands = commands_of(rows);
    let shown = [], chosen = 0;
    const list = el('div', { role: 'listbox', id: 'palette-list', class: 'options',
                             'aria-label': 'commands' });
    const input = el('input', { type: 'text', class: 'field', role: 'combobox', autocomplete: 'off',
        'aria-expanded': 'true', 'aria-controls': 'palette-list', 'aria-label': 'command or place',
        placeholder: 'a command, a name, or a place: tick 300, 1.5s, #13978' });
    const dialog = el('dialog', { class: 'palette panel', 'aria-label': 'palette' }, input, list);

    function mark(next) {
        chosen = shown.length ? (next + shown.length) % shown.length : 0;
        [...list.children].forEach((node, i) =>
            node.setAttribute('aria-selected', i === chosen ? 'true' : 'false'));
        if (list.children[chosen] && shown.length) {
            input.setAttribute('aria-activedescendant', `palette-${chosen}`);
            list.children[chosen].scrollIntoView({ block: 'nearest' });
        }
    }

    function render() {
        const typed = input.value.trim();
        shown = [...places(app, typed), ...commands.filter((row) => matches(row.text, typed))]
            .slice(0, SHOWN);
        if (!shown.length)
            fill(list, el('div', { class: 'option dim', text: 'No command has this name.' }));
        else
            fill(list, shown.map(option));
        mark(0);
    }

    function run(row, event) {
        dialog.close();
        if (row)
            row.run(app, event);
    }

    input.addEventListener('input', render);
    input.addEventListener('keydown', (event) => {
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (step) {
            mark(chosen + step);
            event.preventDefault();
        } else if (event.key === 'Enter') {
            event.preventDefault();
            run(shown[chosen], event);
        }
    });
    list.addEventListener('click', (event) => {
        const node = event.target.closest('[role=option]');
        if (node)
            run(shown[[...list.children].indexOf(node)], event);
    });
    open_dialog(dialog);
    render();
    input.focus();
    return dialog;
}
