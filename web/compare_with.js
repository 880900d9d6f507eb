/* compare_with.js - choose what the trace that is shown is compared with: what is beside it, or a file of one's own. */
import { chooser, take_drops } from './drop.js';
import { el, visible } from './el.js';
import { open_dialog } from './keys.js';

const COPIED = 'The command is in the clipboard.';

/* Of the program: what it offers by number. The one that is shown is the expected side. */
function offer_list(app, done, said) {
    const shown = Math.max(0, app.open.offers.indexOf(app.open.sides[0].name));
    const others = app.open.offers.map((name, i) => ({ name, i })).filter(({ i }) => i !== shown);
    if (!others.length)
        return el('p', { class: 'dim', text: 'There is nothing else of its kind in the same folder.' });
    return el('div', { class: 'choices' }, others.map(({ name, i }) => el('button', { type: 'button', class: 'btn',
        text: visible(name, 80), onclick: async () => {
            said.textContent = `Opening ${visible(name, 80)}\u2026`;
            try {
                await app.api.post(`show?first=${shown}&second=${i}`, '');
                await done();
            } catch (failure) {
                said.textContent = visible(failure.message, 400);
            }
        } })));
}

/* Of the page: a file, or a folder. */
function file_choice(app, done, said) {
    const take = async (files) => {
        said.textContent = 'Reading\u2026';
        try {
            await app.transport.add(files, (share) => {
                said.textContent = `Reading: ${app.format.share(share)}`;
            }, { is_other: true });
            await done();
        } catch (failure) {
            said.textContent = visible(failure.message, 400) + (failure.hint ? `; ${failure.hint}` : '');
        }
    };
    return { node: [el('p', { text: 'Choose the other one, or drop it here.' }),
                    el('div', null, chooser(false, take), chooser(true, take))], take };
}

function command_line(app) {
    const command = `rastrum view ${visible(app.open.sides[0].name, 60)} OTHER`;
    return el('p', { class: 'dim' }, 'For one in another folder type ',
        el('code', { class: 'mono', text: command }), ' ',
        el('button', { type: 'button', class: 'btn small', text: 'Copy', 'aria-label': `copy ${command}`,
            onclick: () => navigator.clipboard.writeText(command).then(() => app.remark(COPIED),
                () => app.remark('The browser does not let this page write to the clipboard.')) }));
}

/* The dialog. The page begins anew with both, and compares them. */
export function show_compare_with(app) {
    const said = el('p', { class: 'dim', role: 'status' });
    const done = async () => {
        dialog.close();
        await app.begin_again();
        app.go('compare', { sel: null, range: null, t: null });
    };
    const own = app.transport.add ? file_choice(app, done, said) : null;
    const name = visible(app.open.sides[0].name, 60);
    const dialog = el('dialog', { class: 'ask panel', 'aria-label': `compare ${name} with` },
        el('h2', { text: `Compare ${name} with` }),
        el('div', { class: 'in' }, own ? own.node : [offer_list(app, done, said), command_line(app)], said,
            el('div', { class: 'row-end' }, el('button', { type: 'button', class: 'btn', text: 'Cancel',
                onclick: () => dialog.close() }))));
    const end = own ? take_drops(own.take) : () => null;
    open_dialog(dialog, end);
}
