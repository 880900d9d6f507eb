/* view_frames.js - Frames: film strip, the picture after each draw, its commands, a loupe; of one run or two. */
import { make_frames } from './frames_data.js';
import { command_facts, command_list, pairs } from './frames_list.js';
import { LOUPE, make_stage, paint_loupe, pixel_text, SHOWS, ZOOMS } from './frames_stage.js';

const STRIP = 16;
const THUMB = 92;
const PIXEL_MS = 120;
const AGAIN_MS = 300;

let o = null;

const has_pictures = (source) => !source.error && source.pen === 'aerogpu';

function missing(open) {
    return open.sources.some(has_pictures) ? null
        : 'There are no pictures here: Frames shows traces of AeroGPU.';
}

const is_pair = (app) => app.open.sides.length === 2 && app.open.sides.every((_, i) => app.source_of('aerogpu', i));
const source_shown = (app) => app.source_of('aerogpu', app.side()) || app.open.sources.find(has_pictures);
const names_of = (app) => app.open.sides.map((side) => app.visible(side.name, 24));

function show_of(app) {
    return is_pair(app) && SHOWS.some(([id]) => id === app.state.show) ? app.state.show : 'picture';
}

function range_of(app) {
    return source_shown(app).ticks || [0, Number.MAX_SAFE_INTEGER];
}

function clamp(app, frame) {
    const [first, last] = range_of(app);
    return Math.min(last, Math.max(first, frame));
}

/* ---- the picture ---- */

function say_status(app) {
    const { format } = app;
    const last = source_shown(app).ticks ? source_shown(app).ticks[1] : null;
    const parts = [['frame',
        last === null ? format.count(o.frame) : `${format.count(o.frame)} of ${format.count(last + 1)}`]];
    if (o.both && show_of(app) !== 'picture')
        parts.push([names_of(app)[0], `${o.both.expected.sha256.slice(0, 8)}\u2026`],
            [names_of(app)[1], `${o.both.actual.sha256.slice(0, 8)}\u2026`],
            ['differ', o.both.sizes
                ? 'in size' : `${format.plural(o.both.differs, 'pixel')}, at most ${o.both.most} of 255`]);
    else if (o.one) {
        const facts = o.one.picture;
        parts.push(['size', `${facts.width} \u00d7 ${facts.height}`], ['draws', format.count(facts.draws)],
            ['sha256', `${facts.sha256.slice(0, 8)}\u2026`],
            [facts.inexact.length ? 'not exact' : 'exact', facts.backend]);
    }
    app.status(parts);
}

function inexact_of(app) {
    const facts = o.both && show_of(app) !== 'picture' ? [o.both.expected, o.both.actual] : o.one
        ? [o.one.picture] : [];
    return [...new Set(facts.flatMap((f) => f.inexact))];
}

/* A frame that is not exact says which commands are missing. */
function show_exactness(app) {
    const { el, fill } = app;
    const lacks = inexact_of(app), facts = o.one ? o.one.picture : null;
    const remarks = facts ? facts.remarks : [];
    fill(o.exact,
        lacks.length ? el('span', { class: 'chip warn', title: app.visible(remarks.join('\n'), 2000),
            text: `not exact: ${lacks.join(', ')} not executed` }) : null,
        facts && facts.size_text && facts.size_from === 'default'
            ? el('span', { class: 'chip', title: app.visible(facts.size_text), text: 'size is a guess' }) : null);
}

/* One step of loading; newer ones win. */
async function load_picture(app) {
    const mine = o, mode = show_of(app), { frame, draw } = o;
    const turn = ++o.turn;
    const is_current = () => mine === o && turn === o.turn;
    try {
        if (mode === 'picture') {
            const one = await o.frames.picture(source_shown(app).src, frame, draw);
            if (!is_current())
                return;
            o.one = one;
            o.both = null;
        } else {
            const both = await o.frames.pixels(frame, draw);
            if (!is_current())
                return;
            o.both = both;
            o.one = { bitmaps: both.bitmaps, picture: both.expected };
        }
        const label = `frame ${frame}${draw ? ` up to draw ${draw}` : ''}`;
        o.stage.show(mode, o.one, o.both, names_of(app), label);
        o.stage.zoom(app.state.zoom || 'fit');
        show_exactness(app);
        say_status(app);
        show_loupe(app);
        if (is_pair(app) && mode === 'picture')
            load_against(app, is_current);
    } catch (failure) {
        if (is_current() && failure.cancelled)      /* another page of the same program was faster */
            setTimeout(() => is_current() && load_picture(app), AGAIN_MS);
        else if (is_current()) {
            o.one = o.both = null;
            o.stage.fail(failure);
            show_exactness(app);
            say_status(app);
        }
    }
}

/* How many pixels differ, also where one picture is shown. */
async function load_against(app, is_current) {
    try {
        const both = await o.frames.pixels(o.frame, o.draw);
        if (!is_current())
            return;
        o.against = { frame: o.frame, draw: o.draw, both };
        show_loupe(app);
    } catch {
        /* The other run has no such frame: the strip shows it. */
    }
}

/* ---- the loupe ---- */

function pixel_rows(app) {
    const [x, y] = o.pixel, { format } = app;
    const inside = o.one && x < o.one.picture.width && y < o.one.picture.height;
    const spaced = (color) => color.slice(1).replace(/(..)(?=.)/g, '$1 ');
    const history = o.history && o.history.key === `${o.frame}.${x}.${y}` ? o.history : null;
    const value = !inside ? 'outside' : history && history.rgba && !o.draw ? spaced(history.rgba)
        : pixel_text(o.one.bitmaps[0], x, y, o.probe);
    const rows = [['pixel', `${x}, ${y}`], ['rgba', value]];
    rows.push(['written by', !history ? '\u2026' : history.error || (history.last_draw === null
        ? (history.changes.length ? 'another command' : 'none of its draws') : `draw ${history.last_draw}`)]);
    rows.push(['before', history && history.before ? spaced(history.before) : '\u2013']);
    if (is_pair(app)) {
        const both = o.against && o.against.frame === o.frame && o.against.draw === o.draw ? o.against.both : o.both;
        rows.push([`against ${names_of(app)[1 - app.side()]}`, !both ? '\u2026'
            : both.sizes ? 'another size' : `${format.plural(both.differs, 'pixel')} differ`]);
    }
    return rows;
}

function show_loupe(app) {
    const { el, fill } = app;
    const [x, y] = o.pixel;
    fill(o.loupe_title, `Pixels around ${x}, ${y}`, el('span', { class: 'grow' }),
        el('span', { class: 'dim', text: `\u00d7${Math.round((o.loupe.clientWidth || 256) / LOUPE)}` }));
    if (o.one)
        paint_loupe(o.loupe, o.one.bitmaps[0], x, y);
    o.loupe.setAttribute('aria-label', `pixels around ${x}, ${y}; arrow keys move`);
    const history = o.history && o.history.key === `${o.frame}.${x}.${y}` ? o.history : null;
    fill(o.facts, pairs(app, pixel_rows(app)),
        history && history.last_draw && history.last_draw !== o.draw
            ? el('button', { class: 'btn', type: 'button', text: `Show draw ${history.last_draw}`,
            onclick: () => set_draw(app, history.last_draw) }) : null,
        o.commands ? command_facts(app, o.commands, selected_command(app)) : null);
}

function load_history(app) {
    const mine = o, [x, y] = o.pixel, { frame } = o, key = `${frame}.${x}.${y}`;
    clearTimeout(o.pixel_timer);
    o.pixel_timer = setTimeout(async () => {
        if (mine !== o)
            return;
        try {
            const answer = await app.api.job(`pixel?src=${source_shown(app).src}&n=${frame}&x=${x}&y=${y}`);
            if (mine !== o)
                return;
            o.history = { ...answer, key };
        } catch (failure) {
            if (mine === o && failure.cancelled && key === `${o.frame}.${o.pixel.join('.')}`)
                setTimeout(() => mine === o && load_history(app), AGAIN_MS);
            if (mine !== o || failure.cancelled)
                return;
            o.history = { key, error: app.visible(failure.message, 80), changes: [], last_draw: null };
        }
        show_loupe(app);
    }, PIXEL_MS);
}

function set_pixel(app, x, y) {
    const facts = o.one ? o.one.picture : { width: 1, height: 1 };
    o.pixel = [Math.max(0, Math.min(facts.width - 1, x)), Math.max(0, Math.min(facts.height - 1, y))];
    show_loupe(app);
    load_history(app);
    app.announce(`pixel ${o.pixel.join(', ')}`);
    app.set({ px: o.pixel.join('.') });
}

/* ---- commands ---- */

/* The place in the list of the draw that is shown, or of the command that was chosen. */
function selected_command() {
    if (!o.commands)
        return -1;
    if (o.draw)
        return o.commands.commands.findIndex((c) => c.draw === o.draw);
    return o.chosen;
}

function choose_command(app, i) {
    const command = o.commands.commands[i];
    o.chosen = i;
    if (command.draw !== null)
        set_draw(app, command.draw);
    else {
        show_commands(app);
        show_loupe(app);
    }
}

function show_commands(app) {
    const { el, fill } = app;
    if (!o.commands)
        return;
    const at = selected_command(app), draws = o.commands.draws;
    const title = o.draw ? `up to draw ${o.draw} of ${draws}` : app.format.plural(draws, 'draw');
    fill(o.list_title, 'Commands', el('span', { class: 'grow' }), el('span', { class: 'dim', text: title }));
    fill(o.list, command_list(app, o.commands, { selected: at, last: o.draw ? at : null,
                                                choose: (i) => choose_command(app, i) }));
    const row = o.list.querySelector('[aria-selected="true"]');
    if (row)
        row.scrollIntoView({ block: 'nearest' });
    fill(o.tick, o.commands.tick === null ? null : el('a', { href: app.link('ticks', { tick: o.commands.tick }),
        text: `tick ${app.format.count(o.commands.tick)}` }));
}

async function load_commands(app) {
    const mine = o, { frame } = o;
    try {
        const answer = await app.api.get(`commands?src=${source_shown(app).src}&n=${frame}`);
        if (mine !== o || frame !== o.frame)
            return;
        o.commands = answer;
        if (o.draw && o.draw > answer.draws)
            app.set({ draw: null });
        show_commands(app);
        show_loupe(app);
    } catch (failure) {
        if (mine === o)
            app.show_failure(o.list, failure);
    }
}

/* ---- the strip ---- */

function strip_figure(app, thumb, other, first_difference) {
    const { el } = app;
    const differs = other !== undefined && other !== thumb.hash;
    const is_current = thumb.frame === o.frame;
    const text = differs
        ? (thumb.frame === first_difference ? `${thumb.frame} \u00b7 differs` : `\u2260 ${thumb.frame}`)
        : String(thumb.frame);
    return el('figure', { class: differs ? 'd' : null, role: 'option', 'aria-selected': String(is_current),
                          tabindex: is_current ? '0' : '-1',
                              'aria-label': `frame ${thumb.frame}${differs ? ', differs' : ''}`,
                          onclick: () => set_frame(app, thumb.frame) },
        el('img', { src: thumb.url, alt: '' }), el('figcaption', { text }));
}

/* A list of options is one only while it has some. */
function list_role(has_options) {
    if (has_options)
        o.strip.setAttribute('role', 'listbox');
    else
        o.strip.setAttribute('role', 'group');
}

function show_strip(app) {
    const thumbs = [...o.thumbs.values()].flat().sort((a, b) => a.frame - b.frame);
    const others = new Map([...o.others.values()].flat().map((thumb) => [thumb.frame, thumb.hash]));
    const first = thumbs.find((thumb) => others.has(thumb.frame) && others.get(thumb.frame) !== thumb.hash);
    const before = first && thumbs.some((t) => t.frame === first.frame - 1 && others.get(t.frame) === t.hash);
    app.fill(o.strip, thumbs.length ? thumbs.map((thumb) =>
        strip_figure(app, thumb, others.get(thumb.frame), before ? first.frame : null))
        : app.el('p', { class: 'dim', role: 'status', text: 'Drawing the frames\u2026' }));
    list_role(thumbs.length > 0);
    const current = o.strip.querySelector('[aria-selected="true"]');
    if (current)
        o.strip.scrollLeft = current.offsetLeft - o.strip.clientWidth / 2 + THUMB / 2;
}

function fail_strip(app, failure) {
    app.fill(o.strip, app.el('p', { class: 'dim', text: app.visible(failure.message) }));
    list_role(false);
}

/* The windows around the frame, one after the other; those that are far are dropped. */
async function load_strip(app) {
    const mine = o, turn = ++o.strip_turn;
    const [first, last] = range_of(app);
    const middle = Math.floor(o.frame / STRIP) * STRIP;
    const wanted = [middle, middle + STRIP, middle - STRIP].filter((from) => from + STRIP > first && from <= last
        && from >= 0);
    for (const held of [o.thumbs, o.others])
        for (const from of held.keys())
            if (!wanted.includes(from))
                held.delete(from);
    show_strip(app);
    const src = source_shown(app).src;
    const other = is_pair(app) ? app.source_of('aerogpu', 1 - app.side()).src : null;
    for (const from of wanted)
        for (const [held, of] of [[o.thumbs, src], [o.others, other]]) {
            if (of === null || held.has(from))
                continue;
            try {
                const strip = await o.frames.strip(of, from, STRIP, THUMB * 2);
                if (mine !== o || turn !== o.strip_turn)
                    return;
                held.set(from, strip);
                show_strip(app);
            } catch (failure) {
                if (mine !== o || turn !== o.strip_turn)
                    return;
                if (failure.cancelled) {
                    setTimeout(() => mine === o && turn === o.strip_turn && load_strip(app), AGAIN_MS);
                    return;
                }
                if (held === o.thumbs && !o.thumbs.size)
                    fail_strip(app, failure);
                held.set(from, []);
            }
        }
}

/* ---- moving ---- */

function set_frame(app, frame) {
    const to = clamp(app, frame);
    if (to !== o.frame)
        app.set({ frame: to, draw: null, tick: null }, { push: true });
}

function set_draw(app, draw) {
    if (!o.commands)
        return;
    const to = draw === null || draw < 1 ? null : Math.min(draw, o.commands.draws);
    app.set({ draw: to, frame: o.frame }, { push: true });
}

/* Without a draw all of them are shown: stepping back begins before the last. */
function step_draw(app, by) {
    if (!o.commands || !o.commands.draws)
        return;
    const at = o.draw === null ? (by < 0 ? o.commands.draws : 0) : o.draw;
    const to = at + by;
    set_draw(app, to > o.commands.draws ? null : Math.max(1, to));
}

function next_difference(app, by) {
    if (!is_pair(app))
        return false;
    const others = new Map([...o.others.values()].flat().map((thumb) => [thumb.frame, thumb.hash]));
    const differs = (thumb) => others.has(thumb.frame) && others.get(thumb.frame) !== thumb.hash;
    const thumbs = [...o.thumbs.values()].flat().sort((a, b) => (a.frame - b.frame) * by);
    const found = thumbs.find((thumb) => (thumb.frame - o.frame) * by > 0 && differs(thumb));
    if (found)
        set_frame(app, found.frame);
    else
        app.remark('No frame near this one differs.');
    return true;
}

/* ---- building ---- */

function choice(app, rows, current, set) {
    return rows.map(([id, text]) => app.el('button', { class: 'btn', type: 'button', text,
        'aria-pressed': String(id === current),
                                                       onclick: () => set(id) }));
}

function show_tools(app) {
    const { el, fill } = app;
    fill(o.tools, choice(app, ZOOMS, app.state.zoom || 'fit', (zoom) => app.set({ zoom: zoom === 'fit'
        ? null : zoom })),
        o.tick, o.exact, el('span', { class: 'grow' }),
        is_pair(app) ? choice(app, SHOWS, show_of(app), (show) => app.set({ show: show === 'picture' ? null : show },
            { push: true }))
            : null,
        el('button', { class: 'btn', type: 'button', title: 'draw before (,)', 'aria-label': 'draw before (,)',
            text: '\u2039',
            onclick: () => step_draw(app, -1) }),
        el('button', { class: 'btn', type: 'button', title: 'next draw (.)', 'aria-label': 'next draw (.)',
            text: '\u203a',
            onclick: () => step_draw(app, 1) }));
}

function on_loupe_key(app, event) {
    const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!by)
        return;
    event.preventDefault();
    event.stopPropagation();
    const far = event.shiftKey ? 8 : 1;
    set_pixel(app, o.pixel[0] + by[0] * far, o.pixel[1] + by[1] * far);
}

function build(root, app) {
    const { el, fill } = app;
    o.list_title = el('h2', { text: 'Commands' });
    o.list = el('div', { class: 'rows' });
    o.tools = el('div', { class: 'tools', role: 'toolbar', 'aria-label': 'how the frame is shown' });
    o.exact = el('span', { class: 'exactness' });
    o.tick = el('span');
    o.loupe_title = el('h2', { text: 'Pixels' });
    o.loupe = el('canvas', { class: 'loupe', role: 'img', tabindex: '0',
        onkeydown: (event) => on_loupe_key(app, event) });
    o.facts = el('div');
    o.strip = el('div', { class: 'strip', role: 'group', 'aria-label': 'frames', tabindex: '0' });
    fill(root,
        el('section', { class: 'list', 'aria-label': 'commands', tabindex: '0' }, o.list_title, o.list),
        el('section', { class: 'middle', 'aria-label': 'picture' }, o.tools, o.stage.node),
        el('aside', { class: 'right', 'aria-label': 'pixels', tabindex: '0' }, o.loupe_title, o.loupe, o.facts),
        o.strip);
    show_tools(app);
}

/* The frame of a tick: frames of a run count on with its ticks. */
async function frame_of_tick(app, tick) {
    const [first] = range_of(app);
    try {
        const answer = await app.api.get(`commands?src=${source_shown(app).src}&n=${first}`);
        return answer.tick === null ? tick : first + tick - answer.tick;
    } catch {
        return tick;
    }
}

function read_pixel(app) {
    const found = /^(\d{1,5})\.(\d{1,5})$/.exec(app.state.px || '');
    return found ? [Number(found[1]), Number(found[2])] : null;
}

async function start(app) {
    const mine = o;
    const { frame, tick } = app.state;
    const wanted = frame ?? (tick === undefined ? range_of(app)[0] : await frame_of_tick(app, tick));
    if (mine !== o)
        return;
    o.frame = clamp(app, wanted);
    if (frame !== undefined && frame !== o.frame)
        app.remark(`There is no frame ${frame}: the frames are ${app.format.ticks(range_of(app))}.`);
    o.draw = app.state.draw || null;
    load_all(app);
}

async function load_all(app) {
    const mine = o;
    load_commands(app);
    await load_picture(app);
    if (mine !== o)
        return;
    if (!o.has_pixel && o.one) {
        o.has_pixel = true;
        o.pixel = read_pixel(app) || [o.one.picture.width >> 1, o.one.picture.height >> 1];
        show_loupe(app);
    }
    load_history(app);
    load_strip(app);
}

function mount(root, app) {
    o = { frames: make_frames(app.api), thumbs: new Map(), others: new Map(), turn: 0, strip_turn: 0, one: null,
        both: null,
          against: null, commands: null, draw: app.state.draw || null, frame: app.state.frame ?? 0, chosen: -1,
              pixel: [0, 0],
          has_pixel: false, history: null, probe: app.el('canvas') };
    o.stage = make_stage(app, (x, y) => set_pixel(app, x, y));
    build(root, app);
    o.stage.message('Drawing the frame\u2026');
    start(app);
}

function update(app, changed) {
    if (!o)
        return;
    if (changed.has('side')) {
        const root = o.list.closest('main');
        unmount();
        mount(root, app);
        return;
    }
    if (changed.has('zoom'))
        o.stage.zoom(app.state.zoom || 'fit');
    const frame = app.state.frame === undefined ? o.frame : clamp(app, app.state.frame), draw = app.state.draw || null;
    const moved = frame !== o.frame, drawn = draw !== o.draw;
    o.frame = frame;
    o.draw = draw;
    if (moved) {
        o.chosen = -1;
        load_all(app);
    } else if (drawn || changed.has('show')) {
        show_commands(app);
        load_picture(app);
    }
    if (changed.has('theme') && o.one)
        show_loupe(app);
    show_tools(app);
}

function unmount() {
    if (!o)
        return;
    clearTimeout(o.pixel_timer);
    o.stage.still();
    o.frames.forget();
    o = null;
}

const keys = [
    { key: ['\u2190', '\u2192'], does: 'frame before, next frame', group: 'move',
        run: (app, _, which) => set_frame(app, o.frame + (which ? 1 : -1)) },
    { key: [',', '.'], does: 'draw before, next draw', group: 'move',
        run: (app, _, which) => step_draw(app, which ? 1 : -1) },
    { key: ['A', 'D'], does: '10 frames back, on', group: 'move', run: (app, _, which) => set_frame(app,
        o.frame + (which ? 10 : -10)) },
    { key: ['Home', 'End'], does: 'first, last frame', group: 'move',
        run: (app, _, which) => set_frame(app, range_of(app)[which]) },
    { key: '0', does: 'all draws', group: 'move', run: (app) => set_draw(app, null) },
    { key: ['N', 'P'], does: 'next, previous frame that differs', group: 'find',
        run: (app, _, which) => next_difference(app, which ? -1 : 1) },
    { key: 'B', does: 'picture, difference, flicker, wipe', group: 'find', run: (app) => next_show(app) },
    { key: 'O', does: 'the tick of this frame', group: 'find',
      run: (app) => o.commands && o.commands.tick !== null ? app.go('ticks', { tick: o.commands.tick }) : false },
    { key: 'E', does: 'save the picture', group: 'keep', run: (app) => save(app) },
];

function next_show(app) {
    if (!is_pair(app))
        return false;
    const ids = SHOWS.map(([id]) => id);
    const next = ids[(ids.indexOf(show_of(app)) + 1) % ids.length];
    app.set({ show: next === 'picture' ? null : next }, { push: true });
    return true;
}

function save(app) {
    if (!o.one || !o.one.images)
        return false;
    const link = app.el('a', { href: URL.createObjectURL(o.one.images[0]), download: `frame_${o.frame}.png` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    return true;
}

export default { id: 'frames', title: 'Frames', key: '5', missing, mount, update, unmount, keys };
