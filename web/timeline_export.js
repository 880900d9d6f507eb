/* timeline_export.js - what is shown as a file: a part of the trace, rows, a picture, the notes. */
import { open_dialog } from './keys.js';

/* Let the browser save bytes under a name of ours. */
export function save_bytes(app, bytes, type, name) {
    const url = URL.createObjectURL(new Blob([bytes], { type }));
    const link = app.el('a', { href: url, download: name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
}

function safe_name(text) {
    return text.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^[.-]+/, '').slice(0, 60) || 'part';
}

function picture(app, v) {
    const canvas = app.el('canvas', { width: v.base.width, height: v.base.height });
    const context = canvas.getContext('2d');
    context.drawImage(v.base, 0, 0);
    context.drawImage(v.over, 0, 0);
    return new Promise((done) => canvas.toBlob((blob) => blob.arrayBuffer().then(done), 'image/png'));
}

function notes(app, v) {
    const side = app.open.sides[v.side];
    return JSON.stringify({ name: side.name, fingerprint: side.fingerprint,
        notes: v.marks.list().map((m) => ({ mark: m.letter, time: m.at, note: m.note })) }, null, 2) + '\n';
}

/* The kinds of files: what they are called, and what makes their bytes. */
const KINDS = [
    { id: 'slice', text: 'This part as a trace', type: 'application/octet-stream', end: '' },
    { id: 'csv', text: 'Records of this part as CSV', type: 'text/csv', end: '.csv' },
    { id: 'jsonl', text: 'Records of this part as JSON Lines', type: 'application/x-ndjson', end: '.jsonl' },
    { id: 'png', text: 'The lanes as a picture', type: 'image/png', end: '.png',
      make: picture },
    { id: 'notes', text: 'Marks and notes', type: 'application/json', end: '.json', make: notes },
];

async function save(app, v, kind, said) {
    const side = app.open.sides[v.side];
    const [from, to] = [v.clock.abs(v.win[0]), v.clock.abs(v.win[1])];
    said.textContent = 'Writing the file\u2026';
    try {
        const own = kind.make ? { bytes: await kind.make(app, v), type: kind.type,
                                  name: kind.id === 'notes' ? 'notes.json' : `part-of-${side.name}${kind.end}` }
            : await app.api.file(`part?side=${v.side}&from=${from}&to=${to}&as=${kind.id}`,
                (done) => { said.textContent = `Writing the file: ${app.format.share(done)}`; });
        save_bytes(app, own.bytes, own.type, safe_name(own.name || `part-of-${side.name}${kind.end}`));
        said.textContent = 'Saved.';
        return true;
    } catch (failure) {
        said.textContent = failure.cancelled ? 'Cancelled.'
            : failure.message + (failure.hint ? `; ${failure.hint}` : '');
        return false;
    }
}

/* Ask for the kind and save it. */
export function save_part(app, v) {
    const { el } = app;
    const said = el('p', { class: 'dim', role: 'status', text: 'What is visible now, as a file.' });
    const dialog = el('dialog', { class: 'ask panel', 'aria-label': 'export' }, el('h2', { text: 'Export' }),
        el('div', { class: 'in' }, el('div', { class: 'choices' }, KINDS.map((kind) =>
            el('button', { type: 'button', class: 'btn', text: kind.text, onclick: async () => {
                if (await save(app, v, kind, said))
                    dialog.close();
            } }))), said, el('div', { class: 'row-end' }, el('button', { type: 'button', class: 'btn',
            text: 'Close', onclick: () => dialog.close() }))));
    open_dialog(dialog, () => app.api.cancel('part'));
}
