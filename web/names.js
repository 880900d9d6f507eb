/* names.js - names of a side by id, fetched by pages when a tile uses one that is not here yet. */

const PAGE = 4096;

/* FNV-1a of a name without its numbers: names that differ in a number only have one colour. */
export function name_hash(name) {
    let hash = 2166136261;
    for (let i = 0; i < name.length; i++) {
        const c = name.charCodeAt(i);
        if (c >= 48 && c <= 57)
            continue;
        hash = Math.imul(hash ^ c, 16777619);
    }
    return hash >>> 0;
}

/* The table of a side; on_more() is called when names have arrived. */
export function make_names(api, side, on_more) {
    const list = [];
    const fills = [];
    let asking = false, dry_until = 0;

    async function fetch_more() {
        asking = true;
        try {
            for (let more = true; more;) {
                const answer = await api.get(`names?side=${side}&from=${list.length}`);
                for (const name of answer.names) {
                    list.push(String(name));
                    fills.push(name_hash(String(name)) & 7);
                }
                more = answer.more && answer.names.length > 0;
                if (answer.names.length)
                    on_more();
                else
                    dry_until = Date.now() + 500;
            }
        } catch {
            dry_until = Date.now() + 2000;
        }
        asking = false;
    }

    function want(id) {
        if (id >= list.length && !asking && Date.now() >= dry_until)
            fetch_more();
    }

    return {
        PAGE, list, fills,
        /* The name, or '' until it is here. */
        get(id) {
            want(id);
            return id < list.length ? list[id] : '';
        },
        /* Which of the eight fills. */
        fill(id) {
            want(id);
            return id < fills.length ? fills[id] : 5;
        },
    };
}
