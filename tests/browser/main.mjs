/* main.mjs - all tests in a browser: main.mjs RASTRUM [--update] [NAME...]. */
import { main } from './harness.mjs';
import './modules.mjs';
import './views.mjs';
import './overview.mjs';
import './timeline.mjs';
import './compare.mjs';
import './panels.mjs';
import './interactions.mjs';
import './pixels.mjs';
import './keys.mjs';
import './keyboard.mjs';
import './address.mjs';
import './hostile.mjs';
import './damaged.mjs';
import './access.mjs';
import './offline.mjs';
import './manual.mjs';
import './pictures.mjs';
import './speed.mjs';

const [program, ...words] = process.argv.slice(2);
process.exitCode = await main(program, words.filter((word) => word !== '--update'));
