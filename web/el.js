/* el.js - the only maker of nodes. Names in traces are hostile: text becomes text, never markup. */

/* The name space of SVG as the parser of this browser knows it: no address is written here. */
const SVG_SPACE = new DOMParser().parseFromString('<svg></svg>', 'text/html')
    .querySelector('svg').namespaceURI;
const SVG_TAGS = new Set(['svg', 'g', 'path', 'line', 'rect', 'circle', 'ellipse', 'polyline',
    'polygon', 'text', 'tspan', 'title', 'defs', 'use', 'symbol', 'pattern', 'clipPath', 'image',
    'marker', 'linearGradient', 'stop']);
/* Elements that load or run something; no view needs them. */
const REFUSED_TAGS = new Set(['script', 'iframe', 'frame', 'object', 'embed', 'base', 'link',
    'meta', 'style', 'form']);
const REFUSED_PROPS = new Set(['srcdoc', 'formaction', 'action']);
/* What an address may begin with: a place in this page, or bytes that the page holds. */
const ADDRESSES = { href: /^#/, 'xlink:href': /^#/, src: /^(blob:|data:image\/png)/, poster: /^blob:/ };

function address_is_ours(name, value) {
    const rule = Object.hasOwn(ADDRESSES, name) ? ADDRESSES[name] : null;
    return !rule || rule.test(String(value)) || (name === 'href' && String(value).startsWith('blob:'));
}

function set_prop(node, name, value) {
    const low = name.toLowerCase();
    if (name === 'text')
        node.textContent = value;
    else if (low.startsWith('on')) {
        if (typeof value !== 'function')
            throw new TypeError(`el: ${name} is not a function`);
        node.addEventListener(low.slice(2), value);
    } else if (low === 'style') {
        for (const [property, setting] of Object.entries(value))
            node.style.setProperty(property, setting);
    } else if (REFUSED_PROPS.has(low) || !address_is_ours(low, value))
        throw new TypeError(`el: refused ${name}`);
    else if (low === 'value')
        node.value = value;
    else if (value !== false)
        node.setAttribute(name, value === true ? '' : value);
}

/*
 * Make a node. Properties: `text` sets the text, `on...` (a function) listens, `style` is an object of
 * CSS properties, null, undefined and false are left out, true is the empty attribute, all others are
 * attributes. Children are nodes, strings, nested arrays of them, or null.
 */
export function el(tag, props = null, ...children) {
    if (REFUSED_TAGS.has(tag.toLowerCase()))
        throw new TypeError(`el: refused <${tag}>`);
    const node = SVG_TAGS.has(tag) ? document.createElementNS(SVG_SPACE, tag)
                                   : document.createElement(tag);
    for (const [name, value] of Object.entries(props || {}))
        if (value !== null && value !== undefined)
            set_prop(node, name, value);
    node.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false));
    return node;
}

/* Replace all children of a node. */
export function fill(node, ...children) {
    node.replaceChildren(...children.flat(Infinity).filter((c) => c !== null && c !== undefined &&
                                                                 c !== false));
    return node;
}

/* A name that may break at its joints, and nowhere else while there is room: pieces for el(). */
export function breakable(text) {
    return text.split(/(?<=[._/\]])/).map((piece) => [piece, el('wbr')]);
}

/* Controls and what changes the direction of text; a name must not rearrange the line around it. */
const INVISIBLE = new RegExp('[\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b-\\u200f\\u2028-\\u202e' +
                             '\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb]', 'g');
const LONE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const SHOWN_CHARACTERS = 256;

/* A name or value of a trace as it is displayed: invisible characters as escapes, lone surrogates as
 * U+FFFD, at most 256 characters (pass Infinity where all of it belongs). */
export function visible(text, most = SHOWN_CHARACTERS) {
    let shown = String(text);
    if (shown.length > most)
        shown = shown.slice(0, most - 1) + '\u2026';
    return shown.replace(LONE, '\ufffd').replace(INVISIBLE, (c) =>
        '\\u{' + c.codePointAt(0).toString(16) + '}');
}
