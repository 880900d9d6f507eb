/* data.mjs - what the tests open: two runs that diverge, one trace of each format, a cut and a damaged one. */
import { copyFileSync, existsSync } from 'node:fs';
import { golden, rastrum, scratch_path } from './harness.mjs';

let made = null;

/* Paths of the arena's runs: the second has a random number more in tick 300. */
export function runs() {
    if (!made) {
        rastrum('run', 'arena', '--seed', '7', '-o', 'good');
        rastrum('run', 'arena', '--seed', '7', '--perturb', '300:rng', '-o', 'bad');
        made = { good: scratch_path('good'), bad: scratch_path('bad') };
    }
    return made;
}

/* Runs of which only some lines were recorded. */
function some_lines() {
    for (const [name, ...more] of [['some'], ['some-else', '--perturb', '30:rng']])
        if (!existsSync(scratch_path(name)))
            rastrum('run', 'arena', '--ticks', '60', '--seed', '7', '--pens', 'cdt,atf', ...more, '-o', name);
    return [scratch_path('some'), scratch_path('some-else')];
}

/* A golden under its own name only: paths are in commands that a page offers. */
export function near(name) {
    const file = name.split('/').pop();
    copyFileSync(golden(name), scratch_path(file));
    return file;
}

/* name -> paths. */
export const INPUTS = new Map([
    ['pair', () => [runs().good, runs().bad]],
    ['run', () => [runs().good]],
    ['murk', () => [golden('murk/big-steady.murk')]],
    ['cdt', () => [golden('cdt/big-run-golden.cdt')]],
    ['aerogpu', () => [golden('aerogpu/two_frames.aerogputrace')]],
    ['dial9', () => [golden('dial9/runtime.trc')]],
    ['atf', () => [golden('atf/two_threads')]],
    ['cut', () => [golden('dial9/cut_event.trc')]],
    ['damaged', () => [golden('cdt/bad_zstd.cdt')]],
    ['empty', () => [golden('dial9/empty.trc')]],
    ['container 2', () => [golden('cdt/c2_21.cdt')]],
    ['replay', () => [golden('crd/survival_27.crd')]],
    ['segments', () => [golden('dial9/segments')]],
    ['some lines', some_lines],
]);
