/* manual.js - search in the pages, without a server: search_data.js has the text of every section as
 * [address, title of the page, heading, text, names]. */
'use strict';

const RESULTS_MOST = 30;

function words_of(text) {
    return text.toLowerCase().match(/[\p{L}\p{N}_]+(?:[.-][\p{L}\p{N}_]+)*/gu) || [];
}

/* How well a section fits one word: names and headings before titles before text; 0: not at all. */
function score_of(entry, word) {
    const [, title, heading, text, names] = entry;
    let score = 0;
    for (const name of names)
        score = Math.max(score, name === word ? 120 : name.startsWith(word) ? 50 : name.includes(word) ? 25 : 0);
    for (const [part, weight] of [[heading, 40], [title, 20]])
        for (const other of words_of(part))
            score = Math.max(score, other === word ? weight * 2 : other.startsWith(word) ? weight : 0);
    const at = text.toLowerCase();
    let count = 0;
    for (let i = at.indexOf(word); i >= 0 && count < 6; i = at.indexOf(word, i + word.length))
        count += i === 0 || !/[\p{L}\p{N}_]/u.test(at[i - 1]) ? 1 : 0.3;
    return score + 2 * count;
}

/* Sections that have every word of the query, the best first. */
function find_sections(entries, query) {
    const words = words_of(query);
    if (!words.length)
        return [];
    const found = [];
    entries.forEach((entry, order) => {
        let sum = 0;
        for (const word of words) {
            const score = score_of(entry, word);
            if (!score)
                return;
            sum += score;
        }
        found.push({ entry, sum, order });
    });
    found.sort((a, b) => b.sum - a.sum || a.order - b.order);
    return found.map(({ entry }) => entry);
}

/* A piece of the text around the first of the words. */
function snippet_of(text, words) {
    const low = text.toLowerCase();
    const places = words.map((word) => low.indexOf(word)).filter((at) => at >= 0);
    const at = places.length ? Math.min(...places) : 0;
    const from = Math.max(0, text.lastIndexOf(' ', at - 60));
    return (from ? '... ' : '') + text.slice(from, from + 200).trim() + (from + 200 < text.length ? ' ...' : '');
}

function put_marked(node, text, words) {
    const low = text.toLowerCase();
    for (let at = 0; at < text.length;) {
        let next = text.length, length = 0;
        for (const word of words) {
            const place = low.indexOf(word, at);
            if (place >= 0 && place < next)
                [next, length] = [place, word.length];
        }
        node.append(text.slice(at, next));
        if (length) {
            const mark = document.createElement('mark');
            mark.textContent = text.slice(next, next + length);
            node.append(mark);
        }
        at = next + length;
    }
}

function put_result(list, entry, words, root) {
    const [address, title, heading, text] = entry;
    const item = document.createElement('li');
    const link = document.createElement('a');
    const name = document.createElement('b');
    const where = document.createElement('small');
    const piece = document.createElement('p');
    link.href = root + address;
    name.textContent = heading || title;
    where.textContent = heading && heading !== title ? title : '';
    put_marked(piece, snippet_of(text, words), words);
    link.append(name, where, piece);
    item.append(link);
    list.append(item);
}

function show_results(list, query, root) {
    const found = find_sections(window.rastrum_manual, query);
    list.replaceChildren();
    for (const entry of found.slice(0, RESULTS_MOST))
        put_result(list, entry, words_of(query), root);
    if (!found.length) {
        const item = document.createElement('li');
        item.className = 'none';
        item.textContent = 'No section has all of these words.';
        list.append(item);
    }
    list.hidden = !words_of(query).length;
}

function move_focus(input, list, event) {
    const links = [...list.querySelectorAll('a')];
    const at = links.indexOf(document.activeElement);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && links.length) {
        event.preventDefault();
        (links[at + step] || input).focus();
    } else if (event.key === 'Enter' && document.activeElement === input && links.length) {
        links[0].click();
    } else if (event.key === 'Escape') {
        list.hidden = true;
        input.focus();
    }
}

function start() {
    const input = document.getElementById('query');
    const list = document.getElementById('results');
    const { root } = document.documentElement.dataset;
    input.addEventListener('input', () => show_results(list, input.value, root));
    input.parentElement.addEventListener('keydown', (event) => move_focus(input, list, event));
    list.addEventListener('click', () => { list.hidden = true; });
    document.addEventListener('keydown', (event) => {
        if (event.key === '/' && document.activeElement !== input) {
            event.preventDefault();
            input.focus();
        }
    });
    document.addEventListener('click', (event) => {
        if (!input.parentElement.contains(event.target))
            list.hidden = true;
    });
}

if (typeof document !== 'undefined')
    start();
