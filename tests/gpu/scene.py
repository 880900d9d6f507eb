"""scene.py - a scene: commands that are written as a trace and drawn by the slow reference."""
import math
import random
import struct
from fractions import Fraction

import acmd
from acmd import command, f32, i32, pad4, u32, u64
from slow import COLOR, EDGE, Image, Shader, Tie, blend, compare, clamp, inside, sample, shares

DXGI = {2: "4f", 6: "3f", 16: "2f", 41: "f", 28: "4B", 87: "4B", 36: "2H", 35: "2H", 34: "2e"}
DEPTHS = (32, 33)


def single(*values):
    """Numbers as a float of 32 bits has them."""
    return [struct.unpack("<f", struct.pack("<f", v))[0] for v in values]


class Scene:
    def __init__(self, seed, defect=None):
        self.random = random.Random(seed)
        self.defect = defect      # what a wrong executor would do; None: nothing
        self.out = []             # commands
        self.streams = []         # of commands, each submitted
        self.records = []         # blobs and submissions so far
        self.memory = {}          # allocation id: bytes
        self.images, self.buffers, self.shaders, self.layouts = {}, {}, {}, {}
        self.views, self.samplers, self.shown = {}, {}, []
        self.colors, self.depth_image = [], None
        self.view, self.depth_range, self.scissor = None, (0.0, 1.0), None
        self.blending = {"on": False, "mask": 15}
        self.depth = {"on": True, "write": True, "func": 1}
        self.stencil = None
        self.cull, self.ccw, self.clip, self.bias = 2, False, True, 0
        self.vertices, self.index, self.topology = {}, None, 4
        self.textures, self.used, self.constants = {}, {}, {0: {}, 1: {}}
        self.slack, self.exact = None if defect else 5e-5, False

    def loose(self, slack):
        """What is rounded on the way may be this far off."""
        self.slack = self.slack and slack

    def say(self, opcode, *parts):
        self.out.append(command(opcode, b"".join(parts)))

    # ---- resources -----------------------------------------------------------------------

    def buffer(self, handle, data, alloc=0, offset=0):
        self.buffers[handle] = bytearray(data)
        self.say(0x100, u32(handle, 0), u64(len(data)), u32(alloc, offset), u64(0))
        if not alloc:
            self.say(0x104, u32(handle, 0), u64(0, len(data)), pad4(data))

    def texture(self, handle, form, width, height, data=None, mips=1, layers=1, pitch=0, alloc=0):
        """data: bytes of every level, layer by layer."""
        images = [[Image(form, max(width >> m, 1), max(height >> m, 1)) for m in range(mips)]
                  for _ in range(layers)]
        self.images[handle] = images
        self.say(0x101, u32(handle, 0, form, width, height, mips, layers, pitch, alloc, 0), u64(0))
        if data is not None:
            levels = [image for layer in images for image in layer]
            for image, level in zip(levels, data):
                image.load(level, pitch or None if image is levels[0] else None)
            body = b"".join(data)
            if not alloc:
                self.say(0x104, u32(handle, 0), u64(0, len(body)), pad4(body))

    def texture_view(self, handle, texture, form, mip=0, mips=1, layer=0):
        images = self.images[texture][layer][mip:mip + mips]
        self.views[handle] = (images, form)
        self.say(0x107, u32(handle, texture, form, mip, mips, layer, 1), u64(0))

    def levels(self, handle):
        if handle in self.views:
            return self.views[handle][0]
        return self.images[handle][0]

    def copy_texture(self, to, source, size, to_at=(0, 0), from_at=(0, 0), to_level=(0, 0),
                     from_level=(0, 0)):
        a = self.images[to][to_level[1]][to_level[0]]
        b = self.images[source][from_level[1]][from_level[0]]
        rows = [[b.texels[from_at[1] + y][from_at[0] + x] for x in range(size[0])]
                for y in range(size[1])]
        for y in range(size[1]):
            for x in range(size[0]):
                a.texels[to_at[1] + y][to_at[0] + x] = rows[y][x]
        self.say(0x106, u32(to, source, *to_level, *from_level, *to_at, *from_at, *size, 0, 0))

    def copy_buffer(self, to, source, to_at, from_at, size):
        self.buffers[to][to_at:to_at + size] = self.buffers[source][from_at:from_at + size]
        self.say(0x105, u32(to, source), u64(to_at, from_at, size), u32(0, 0))

    # ---- state ---------------------------------------------------------------------------

    def targets(self, *colors, depth=0):
        self.colors = [self.levels(c)[0] for c in colors]
        self.color_forms = [self.views[c][1] if c in self.views else None for c in colors]
        self.depth_image = self.levels(depth)[0] if depth else None
        self.say(0x400, u32(len(colors), depth, *(list(colors) + [0] * 8)[:8]))

    def viewport(self, x, y, width, height, low=0.0, high=1.0):
        self.view, self.depth_range = (x, y, width, height), single(low, high)
        self.say(0x401, f32(x, y, width, height, low, high))

    def raster(self, cull=0, ccw=False, scissor=None, bias=0, clip=True):
        self.cull, self.ccw, self.scissor, self.clip = cull, ccw, scissor, clip
        self.bias = 0 if self.defect == "depth bias" else bias
        self.say(0x302, u32(0, cull, ccw, scissor is not None), i32(bias), u32(not clip))
        if scissor:
            self.say(0x402, i32(*scissor))

    def blend(self, color=(1, 0, 0), alpha=None, constant=(0, 0, 0, 0), mask=15, on=True):
        alpha = alpha or color
        self.blending = {"on": on, "color": color, "alpha": alpha, "mask": mask,
                         "constant": single(*constant)}
        self.say(0x300, u32(on, *color), bytes((mask, 0, 0, 0)), u32(*alpha), f32(*constant),
                 u32(0xFFFFFFFF))

    def depth_state(self, func, write=True, on=True, stencil=None):
        """stencil: (func, fail, depth fail, pass, reference, read mask, write mask)."""
        self.depth, self.stencil = {"on": on, "write": write, "func": func}, stencil
        masks = bytes((stencil[5], stencil[6], 0, 0)) if stencil else bytes((255, 255, 0, 0))
        self.say(0x301, u32(on, write, func, stencil is not None), masks)
        for state, value in zip((56, 53, 54, 55, 57), stencil[:5] if stencil else ()):
            self.say(0x512, u32(state, value + (state != 57)))

    def shader(self, handle, vertex, inputs, outputs, lines):
        self.shaders[handle] = Shader(inputs, outputs, lines)
        body = acmd.dxbc(vertex, inputs, outputs, lines)
        self.say(0x200, u32(handle, 0 if vertex else 1, len(body), 0), pad4(body))

    def bind(self, vs, ps):
        self.vs, self.ps = self.shaders[vs], self.shaders[ps]
        self.say(0x202, u32(vs, ps, 0, 0))

    def layout(self, handle, elements):
        self.elements = elements
        body = acmd.layout_blob(elements)
        self.say(0x204, u32(handle, len(body), 0), pad4(body))
        self.say(0x206, u32(handle, 0))

    def vertex_buffer(self, slot, handle, stride, offset=0):
        self.vertices[slot] = (handle, stride, offset)
        self.say(0x500, u32(slot, 1, handle, stride, offset, 0))

    def index_buffer(self, handle, wide, offset=0):
        self.index = (handle, wide, offset)
        self.say(0x501, u32(handle, wide, offset, 0))

    def set_topology(self, topology):
        self.topology = topology
        self.say(0x502, u32(topology, 0))

    def set_texture(self, slot, handle, stage=1):
        self.textures[slot] = handle
        self.say(0x510, u32(stage, slot, handle, 0))

    def sampler(self, handle, slot, linear, modes):
        self.samplers[slot] = (linear, linear, linear, modes)
        self.say(0x520, u32(handle, linear, modes[0], modes[1], 0))
        self.say(0x522, u32(1, slot, 1, 0, handle))

    def sampler_state(self, slot, states):
        """As Direct3D 9 has it: {state: value}."""
        modes = {1: 1, 2: 2, 3: 0}
        self.samplers[slot] = (states.get(5, 1) == 2, states.get(6, 1) == 2,
                               states.get(7, 0) == 2,
                               (modes[states.get(1, 1)], modes[states.get(2, 1)]))
        for state, value in states.items():
            self.say(0x511, u32(1, slot, state, value))

    def registers(self, stage, start, *vectors):
        for i, v in enumerate(vectors):
            self.constants[stage].setdefault(0, {})[start + i] = single(*v)
        self.say(0x203, u32(stage, start, len(vectors), 0), *(f32(*v) for v in vectors))

    def constant_buffer(self, stage, slot, handle, offset, size):
        data = self.buffers[handle][offset:offset + size]
        rows = [list(struct.unpack_from("<4f", data, 16 * i)) for i in range(len(data) // 16)]
        self.constants[stage][slot] = dict(enumerate(rows))
        self.say(0x523, u32(stage, slot, 1, 0, handle, offset, size, 0))

    def clear(self, color=None, depth=None, stencil=None):
        flags = (color is not None) | (depth is not None) << 1 | (stencil is not None) << 2
        for image, form in zip(self.colors, self.color_forms):
            if color is not None:
                value = self.stored(image, form, single(*color))
                image.texels = [[value] * image.width for _ in range(image.height)]
        image = self.depth_image
        if image and depth is not None:
            image.depth = [[self.depth_number(single(depth)[0])] * image.width
                           for _ in range(image.height)]
        if image and stencil is not None:
            image.stencil = [[stencil] * image.width for _ in range(image.height)]
        self.say(0x600, u32(flags), f32(*(color or (0, 0, 0, 0)), depth or 0), u32(stencil or 0))

    # ---- drawing ---------------------------------------------------------------------------

    def stored(self, image, form, color):
        return image_as(image, form).encode(color, self.slack)

    def depth_number(self, z):
        """Depth as it is stored: steps of 24 bits, or a float."""
        if self.depth_image.form == 32:
            return int(z * 16777215 + 0.5)
        return single(z)[0]

    def fetch(self, vertex, instance, first_instance):
        inputs = {}
        for name, number, reg, _ in self.vs.inputs:
            for e_name, e_number, dxgi, slot, offset, per_instance, rate in self.elements:
                if (e_name, e_number) != (name, number):
                    continue
                handle, stride, start = self.vertices[slot]
                if self.defect == "stride":
                    stride = max(stride - 4, 4)
                if self.defect == "attribute offset" and offset:
                    offset -= 4
                if self.defect == "instance step":
                    rate = 1
                item = vertex
                if per_instance:
                    item = first_instance + (instance // rate if rate else 0)
                values = struct.unpack_from("<" + DXGI[dxgi], self.buffers[handle],
                                            start + item * stride + offset)
                values = attribute(dxgi, values)
                inputs[reg] = list(values) + [0.0, 0.0, 0.0, 1.0][len(values):]
        return inputs

    def look(self, spread=None):
        def texel(t, s, *at):
            handle = self.textures[t]
            images = self.levels(handle)
            form = self.views[handle][1] if handle in self.views else images[0].form
            images = [image_as(image, form) for image in images]
            if s is None:
                x, y, _, level = at
                return images[level].decode(images[level].texels[y][x])
            sampler = self.samplers.get(s, (True, True, True, (0, 0)))
            if self.defect == "filter":
                sampler = (not sampler[0], not sampler[1], sampler[2], sampler[3])
            if self.defect == "mip":
                images = images[:1]
            if self.defect == "address":
                sampler = sampler[:3] + ((0, 0),)
            return sample(images, sampler, at[0], at[1], spread(at) if spread else (0,) * 4,
                          self.slack and 1e-3)
        return texel

    def corners_of(self, count):
        """The triples of a draw of `count` vertices."""
        if self.topology == 4:
            return [(i, i + 1, i + 2) for i in range(0, count - 2, 3)]
        if self.topology == 6:
            return [(i + 1, i + 2, 0) for i in range(count - 2)]
        if self.topology == 12:
            return [(i, i + 2, i + 4) for i in range(0, count - 5, 6)]
        step = 1 if self.topology == 5 else 2
        return [tuple(step * (i + k) for k in ((0, 1, 2), (0, 2, 1))[i % 2])
                for i in range((count - (2 if step == 1 else 4)) // step)]

    def draw(self, count, instances=1, first=0, first_instance=0):
        self.say(0x601, u32(count, instances, first, first_instance))
        self.draw_all(list(range(first, first + count)), instances, first_instance)

    def draw_indexed(self, count, instances=1, first=0, base=0, first_instance=0):
        self.say(0x602, u32(count, instances, first), i32(base), u32(first_instance))
        handle, wide, offset = self.index
        if self.defect == "index size":
            wide = not wide
        size = 4 if wide else 2
        ids = [struct.unpack_from("<I" if wide else "<H", self.buffers[handle],
                                  offset + size * (first + i))[0] for i in range(count)]
        if self.defect == "base vertex":
            base = 0
        runs, run = [], []
        for i in ids:
            if self.topology in (5, 13) and i == (1 << 8 * size) - 1:
                runs.append(run)
                run = []
            else:
                run.append(i + base)
        for run in runs + [run]:
            self.draw_all(run, instances, first_instance)

    def draw_all(self, ids, instances, first_instance):
        for instance in range(instances):
            shaded = {}
            for i in set(ids):
                try:
                    inputs = self.fetch(i, instance, first_instance)
                except struct.error:
                    inputs = {reg: [0.0] * 4 for _, _, reg, _ in self.vs.inputs}
                shaded[i] = self.vs.run(inputs, self.constants[0], self.look())
            for corners in self.corners_of(len(ids)):
                self.triangle([shaded[ids[c]] for c in corners])

    def triangle(self, corners):
        place = next(reg for name, _, reg, _ in self.vs.outputs if name == "SV_Position")
        # Positions leave the vertex shader as floats of 32 bits.
        positions = [single(*c[place]) for c in corners]
        if self.exact:  # pixels on an edge are decided by arithmetic without rounding
            positions = [[Fraction(v) for v in p] for p in positions]
        view = self.view or (0, 0, self.colors[0].width, self.colors[0].height)
        if self.defect == "viewport":
            view = (0, 0, self.colors[0].width, self.colors[0].height)
        if self.exact:
            view = tuple(Fraction(v) for v in view)
        rows, volume = shares(positions, view)
        if rows is None:
            return
        front = (volume > 0) != self.ccw
        if self.defect == "winding":
            front = not front
        if self.cull == (1 if front else 2):
            return
        links = [(reg, next(o for n, k, o, _ in self.vs.outputs if (n, k) == (name, number)))
                 for name, number, reg, _ in self.ps.inputs if name != "SV_Position"]
        area = self.colors[0] if self.colors else self.depth_image
        left, top, right, bottom = 0, 0, area.width, area.height
        left, right = max(left, view[0]), min(right, view[0] + view[2])
        top, bottom = max(top, view[1]), min(bottom, view[1] + view[3])
        if self.scissor and self.defect != "scissor":
            s = self.scissor
            left, right = max(left, s[0]), min(right, s[0] + s[2])
            top, bottom = max(top, s[1]), min(bottom, s[1] + s[3])
        for y in range(area.height):
            for x in range(area.width):
                if left <= x + 0.5 < right and top <= y + 0.5 < bottom:
                    self.pixel(x, y, rows, corners, positions, links)

    def varying(self, rows, x, y, corners, links, positions):
        parts = [r[0] * x + r[1] * y + r[2] for r in rows]
        if self.defect == "perspective":
            parts = [p * q[3] for p, q in zip(parts, positions)]
        whole = sum(parts)
        return {reg: [sum(p * c[out][k] for p, c in zip(parts, corners)) / whole
                      for k in range(4)] for reg, out in links}

    def pixel(self, x, y, rows, corners, positions, links):
        half = Fraction(1, 2) if self.exact else 0.5
        at = (x + half, y + half)
        parts = [r[0] * at[0] + r[1] * at[1] + r[2] for r in rows]
        # Near the line of one edge and clearly outside of another is no tie.
        if not self.exact and any(p < -math.hypot(r[0], r[1]) * EDGE for p, r in zip(parts, rows)):
            return
        if not all(inside(p, r, self.exact, self.slack) for p, r in zip(parts, rows)):
            return
        z = sum(p * c[2] for p, c in zip(parts, positions))
        if self.slack and self.clip and min(abs(z), abs(1 - z)) < 1e-6 and 0 < abs(z) and z != 1:
            raise Tie("near or far plane")
        if self.clip and not 0 <= z <= 1:
            return
        low, high = self.depth_range
        z = clamp(low + (high - low) * z + self.bias_of(positions), low, high)
        if not self.test(x, y, z):
            return
        varying = self.varying(rows, *at, corners, links, positions)
        for name, _, reg, _ in self.ps.inputs:
            if name == "SV_Position":
                w = sum(parts) if self.defect == "reciprocal" else 1 / sum(parts)
                varying[reg] = [*at, z, w]

        def spread(coordinates):
            """Of the texture coordinates, if they are the first input as it is."""
            reg = self.ps.inputs[0][2]
            there = [self.varying(rows, at[0] + dx, at[1] + dy, corners, links, positions)[reg]
                     for dx, dy in ((1, 0), (0, 1))]
            here = varying[reg]
            return tuple(t[k] - here[k] for t in there for k in range(2))

        out = self.ps.run(varying, self.constants[1], self.look(spread))
        for _, number, reg, _ in self.ps.outputs:
            if number < len(self.colors) and reg in out:
                self.write(x, y, number, out[reg])

    def bias_of(self, positions):
        """In steps of 24 bits, or of the last bit of the farthest corner."""
        if not self.bias or self.depth_image.form == 32:
            return self.bias / 2 ** 24
        low, high = self.depth_range
        far = max(low + (high - low) * p[2] / p[3] for p in positions)
        return self.bias * 2.0 ** (math.floor(math.log2(far)) - 23)

    def test(self, x, y, z):
        image = self.depth_image
        if not image:
            return True
        passed, new = True, self.depth_number(z)
        if self.depth["on"]:
            old = image.depth[y][x]
            func = self.depth["func"]
            if self.defect == "depth function":
                func = 7
            if self.slack and new != old and abs(new - old) < (4 if image.form == 32 else 1e-6):
                raise Tie("depth")
            passed = compare(func, new, old)
        if self.stencil:
            func, fail, depth_fail, ok, reference, read, mask = self.stencil
            old = image.stencil[y][x]
            good = compare(func, reference & read, old & read)
            op = fail if not good else ok if passed else depth_fail
            value = (old, 0, reference, min(old + 1, 255), max(old - 1, 0), old ^ 255,
                     (old + 1) % 256, (old - 1) % 256)[op]
            image.stencil[y][x] = (value & mask) | (old & ~mask & 255)
            passed = passed and good
        if passed and self.depth["on"] and self.depth["write"]:
            image.depth[y][x] = new
        return passed

    def write(self, x, y, number, color):
        image, form = self.colors[number], self.color_forms[number]
        old = image.texels[y][x]
        b = self.blending
        if b["on"] and self.defect != "blend":
            there = image_as(image, form).decode(old)
            if self.defect == "blend order":
                color, there = there, color
            color = blend(b, color, there)
        new = self.stored(image, form, color)
        mask = 15 if self.defect == "write mask" else b.get("masks", {}).get(number, b["mask"])
        image.texels[y][x] = tuple(n if mask >> c & 1 else o
                                   for c, (n, o) in enumerate(zip(new, old)))

    # ---- frames ------------------------------------------------------------------------------

    def submit(self):
        """What was said so far, with the memory of all allocations."""
        number = len(self.records) * 8 + 1
        ranges, blobs = [], []
        for i, (alloc, data) in enumerate(sorted(self.memory.items())):
            blobs.append(acmd.blob(number + 1 + i, acmd.MEMORY, bytes(data)))
            ranges.append((alloc, 4096 * alloc, len(data), number + 1 + i))
        self.streams.append(acmd.stream(*self.out))
        self.records.append(acmd.blob(number, acmd.STREAM, self.streams[-1])
                            + b"".join(blobs) + acmd.submission(number, 0, ranges))
        self.out = []

    def present(self):
        image = self.colors[0]
        rows = image.texels[::-1] if self.defect == "y flip" else image.texels
        self.shown.append((image.width, image.height,
                           b"".join(bytes(t) for row in rows for t in row)))
        self.say(0x700, u32(0, 0))
        self.submit()
        self.records.append(None)  # the end of a frame

    def trace(self):
        parts, index = [acmd.begin(0)], 0
        for i, r in enumerate(self.records):
            if r is not None:
                parts.append(r)
                continue
            parts.append(acmd.present(index))
            index += 1
            if i + 1 < len(self.records):
                parts.append(acmd.begin(index))
        return acmd.trace(*parts, version=2, abi=0x10004)


def image_as(image, form):
    """An image seen in another format of its family."""
    if form is None or form == image.form:
        return image
    other = Image.__new__(Image)
    other.__dict__.update(image.__dict__)
    other.form = form
    return other


def attribute(dxgi, values):
    if dxgi == 28:
        return [v / 255 for v in values]
    if dxgi == 87:
        return [values[i] / 255 for i in (2, 1, 0, 3)]
    if dxgi == 35:
        return [v / 65535 for v in values]
    return list(values)


__all__ = ["Scene", "Tie", "COLOR", "f32", "u32", "i32"]
