"""slow_packets.py - what packets of Appendix A draw, from the formulas in double precision.

It knows nothing of our executors: triangles are found by asking every pixel centre on which side
of three lines it lies, colours are weighted by the areas that it cuts off. A picture is refused
when a line passes so close to a centre that two machines might disagree.
"""
import math

NEAR = 1e-6  # of a pixel; corners are to lie on the grid of 1/256 pixel that executors use


class Picture:
    def __init__(self, width, height):
        self.width, self.height = width, height
        self.pixels = [[0.0, 0.0, 0.0, 0.0] for _ in range(width * height)]

    def clear(self, rgba):
        self.pixels = [list(rgba) for _ in self.pixels]

    def copy(self):
        made = Picture(self.width, self.height)
        made.pixels = [list(p) for p in self.pixels]
        return made

    def triangle(self, corners, viewport, shade=lambda varying: varying):
        """Corners are (x, y, w, varying) in clip space, w > 0; viewport (width, height) from the
        top left."""
        points = [((x / w * 0.5 + 0.5) * viewport[0], (0.5 - y / w * 0.5) * viewport[1], w)
                  for x, y, w, _ in corners]
        (ax, ay, _), (bx, by, _), (cx, cy, _) = points
        area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
        if area == 0:
            return
        for x, y, _ in points:
            if x * 256 % 1 or y * 256 % 1:
                raise ValueError("a corner at %r,%r is not on the grid" % (x, y))
        for py in range(min(self.height, math.ceil(viewport[1]))):
            for px in range(min(self.width, math.ceil(viewport[0]))):
                x, y = px + 0.5, py + 0.5
                weights, inside = [], True
                for i in range(3):
                    (ux, uy, _), (vx, vy, _) = points[(i + 1) % 3], points[(i + 2) % 3]
                    cut = (vx - ux) * (y - uy) - (vy - uy) * (x - ux)
                    away = abs(cut) / math.hypot(vx - ux, vy - uy)
                    weights.append(cut / area)
                    inside = inside and cut / area > 0
                    # Only near the edge itself, not near the line it lies on.
                    along = ((x - ux) * (vx - ux) + (y - uy) * (vy - uy)) / math.hypot(
                        vx - ux, vy - uy) ** 2
                    if away < NEAR and -0.01 < along < 1.01:
                        raise ValueError("an edge passes through the centre of %d,%d" % (px, py))
                if not inside:
                    continue
                by_w = [weights[i] / points[i][2] for i in range(3)]
                total = sum(by_w)
                varying = [sum(by_w[i] * corners[i][3][k] for i in range(3)) / total
                           for k in range(4)]
                self.pixels[py * self.width + px] = list(shade(varying))

    def differences(self, rgba):
        """Where 8-bit RGBA rows are not this picture: [(x, y, got, wanted)]. A value that lies in
        the middle between two steps may have become either."""
        found = []
        for i, want in enumerate(self.pixels):
            got = tuple(rgba[4 * i:4 * i + 4])
            for channel, value in zip(got, want):
                exact = min(max(value, 0.0), 1.0) * 255
                if not exact - 0.52 < channel < exact + 0.52:
                    found.append((i % self.width, i // self.width, got,
                                  tuple(round(v * 255, 2) for v in want)))
                    break
        return found
