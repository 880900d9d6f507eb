"""scenes.py - the scenes: each would look different, had the executor the defects it names."""
import struct

from parts import COLOR, LEFT_UP, POSITION, PS_OUT, VS_IN, VS_OUT, color_scene, corner, one_triangle
from direct3d9_scenes import (d3d9_blend, d3d9_blend_inverse, d3d9_blend_saturate, d3d9_depth,
                              d3d9_masks, d3d9_winding)
from scene import Scene, f32, u32
from texture_scenes import (sampler_states, texture_5551, texture_565, texture_bc1, texture_bc2,
                            texture_bc3, texture_bc7, texture_bc7_srgb, texture_clamped,
                            texture_linear, texture_mips, texture_mips_linear, texture_nearest,
                            texture_pitch, texture_srgb, texture_view)


def triangle(s):
    color_scene(s)
    s.buffer(2, one_triangle(s, *LEFT_UP))
    s.vertex_buffer(0, 2, 32)
    s.draw(3)


def winding(s):
    """Two triangles that face different ways; one is seen."""
    color_scene(s)
    s.raster(cull=2)
    s.buffer(2, one_triangle(s, (-14, 13), (-2, 9), (-9, -7))
             + one_triangle(s, (2, 3), (5, -13), (14, -4)))
    s.vertex_buffer(0, 2, 32)
    s.draw(6)


def winding_ccw(s):
    color_scene(s)
    s.raster(cull=1, ccw=True)
    s.buffer(2, one_triangle(s, (-14, 13), (-2, 9), (-9, -7))
             + one_triangle(s, (2, 3), (5, -13), (14, -4)))
    s.vertex_buffer(0, 2, 32)
    s.draw(6)


def perspective(s):
    color_scene(s)
    s.buffer(2, corner(s, -0.9, 0.8, 0.2, 1) + corner(s, 0.85, 0.35, 0.4, 4)
             + corner(s, -0.4, -0.9, 0.9, 9))
    s.vertex_buffer(0, 2, 32)
    s.draw(3)


def near_plane(s):
    """One corner behind the eye, one beyond the far plane."""
    color_scene(s)
    s.loose(1e-4)
    places = ((-0.8, 0.7, 0.4, 1.0), (0.9, 0.4, -0.6, 0.7), (-0.2, -1.3, 0.3, -0.2),
              (0.1, -0.9, 0.5, 1.0), (0.2, -0.1, 0.6, 1.0), (1.5, -0.4, 2.2, 1.5))
    s.buffer(2, b"".join(f32(*(v + s.random.uniform(-0.03, 0.03) for v in p),
                             *(s.random.uniform(0.05, 0.95) for _ in range(4))) for p in places))
    s.vertex_buffer(0, 2, 32)
    s.draw(6)


def far_away(s):
    """Corners that no raster could hold: cut to the sides."""
    color_scene(s)
    s.loose(4e-4)
    j = s.random.uniform(-0.05, 0.05)
    gray = (0.6, 0.6, 0.6, 1)
    s.buffer(2, f32(-0.5 + j, 0.4, 0.5, 1, *gray) + f32(6000, 900, 0.5, 1, *gray)
             + f32(300, -9000, 0.5, 1, *gray))
    s.vertex_buffer(0, 2, 32)
    s.draw(3)


def top_left(s):
    """Edges and corners right on the middles of pixels: two rectangles and a fan share theirs."""
    s.exact = True
    color_scene(s, view=(0, 0, 32, 16))

    def at(x, y, color):
        return f32((x - 16) / 16, (8 - y) / 8, 0.5, 1, *color)

    def quad(x0, y0, x1, y1, a, b):
        return (at(x0, y0, a) + at(x1, y0, a) + at(x0, y1, a)
                + at(x1, y0, b) + at(x1, y1, b) + at(x0, y1, b))

    s.blend(color=(1, 1, 0))  # added: a pixel drawn twice shows
    s.buffer(2, quad(2.5, 2.5, 9.5, 7.5, (0.41, 0, 0, 0), (0, 0.43, 0, 0))
             + quad(9.5, 2.5, 14.5, 7.5, (0, 0, 0.41, 0), (0.32, 0.32, 0, 0))
             + at(20.5, 8.5, (0.2, 0, 0, 0)) + at(20.5, 1.5, (0.2, 0, 0, 0))
             + at(27.5, 8.5, (0.2, 0, 0, 0)) + at(20.5, 8.5, (0, 0.32, 0, 0))
             + at(27.5, 8.5, (0, 0.32, 0, 0)) + at(20.5, 14.5, (0, 0.32, 0, 0)))
    s.vertex_buffer(0, 2, 32)
    s.draw(18)


def scissor(s):
    color_scene(s)
    s.raster(scissor=(9, 5, 13, 11))
    s.buffer(2, one_triangle(s, *LEFT_UP))
    s.vertex_buffer(0, 2, 32)
    s.draw(3)


def depth_less(s, func=1, form=33, bias=0):
    color_scene(s)
    s.texture(3, form, 40, 30)
    s.targets(1, depth=3)
    s.clear(depth=0.75 if func in (1, 3) else 0.25)
    s.depth_state(func)
    first = [(-14, 13, 0.1), (9, 6, 0.9), (-6, -12, 0.5)]
    second = [(-12, -9, 0.3), (4, 14, 0.6), (13, -8, 0.45)]
    data = b""
    for places in (first, second):
        for x, y, z in places:
            data += corner(s, x / 16, y / 16, z)
    s.buffer(2, data)
    s.vertex_buffer(0, 2, 32)
    s.draw(6)


def depth_greater(s):
    depth_less(s, 6, 32)


def depth_range(s):
    s_view = (3, 2, 32, 24, 0.25, 0.5)
    color_scene(s)
    s.texture(3, 33, 40, 30)
    s.targets(1, depth=3)
    s.clear(depth=0.4)
    s.viewport(*s_view)
    s.depth_state(1, write=False)
    s.buffer(2, corner(s, -0.9, 0.8, 0.1) + corner(s, 0.8, 0.5, 0.95) + corner(s, -0.3, -0.8, 0.4))
    s.vertex_buffer(0, 2, 32)
    s.draw(3)


def depth_unclipped(s):
    """Without clipping depth is brought into its range."""
    color_scene(s)
    s.texture(3, 33, 40, 30)
    s.targets(1, depth=3)
    s.clear(depth=0.9)
    s.raster(clip=False)
    s.depth_state(1)
    s.buffer(2, corner(s, -0.9, 0.8, -0.7) + corner(s, 0.8, 0.5, 1.8) + corner(s, -0.3, -0.8, 0.4))
    s.vertex_buffer(0, 2, 32)
    s.draw(3)


def depth_bias(s, form=32, near=-60, far=60):
    """The same triangle three times: as it is, a little nearer, and a little farther."""
    color_scene(s)
    s.texture(3, form, 40, 30)
    s.targets(1, depth=3)
    s.clear(depth=1.0)
    s.depth_state(1)
    places = [(-0.9, 0.8, 0.3), (0.7, 0.4, 0.6), (-0.4, -0.85, 0.45)]
    jitter = [s.random.uniform(-0.03, 0.03) for _ in range(3)]
    s.buffer(2, b"".join(f32(x + j, y - j, z, 1, *(s.random.uniform(0.05, 0.95)
                                                   for _ in range(4)))
                         for _ in range(3) for (x, y, z), j in zip(places, jitter)))
    s.vertex_buffer(0, 2, 32)
    for i, bias in enumerate((0, near, far)):
        s.raster(bias=bias)
        s.draw(3, first=3 * i)


def depth_bias_float(s):
    depth_bias(s, 33, -70, 70)


def stencil(s):
    """A triangle marks, another is drawn where it is marked once, and marks what fails."""
    color_scene(s)
    s.texture(3, 32, 40, 30)
    s.targets(1, depth=3)
    s.clear(depth=1.0, stencil=0x40)
    s.depth_state(7, stencil=(7, 0, 0, 3, 1, 255, 0x0F))
    s.buffer(2, one_triangle(s, *LEFT_UP) + one_triangle(s, (-12, -9), (4, 14), (13, -8)))
    s.vertex_buffer(0, 2, 32)
    s.draw(3)
    s.depth_state(7, stencil=(2, 5, 0, 2, 1, 0x0F, 255))
    s.draw(3, first=3)
    s.depth_state(7, stencil=(2, 0, 0, 0, 0xBF, 255, 255))
    s.draw(3, first=3)


def blend_over(s, color=(2, 3, 0), alpha=(1, 3, 0), constant=(0.2, 0.4, 0.6, 0.8), form=3):
    color_scene(s, form=form)
    s.blend(color=color, alpha=alpha, constant=constant)
    s.buffer(2, one_triangle(s, *LEFT_UP) + one_triangle(s, (-12, -9), (4, 14), (13, -8)))
    s.vertex_buffer(0, 2, 32)
    s.draw(6)


def blend_constant(s):
    blend_over(s, (6, 7, 1), (4, 5, 2))


def blend_extremes(s):
    blend_over(s, (1, 1, 3), (1, 1, 4))


def blend_srgb(s):
    s.loose(4e-4)
    blend_over(s, form=7)


def blend_narrow(s):
    blend_over(s, form=5)


def write_mask(s):
    color_scene(s)
    s.blend(on=False, mask=5)
    s.buffer(2, one_triangle(s, *LEFT_UP))
    s.vertex_buffer(0, 2, 32)
    s.draw(3)


def indexed(s, wide=0, base=3, first=2):
    color_scene(s)
    s.buffer(2, b"".join(one_triangle(s, *LEFT_UP) for _ in range(1))
             + one_triangle(s, (-12, -9), (4, 14), (13, -8)))
    ids = [9, 9, 0, 1, 2, 1, 2, 0]
    data = struct.pack("<%d%s" % (len(ids), "I" if wide else "H"), *ids)
    s.buffer(4, b"\xff" * 4 + data + bytes(16))
    s.vertex_buffer(0, 2, 32)
    s.index_buffer(4, wide, 4)
    s.draw_indexed(3, first=first, base=base)


def indexed_wide(s):
    indexed(s, wide=1, base=2, first=5)


def strip(s, topology=5):
    color_scene(s)
    s.raster(cull=2)
    s.set_topology(topology)
    places = [(-14, -11), (-11, 12), (-2, -10), (1, 13), (9, -12), (13, 10)]
    if topology == 6:
        places = [(-1, -12), (-13, -3), (-8, 9), (2, 13), (11, 5)]
    if topology in (12, 13):
        places = [p for q in places for p in (q, (0, 0))]
    s.buffer(2, one_triangle(s, *places))
    s.vertex_buffer(0, 2, 32)
    s.draw(len(places))


def fan(s):
    strip(s, 6)


def list_adjacent(s):
    strip(s, 12)


def strip_adjacent(s):
    strip(s, 13)


def strip_cut(s):
    """Indices that end a strip."""
    color_scene(s)
    s.set_topology(5)
    s.buffer(2, one_triangle(s, (-14, -11), (-11, 12), (-2, -10), (1, 13), (5, -12), (13, 10),
                             (14, -9)))
    s.buffer(4, struct.pack("<8H", 0, 1, 2, 0xFFFF, 4, 5, 6, 3))
    s.vertex_buffer(0, 2, 32)
    s.index_buffer(4, 0)
    s.draw_indexed(7)


def instances(s):
    """Places step with every second instance, colors with every one."""
    color_scene(s)
    s.shader(12, True, [(POSITION, 0, 0, 15), ("OFFSET", 1, 2, 3), (COLOR, 0, 1, 15)], VS_OUT,
             [("add", "o0", "v0", "v2.xyzz"), ("mov", "o1", "v1")])
    s.bind(12, 11)
    s.layout(21, [(POSITION, 0, 6, 0, 4, 0, 0), ("OFFSET", 1, 2, 1, 0, 1, 2),
                  (COLOR, 0, 28, 2, 8, 1, 1)])
    j = s.random.uniform(-0.05, 0.05)
    s.buffer(2, b"\0" * 12 + f32(0, -0.95 + j, 0.9, 0.5, 0, -0.5, 0.72 + j, 0.5, 0, -0.8 - j,
                                 0.31, 0.5))
    s.buffer(3, f32(0.06, -0.02, 0, 0, 0.51, -0.13, 0, 0, 0.12, -0.88, 0, 0, 1.1, -0.71, 0, 0,
                    0.9, -1.0, 0, 0))
    s.buffer(5, b"".join(bytes(8) + bytes(s.random.randrange(256) for _ in range(4))
                         for _ in range(8)))
    s.vertex_buffer(0, 2, 16, 12)
    s.vertex_buffer(1, 3, 16)
    s.vertex_buffer(2, 5, 12)
    s.draw(3, instances=6, first_instance=1)


def formats(s):
    """Elements of several formats, each with its fill of what is missing."""
    color_scene(s)
    s.shader(12, True, [(POSITION, 0, 3, 15), (COLOR, 0, 1, 15), (COLOR, 1, 2, 15)], VS_OUT,
             [("mov", "o0", "v3"), ("mad", "o1", "v1", (0.5, 0.5, 0.5, 0.5), "v2.zyxw")])
    s.bind(12, 11)
    s.layout(21, [(POSITION, 0, 16, 0, 0, 0, 0), (COLOR, 0, 87, 0, 8, 0, 0),
                  (COLOR, 1, 35, 1, 4, 0, 0)])
    j = s.random.uniform(-0.05, 0.05)
    s.buffer(2, b"".join(f32(x, y) + bytes(s.random.randrange(120) for _ in range(4))
                         for x, y in ((-0.91 + j, 0.83), (0.87, 0.4 - j), (-0.3, -0.86 + j))))
    s.buffer(3, b"".join(struct.pack("<4H", 7, 7, *(s.random.randrange(30000) for _ in range(2)))
                         for _ in range(3)))
    s.vertex_buffer(0, 2, 12)
    s.vertex_buffer(1, 3, 8)
    s.draw(3)


def instructions(s):
    """Every instruction that calculates, with swizzles, masks and registers read while written."""
    color_scene(s)
    s.buffer(6, b"\xee" * 256 + f32(*(s.random.uniform(-0.4, 0.9) for _ in range(24))))
    s.constant_buffer(0, 0, 6, 256, 64)
    s.registers(1, 3, (0.3, 0.1, 0.2, 0.4), (0.5, 0.25, 0.125, 0.75))
    s.shader(12, True, VS_IN, VS_OUT, [
        ("mov", "o0.xyzw", "v0"), ("dp3", "r0.x", "v1", "c0[1].yzxw"),
        ("dp4", "r0.yw", "v1.wzyx", "c0[2]"), ("mul", "r0.z", "v1", "c0[3].xxyy"),
        ("add", "o1", "r0", "v1")])
    s.shader(13, False, [(COLOR, 0, 1, 15)], PS_OUT, [
        ("mov", "r1", "v1"), ("mul", "r1.xy", "r1.yxzw", "r1.wzyx"),
        ("add", "r1.xyz", "r1.yzxw", "c0[3].xyzw"), ("mad", "r2", "r1", "c0[4].wzyx", "r1.wxyz"),
        ("dp3", "r2.z", "r2", "r1"), ("mov", "o0.xyw", "r2.yxwz"), ("mov", "o0.z", "r2.zzzz")])
    s.bind(12, 13)
    s.buffer(2, one_triangle(s, *LEFT_UP))
    s.vertex_buffer(0, 2, 32)
    s.draw(3)


def soup(s):
    """Triangles of every kind in front of and behind each other, mixed."""
    color_scene(s)
    s.texture(3, 33, 40, 30)
    s.targets(1, depth=3)
    s.clear(depth=1.0)
    s.depth_state(3)
    s.raster(cull=2)
    s.blend(color=(2, 3, 0), alpha=(1, 3, 0))
    data = b""
    for _ in range(3 * 16):
        x, y, z = (s.random.uniform(-1.2, 1.2), s.random.uniform(-1.2, 1.2),
                   s.random.uniform(-0.1, 1.1))
        data += corner(s, x, y, z, s.random.choice((0.5, 1.0, 2.5)))
    s.buffer(2, data)
    s.vertex_buffer(0, 2, 32)
    s.draw(48)


def target_view(s):
    """Drawn into a level of a layer, which is then shown as a texture of its own."""
    color_scene(s)
    s.texture(5, 1, 64, 48, mips=2, layers=2)
    s.texture_view(6, 5, 1, mip=1, layer=1)
    s.targets(6)
    s.clear((0.52, 0.12, 0.14, 0.88))
    s.buffer(2, one_triangle(s, *LEFT_UP))
    s.vertex_buffer(0, 2, 32)
    s.draw(3)
    s.texture(8, 1, 32, 24)
    s.copy_texture(8, 5, (20, 15), (7, 3), (2, 5), (0, 0), (1, 1))
    s.targets(8)


def two_targets(s):
    color_scene(s)
    s.texture(5, 2, 40, 30)
    s.targets(1, 5)
    s.clear((0.33, 0.6, 0.12, 0.52))
    s.shader(13, False, [(COLOR, 0, 1, 15)],
             [("SV_Target", 1, 0, 15), ("SV_Target", 0, 1, 15)],
             [("mov", "o0", "v1.zxyw"), ("mul", "o1", "v1", "v1.yyyy")])
    s.bind(10, 13)
    s.buffer(2, one_triangle(s, *LEFT_UP))
    s.vertex_buffer(0, 2, 32)
    s.draw(3)
    s.present()
    s.targets(5)


def pixel_position(s):
    """The pixel shader asks where it is."""
    color_scene(s)
    s.shader(13, False, [("SV_Position", 0, 0, 15), (COLOR, 0, 1, 15)], PS_OUT,
             [("mul", "o0", "v0.xyxy", (0.0243, 0.0321, 0.0107, 0.0206))])
    s.bind(10, 13)
    s.buffer(2, one_triangle(s, *LEFT_UP))
    s.vertex_buffer(0, 2, 32)
    s.draw(3)


def pixel_depth(s):
    """How deep, and how far: z and w of a pixel."""
    color_scene(s)
    s.shader(13, False, [("SV_Position", 0, 0, 15), (COLOR, 0, 1, 15)], PS_OUT,
             [("mul", "o0", "v0.wzwz", (0.1043, 0.9321, 0.0507, 0.5206))])
    s.bind(10, 13)
    s.viewport(3, 2, 32, 24, 0.125, 0.875)
    s.buffer(2, corner(s, -0.9, 0.8, 0.2, 1) + corner(s, 0.85, 0.35, 0.4, 4)
             + corner(s, -0.4, -0.9, 0.9, 9))
    s.vertex_buffer(0, 2, 32)
    s.draw(3)


def backing(s):
    """Vertices and texels from allocations, changed between submissions and reported as dirty."""
    s.memory[4] = b"\xaa" * 8 + one_triangle(s, *LEFT_UP)
    color_scene(s)
    s.buffer(2, s.memory[4][8:], alloc=4, offset=8)
    s.vertex_buffer(0, 2, 32)
    s.draw(3)
    s.present()
    changed = one_triangle(s, (-12, -9), (4, 14), (13, -8))
    s.memory[4] = s.memory[4][:8 + 32] + changed[32:]
    s.say(0x103, u32(2, 0), struct.pack("<QQ", 32, 64))
    s.buffers[2][32:] = changed[32:]
    s.draw(3)


def copies(s):
    color_scene(s)
    s.buffer(2, one_triangle(s, *LEFT_UP))
    s.buffer(3, bytes(16 + 96))
    s.copy_buffer(3, 2, 16, 0, 96)
    s.copy_buffer(3, 2, 48, 64, 32)
    s.vertex_buffer(0, 3, 32, 16)
    s.draw(3)
    s.copy_texture(1, 1, (15, 12), (20, 14), (4, 3))
    s.copy_texture(1, 1, (15, 12), (6, 5), (4, 3))


def shared(s):
    """Drawn through one handle, shown through another after the first is gone."""
    color_scene(s)
    s.buffer(2, one_triangle(s, *LEFT_UP))
    s.vertex_buffer(0, 2, 32)
    s.say(0x710, u32(1, 0), struct.pack("<Q", 0x1234567890))
    s.say(0x711, u32(9, 0), struct.pack("<Q", 0x1234567890))
    s.draw(3)
    s.images[9] = s.images[1]
    s.say(0x102, u32(1, 0))
    s.targets(9)


def frames(s):
    """Three frames; state goes on from one to the next."""
    color_scene(s)
    s.blend(color=(2, 3, 0), alpha=(1, 3, 0))
    s.buffer(2, b"".join(one_triangle(s, *p) for p in (
        LEFT_UP, ((-12, -9), (4, 14), (13, -8)), ((-15, 2), (11, 13), (3, -14)))))
    s.vertex_buffer(0, 2, 32)
    for i in range(3):
        s.draw(3, first=3 * i)
        if i < 2:
            s.present()


# scene: the defects that it must show
SCENES = {
    triangle: ["y flip", "stride", "attribute offset", "viewport"],
    winding: ["winding"], winding_ccw: ["winding"], perspective: ["perspective", "y flip"],
    near_plane: ["y flip"], far_away: ["viewport"], top_left: ["blend"], scissor: ["scissor"],
    depth_less: ["depth function"], depth_greater: ["depth function"],
    depth_bias: ["depth bias"], depth_bias_float: ["depth bias"], sampler_states: ["mip"],
    soup: ["winding", "perspective", "blend order", "depth function"],
    depth_range: ["depth function"], depth_unclipped: ["y flip"], stencil: ["y flip"],
    blend_over: ["blend", "blend order"], blend_constant: ["blend", "blend order"],
    blend_extremes: ["blend"], blend_srgb: ["blend order"], blend_narrow: ["blend order"],
    write_mask: ["write mask"], indexed: ["base vertex", "index size"],
    indexed_wide: ["base vertex", "index size"], strip: ["winding"], fan: ["winding"],
    list_adjacent: ["y flip"], strip_adjacent: ["winding"], strip_cut: ["y flip"],
    instances: ["instance step", "stride"], formats: ["attribute offset"],
    instructions: ["y flip"], texture_nearest: ["filter", "address"],
    texture_linear: ["filter", "address"], texture_clamped: ["filter"],
    texture_srgb: ["filter"], texture_pitch: ["filter"], texture_mips: ["mip"],
    texture_mips_linear: ["mip"], texture_565: ["filter"], texture_5551: ["filter"],
    texture_bc1: ["address"], texture_bc2: ["address"], texture_bc3: ["address"],
    texture_bc7: ["address"], texture_bc7_srgb: ["filter"],
    texture_view: ["y flip"], target_view: ["y flip"], two_targets: ["y flip"],
    pixel_position: ["y flip"], pixel_depth: ["reciprocal", "y flip"], backing: ["stride"],
    copies: ["stride"], shared: ["y flip"],
    frames: ["blend order"],
    d3d9_blend: ["blend", "blend order"], d3d9_blend_inverse: ["blend", "blend order"],
    d3d9_blend_saturate: ["blend", "blend order"], d3d9_depth: ["depth function", "scissor"],
    d3d9_masks: ["write mask"], d3d9_winding: ["winding"],
}


def draw(make, seed, defect=None):
    s = Scene(seed, defect)
    make(s)
    s.present()
    return s
