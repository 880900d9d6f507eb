/* marks.js - letters at places of a side: kept in local storage under the trace's fingerprint. */

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const KEY = 'rastrum-marks-';
const NOTE_MOST = 200;

function read(fingerprint) {
    try {
        const kept = JSON.parse(localStorage.getItem(KEY + fingerprint) || '[]');
        return Array.isArray(kept) ? kept.filter(is_mark) : [];
    } catch {
        return [];
    }
}

function is_mark(mark) {
    return mark && typeof mark.letter === 'string' && /^[a-z]$/.test(mark.letter) &&
        typeof mark.at === 'string' && /^\d{1,20}$/.test(mark.at) && typeof mark.note === 'string';
}

/* The marks of a side; those of a link join what is kept. */
export function make_marks(fingerprint, shared) {
    let list = read(fingerprint);
    for (const mark of shared || [])
        if (!list.some((m) => m.letter === mark.letter && m.at === mark.at && m.note === mark.note))
            list = [...list.filter((m) => m.letter !== mark.letter), { ...mark }];

    function keep() {
        list.sort((a, b) => (BigInt(a.at) < BigInt(b.at) ? -1 : 1));
        try {
            localStorage.setItem(KEY + fingerprint, JSON.stringify(list));
        } catch {
            /* They live as long as the page, then. */
        }
    }

    return {
        list: () => list,
        get: (letter) => list.find((m) => m.letter === letter) || null,
        /* The next free letter at a time; null when all are used. */
        add(at, note = '') {
            const letter = [...LETTERS].find((l) => !list.some((m) => m.letter === l));
            if (!letter)
                return null;
            const mark = { letter, at: String(at), note: note.slice(0, NOTE_MOST) };
            list = [...list, mark];
            keep();
            return mark;
        },
        remove(letter) {
            list = list.filter((m) => m.letter !== letter);
            keep();
        },
    };
}
