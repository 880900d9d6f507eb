/* views.js - the views of this page, in the order of the bar. Adding one is an import and a row. */
import calls from './view_calls.js';
import compare from './view_compare.js';
import frames from './view_frames.js';
import overview from './view_overview.js';
import table from './view_table.js';
import ticks from './view_ticks.js';
import timeline from './view_timeline.js';

export const views = [
    overview,
    timeline,
    calls,
    ticks,
    frames,
    compare,
    table,
];
