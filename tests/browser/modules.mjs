/* modules.mjs - functions of the pages that need no view: addresses, times, numbers, tiles, nodes. */
import { equal, no_trouble, ok, open_page, serve, test } from './harness.mjs';

async function blank() {
    return open_page(await serve());
}

test('modules print and read addresses', async () => {
    const page = await blank();
    const found = await page.evaluate(async () => {
        const { read_url, write_url } = await import('/url.js');
        const state = { view: 'timeline', side: 1, tick: 302, t: { from: 2n ** 63n, to: 2n ** 64n - 1n },
            sel: { src: 4, seq: '18446744073709551615' }, lanes: [1, 22], q: 'a&b=c #d/e,f@g:h %41+\u00e9',
            m: [{ letter: 'a', at: '302', note: 'x, y: z~&=#' }, { letter: 'b', at: '7', note: '' }], own: 'kept' };
        const text = write_url(state);
        const { state: back, bad } = read_url(text, 'overview');
        const plain = (value) => JSON.stringify(value, (_, one) => typeof one === 'bigint' ? String(one) : one);
        return { kept: Object.keys(state).filter((key) => plain(back[key]) !== plain(state[key])), bad, text,
                 again: write_url(back) === text, none: read_url('', 'overview').state,
                 ignored: read_url('#timeline?t=5..1&tick=x&sel=1&zz=2&A=3', 'overview') };
    });
    equal(found.bad, [], 'nothing is bad');
    equal(found.kept, [], 'keys that came back as something else');
    equal(found.again, true, found.text);
    equal(found.ignored.bad, ['t', 'tick', 'sel', 'A'], 'bad values are named');
    equal(found.ignored.state, { view: 'timeline', zz: '2' }, 'and dropped');
    equal(found.none, { view: 'overview' }, 'no address');
    no_trouble(page);
});

test('modules write figures', async () => {
    const page = await blank();
    const said = await page.evaluate(async () => {
        const f = await import('/format.js');
        return [f.ns(0), f.ns(2500), f.ns('626200000'), f.ns(102000n), f.ns(999), f.count(13978), f.count('18446744073709551615'),
            f.bytes(999), f.bytes(163244), f.bytes(20.2e6), f.place(277081000, 1000), f.plural(1, 'byte'), f.plural(2, 'byte'),
            f.figure(0.25), f.figure(1e12), f.figure(NaN), f.share(0.125), f.ticks([1, 600]), f.count(null)];
    });
    equal(said, ['0 ns', '2.5 \u00b5s', '626 ms', '102 \u00b5s', '999 ns', '13,978', '18,446,744,073,709,551,615',
        '999 bytes', '163 kB', '20.2 MB', '+277.081 ms', '1 byte', '2 bytes', '0.25', '1,000,000,000,000', '\u2013', '12.5 %',
        '1 to 600', '\u2013'], 'figures');
});

test('modules know ticks and times of 64 bits', async () => {
    const page = await blank();
    const found = await page.evaluate(async () => {
        const { make_clock } = await import('/clock.js');
        const base = 2n ** 64n - 5000n;
        const clock = make_clock({ axis: 'ns', from: String(base), to: String(base + 4000n) },
            { first: 10, every: 2, at: [base, base + 1000n, base + 3000n].map(String) });
        const ticks = make_clock({ axis: 'tick', from: String(1n << 20n), to: String(600n << 20n) }, null);
        return { abs: String(clock.abs(4000)), rel: clock.rel(String(base + 77n)), at: [0, 499, 500, 1000, 2999, 3000, 3999]
            .map(clock.tick_at), begin: [10, 11, 12, 9, 99].map(clock.tick_begin), range: clock.tick_range(12),
                 ticks: [ticks.tick_at(0), ticks.tick_begin(302), ticks.tick_range(2), ticks.has_ticks] };
    });
    equal(found.abs, String(2n ** 64n - 1000n), 'absolute');
    equal(found.rel, 77, 'relative');
    equal(found.at, [10, 10, 11, 12, 13, 14, 14], 'ticks of times');
    equal(found.begin, [0, 500, 1000, null, null], 'times of ticks');
    equal(found.range, [1000, 2000], 'a tick of two that one time is known for');
    equal(found.ticks, [1, 301 * 2 ** 20, [2 ** 20, 2 * 2 ** 20], true], 'ticks as the axis');
});

test('modules refuse bytes that are not tiles', async () => {
    const page = await blank();
    const found = await page.evaluate(async () => {
        const { parse_tiles } = await import('/tile_cache.js');
        const tile = new DataView(new ArrayBuffer(48 + 16 + 16));
        [[0, 0x314c5452], [4, 80], [8, 7], [12, 3], [36, 1], [40, 1], [44, 9], [52, 1]]
            .forEach(([at, value]) => tile.setUint32(at, value, true));
        tile.setUint16(32, 1, true);
        tile.setUint16(64, 128, true);
        tile.setUint16(66, 64, true);
        const [good] = parse_tiles(tile.buffer, () => 0n);
        const said = [];
        const attempt = (change) => {
            const copy = new DataView(tile.buffer.slice(0));
            const bytes = change(copy) || copy.buffer;
            try {
                parse_tiles(bytes, () => 0n);
                said.push('taken');
            } catch (error) {
                said.push(error.constructor.name);
            }
        };
        attempt((v) => v.setUint32(0, 1, true));
        attempt((v) => v.setUint32(4, 8, true));
        attempt((v) => v.setUint32(4, 4000, true));
        attempt((v) => v.setUint32(36, 0xffffffff, true));
        attempt((v) => v.setUint32(40, 2, true));
        attempt((v) => v.setInt32(12, -1, true));
        attempt((v) => v.buffer.slice(0, 60));
        attempt((v) => v.buffer.slice(0, 20));
        return { good: [good.track, good.shift, good.bucket, good.items, good.u16[0], good.u16[1]], said };
    });
    equal(found.good, [7, 3, 8, 1, 128, 64], 'a tile');
    equal(found.said, Array(8).fill('RangeError'), 'damaged ones');
});

test('modules make no node that loads or runs', async () => {
    const page = await blank();
    const said = await page.evaluate(async () => {
        const { el, visible } = await import('/el.js');
        const attempt = (run) => {
            try {
                run();
                return 'made';
            } catch (error) {
                return error.constructor.name;
            }
        };
        return { refused: [() => el('script'), () => el('iframe'), () => el('a', { href: 'javascript:1' }),
            () => el('p', { onclick: 'x()' }), () => el('img', { src: '//elsewhere/x' }), () => el('base'),
            () => el('button', { formaction: 'x' })].map(attempt),
        made: [() => el('a', { href: '#overview' }), () => el('p', { onclick: () => 1, style: { color: 'red' } }),
            () => el('svg', null, el('path', { d: 'M0 0' }))].map(attempt),
        text: el('p', { text: '<b>x</b>' }).childElementCount, shown: [visible('a\u202eb\u0000c'), visible('\ud800'),
            visible('y'.repeat(300)).length] };
    });
    equal(said.refused, Array(7).fill('TypeError'), 'refused');
    equal(said.made, Array(3).fill('made'), 'made');
    equal(said.text, 0, 'text is text');
    equal(said.shown, ['a\\u{202e}b\\u{0}c', '\ufffd', 256], 'what cannot be seen is visible');
});

test('modules cut notches into slices that have no end in the window', async () => {
    const page = await blank();
    const found = await page.evaluate(async () => {
        const { make_raster, make_scale, paint_slices } = await import('/raster.js');
        const [OPEN, EXACT, PAPER, FILL] = [2, 4, 1, 7], items = [[10, 30, OPEN | EXACT], [50, 20, EXACT], [80, 40, EXACT]];
        const body = new ArrayBuffer(items.length * 16), u16 = new Uint16Array(body), u8 = new Uint8Array(body);
        items.forEach(([x, w, flags], i) => {
            u16[i * 8] = x;
            u16[i * 8 + 1] = w;
            u8[i * 16 + 14] = 255;
            u8[i * 16 + 15] = flags;
        });
        const raster = make_raster();
        raster.resize(100, 20);
        raster.clear(0);
        paint_slices(raster, { rows: 1, items: items.length, row_first: new Uint32Array([0, items.length]), u16, u8,
            u32: new Uint32Array(body), start: 0, unit: 1 }, make_scale(0, 100, 100), { y: 0, row: 20, rows: 1,
            clip: [0, 100], top: 0, bottom: 20, dpr: 1 }, { fills: new Uint32Array(8 * 17).fill(FILL), dims: null,
            is_dim: null, fill_of: () => 0, paper: PAPER });
        const row = (y) => Array.from(raster.pixels().subarray(y * 100, (y + 1) * 100));
        const cut = row(9).map((pixel, x) => pixel === PAPER ? x : -1).filter((x) => x >= 0);
        return { cut, edge: row(1).filter((pixel) => pixel === PAPER).length };
    });
    equal(found.cut, [38, 39, 98, 99], 'where notches are: at the open end, and at the edge of the window');
    equal(found.edge, 0, 'and in the middle of the side only');
    no_trouble(page);
});

test('modules find the ticks that differ in pieces', async () => {
    const page = await blank();
    const found = await page.evaluate(async () => {
        const { make_differences } = await import('/differences.js');
        const asked = [];
        const api = { job: async (path) => {
            asked.push(path);
            const from = Number(/from=(\d+)/.exec(path)[1]);
            const d = Array.from({ length: 256 }, (_, i) => [300, 301, 900].includes(from + i) ? 2 : null);
            return { pens: { cdt: { d }, atf: { d: d.map(() => 0) } } };
        } };
        const known = make_differences(api), range = [1, 1000], steps = [];
        for (const [from, step] of [[10, 1], [300, 1], [301, 1], [900, 1], [900, -1], [300, -1]])
            steps.push(await known.next(from, step, range));
        return { steps, asked: asked.length, at: [known.at('cdt', 300), known.at('cdt', 302), known.at('atf', 300)],
                 known: [known.is_known(300), known.is_known(5000)] };
    });
    equal(found.steps, [300, 301, 900, null, 301, null], 'next and previous');
    equal(found.asked, 4, 'each piece is asked for once');
    equal([found.at, found.known], [[2, 0, 0], [true, false]], 'how much differs');
    no_trouble(page);
});

test('modules write names so that they can be read on every fill', async () => {
    const page = await blank();
    const worst = await page.evaluate(async () => {
        const { contrast, text_on } = await import('/contrast.js');
        const { mixed, rgb_of } = await import('/raster.js');
        const least = { known: contrast([255, 255, 255], [0, 0, 0]) };
        for (const theme of ['light', 'dark']) {
            document.documentElement.dataset.theme = theme;
            const style = getComputedStyle(document.documentElement);
            const of = (name) => rgb_of(style.getPropertyValue(name));
            const fills = Array.from({ length: 8 }, (_, i) => of(`--s${i}`));
            for (const strong of ['--part', '--accent'])
                for (let share = 0.15; share <= 0.86; share += 0.05)
                    fills.push(mixed(of('--sunk'), of(strong), share), mixed(of('--paper'), of(strong), share));
            least[theme] = Math.min(...fills.map((fill) => contrast(fill, text_on(fill, of('--ink')))));
        }
        return least;
    });
    equal(worst.known, 21, 'black and white');
    ok(worst.light >= 4.5 && worst.dark >= 4.5, JSON.stringify(worst));
    no_trouble(page);
});
