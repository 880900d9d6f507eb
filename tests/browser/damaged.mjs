/* damaged.mjs - every golden that is cut, damaged or unreadable opens, and the page says what is wrong with it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ask, golden, no_trouble, ok, open_page, serve, test } from './harness.mjs';

const count = (n) => String(n).replace(/\B(?=(\d{3})+(?!\d))/g, ',');
const FORMATS = ['murk', 'cdt', 'aerogpu', 'dial9', 'atf'];

/* What the page has to say of them: a gap is where records were lost, not one of them. */
function left_of({ total, by_type }) {
    const whole = total - (by_type.gap || 0);
    return whole ? `${count(whole)} ${whole === 1 ? 'record is' : 'records are'} shown.` : 'no record is whole.';
}

/* [{path, ending, left}]: of what `info` refuses the ending is null. */
function damaged_goldens() {
    const found = [];
    for (const format of FORMATS)
        for (const file of readdirSync(golden(format)).filter((name) => name.endsWith('.rc'))) {
            const name = basename(file, '.rc'), said = golden(`${format}/${name}.info.json`);
            const is_refused = /info=2/.test(readFileSync(golden(`${format}/${file}`), 'utf8'));
            const { ending, records } = !is_refused && existsSync(said) ? JSON.parse(readFileSync(said, 'utf8'))
                : { ending: null };
            const path = readdirSync(golden(format)).find((other) => other === name ||
                (other.startsWith(`${name}.`) && !/\.(rc|jsonl|json)$/.test(other)));
            if (path && (is_refused || (ending && ending.state !== 'complete')))
                found.push({ path: join(golden(format), path), ending, left: records && left_of(records) });
        }
    return found;
}

/* The page as it is after the program has been told to show something else. */
async function shown(page) {
    await page.evaluate(async () => {
        await document.documentElement.page_probe.begin_again();
    });
    return page.evaluate(() => ({ banner: document.querySelector('.banner')?.innerText || '',
        failure: document.querySelector('.failure')?.innerText || '',
        chips: [...document.querySelectorAll('.lines .chip')].map((chip) => chip.innerText) }));
}

test('damaged goldens open, and the page says what is wrong', async () => {
    const list = damaged_goldens();
    ok(list.length > 140, `there are ${list.length}`);
    const server = await serve(...list.map(({ path }) => path));
    await ask(server, 'show?first=0', '');
    const page = await open_page(server);
    const wrong = [];
    for (const [i, { path, ending, left }] of list.entries()) {
        const answer = await ask(server, `show?first=${i}`, '');
        const { banner, failure, chips } = await shown(page);
        const said = banner || failure || answer.error;
        if (!said || (ending && (!said.includes(`is ${ending.state}.`) || !said.includes(`at byte ${count(ending.offset)}`) ||
            !chips.some((chip) => chip.endsWith(ending.state)))) ||
            (banner && left && !banner.includes(left)))
            wrong.push(`${path}: "${said}", ${chips}; not ${JSON.stringify(ending)}`);
        if (page.trouble.length)
            wrong.push(`${path}: ${page.trouble.splice(0).join('; ')}`);
    }
    ok(wrong.length === 0, `${wrong.length} of ${list.length}: ${wrong.slice(0, 6).join('\n')}`);
    no_trouble(page);
});
