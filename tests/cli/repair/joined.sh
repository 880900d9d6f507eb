# Two pieces of one recording, joined as files: the header between them goes.
python3 >run.murk <<'END'
import struct, sys
head = b"MURK\x03" + b"".join(struct.pack("<I", 1) + b"t" for _ in range(4))
head += struct.pack("<QQIQI", 1, 2, 0, 4, 0)
frame = lambda tick: struct.pack("<QIQ", tick, 0, tick * 3)
sys.stdout.buffer.write(head + frame(1) + frame(2) + head + frame(3))
END
rastrum repair -n run.murk
