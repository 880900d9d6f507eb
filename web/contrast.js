/* contrast.js - the colour of text above a fill: at least 4.5 : 1, as WCAG 2.1 measures it. */

const ENOUGH = 4.5;

const linear = (v) => v <= 10 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4;

export function luminance([r, g, b]) {
    return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
}

/* Of two colours, each [r, g, b]. */
export function contrast(one, other) {
    const [a, b] = [luminance(one), luminance(other)];
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

/* Ink where it can be read, else black or white, of which one always can. */
export function text_on(fill, ink) {
    if (contrast(fill, ink) >= ENOUGH)
        return ink;
    return contrast(fill, [0, 0, 0]) > contrast(fill, [255, 255, 255]) ? [0, 0, 0] : [255, 255, 255];
}

export function css_of([r, g, b]) {
    return `rgb(${r}, ${g}, ${b})`;
}
