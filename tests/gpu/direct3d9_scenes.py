"""direct3d9_scenes.py - scenes whose state is that of Direct3D 9, set number by number."""
from parts import COLOR, LEFT_UP, PS_OUT, color_scene, corner, one_triangle
from scene import i32, u32

ZENABLE, ZWRITE, SRC, DST, CULL, ZFUNC, ALPHABLEND = 7, 14, 19, 20, 22, 23, 27
MASKS, OP, SCISSOR, FACTOR, SEPARATE = (168, 190, 191, 192), 171, 174, 193, 206
SRC_ALPHA, DST_ALPHA, OP_ALPHA = 207, 208, 209
# Blend factors
ONE, SRCCOLOR, INVSRCCOLOR, DESTALPHA, INVDESTALPHA, DESTCOLOR, INVDESTCOLOR, SATURATE, CONSTANT, \
    INVCONSTANT = 2, 3, 4, 7, 8, 9, 10, 11, 14, 15
ADD, SUBTRACT, REVERSE, LEAST, MOST = 1, 2, 3, 4, 5


def states(s, **values):
    """Every state is said; what they mean together is worked out here, once they all are there."""
    have = {SRC: ONE, DST: 1, OP: ADD, SEPARATE: 0, SRC_ALPHA: ONE, DST_ALPHA: 1, OP_ALPHA: ADD,
            ALPHABLEND: 0, FACTOR: 0xFFFFFFFF, CULL: 3, ZENABLE: 1, ZWRITE: 1, ZFUNC: 4,
            SCISSOR: 0, **{m: 15 for m in MASKS}}
    for name, value in values.items():
        have[globals()[name]] = value
    for state in sorted(have):
        s.say(0x512, u32(state, have[state]))
    color = (100 + have[SRC], 100 + have[DST], have[OP] - 1)
    alpha = (100 + have[SRC_ALPHA], 100 + have[DST_ALPHA], have[OP_ALPHA] - 1)
    argb = have[FACTOR]
    s.blending = {"on": have[ALPHABLEND] != 0, "color": color, "mask": 15,
                  "alpha": alpha if have[SEPARATE] else color,
                  "masks": {i: have[m] for i, m in enumerate(MASKS)},
                  "constant": [(argb >> shift & 255) / 255 for shift in (16, 8, 0, 24)]}
    # 2 takes away what turns clockwise, 3 what turns the other way.
    s.cull, s.ccw = {1: 0, 2: 1, 3: 2}[have[CULL]], False
    s.depth = {"on": have[ZENABLE] != 0, "write": have[ZWRITE] != 0, "func": have[ZFUNC] - 1}
    s.scissor = getattr(s, "scissor_set", None) if have[SCISSOR] else None


def two_triangles(s):
    s.buffer(2, one_triangle(s, *LEFT_UP) + one_triangle(s, (-12, -9), (4, 14), (13, -8)))
    s.vertex_buffer(0, 2, 32)
    s.draw(6)


def blended(s, **values):
    color_scene(s)
    states(s, CULL=1, ALPHABLEND=1, **values)
    two_triangles(s)


def d3d9_blend(s):
    blended(s, SRC=DESTCOLOR, DST=SRCCOLOR, SEPARATE=1, SRC_ALPHA=INVDESTALPHA, DST_ALPHA=CONSTANT,
            OP_ALPHA=REVERSE, FACTOR=0x60D09040)


def d3d9_blend_inverse(s):
    """Alpha as colors are, whatever the states of its own say."""
    blended(s, SRC=INVDESTCOLOR, DST=INVSRCCOLOR, SRC_ALPHA=1, DST_ALPHA=1,
            OP_ALPHA=MOST, OP=SUBTRACT)


def d3d9_blend_saturate(s):
    blended(s, SRC=SATURATE, DST=INVCONSTANT, FACTOR=0x8030A0F0, OP=ADD)


def d3d9_depth(s):
    color_scene(s)
    s.scissor_set = (9, 5, 19, 17)
    s.say(0x402, i32(*s.scissor_set))
    s.texture(3, 33, 40, 30)
    s.targets(1, depth=3)
    s.clear(depth=0.55)
    states(s, CULL=1, ZFUNC=5, ZWRITE=0, SCISSOR=1)
    data = b""
    for x, y, z in ((-14, 13, 0.1), (9, 6, 0.9), (-6, -12, 0.5),
                    (-12, -9, 0.3), (4, 14, 0.8), (13, -8, 0.45)):
        data += corner(s, x / 16, y / 16, z)
    s.buffer(2, data)
    s.vertex_buffer(0, 2, 32)
    s.draw(6)


def d3d9_masks(s):
    """Two targets, each with the channels of its own."""
    color_scene(s)
    s.texture(5, 1, 40, 30)
    s.targets(1, 5)
    s.clear((0.33, 0.6, 0.12, 0.52))
    s.shader(13, False, [(COLOR, 0, 1, 15)],
             [("SV_Target", 0, 0, 15), ("SV_Target", 1, 1, 15)],
             [("mov", "o0", "v1"), ("mul", "o1", "v1", "v1.yyyy")])
    s.bind(10, 13)
    states(s, CULL=1)
    for state, mask in ((168, 6), (190, 9)):
        s.say(0x512, u32(state, mask))
        s.blending["masks"][MASKS.index(state)] = mask
    two_triangles(s)
    s.present()
    s.targets(5)


def d3d9_winding(s):
    """One triangle of two, by turns."""
    color_scene(s)
    s.buffer(2, one_triangle(s, (-14, 13), (-2, 9), (-9, -7))
             + one_triangle(s, (2, 3), (5, -13), (14, -4)))
    s.vertex_buffer(0, 2, 32)
    states(s, CULL=2)
    s.draw(6)
    s.present()
    s.clear((0.51, 0.21, 0.37, 1))
    states(s, CULL=3)
    s.draw(6)
