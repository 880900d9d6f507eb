"""parts.py - what scenes share: signatures, a target with a viewport, corners."""
from scene import f32

POSITION, COLOR, TEXCOORD = "POSITION", "COLOR", "TEXCOORD"
VS_IN = [(POSITION, 0, 0, 15), (COLOR, 0, 1, 15)]
VS_OUT = [("SV_Position", 0, 0, 15), (COLOR, 0, 1, 15)]
PS_OUT = [("SV_Target", 0, 0, 15)]
PASS_ON = [("mov", "o0", "v0"), ("mov", "o1", "v1")]
TEX_IN = [(POSITION, 0, 0, 15), (TEXCOORD, 0, 1, 3)]
TEX_OUT = [("SV_Position", 0, 0, 15), (TEXCOORD, 0, 1, 3)]
SAMPLE = [("sample", "o0", "v1.xyxx", "t0", "s0")]
BLACK = (0, 0, 0, 1)


def color_scene(s, width=40, height=30, form=3, view=(3, 2, 32, 24)):
    """A target, a viewport that is not all of it, shaders that hand colors on."""
    s.texture(1, form, width, height)
    s.targets(1)
    s.clear((0.11, 0.2, 0.31, 1))
    s.viewport(*view)
    s.raster()
    s.shader(10, True, VS_IN, VS_OUT, PASS_ON)
    s.shader(11, False, [(COLOR, 0, 1, 15)], PS_OUT, [("mov", "o0", "v1")])
    s.bind(10, 11)
    s.layout(20, [(POSITION, 0, 2, 0, 0, 0, 0), (COLOR, 0, 2, 0, 16, 0, 0)])


def corner(s, x, y, z=0.5, w=1.0, color=None):
    color = color or [s.random.uniform(0.05, 0.95) for _ in range(4)]
    x, y = x + s.random.uniform(-0.03, 0.03), y + s.random.uniform(-0.03, 0.03)
    return f32(x * w, y * w, z * w, w, *color)


def one_triangle(s, *places, **more):
    """x, y of three corners in sixteenths of the view, jittered off the pixels' middles."""
    return b"".join(corner(s, x / 16, y / 16, **more) for x, y in places)


LEFT_UP = ((-14, 13), (9, 6), (-6, -12))
