/* timeline_names.js - the column of lane names: fold, pin, move, resize, hide, filter. */

const EDGE = 6;
const STEP = 12;

/* The column. `on` has fold(id), pin(id), move(id, step), resize(id, height), hide(id), changed(). */
export function make_names_column(app, on) {
    const { el, fill, glyph, visible } = app;
    const root = el('div', { class: 'names', role: 'list', 'aria-label': 'lanes' });
    let shown = '', drag = null;

    function lane_node(lane) {
        const { track } = lane;
        const fold = el('button', { type: 'button', class: 'fold', 'aria-expanded': String(!lane.is_folded),
            'aria-label': `fold ${visible(track.name, 60)}`, title: 'fold; P pins, Shift \u2191 \u2193 moves, ' +
                '+ \u2212 resizes, H hides', text: lane.is_folded ? '\u25b8' : '\u25be',
            onclick: () => on.fold(track.track) });
        return el('div', { class: `lane kind-${track.kind}` + (lane.is_pinned ? ' pinned' : ''),
                'data-track': track.track, role: 'listitem',
                style: { height: `${lane.height}px`, 'padding-left': `${14 + Math.min(4, lane.depth) * 12}px` } },
            fold,
            el('svg', { width: 11, height: 18, viewBox: '0 0 11 18', 'aria-hidden': 'true' },
                glyph(track.pen, 5.5, 10)),
            el('div', { class: 'words' }, el('b', { text: visible(track.name, 80),
                title: visible(track.name, 2000) }),
                lane.is_pinned ? el('span', { class: 'pin', text: ' pinned' }) : null,
                lane.height >= 36 && track.detail ? el('small', { text: visible(track.detail, 120) }) : null));
    }

    /* Only when something differs: the focus stays where it is. */
    function render(lanes) {
        const key = JSON.stringify(lanes.map((l) => [l.track.track, l.height, l.is_folded, l.is_pinned,
            l.track.detail, l.depth]));
        if (key === shown)
            return;
        shown = key;
        const focused = document.activeElement && root.contains(document.activeElement)
            ? lane_of(document.activeElement) : null;
        fill(root, lanes.map(lane_node));
        if (focused !== null)
            focus(focused);
    }

    function lane_of(node) {
        const lane = node instanceof Element ? node.closest('.lane') : null;
        return lane && root.contains(lane) ? Number(lane.dataset.track) : null;
    }

    function focus(id) {
        const button = root.querySelector(`[data-track="${Number(id)}"] .fold`);
        if (button)
            button.focus({ preventScroll: true });
    }

    function on_edge(event) {
        const lane = event.target.closest('.lane');
        return lane && lane.getBoundingClientRect().bottom - event.clientY <= EDGE ? lane : null;
    }

    root.addEventListener('pointerdown', (event) => {
        if (event.target.closest('button') || event.button !== 0)
            return;
        const lane = event.target.closest('.lane');
        if (!lane)
            return;
        drag = { id: Number(lane.dataset.track), y: event.clientY, moved: false,
                 height: on_edge(event) ? lane.offsetHeight : null };
        root.setPointerCapture(event.pointerId);
    });
    root.addEventListener('pointermove', (event) => {
        root.classList.toggle('on-edge', Boolean(on_edge(event)) && !drag);
        if (!drag)
            return;
        const by = event.clientY - drag.y;
        if (drag.height !== null)
            on.resize(drag.id, drag.height + by);
        else if (Math.abs(by) > 30) {
            on.move(drag.id, Math.sign(by));
            drag.y = event.clientY;
        }
    });
    root.addEventListener('pointerup', () => { drag = null; });
    root.addEventListener('pointercancel', () => { drag = null; });
    root.addEventListener('keydown', (event) => {
        const id = lane_of(event.target);
        if (id === null || event.ctrlKey || event.altKey || event.metaKey)
            return;
        const height = root.querySelector(`[data-track="${id}"]`).offsetHeight;
        const acts = { p: () => on.pin(id), h: () => on.hide(id), '+': () => on.resize(id, height + STEP),
            '-': () => on.resize(id, height - STEP) };
        if (event.shiftKey)
            Object.assign(acts, { ArrowUp: () => on.move(id, -1), ArrowDown: () => on.move(id, 1) });
        const act = Object.hasOwn(acts, event.key) ? acts[event.key] : null;
        if (!act)
            return;
        act();
        event.preventDefault();
    });
    return { root, render, lane_of, focus };
}
