"""plot - lines over a logarithmic axis as SVG, readable on light and dark pages."""
import html
import math

WIDTH, HEIGHT = 720, 340
LEFT, RIGHT, TOP, BOTTOM = 70, 110, 40, 50
# Colors of lines on light and on dark paper, and how each is drawn: not by color alone.
LINES = (("#0b57c2", "#7db2ff", ""), ("#b3400a", "#ff9d66", "7 4"),
         ("#1b7a3d", "#6fd596", "2 3"), ("#7a3aa8", "#cf9cf5", "10 3 2 3"))
STYLE = """<style>
text { font: 12px "DejaVu Sans", system-ui, sans-serif; fill: #3a404c; }
.paper { fill: #ffffff; } .grid { stroke: #d9dce3; }
.title { font-size: 14px; fill: #1b1d22; }
%s@media (prefers-color-scheme: dark) {
.paper { fill: #15171b; } .grid { stroke: #343a45; }
text { fill: #c3c8d2; } .title { fill: #e4e6ea; }
%s}
</style>
"""


def number(value):
    """10000 as people write it: 10 k."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return "%g %s" % (round(value / size, 3), letter)
    return "%g" % value


def styles():
    light = "".join(".l%d { stroke: %s; } .t%d { fill: %s; }\n" % (i, line[0], i, line[0])
                    for i, line in enumerate(LINES))
    dark = "".join(".l%d { stroke: %s; } .t%d { fill: %s; }\n" % (i, line[1], i, line[1])
                   for i, line in enumerate(LINES))
    return STYLE % (light, dark)


def nice_step(most):
    """A step of 1, 2 or 5 times a power of ten, of which about five reach `most`."""
    rough = most / 5
    power = 10 ** math.floor(math.log10(rough))
    return next(power * times for times in (1, 2, 5, 10) if power * times >= rough)


def spread(places, least):
    """Places of labels, moved so that two are `least` apart."""
    order = sorted(range(len(places)), key=lambda i: places[i])
    moved, last = list(places), -1e9
    for i in order:
        moved[i] = last = max(places[i], last + least)
    return moved


class Axes:
    def __init__(self, lines, log_y):
        xs = [x for _, points in lines for x, _ in points]
        ys = [y for _, points in lines for _, y in points]
        self.x = (math.floor(math.log10(min(xs)) + 1e-9), math.ceil(math.log10(max(xs)) - 1e-9))
        self.log_y = log_y
        if log_y:
            self.y = (math.floor(math.log10(min(ys))), math.ceil(math.log10(max(ys))))
            self.y_ticks = [10 ** k for k in range(self.y[0], self.y[1] + 1)]
        else:
            step = nice_step(max(ys))
            count = math.ceil(max(ys) / step)
            self.y = (0, step * count)
            self.y_ticks = [step * k for k in range(count + 1)]
        self.x_ticks = [10 ** k for k in range(self.x[0], self.x[1] + 1)]

    def px(self, x):
        share = (math.log10(x) - self.x[0]) / (self.x[1] - self.x[0])
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def py(self, y):
        at = math.log10(y) if self.log_y else y
        share = (at - self.y[0]) / (self.y[1] - self.y[0])
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)


def plot(title, x_name, y_name, lines, log_y=False):
    """`lines`: [(name, [(x, y)])], at most four."""
    axes = Axes(lines, log_y)
    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img">' %
           (WIDTH, HEIGHT), "<title>%s</title>" % html.escape(title), styles(),
           '<rect class="paper" width="%d" height="%d"/>' % (WIDTH, HEIGHT),
           '<text class="title" x="%d" y="22">%s</text>' % (LEFT, html.escape(title))]
    for y in axes.y_ticks:
        at = axes.py(y)
        out += ['<path class="grid" d="M%d %.1fH%d"/>' % (LEFT, at, WIDTH - RIGHT),
                '<text x="%d" y="%.1f" text-anchor="end">%s</text>' % (LEFT - 8, at + 4, number(y))]
    for x in axes.x_ticks:
        at = axes.px(x)
        out += ['<path class="grid" d="M%.1f %dV%d"/>' % (at, TOP, HEIGHT - BOTTOM),
                '<text x="%.1f" y="%d" text-anchor="middle">%s</text>' % (
                    at, HEIGHT - BOTTOM + 18, number(x))]
    labels = spread([axes.py(points[-1][1]) for _, points in lines], 15)
    for i, (name, points) in enumerate(lines):
        path = "L".join("%.1f %.1f" % (axes.px(x), axes.py(y)) for x, y in points)
        dash = ' stroke-dasharray="%s"' % LINES[i][2] if LINES[i][2] else ""
        out += ['<path class="l%d" d="M%s" fill="none" stroke-width="2"%s/>' % (i, path, dash)]
        out += ['<circle class="t%d" cx="%.1f" cy="%.1f" r="3"/>' % (i, axes.px(x), axes.py(y))
                for x, y in points]
        out += ['<text class="t%d" x="%.1f" y="%.1f">%s</text>' % (
            i, axes.px(points[-1][0]) + 8, labels[i] + 4, html.escape(name))]
    out += ['<text x="%d" y="%d" text-anchor="middle">%s</text>' % (
        (LEFT + WIDTH - RIGHT) // 2, HEIGHT - 10, html.escape(x_name)),
            '<text transform="translate(16 %d) rotate(-90)" text-anchor="middle">%s</text>' % (
                (TOP + HEIGHT - BOTTOM) // 2, html.escape(y_name)), "</svg>"]
    return "\n".join(out) + "\n"
