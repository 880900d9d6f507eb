/* differences.mjs - N and P step through the ticks in which two runs differ, on the Timeline. */
import { INPUTS } from './data.mjs';
import { no_trouble, open_page, rastrum, serve, test } from './harness.mjs';

test('timeline steps through differences', async () => {
    const { first_divergent_tick } = JSON.parse(rastrum('diff', '--json', ...INPUTS.get('pair')()));
    const page = await open_page(await serve(...INPUTS.get('pair')()), `timeline?tick=${first_divergent_tick - 40}`);
    await page.keyboard.press('n');
    await page.waitForFunction((tick) => location.hash.includes(`tick=${tick}`), first_divergent_tick);
    await page.keyboard.press('n');
    await page.waitForFunction((tick) => location.hash.includes(`tick=${tick + 1}`), first_divergent_tick);
    await page.keyboard.press('p');
    await page.waitForFunction((tick) => location.hash.includes(`tick=${tick}&`) || location.hash.endsWith(`tick=${tick}`),
        first_divergent_tick);
    no_trouble(page);
});
