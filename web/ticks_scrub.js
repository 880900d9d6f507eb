/* ticks_scrub.js - the run below the map: play, step, speed, two curves, where the runs diverge. */

const SPEEDS = [1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8, 16];
const HEIGHT = 56;
const WIDTH = 1000;

/* Drawn, since not every font has the characters. */
const ICONS = {
    first: 'M3 3V13M13 3L5 8L13 13Z', back: 'M12 3L4 8L12 13Z', play: 'M4 2.5L13 8L4 13.5Z',
        pause: 'M4 3H7V13H4ZM9 3H12V13H9Z',
    next: 'M4 3L12 8L4 13Z', last: 'M13 3V13M3 3L11 8L3 13Z',
};

const speed_text = (speed) => speed < 1 ? `1/${1 / speed}\u00d7` : `${speed}\u00d7`;

/* The path of a curve, from edge to edge: its largest value is `top` pixels below the upper edge. */
function curve_path(curve, ticks, top) {
    const most = Math.max(1, ...curve.values);
    const y = (value) => (HEIGHT - value / most * (HEIGHT - top)).toFixed(1);
    const x = (i) => Math.min(WIDTH, (i + 0.5) * curve.every / ticks * WIDTH).toFixed(1);
    return [`0 ${y(curve.values[0])}`, ...curve.values.map((value, i) => `${x(i)} ${y(value)}`),
        `${WIDTH} ${y(curve.values.at(-1))}`].join('L');
}

/* Which two curves say most: the things that there are most of, and events, commands or calls. */
export function choose_curves(scene) {
    const things = scene.curves.filter((c) => c.name !== 'records')
        .sort((a, b) => Math.max(0, ...b.values) - Math.max(0, ...a.values))[0];
    const records = ['dial9', 'atf', 'murk', 'aerogpu']
        .map((pen) => scene.curves.find((c) => c.name === 'records' && c.pen === pen)).find(Boolean);
    return [things, records].filter((c) => c && c.values.length);
}

const names = { dial9: 'events', atf: 'calls', murk: 'commands', aerogpu: 'GPU commands' };

export function curve_name(curve) {
    return curve.name === 'records' ? names[curve.pen] || 'records' : curve.name;
}

/*
 * Build it. `on` has tick(n), play(), step(n), speed(x). Returns {node, show(tick, playing), curves(scene),
 * diverges(tick)}.
 */
export function make_scrub(app, on) {
    const { el, fill } = app;
    let range = { first: 0, last: 0 };
    const icon = el('path', { d: ICONS.play });
    const picture = (path) => el('svg', { width: 14, height: 14, viewBox: '0 0 16 16', 'aria-hidden': 'true',
        fill: 'currentColor', stroke: 'currentColor', 'stroke-width': 1.4, 'stroke-linejoin': 'round' }, path);
    const button = (label, path, run, extra = '') => el('button', { class: `btn icon ${extra}`, type: 'button',
        'aria-label': label, title: label, onclick: run }, picture(path));
    const draw_icon = (name) => el('path', { d: ICONS[name] });
    const play = button('play (Space)', icon, () => on.play(), 'primary');
    const speed = el('select', { class: 'btn', 'aria-label': 'speed',
        onchange: (event) => on.speed(Number(event.target.value)) },
        SPEEDS.map((s) => el('option', { value: String(s), text: speed_text(s), selected: s === 1 })));
    speed.value = '1';
    const legend = el('span', { class: 'curves' });
    const curves = el('g'), mark = el('g');
    const head = el('line', { y1: 0, y2: HEIGHT, stroke: 'var(--ink)', 'stroke-width': 2,
                              'vector-effect': 'non-scaling-stroke' });
    const slider = el('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', role: 'slider',
        tabindex: '0', 'aria-label': 'tick', class: 'slider' }, curves, mark, head);

    const ticks = () => Math.max(1, range.last - range.first + 1);
    const x_of = (tick) => (tick - range.first + 0.5) / ticks() * WIDTH;

    function seek(event) {
        const box = slider.getBoundingClientRect();
        const share = Math.min(1, Math.max(0, (event.clientX - box.left) / Math.max(1, box.width)));
        on.tick(Math.min(range.last, range.first + Math.floor(share * ticks())));
    }
    slider.addEventListener('pointerdown', (event) => {
        slider.setPointerCapture(event.pointerId);
        seek(event);
    });
    slider.addEventListener('pointermove', (event) => event.buttons && seek(event));

    return {
        node: el('div', { class: 'scrub' }, el('div', { class: 'row' },
            button('first tick (Home)', draw_icon('first'), () => on.tick(range.first)),
            button('step back (,)', draw_icon('back'), () => on.step(-1)), play,
            button('step (.)', draw_icon('next'), () => on.step(1)),
            button('last tick (End)', draw_icon('last'), () => on.tick(range.last)), speed,
            el('span', { class: 'grow' }), legend), slider),
        show(tick, is_playing) {
            head.setAttribute('x1', x_of(tick));
            head.setAttribute('x2', x_of(tick));
            slider.setAttribute('aria-valuenow', tick);
            slider.setAttribute('aria-valuetext', `tick ${tick} of ${range.first} to ${range.last}`);
            icon.setAttribute('d', is_playing ? ICONS.pause : ICONS.play);
            play.setAttribute('aria-label', is_playing ? 'pause (Space)' : 'play (Space)');
        },
        curves(scene) {
            range = { first: scene.first ?? 0, last: scene.last ?? 0 };
            slider.setAttribute('aria-valuemin', range.first);
            slider.setAttribute('aria-valuemax', range.last);
            const [area, line] = choose_curves(scene);
            fill(curves,
                area ? el('path', { d: `M0 ${HEIGHT}L${curve_path(area, ticks(), 8)}L${WIDTH} ${HEIGHT}Z`,
                                    fill: `var(${app.pen_of(area.pen).hue})`, opacity: 0.25 }) : null,
                line ? el('path', { d: `M${curve_path(line, ticks(), 22)}`, fill: 'none',
                                    stroke: `var(${app.pen_of(line.pen).hue})`, 'stroke-width': 1,
                                    'vector-effect': 'non-scaling-stroke' }) : null);
            fill(legend, [area, line].filter(Boolean).map((curve) => app.pen_tag(curve.pen, curve_name(curve))));
        },
        diverges(tick) {
            fill(mark, tick === null ? null : el('line', { x1: x_of(tick), x2: x_of(tick), y1: 0, y2: HEIGHT,
                stroke: 'var(--part)', 'stroke-width': 1.5, 'stroke-dasharray': '4 3',
                'vector-effect': 'non-scaling-stroke' }, el('title', { text: `diverges in tick ${tick}` })));
        },
        /* The next faster (1) or slower (-1) speed. */
        faster(by) {
            const at = SPEEDS.indexOf(Number(speed.value)) + by;
            if (at < 0 || at >= SPEEDS.length)
                return;
            speed.value = String(SPEEDS[at]);
            on.speed(SPEEDS[at]);
        },
    };
}
