"""texture_scenes.py - scenes that read textures: formats, filters, addresses, levels, views."""
from parts import (COLOR, LEFT_UP, PASS_ON, POSITION, PS_OUT, SAMPLE, TEXCOORD, TEX_IN, TEX_OUT,
                   color_scene, one_triangle)
from scene import f32


def texture_scene(s, form, width, height, data, mips=1, linear=0, modes=(0, 0), low=-0.3,
                  high=1.4, **more):
    color_scene(s)
    s.loose(4e-4 if linear else 5e-5)
    s.shader(12, True, TEX_IN, TEX_OUT, PASS_ON)
    s.shader(13, False, [(TEXCOORD, 0, 1, 3)], PS_OUT, SAMPLE)
    s.bind(12, 13)
    s.layout(21, [(POSITION, 0, 2, 0, 0, 0, 0), (TEXCOORD, 0, 16, 0, 16, 0, 0)])
    s.texture(5, form, width, height, data, mips=mips, **more)
    if hasattr(s, "states"):
        s.sampler_state(0, s.states)
    else:
        s.sampler(7, 0, linear, modes)
    s.set_texture(0, 5)

    def at(x, y, u, v, w=1.0):
        jitter = s.random.uniform(-0.02, 0.02)
        x, y = x - jitter, y + s.random.uniform(-0.02, 0.02)
        return f32(x * w, y * w, 0.5 * w, w, u + jitter, v - jitter)

    s.buffer(2, at(-0.92, 0.88, low, low) + at(0.9, 0.7, high, low + 0.2)
             + at(-0.6, -0.93, low + 0.1, high))
    s.vertex_buffer(0, 2, 24)
    s.draw(3)


def some_bytes(s, count):
    return bytes(s.random.randrange(256) for _ in range(count))


def texture_nearest(s):
    texture_scene(s, 3, 5, 3, [some_bytes(s, 60)], modes=(1, 2))


def texture_linear(s):
    texture_scene(s, 1, 4, 5, [some_bytes(s, 80)], linear=1, modes=(2, 1))


def texture_clamped(s):
    texture_scene(s, 4, 4, 4, [some_bytes(s, 64)], linear=1)


def texture_srgb(s):
    texture_scene(s, 9, 4, 4, [some_bytes(s, 64)], linear=1, modes=(1, 1))


def texture_pitch(s):
    """Rows with something between them."""
    texture_scene(s, 3, 3, 4, [some_bytes(s, 4 * 20)], pitch=20, modes=(1, 1))


def texture_mips(s):
    levels = [some_bytes(s, 4 * (16 >> m) * (16 >> m)) for m in range(5)]
    texture_scene(s, 3, 16, 16, levels, mips=5, modes=(1, 1), high=3.1)


def texture_mips_linear(s):
    levels = [some_bytes(s, 4 * (16 >> m) * (16 >> m)) for m in range(5)]
    texture_scene(s, 3, 16, 16, levels, mips=5, linear=1, modes=(1, 2), high=3.1)


def sampler_states(s):
    """Filters and addresses by single states; levels by the nearest one."""
    levels = [some_bytes(s, 4 * (16 >> m) * (16 >> m)) for m in range(5)]
    s.states = {1: 2, 2: 1, 5: 1, 6: 2, 7: 1}
    texture_scene(s, 3, 16, 16, levels, mips=5, high=2.2)


def texture_565(s):
    texture_scene(s, 5, 4, 3, [some_bytes(s, 24)], modes=(1, 1))


def texture_5551(s):
    texture_scene(s, 6, 4, 3, [some_bytes(s, 24)], modes=(1, 1))


def texture_bc1(s):
    texture_scene(s, 64, 8, 8, [some_bytes(s, 32)], modes=(1, 1))


def texture_bc2(s):
    texture_scene(s, 66, 8, 4, [some_bytes(s, 32)], modes=(1, 1))


def texture_bc3(s):
    texture_scene(s, 68, 6, 8, [some_bytes(s, 64)], modes=(1, 1))


def every_mode(s):
    """Eight blocks of BC7, each in its mode."""
    blocks = [bytearray(some_bytes(s, 16)) for _ in range(8)]
    for mode, block in enumerate(blocks):
        block[0] = (block[0] >> mode << mode | 1 << mode) & 255
    return b"".join(bytes(b) for b in blocks)


def texture_bc7(s):
    texture_scene(s, 70, 16, 8, [every_mode(s)], modes=(1, 1))


def texture_bc7_srgb(s):
    texture_scene(s, 71, 15, 7, [every_mode(s)], linear=1, modes=(2, 1), low=-0.1, high=1.1)


def texture_view(s):
    """A view of the second level of the second layer, read as sRGB, and loaded texel by texel."""
    data = [some_bytes(s, 256), some_bytes(s, 64), some_bytes(s, 256), some_bytes(s, 64)]
    color_scene(s)
    s.texture(5, 3, 8, 8, data, mips=2, layers=2)
    s.texture_view(6, 5, 9, mip=1, layer=1)
    s.set_texture(2, 6)
    s.shader(13, False, [(COLOR, 0, 1, 15)], PS_OUT,
             [("ld", "r0", (2, 1, 0, 0), "t2"), ("mul", "o0", "r0", "v1")])
    s.bind(10, 13)
    s.buffer(2, one_triangle(s, *LEFT_UP))
    s.vertex_buffer(0, 2, 32)
    s.draw(3)
