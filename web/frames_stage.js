/* frames_stage.js - the picture in the middle: fitted or in pixels, beside the other run's, by turns, or wiped. */

const FLICKER_MS = 500;
export const SHOWS = [['picture', 'Picture'], ['difference', 'Difference'], ['flicker', 'Flicker'], ['wipe', 'Wipe']];
export const ZOOMS = [['fit', 'Fit'], ['1', '1:1'], ['4', '4\u00d7']];

const is_still = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

function paint(canvas, bitmap) {
    canvas.width = bitmap.width;
    canvas.height = bitmap.height;
    canvas.getContext('2d').drawImage(bitmap, 0, 0);
}

/* The stage. `on_pixel(x, y)` is called where a picture was clicked. */
export function make_stage(app, on_pixel) {
    const { el, fill } = app;
    const node = el('div', { class: 'stage', tabindex: '0', role: 'region', 'aria-label': 'picture' });
    let timer = null, zoom = 'fit', wiped = 0.5;

    function scale(canvas) {
        const fixed = zoom === 'fit' ? null : Number(zoom);
        canvas.style.setProperty('width', fixed ? `${canvas.width * fixed}px` : '');
        canvas.style.setProperty('height', fixed ? `${canvas.height * fixed}px` : '');
        canvas.classList.toggle('fitted', !fixed);
    }

    function picture(bitmap, label) {
        const canvas = el('canvas', { role: 'img', 'aria-label': label });
        paint(canvas, bitmap);
        scale(canvas);
        canvas.addEventListener('click', (event) => {
            const box = canvas.getBoundingClientRect();
            /* object-fit keeps the shape: the picture is in the middle of its box. */
            const size = Math.min(box.width / canvas.width, box.height / canvas.height);
            const x = (event.clientX - box.left - (box.width - canvas.width * size) / 2) / size;
            const y = (event.clientY - box.top - (box.height - canvas.height * size) / 2) / size;
            if (x >= 0 && y >= 0 && x < canvas.width && y < canvas.height)
                on_pixel(Math.floor(x), Math.floor(y));
        });
        return canvas;
    }

    function still() {
        clearInterval(timer);
        timer = null;
    }

    function show_difference(both, names) {
        const words = [names[0], names[1], 'what differs'];
        fill(node, el('div', { class: 'three' }, both.bitmaps.map((bitmap, i) => el('figure', null,
            picture(bitmap, words[i]), el('figcaption', { text: i < 2
                ? `${i ? 'actual' : 'expected'}: ${words[i]}` : words[i] })))));
    }

    function show_flicker(both, names) {
        const canvas = picture(both.bitmaps[0], `${names[0]} and ${names[1]} by turns`);
        const caption = el('div', { class: 'turn', text: names[0] });
        let turn = 0;
        const next = () => {
            turn = 1 - turn;
            paint(canvas, both.bitmaps[turn]);
            scale(canvas);
            caption.textContent = names[turn];
        };
        fill(node, canvas, caption, is_still() ? el('button', { class: 'btn turn-button', type: 'button',
            text: 'Show the other', onclick: next }) : null);
        if (!is_still())
            timer = setInterval(next, FLICKER_MS);
    }

    function show_wipe(both, names) {
        const canvas = picture(both.bitmaps[0], `${names[0]} on the left, ${names[1]} on the right`);
        const draw = () => {
            const c = canvas.getContext('2d'), x = Math.round(wiped * canvas.width);
            c.clearRect(0, 0, canvas.width, canvas.height);
            c.drawImage(both.bitmaps[0], 0, 0);
            if (x < canvas.width)
                c.drawImage(both.bitmaps[1], x, 0, canvas.width - x, canvas.height, x, 0, canvas.width - x,
                    canvas.height);
            c.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--accent');
            c.fillRect(x - 1, 0, 2, canvas.height);
        };
        const slider = el('input', { type: 'range', min: '0', max: '100', value: String(wiped * 100), class: 'wiper',
            'aria-label': `${names[0]} left of here, ${names[1]} right of it`, oninput: (event) => {
                wiped = Number(event.target.value) / 100;
                draw();
            } });
        draw();
        fill(node, canvas, el('div', { class: 'wipe-row' }, el('span', { text: names[0] }), slider,
            el('span', { text: names[1] })));
    }

    return {
        node,
        /* One picture, or two in a mode of SHOWS. */
        show(mode, one, both, names, label) {
            still();
            if (mode === 'picture' || !both)
                fill(node, picture(one.bitmaps[0], label));
            else if (both.sizes)
                fill(node, el('p', { class: 'dim', text: 'The two pictures have different sizes.' }));
            else
                ({ difference: show_difference, flicker: show_flicker, wipe: show_wipe })[mode](both, names);
        },
        zoom(to) {
            zoom = to;
            node.classList.toggle('scrolls', to !== 'fit');
            node.querySelectorAll('canvas').forEach(scale);
        },
        message(text) {
            still();
            fill(node, el('p', { class: 'dim', role: 'status', text }));
        },
        fail(failure) {
            still();
            app.show_failure(node, failure);
        },
        still,
    };
}

/* ---- the loupe ---- */

export const LOUPE = 16;

/* The pixels around a place, each a square; `bitmap` is the picture. */
export function paint_loupe(canvas, bitmap, x, y) {
    const size = canvas.clientWidth || 256, ratio = Math.min(2, devicePixelRatio || 1);
    canvas.width = canvas.height = Math.round(size * ratio);
    const c = canvas.getContext('2d'), side = canvas.width / LOUPE;
    const left = x - LOUPE / 2 + 1, top = y - LOUPE / 2 + 1;
    const style = getComputedStyle(document.documentElement);
    c.imageSmoothingEnabled = false;
    c.fillStyle = style.getPropertyValue('--sunk');
    c.fillRect(0, 0, canvas.width, canvas.height);
    c.drawImage(bitmap, left, top, LOUPE, LOUPE, 0, 0, canvas.width, canvas.height);
    c.strokeStyle = style.getPropertyValue('--accent');
    c.lineWidth = 2 * ratio;
    c.strokeRect((x - left) * side, (y - top) * side, side, side);
}

/* The value of a pixel: "b4 65 da ff". */
export function pixel_text(bitmap, x, y, canvas) {
    canvas.width = canvas.height = 1;
    const c = canvas.getContext('2d', { willReadFrequently: true });
    c.clearRect(0, 0, 1, 1);
    c.drawImage(bitmap, x, y, 1, 1, 0, 0, 1, 1);
    return [...c.getImageData(0, 0, 1, 1).data].map((v) => v.toString(16).padStart(2, '0')).join(' ');
}
