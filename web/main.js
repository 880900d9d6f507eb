/* main.js - the shell: bar, status line, the view that the address names, and what all views share. */
import { complete_open, make_app } from './app.js';
import { show_drop } from './drop.js';
import { el, fill, visible } from './el.js';
import { dispatch, show_help, with_key } from './keys.js';
import { show_palette } from './palette.js';
import { make_search } from './search.js';
import transport from './transport_http.js';
import { views } from './views.js';

const POLL_MS = 400;
const REMARK_MS = 6000;
const REMARK_CHARACTERS = 400;
const DEFAULT_VIEW = 'overview';
const LOCAL = 'local only \u00b7 nothing leaves this machine';

const by_id = new Map(views.map((view) => [view.id, view]));
const page = {};
let current = null;     /* the view that is mounted */
let generation = null;

function brand() {
    const lines = [0, 1, 2, 3, 4].map((i) => {
        const y = 2 + i * 3.5, end = y + (i - 2) * 0.9 + 1.4;
        return el('path', { d: `M1 ${y}H12C16 ${y} 17 ${end - 0.4} 21 ${end}`, fill: 'none',
            stroke: i === 1 ? 'var(--part)' : 'currentColor', 'stroke-width': 1.25 });
    });
    return el('div', { class: 'brand' },
        el('svg', { width: 22, height: 18, viewBox: '0 0 22 18', 'aria-hidden': 'true' }, lines), 'rastrum');
}

function nav_link(view) {
    const is_now = location.hash.slice(1).split(/[?&]/)[0] === view.id;
    return el('a', { href: `#${view.id}`, 'data-view': view.id, 'data-title': view.title,
                     title: with_key(view.title, view.key), 'aria-current': is_now ? 'page' : null,
                     text: view.title, onclick: (event) => {
        event.preventDefault();
        app.go(view.id);
    } });
}

function bar_button(label, text, key, run) {
    return el('button', { class: 'btn', type: 'button', 'aria-label': label, title: with_key(label, key),
                          text, onclick: run });
}

function build() {
    page.search = make_search(app);
    page.nav = el('nav', { class: 'views', 'aria-label': 'views' }, views.map(nav_link));
    page.main = el('main', { id: 'main', tabindex: '-1' });
    page.status = el('div', { class: 'parts' });
    page.live = el('div', { class: 'unseen', 'aria-live': 'polite', id: 'live' });
    page.remark = el('div', { class: 'remark', role: 'status' });
    document.body.replaceChildren(
        el('a', { class: 'skip', href: '#main', text: 'Skip to the view', onclick: (event) => {
            event.preventDefault();
            page.main.focus();
        } }),
        el('header', { class: 'bar' }, brand(), page.nav, el('div', { class: 'grow' }), page.search.box,
            bar_button('light or dark', '\u25d0', 'T', () => toggle_theme()),
            bar_button('keyboard help', '?', '?', () => help())),
        page.main,
        el('footer', { class: 'status' }, page.status, el('span', { class: 'grow' }),
            el('span', { class: 'local', text: LOCAL })),
        page.live, page.remark);
}

let remark_timer = null;

const shell = {
    changed(_, keys) {
        if (!app.open || !page.main)
            return;
        if (keys.has('view'))
            show_view();
        else if (current && current.update)
            current.update(app, keys);
        if (keys.has('q'))
            page.search.show();
    },
    announce(text) {
        page.live.textContent = visible(text, Infinity);
    },
    status(parts) {
        fill(page.status, parts.map(([bold, text]) =>
            el('span', null, el('b', { text: visible(bold) }), ' ', visible(text))));
    },
    remark(text) {
        page.remark.textContent = visible(text, REMARK_CHARACTERS);
        page.remark.classList.add('on');
        clearTimeout(remark_timer);
        remark_timer = setTimeout(() => page.remark.classList.remove('on'), REMARK_MS);
    },
};

const app = make_app(transport, shell, DEFAULT_VIEW);
app.begin_again = () => load_again();       /* something else is open */
/* What is being written into the search box, before Enter; null when it is left. */
app.preview = (text) => {
    if (current && current.preview)
        current.preview(app, text);
};

/* Help and palette show the keys of what is visible, then those of the page. */
function key_tables() {
    return [current && current.keys ? current.keys : [], page_keys];
}

function help() {
    if (!document.querySelector('dialog[open]'))
        show_help(key_tables());
}

function toggle_theme() {
    const dark = document.documentElement.dataset.theme !== 'dark';
    document.documentElement.dataset.theme = dark ? 'dark' : 'light';
    try {
        localStorage.setItem('rastrum-theme', dark ? 'dark' : 'light');
    } catch {
        /* Not kept then. */
    }
    if (current && current.update)
        current.update(app, new Set(['theme']));
}

async function copy_link() {
    app.flush();
    try {
        await navigator.clipboard.writeText(location.href);
        app.remark('The link to this view is in the clipboard.');
    } catch {
        app.remark('The browser does not let this page write to the clipboard; the address bar has the link.');
    }
}

function focus_search() {
    if (page.search.box.offsetParent === null)
        show_palette(app, key_tables().flat());
    else {
        page.search.input.focus();
        page.search.input.select();
    }
}

function close_or_clear() {
    if (document.activeElement && document.activeElement !== document.body &&
        document.activeElement.closest('.search'))
        document.activeElement.blur();
    else if (app.state.q)
        app.set({ q: null }, { push: true });
    else if (app.state.sel || app.state.range)
        app.set({ sel: null, range: null }, { push: true });
    else if (document.activeElement)
        document.activeElement.blur();
}

const page_keys = [
    { key: views.map((view) => view.key), does: 'views', group: 'move', hidden: true,
      run: (a, _, which) => a.go(views[which].id) },
    { key: '1 \u2013 7', does: 'views', group: 'move' },
    { key: '/', does: 'search', group: 'find', run: focus_search },
    { key: 'Ctrl K', does: 'command palette', group: 'find',
      run: () => show_palette(app, [...view_commands(), ...key_tables().flat()]) },
    { key: 'G', does: 'go to tick, time or record', group: 'find', run: focus_search },
    { key: 'Backspace', does: 'back', group: 'find', run: () => history.back() },
    { key: 'Y', does: 'copy link to view', group: 'keep', run: copy_link },
    { key: 'T', does: 'light, dark', group: 'keep', run: toggle_theme },
    { key: '?', does: 'this help', group: 'keep', run: help },
    { key: 'Esc', does: 'close, clear, leave', group: 'keep', run: close_or_clear },
];

function view_commands() {
    return views.map((view) => ({ key: view.key, does: `show ${view.title}`, run: (a) => a.go(view.id) }));
}

function mark_nav(id) {
    for (const link of page.nav.children) {
        const view = by_id.get(link.dataset.view);
        const why = view.missing ? view.missing(app.open) : null;
        link.toggleAttribute('data-missing', Boolean(why));
        link.setAttribute('href', app.link(view.id));
        link.title = why || with_key(view.title, view.key);
        if (view.id === id) {
            link.setAttribute('aria-current', 'page');
            if (link.parentElement.scrollWidth > link.parentElement.clientWidth)
                link.scrollIntoView({ block: 'nearest', inline: 'center' });
        } else
            link.removeAttribute('aria-current');
    }
}

function title_of(view) {
    const names = app.open.sides.map((side) => visible(side.name, 80)).join(' and ');
    return names ? `${names}: ${view.title} \u00b7 rastrum` : 'rastrum';
}

/* Mount what app.state.view names. */
function show_view() {
    const view = by_id.get(app.state.view) || by_id.get(DEFAULT_VIEW);
    if (!by_id.has(app.state.view))
        app.remark(`There is no view called ${app.state.view}.`);
    if (current && current.unmount)
        current.unmount();
    current = null;
    fill(page.main);
    page.main.className = `view-${view.id}`;
    page.main.scrollTop = 0;
    document.title = title_of(view);
    mark_nav(view.id);
    shell.status(side_status());
    const why = view.missing ? view.missing(app.open) : null;
    if (why) {
        fill(page.main, el('div', { class: 'empty' }, el('h1', { text: view.title }), el('p', { text: why })));
        return;
    }
    current = view;
    view.mount(page.main, app);
}

function side_status() {
    const side = app.open.sides[app.side()];
    if (!side)
        return [];
    const records = app.open.sources.filter((s) => s.side === app.side())
        .reduce((sum, s) => sum + (s.records || 0), 0);
    return [[app.visible(side.name, 60), side.kind === 'run' ? 'run directory' : 'trace'],
            ['records', app.format.count(records)]];
}

/* While a build runs or a trace grows, ask what there is and let the view draw again. */
async function poll() {
    const is_uncounted = (source) => !source.error && source.records === null;
    const busy = () => app.open.follow || app.open.sides.some((side) => side.built < 1) ||
        app.open.sources.some(is_uncounted);
    while (busy()) {
        await new Promise((done) => setTimeout(done, POLL_MS));
        try {
            app.open = complete_open(await app.api.get('open'));
        } catch (failure) {
            app.remark(failure.message);
            return;
        }
        if (app.open.generation === generation && busy())
            continue;
        generation = app.open.generation;
        mark_nav(app.state.view);
        if (current && current.update)
            current.update(app, new Set(['open']));
    }
}

async function load() {
    let open;
    app.open = null;
    try {
        open = complete_open(await app.api.get('open'));
    } catch (failure) {
        page.main.className = '';
        app.show_failure(page.main, failure);
        return;
    }
    app.reread();       /* without a view: it is shown once */
    app.open = open;
    generation = open.generation;
    if (open.kind === 'none') {
        show_drop(document.body, app, load_again);
        return;
    }
    show_view();
    poll();
}

/* After files were dropped: the page from the beginning. */
function load_again() {
    build();
    return load();
}

document.documentElement.page_probe = { begin_again: load_again };      /* for tests */
transport.start();
build();
addEventListener('keydown', (event) => {
    if (!app.open || document.querySelector('dialog[open]'))
        return;
    dispatch(event, key_tables(), app);
});
addEventListener('popstate', () => app.open && app.reread());
addEventListener('hashchange', () => {
    transport.start();
    if (app.open)
        app.reread();
});
addEventListener('unhandledrejection', (event) => {
    if (event.reason && event.reason.cancelled)
        event.preventDefault();
});
load();
