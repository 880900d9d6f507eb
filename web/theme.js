/* theme.js - light or dark before the first paint: the choice of the user, else of the system. */
(function () {
    'use strict';
    var kept = null;
    try {
        kept = localStorage.getItem('rastrum-theme');
    } catch (e) {
        kept = null;
    }
    var dark = kept ? kept === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
    document.documentElement.dataset.theme = dark ? 'dark' : 'light';
}());
