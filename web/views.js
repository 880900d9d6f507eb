/* views.js - the views of this page, in the order of the bar. Adding one is an import and a row. */
import compare from './view_compare.js';
import overview from './view_overview.js';
import timeline from './view_timeline.js';

export const views = [
    overview,
    timeline,
    compare,
];
