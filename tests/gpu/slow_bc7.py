"""slow_bc7.py - texels of BC7 blocks, one at a time, from the description of the format: the block
as a string of bits, partitions as pictures. It shares nothing with src/gpu."""

# mode: subsets, bits of partition, rotation, selection, color, alpha, own and shared lowest bits,
# index, second index
MODES = ((3, 4, 0, 0, 4, 0, 1, 0, 3, 0), (2, 6, 0, 0, 6, 0, 0, 1, 3, 0),
         (3, 6, 0, 0, 5, 0, 0, 0, 2, 0), (2, 6, 0, 0, 7, 0, 1, 0, 2, 0),
         (1, 0, 2, 1, 5, 6, 0, 0, 2, 3), (1, 0, 2, 0, 7, 8, 0, 0, 2, 2),
         (1, 0, 0, 0, 7, 7, 1, 0, 4, 0), (2, 6, 0, 0, 5, 5, 1, 0, 2, 0))
WEIGHTS = {2: (0, 21, 43, 64), 3: (0, 9, 18, 27, 37, 46, 55, 64),
           4: (0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64)}
TWO = """
0011001100110011 0001000100010001 0111011101110111 0001001100110111 0000000100010011
0011011101111111 0001001101111111 0000000100110111 0000000000010011 0011011111111111
0000000101111111 0000000000010111 0001011111111111 0000000011111111 0000111111111111
0000000000001111 0000100011101111 0111000100000000 0000000010001110 0111001100010000
0011000100000000 0000100011001110 0000000010001100 0111001100110001 0011000100010000
0000100010001100 0110011001100110 0011011001101100 0001011111101000 0000111111110000
0111000110001110 0011100110011100 0101010101010101 0000111100001111 0101101001011010
0011001111001100 0011110000111100 0101010110101010 0110100101101001 0101101010100101
0111001111001110 0001001111001000 0011001001001100 0011101111011100 0110100110010110
0011110011000011 0110011010011001 0000011001100000 0100111001000000 0010011100100000
0000001001110010 0000010011100100 0110110010010011 0011011011001001 0110001110011100
0011100111000110 0110110011001001 0110001100111001 0111111010000001 0001100011100111
0000111100110011 0011001111110000 0010001011101110 0100010001110111
""".split()
THREE = """
0011001102212222 0001001122112221 0000200122112211 0222002200110111 0000000011221122
0011001100220022 0022002211111111 0011001122112211 0000000011112222 0000111111112222
0000111122222222 0012001200120012 0112011201120112 0122012201220122 0011011211221222
0011200122002220 0001001101121122 0111001120012200 0000112211221122 0022002200221111
0111011102220222 0001000122212221 0000001101220122 0000110022102210 0122012200110000
0012001211222222 0110122112210110 0000011012211221 0022110211020022 0110011020022222
0011012201220011 0000200022112221 0000000211221222 0222002200120011 0011001200220222
0120012001200120 0000111122220000 0120120120120120 0120201212010120 0011220011220011
0011112222000011 0101010122222222 0000000021212121 0022112200221122 0022001100220011
0220122102201221 0101222222220101 0000212121212121 0101010101012222 0222011102220111
0002111200021112 0000211221122112 0222011101110222 0002111211120002 0110011001102222
0000000021122112 0110011022222222 0022001100110022 0022112211220022 0000000000002112
0002000100020001 0222122202221222 0101222222222222 0111201122012220
""".split()
# Of each partition the anchors but the first texel.
TWO_ANCHORS = """
15 15 15 15 15 15 15 15 15 15 15 15 15 15 15 15
15 2 8 2 2 8 8 15 2 8 2 2 8 8 2 2
15 15 6 8 2 8 15 15 2 8 2 2 2 15 15 6
6 2 6 8 15 15 2 2 15 15 15 15 15 2 2 15
""".split()
THREE_ANCHORS = """
3,15 3,8 8,15 3,15 8,15 3,15 3,15 8,15 8,15 8,15 6,15 6,15 6,15 5,15 3,15 3,8
3,15 3,8 8,15 3,15 3,15 3,8 6,15 8,10 3,5 8,15 6,8 6,10 8,15 5,15 10,15 8,15
8,15 3,15 3,15 5,10 6,10 8,10 8,9 10,15 6,15 3,15 8,15 5,15 3,15 6,15 6,15 8,15
3,15 3,15 5,15 5,15 5,15 8,15 5,15 10,15 5,15 10,15 8,15 13,15 3,15 12,15 3,15 3,8
""".split()


class Bits:
    def __init__(self, block):
        self.text = "".join(format(byte, "08b")[::-1] for byte in block)

    def number(self, count):
        taken, self.text = self.text[:count], self.text[count:]
        return int(taken[::-1] or "0", 2)


def spread(value, bits):
    """So many bits as eight: repeated until they are enough."""
    text = format(value, "0%db" % bits)
    return int((text + text)[:8], 2)


def texel(block, i):
    if not block[0]:
        return (0, 0, 0, 0)
    bits = Bits(block)
    mode = bits.text.index("1")
    bits.number(mode + 1)
    (subsets, partition_bits, rotation_bits, selection_bits, color_bits, alpha_bits, own, shared,
     index_bits, second_bits) = MODES[mode]
    partition = bits.number(partition_bits)
    rotation, selection = bits.number(rotation_bits), bits.number(selection_bits)
    ends = [[bits.number(color_bits) for _ in range(2 * subsets)] for _ in range(3)]
    ends.append([bits.number(alpha_bits) for _ in range(2 * subsets)])
    extra = None
    if own:
        extra = [bits.number(1) for _ in range(2 * subsets)]
    if shared:
        extra = [bit for _ in range(subsets) for bit in [bits.number(1)] * 2]
    for channel, values in enumerate(ends):
        width = alpha_bits if channel == 3 else color_bits
        for e, value in enumerate(values):
            if not width:
                values[e] = 255
            elif extra is None:
                values[e] = spread(value, width)
            else:
                values[e] = spread(2 * value + extra[e], width + 1)
    shapes = {1: ["0" * 16], 2: TWO, 3: THREE}[subsets]
    anchors = {0}
    if subsets == 2:
        anchors.add(int(TWO_ANCHORS[partition]))
    if subsets == 3:
        anchors.update(int(a) for a in THREE_ANCHORS[partition].split(","))
    indices = [bits.number(index_bits - (k in anchors)) for k in range(16)]
    second = [bits.number(second_bits - (k == 0)) for k in range(16)] if second_bits else indices
    first_end = 2 * int(shapes[partition][i])
    by_first = WEIGHTS[index_bits][indices[i]]
    by_second = WEIGHTS[second_bits or index_bits][second[i]]
    color, alpha = (by_second, by_first) if selection else (by_first, by_second)
    out = []
    for channel in range(4):
        a, b = ends[channel][first_end:first_end + 2]
        weight = alpha if channel == 3 else color
        out.append((a * (64 - weight) + b * weight + 32) // 64)
    if rotation:
        out[3], out[rotation - 1] = out[rotation - 1], out[3]
    return tuple(out)
