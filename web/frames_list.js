/* frames_list.js - the commands of a frame, and what one draw uses. */

const SETS = /^(SET|BIND)_/;

function command_row(app, command, i, look) {
    const { el } = app;
    const is_after = look.last !== null && i > look.last;
    return el('tr', { class: is_after ? 'after' : null, tabindex: look.selected === i ? '0' : '-1', role: 'option',
                      'aria-selected': String(look.selected === i), onclick: () => look.choose(i) },
        el('td', { class: 'num dim', text: command.seq === null ? i + 1 : app.format.count(command.seq) }),
        el('td', { class: 'mono', text: app.visible(command.name || 'unknown', 40) }),
        el('td', { class: 'dim', text: app.visible(command.text, 120), title: app.visible(command.text) }),
        el('td', { class: 'num dim', text: command.draw === null ? '' : command.draw }));
}

/* The list. `look` is { selected, last, choose(i) }: the last command that the picture shows (null: all). */
export function command_list(app, answer, look) {
    const { el } = app;
    return el('table', { role: 'listbox', 'aria-label': 'commands of the frame' },
        el('tbody', { role: 'presentation' }, answer.commands.map((command, i) => command_row(app, command, i, look)),
            answer.more ? el('tr', { role: 'presentation' }, el('td', { colspan: 4, class: 'dim',
                text: `${app.format.count(answer.count - answer.commands.length)} more commands` })) : null));
}

export function pairs(app, rows) {
    const { el } = app;
    return el('dl', null, rows.map(([name, text]) => [el('dt', { text: app.visible(name, 40) }),
        el('dd', { text: app.visible(String(text), 200) })]));
}

/* What was set before a draw of the frame: the last of each. */
function set_before(commands, i) {
    const found = new Map();
    for (const command of commands.slice(0, i))
        if (command.name && SETS.test(command.name))
            found.set(command.name, command.text);
    return [...found].map(([name, text]) => [name.replace(SETS, '').toLowerCase().replaceAll('_', ' '), text]);
}

/* A command with its fields, and for a draw what it uses. */
export function command_facts(app, answer, i) {
    const { el } = app;
    const command = answer.commands[i];
    if (!command)
        return null;
    const hidden = new Set(['opcode', 'name', 'offset', 'size_bytes']);
    const fields = command.fields.filter((f) => !hidden.has(f.name) && !/_(lo|hi|f32_bits)$/.test(f.name))
        .map((f) => [f.name.replace(/^fields\./, ''), f.value]);
    return [
        el('h2', { text: command.draw === null ? command.name || 'unknown command' : `Draw ${command.draw}` }),
        pairs(app, [...(command.draw === null ? [] : set_before(answer.commands, i)), ...fields.slice(0, 24),
            ['bytes', `at ${app.format.count(command.offset)}`]]),
    ];
}

