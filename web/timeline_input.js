/* timeline_input.js - pointer, wheel and touch on the lanes, the ruler and the minimap. */

const DRAG = 4;
const WHEEL_ZOOM = 1.0016;

/* The relative time at a place of an element that spans the window. */
function time_at(acts, element, x) {
    const [from, to] = acts.window();
    return from + (to - from) * (x / Math.max(1, element.clientWidth));
}

function inside(element, event) {
    const box = element.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
}

/* Two fingers zoom, one pans. */
function attach_touch(draw, acts) {
    const fingers = new Map();
    let start = null;

    function begin() {
        const list = [...fingers.values()];
        start = { win: [...acts.window()], points: list.map((p) => p.x), moved: false, y: list[0] ? list[0].y : 0 };
    }

    function move() {
        const [from, to] = start.win, wide = Math.max(1, draw.clientWidth);
        const now = [...fingers.values()].map((p) => p.x);
        if (now.length === 1) {
            const by = (start.points[0] - now[0]) / wide * (to - from);
            start.moved = start.moved || Math.abs(now[0] - start.points[0]) > DRAG;
            if (start.moved)
                acts.set_window(from + by, to + by);
            return;
        }
        const before = Math.max(8, Math.abs(start.points[0] - start.points[1]));
        const after = Math.max(8, Math.abs(now[0] - now[1]));
        const middle = from + (to - from) * ((start.points[0] + start.points[1]) / 2 / wide);
        const width = (to - from) * before / after;
        const share = (now[0] + now[1]) / 2 / wide;
        start.moved = true;
        acts.set_window(middle - width * share, middle + width * (1 - share));
    }

    return {
        down(event) {
            const [x, y] = inside(draw, event);
            fingers.set(event.pointerId, { x, y });
            begin();
        },
        move(event) {
            if (!fingers.has(event.pointerId))
                return;
            const [x, y] = inside(draw, event);
            fingers.set(event.pointerId, { x, y });
            move();
        },
        up(event) {
            const [x, y] = inside(draw, event);
            const is_tap = fingers.size === 1 && start && !start.moved && event.type === 'pointerup';
            fingers.delete(event.pointerId);
            if (fingers.size)
                begin();
            if (is_tap)
                acts.click(x, y);
        },
    };
}

function attach_draw(draw, acts, listen) {
    const touch = attach_touch(draw, acts);
    let drag = null;
    listen(draw, 'pointerdown', (event) => {
        if (event.pointerType === 'touch') {
            touch.down(event);
            return;
        }
        if (event.button !== 0 || !acts.frame())
            return;
        const [x] = inside(draw, event);
        drag = { x, time: time_at(acts, draw, x), is_range: false };
        draw.setPointerCapture(event.pointerId);
    });
    listen(draw, 'pointermove', (event) => {
        if (event.pointerType === 'touch') {
            touch.move(event);
            return;
        }
        const [x, y] = inside(draw, event);
        if (!acts.frame())
            return;
        if (drag && Math.abs(x - drag.x) > DRAG)
            drag.is_range = true;
        if (drag && drag.is_range) {
            const now = Math.max(0, time_at(acts, draw, x));
            drag.range = [Math.min(drag.time, now), Math.max(drag.time, now)];
            acts.range(drag.range);
            acts.hover(null, x, y);
        } else
            acts.hover(time_at(acts, draw, x), x, y);
    });
    listen(draw, 'pointerup', (event) => {
        if (event.pointerType === 'touch') {
            touch.up(event);
            return;
        }
        const done = drag;
        drag = null;
        if (!done || !acts.frame())
            return;
        if (done.is_range && done.range && done.range[1] - done.range[0] >= 1)
            acts.range_done(done.range);
        else
            acts.click(...inside(draw, event));
    });
    listen(draw, 'pointercancel', (event) => {
        drag = null;
        if (event.pointerType === 'touch')
            touch.up(event);
    });
    listen(draw, 'pointerleave', () => acts.frame() && acts.hover(null, 0, 0));
}

/* Ctrl zooms at the pointer, Shift pans in time; without them the lanes scroll. */
function attach_wheel(element, acts, listen) {
    listen(element, 'wheel', (event) => {
        const [x] = inside(element, event);
        const lines = event.deltaMode === 1 ? 18 : 1;
        if (event.ctrlKey || event.metaKey) {
            acts.zoom(WHEEL_ZOOM ** (event.deltaY * lines), time_at(acts, element, x));
            event.preventDefault();
        } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
            const [from, to] = acts.window();
            const by = (event.deltaX || event.deltaY) * lines / Math.max(1, element.clientWidth) * (to - from);
            acts.set_window(from + by, to + by);
            event.preventDefault();
        }
    }, { passive: false });
}

function attach_ruler(ruler, acts, listen) {
    let drag = null;
    listen(ruler, 'pointerdown', (event) => {
        drag = { x: event.clientX, win: [...acts.window()] };
        ruler.setPointerCapture(event.pointerId);
    });
    listen(ruler, 'pointermove', (event) => {
        if (!drag)
            return;
        const [from, to] = drag.win;
        const by = (drag.x - event.clientX) / Math.max(1, ruler.clientWidth) * (to - from);
        acts.set_window(from + by, to + by);
    });
    listen(ruler, 'pointerup', () => { drag = null; });
    listen(ruler, 'pointercancel', () => { drag = null; });
}

/* A click goes there, a drag is the new window. */
function attach_mini(mini, acts, listen) {
    let drag = null;
    const share = (event) => Math.max(0, Math.min(1, inside(mini, event)[0] / Math.max(1, mini.clientWidth)));
    listen(mini, 'pointerdown', (event) => {
        drag = { from: share(event), x: event.clientX, moved: false };
        mini.setPointerCapture(event.pointerId);
    });
    listen(mini, 'pointermove', (event) => {
        if (!drag)
            return;
        drag.moved = drag.moved || Math.abs(event.clientX - drag.x) > DRAG;
        const now = share(event);
        if (drag.moved)
            acts.brush(Math.min(drag.from, now), Math.max(drag.from, now));
    });
    listen(mini, 'pointerup', (event) => {
        if (drag && !drag.moved)
            acts.go_whole(share(event));
        drag = null;
    });
    listen(mini, 'pointercancel', () => { drag = null; });
}

/* Attach all; the function that is returned detaches them. */
export function attach_pointer({ draw, ruler, mini }, acts) {
    const attached = [];
    const listen = (element, type, run, options) => {
        element.addEventListener(type, run, options);
        attached.push(() => element.removeEventListener(type, run, options));
    };
    attach_draw(draw, acts, listen);
    attach_wheel(draw, acts, listen);
    attach_wheel(ruler, acts, listen);
    attach_ruler(ruler, acts, listen);
    attach_mini(mini, acts, listen);
    return () => attached.forEach((detach) => detach());
}
