/* drop.js - the page without a trace: files, folders, two runs at once. */
import { el, visible } from './el.js';
import { glyph, pen_tag, pens } from './pens.js';

const COMMAND = 'rastrum view TRACE [OTHER]';

function note(x, y) {
    return [el('ellipse', { cx: x, cy: y, rx: 5, ry: 3.6, transform: `rotate(-18 ${x} ${y})`,
                            fill: 'var(--ink)' }),
            el('line', { x1: x + 4.4, x2: x + 4.4, y1: y - 1, y2: y - 14, stroke: 'var(--ink)' })];
}

/* Five lines, one voice and then two: what the program is about. */
function picture() {
    return el('svg', { class: 'staff', viewBox: '0 0 660 120', 'aria-hidden': 'true' },
        pens.map((pen, i) => {
            const y = 18 + i * 21;
            const notes = Array.from({ length: 9 }, (_, k) => note(110 + k * 58 + (i * 17) % 23, y));
            return [el('path', { d: `M0 ${y}H660`, stroke: 'var(--ink)', 'stroke-width': 1.2,
                                 opacity: 0.8 }),
                el('path', { d: `M380 ${y}C450 ${y} 440 ${y + 10} 520 ${y + 10}H660`, fill: 'none',
                             stroke: 'var(--part)', 'stroke-width': 1.6, 'stroke-dasharray': '5 3' }),
                glyph(pen.id, 40 + i * 6, y, 6), notes];
        }));
}

/* All files below dropped entries, each with its path: {path, file}. */
async function files_of(entries) {
    const found = [];
    const walk = async (entry, path) => {
        if (entry.isFile)
            found.push({ path: path + entry.name,
                         file: await new Promise((done, fail) => entry.file(done, fail)) });
        else {
            const reader = entry.createReader();
            for (;;) {
                const some = await new Promise((done, fail) => reader.readEntries(done, fail));
                if (!some.length)
                    break;
                for (const child of some)
                    await walk(child, `${path}${entry.name}/`);
            }
        }
    };
    for (const entry of entries)
        await walk(entry, '');
    return found;
}

/* A button that lets a person choose files, or a folder: take([{path, file}]). */
export function chooser(is_folder, take) {
    const input = el('input', { type: 'file', multiple: true, class: 'unseen', tabindex: '-1',
                                'aria-hidden': 'true', webkitdirectory: is_folder });
    input.addEventListener('change', () => take([...input.files].map((file) =>
        ({ path: file.webkitRelativePath || file.name, file }))));
    const button = el('button', { type: 'button', class: is_folder ? 'btn' : 'btn primary',
        text: is_folder ? 'Choose a folder\u2026' : 'Choose files\u2026', onclick: () => input.click() });
    return [button, ' ', input];
}

/* What more than two operands were: one is shown, two are compared. */
function offer_list(app, done, said) {
    const boxes = app.open.offers.map((name, i) => {
        const input = el('input', { type: 'checkbox', value: String(i) });
        return { input, node: el('li', null, el('label', null, input, ' ', visible(name, 80))) };
    });
    const show = async () => {
        const chosen = boxes.filter((box) => box.input.checked).map((box) => box.input.value);
        if (chosen.length < 1 || chosen.length > 2) {
            said.textContent = 'Choose one to show, or two to compare.';
            return;
        }
        try {
            await app.api.post(`show?first=${chosen[0]}` + (chosen[1] ? `&second=${chosen[1]}` : ''), '');
            await done();
        } catch (failure) {
            said.textContent = visible(failure.message, 400);
        }
    };
    return el('div', { class: 'offers' }, el('ul', null, boxes.map((box) => box.node)),
        el('button', { type: 'button', class: 'btn primary', text: 'Show', onclick: show }));
}

/* What can be done here: choose of what was offered, drop files, or start the viewer with a trace. */
function invitation(app, done, said) {
    if (app.open.offers.length)
        return [el('h1', { text: 'Choose one, or two to compare' }), offer_list(app, done, said)];
    if (app.transport.add)
        return [el('h1', { text: 'Drop a trace, or two runs' }),
                el('p', { text: 'A file, a folder, or a run directory. It is read here, in this page; nothing is ' +
                                'sent anywhere.' })];
    return [el('h1', { text: 'Nothing is open' }),
            el('p', null, 'Start the viewer with what it should show: ', el('code', { class: 'mono', text: COMMAND }))];
}

/* What is dropped on the page goes to take([{path, file}]) until the function that is returned is called: then to
 * whom it went before. */
export function take_drops(take) {
    const before = window.ondrop;
    window.ondragover = (event) => event.preventDefault();
    window.ondrop = async (event) => {
        event.preventDefault();
        const items = [...event.dataTransfer.items].filter((item) => item.kind === 'file');
        const entries = items.map((item) => item.webkitGetAsEntry());
        /* A file without an entry did not come from a file system. */
        const others = items.filter((_, i) => !entries[i]).map((item) => item.getAsFile())
            .map((file) => ({ path: file.name, file }));
        take([...others, ...await files_of(entries.filter(Boolean))]);
    };
    return () => {
        window.ondrop = before;
    };
}

/* Cover the page. `done()` is called when the transport has opened what was given. */
export function show_drop(root, app, done) {
    const said = el('p', { class: 'said', role: 'status' });
    const take = async (files) => {
        if (!files.length)
            return;
        said.textContent = files.length === 1 ? `Reading ${visible(files[0].path, 80)}`
                                              : `Reading ${files.length} files`;
        try {
            await app.transport.add(files, (share) => {
                said.textContent = `Reading: ${Math.round(share * 100)} %`;
            });
            await done();
        } catch (failure) {
            const why = visible(failure.message, 400) + (failure.hint ? `; ${failure.hint}` : '');
            said.textContent = why;
            if (!said.isConnected)
                app.remark(why);
        }
    };
    const can = Boolean(app.transport.add);
    if (can)        /* also later, when something is shown: it is replaced then */
        take_drops(take);
    document.title = 'rastrum';
    root.replaceChildren(el('main', { id: 'main', class: 'view-drop', tabindex: '-1' },
        el('div', { class: 'drop' }, el('div', { class: 'brand', text: 'rastrum' }), picture(),
            invitation(app, done, said),
            can ? el('div', null, chooser(false, take), chooser(true, take)) : null,
            el('ul', null, pens.map((pen) => el('li', null, pen_tag(pen.id), ' ',
                el('span', { class: 'dim', text: pen.format })))),
            said,
            el('small', { text: can ? 'Up to 1.5 GB here; rastrum view opens any size.'
                                    : 'A trace, a run directory, or two of a kind to compare.' }))));
}
