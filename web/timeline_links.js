/* timeline_links.js - records that belong together by a number in their fields: a wake and the poll that it causes, a
 * call and its detail. They are searched for when one of them is selected. */

const NEAR = 8192;      /* records before the selected one at which a search begins: streams overlap */
const PAGES = 20;       /* of a search; each takes the program 50 ms at most */
const PAGE_ROWS = 200;

/*
 * A row for each kind of record that has such a link: what to search for, with which condition (null: this one has
 * none), whether it is the first that is found or the last, and whether it may be anywhere before.
 */
const RULES = [
    { pen: 'dial9', type: 'WakeEventEvent', finds: 'PollStartEvent', word: 'wakes', is_last: false,
      condition: (field, time) => `task_id == ${field('woken_task_id')} and time_ns >= ${time}` },
    { pen: 'dial9', type: 'PollStartEvent', finds: 'WakeEventEvent', word: 'woken by', is_last: true,
      condition: (field, time) => `woken_task_id == ${field('task_id')} and time_ns <= ${time}` },
    { pen: 'atf', type: 'event', finds: 'detail', word: 'its detail', is_last: false,
      condition: (field, time) => field('detail_seq') === null ? null
          : `thread_id == ${field('thread_id')} and time_ns == ${time}` },
    { pen: 'atf', type: 'detail', finds: 'event', word: 'of the call', is_last: false, from_start: true,
      condition: (field, time) => `thread_id == ${field('thread_id')} and time_ns == ${time}` },
];

/* The seq of the record that a rule finds, or null. */
async function search(app, rule, src, seq, condition) {
    let from = rule.from_start ? 0 : Math.max(0, seq - NEAR), found = null;
    for (let page = 0; page < PAGES && from !== null; page++) {
        const answer = await app.api.post(`records?src=${src}&from=${from}&n=${PAGE_ROWS}`,
            `${rule.finds}\n${condition}`);
        const rows = answer.rows.filter((row) => row.time !== null);
        if (rows.length && !rule.is_last)
            return rows.reduce((a, b) => BigInt(b.time) < BigInt(a.time) ? b : a).seq;
        for (const row of rows)
            if (!found || BigInt(row.time) >= BigInt(found.time))
                found = row;
        from = answer.next === null || (rule.is_last && Number(answer.next) > seq + NEAR) ? null : Number(answer.next);
    }
    return found ? found.seq : null;
}

/* Links of a record that `record` does not have, in the same form. */
export async function more_links(app, record) {
    const source = app.source(record.src);
    const field = (name) => record.fields.find((one) => one.name === name)?.value ?? null;
    const found = [];
    for (const rule of RULES) {
        if (!source || source.pen !== rule.pen || record.type !== rule.type || record.time === null)
            continue;
        const condition = rule.condition(field, record.time);
        const seq = condition ? await search(app, rule, record.src, Number(record.seq), condition) : null;
        if (seq === null)
            continue;
        const other = await app.api.get(`record?src=${record.src}&seq=${seq}`);
        const { slice } = other;
        found.push({ word: rule.word, name: slice && slice.name ? slice.name : other.type, src: record.src,
                     seq: String(seq), track: slice ? slice.track : null, row: slice ? slice.row : null,
                     time: slice ? slice.begin : other.time });
    }
    return found;
}
