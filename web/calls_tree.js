/* calls_tree.js - call trees: from the list of nodes, turned round for callers, laid out as rectangles. */

export const SEPARATOR = ';';
const DEPTH_MOST = 512;

const plain = (name) => name.replaceAll(SEPARATOR, ':');

function make_node(name, module = null) {
    return { name, module, group: '', count: 0, total: 0, self: 0, other_count: 0, other_total: 0, other_self: 0,
             unfinished: 0, depth: 0, parent: null, children: [], path: plain(name) };
}

function add_figures(to, from) {
    for (const key of ['count', 'total', 'self', 'other_count', 'other_total', 'other_self', 'unfinished'])
        to[key] += from[key];
}

/* The roots of the answer of `tree`; groups of samples are roots of their own. */
export function make_tree(answer) {
    const root = make_node('all');
    const by_id = new Map([[0, root]]), groups = new Map();
    root.path = '';
    root.depth = -1;
    for (const row of answer.nodes) {
        const node = make_node(row.name, row.module);
        Object.assign(node, { count: row.count, total: Number(row.total), self: Number(row.self),
            other_count: row.other_count || 0, other_total: Number(row.other_total || 0),
            other_self: Number(row.other_self || 0), unfinished: row.unfinished || 0, group: row.group || '' });
        let parent = by_id.get(row.parent) || root;
        if (parent === root && row.group) {
            if (!groups.has(row.group)) {
                const group = make_node(row.group);
                groups.set(row.group, group);
                attach(group, root);
            }
            parent = groups.get(row.group);
        }
        attach(node, parent);
        by_id.set(row.id, node);
    }
    for (const group of groups.values())
        group.children.forEach((child) => add_totals(group, child));
    root.children.forEach((child) => add_totals(root, child));
    return root;
}

/* A node that only holds others takes as long as they do. */
function add_totals(to, child) {
    to.total += child.total;
    to.other_total += child.other_total;
    to.count += child.count;
    to.other_count += child.other_count;
}

function attach(node, parent) {
    node.parent = parent;
    node.depth = parent.depth + 1;
    node.path = parent.path ? `${parent.path}${SEPARATOR}${plain(node.name)}` : plain(node.name);
    parent.children.push(node);
}

/* How wide a node is: its time, its own time with that of all below, or all calls in it. */
export function weigh(root, by, key = 'weight') {
    const order = [];
    const stack = [root];
    while (stack.length) {
        const node = stack.pop();
        order.push(node);
        stack.push(...node.children);
    }
    for (const node of order.reverse()) {
        const below = node.children.reduce((sum, child) => sum + child[key], 0);
        const own = by === 'total' ? 0 : by === 'self' ? node.self : node.depth < 0 ? 0 : node.count;
        node[key] = by === 'total' ? Math.max(node.total, below) : own + below;
    }
    sort_children(root, key);
    return root;
}

function sort_children(root, key) {
    const stack = [root];
    while (stack.length) {
        const node = stack.pop();
        node.children.sort((a, b) => b[key] - a[key] || (a.name < b.name ? -1 : 1));
        stack.push(...node.children);
    }
}

export function find_path(root, path) {
    let node = root;
    for (const name of path ? path.split(SEPARATOR) : []) {
        node = node.children.find((child) => plain(child.name) === name);
        if (!node)
            return null;
    }
    return node;
}

/*
 * Rectangles of a tree from `root` on: {node, x, w, row} in parts of `width` pixels, and those narrower than
 * half a pixel joined to {more, x, w, row}.
 */
export function layout(root, width, key = 'weight') {
    const found = [];
    const scale = width / Math.max(1e-9, root[key]);
    let rows = 1;
    const stack = [{ node: root, x: 0, row: 0 }];
    while (stack.length) {
        const { node, x, row } = stack.pop();
        found.push({ node, x, w: node[key] * scale, row });
        rows = Math.max(rows, row + 1);
        if (row >= DEPTH_MOST)
            continue;
        let at = x, narrow = 0, from = 0;
        for (const child of node.children) {
            const w = child[key] * scale;
            if (w >= 0.5)
                stack.push({ node: child, x: at, row: row + 1 });
            else {
                from = narrow ? from : at;
                narrow++;
            }
            at += w;
        }
        if (narrow && at - from >= 0.5) {
            found.push({ more: narrow, x: from, w: at - from, row: row + 1 });
            rows = Math.max(rows, row + 2);
        }
    }
    return { rects: found, rows };
}

/* All nodes of a tree, callers first. */
export function all_nodes(root) {
    const found = [];
    const stack = [...root.children].reverse();
    while (stack.length) {
        const node = stack.pop();
        found.push(node);
        for (let i = node.children.length - 1; i >= 0; i--)
            stack.push(node.children[i]);
    }
    return found;
}

function is_inside_itself(node) {
    for (let up = node.parent; up; up = up.parent)
        if (up.name === node.name && up.depth >= 0)
            return true;
    return false;
}

/* Functions, whatever called them: [{name, count, total, self, ...}], by falling `by`. */
export function functions_of(root, by) {
    const found = new Map();
    for (const node of all_nodes(root)) {
        if (!found.has(node.name))
            found.set(node.name, make_node(node.name, node.module));
        const row = found.get(node.name);
        row.count += node.count;
        row.self += node.self;
        row.other_count += node.other_count;
        row.other_self += node.other_self;
        if (!is_inside_itself(node)) {      /* the time of a call inside itself is counted once */
            row.total += node.total;
            row.other_total += node.other_total;
        }
    }
    return [...found.values()].sort((a, b) => b[by] - a[by] || (a.name < b.name ? -1 : 1));
}

function merge_below(to, from) {
    for (const child of from.children) {
        let twin = to.children.find((one) => one.name === child.name);
        if (!twin) {
            twin = make_node(child.name, child.module);
            attach(twin, to);
        }
        add_figures(twin, child);
        merge_below(twin, child);
    }
}

/* What a function calls, from all places: a tree with the function as its only root. */
export function callees_of(root, name) {
    const top = make_node(name);
    for (const node of all_nodes(root))
        if (node.name === name && !is_inside_itself(node)) {
            add_figures(top, node);
            merge_below(top, node);
        }
    return top;
}

/* Who calls a function: a tree with the function first and its callers below. */
export function callers_of(root, name) {
    const top = make_node(name);
    for (const node of all_nodes(root)) {
        if (node.name !== name || is_inside_itself(node))
            continue;
        add_figures(top, node);
        let at = top;
        for (let up = node.parent; up && up.depth >= 0; up = up.parent) {
            let twin = at.children.find((one) => one.name === up.name);
            if (!twin) {
                twin = make_node(up.name, up.module);
                attach(twin, at);
            }
            add_figures(twin, node);
            at = twin;
        }
    }
    return top;
}

/* "a;b;c 40" lines, as tools for flame graphs read them. */
export function folded(root) {
    return all_nodes(root).filter((node) => node.self > 0)
        .map((node) => `${node.path} ${node.self}\n`).join('');
}

/* How much more (above 0) or less the other run has: a share, or null where there is nothing to compare. */
export function change_of(node, by) {
    const [mine, other] = by === 'count' ? [node.count, node.other_count]
        : by === 'self' ? [node.self, node.other_self] : [node.total, node.other_total];
    if (!mine && !other)
        return null;
    return mine ? other / mine - 1 : Infinity;
}
