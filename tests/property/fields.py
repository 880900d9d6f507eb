"""fields.py - where the fields of a trace stand, by tables of each format's layout.

fields(name, data) gives the fields of one file of a trace: name, offset, width, kind. A walk
follows the counts and lengths that are there and ends quietly where they lead nowhere: goldens may
be broken. Kinds: magic, tag, flag, count, length, offset, value, sum (a checksum), digits (a number
in text). Written from the specifications alone, not from the reader that is tested.
"""
import collections
import hashlib
import re
import struct
import zlib

Field = collections.namedtuple("Field", "name offset width kind")


class Walk:
    """A place in the data; each step notes a field and gives its value."""

    def __init__(self, data):
        self.data, self.at, self.found = data, 0, []

    def take(self, name, width, kind="value"):
        if width < 0 or self.at + width > len(self.data):
            raise EOFError
        value = int.from_bytes(self.data[self.at:self.at + width], "little")
        if width:
            self.found.append(Field(name, self.at, width, kind))
        self.at += width
        return value

    def rows(self, table):
        return {name: self.take(name, width, kind) for name, width, kind in table}

    def skip(self, count):
        if count < 0 or self.at + count > len(self.data):
            raise EOFError
        self.at += count

    def text(self, name, width=4):
        """A length and its bytes; the first and the last of them are fields, too."""
        count = self.take(name + ".length", width, "length")
        if count:
            self.take(name + "[0]", 1)
        if count > 1:
            self.skip(count - 2)
            self.take(name + "[-1]", 1)

    def left(self):
        return len(self.data) - self.at

    def sees(self, magic):
        return self.data.startswith(magic, self.at)


# ---- Murk --------------------------------------------------------------------------------------

MURK_WORLD = [("seed", 8, "value"), ("config_hash", 8, "value"), ("field_count", 4, "count"),
              ("cell_count", 8, "count")]
# What is in a payload, by its tag: c a coord, l a list of (4, second) bytes, b bytes.
MURK_PAYLOADS = {0: ["8", "c"], 1: ["c", "l4"], 2: ["8"], 3: ["c", "4", "4"], 4: ["4", "b"],
                 5: ["4", "8"], 6: ["l8"]}


def murk_payload(w, tag, length):
    end = w.at + length
    for what in MURK_PAYLOADS.get(tag, []):
        if what == "c":
            for i in range(w.take("coord.count", 4, "count")):
                w.take("coord[%d]" % i, 4)
        elif what == "b":
            w.text("data")
        elif what[0] == "l":
            for i in range(w.take("list.count", 4, "count")):
                w.take("list[%d].key" % i, 4)
                w.take("list[%d].value" % i, int(what[1]))
        else:
            w.take("payload.value", int(what))
        if w.at > end:
            break
    w.at = end
    w.skip(0)


def murk_command(w):
    tag = w.take("payload_type", 1, "tag")
    murk_payload(w, tag, w.take("payload.length", 4, "length"))
    w.take("priority_class", 1)
    for name in ("source_id", "source_seq"):
        if w.take(name + ".flag", 1, "flag") == 1:
            w.take(name, 8)
    w.take("expires_after_tick", 8)
    w.take("arrival_seq", 8)


def murk(w):
    w.take("magic", 4, "magic")
    w.take("version", 1, "tag")
    for name in ("toolchain", "target_triple", "murk_version", "compile_flags"):
        w.text(name)
    w.rows(MURK_WORLD)
    w.text("space_descriptor")
    while w.left():
        w.take("tick_id", 8)
        for _ in range(w.take("command_count", 4, "count")):
            murk_command(w)
        w.take("snapshot_hash", 8)


# ---- CDT ---------------------------------------------------------------------------------------

CDT_CHUNK = [("kind", 4, "magic"), ("start_tick", 4, "value"), ("end_tick", 4, "value"),
             ("flags", 4, "flag"), ("compressed_len", 4, "length"),
             ("uncompressed_len", 4, "length"), ("checksum64", 8, "sum")]
# Of msgpack: the widths of numbers, and of the lengths of str, bin, array and map.
PACK_NUMBER = {0xca: 4, 0xcb: 8, 0xcc: 1, 0xcd: 2, 0xce: 4, 0xcf: 8, 0xd0: 1, 0xd1: 2, 0xd2: 4,
               0xd3: 8}
PACK_BYTES = {0xd9: 1, 0xda: 2, 0xdb: 4, 0xc4: 1, 0xc5: 2, 0xc6: 4}
PACK_LIST = {0xdc: (2, 1), 0xdd: (4, 1), 0xde: (2, 2), 0xdf: (4, 2)}


def cdt_pack(w, end):
    """Every head and every number of a payload that is not compressed."""
    while w.at < end:
        head = w.data[w.at]
        w.take("msgpack.head", 1, "tag")
        if head in PACK_NUMBER:
            w.take("msgpack.number", PACK_NUMBER[head])
        elif head in PACK_BYTES:
            w.skip(w.take("msgpack.length", PACK_BYTES[head], "length"))
        elif head in PACK_LIST:
            w.take("msgpack.count", PACK_LIST[head][0], "count")
        elif 0xa0 <= head < 0xc0:
            w.skip(head & 31)


def cdt(w):
    w.take("magic", 23, "magic")
    w.take("trace_format_version", 4, "tag")
    while w.left() >= 32 and not (w.sees(b"CDTFTR1\n") or w.sees(b"CDTFTR2\n")):
        chunk = w.rows(CDT_CHUNK)
        end = w.at + chunk["compressed_len"]
        if chunk["flags"] & 1:
            w.take("zstd.magic", 4, "magic")
            w.take("zstd.descriptor", 1, "flag")
            w.take("zstd.content_size", 2, "length")
        elif end <= len(w.data):
            cdt_pack(w, end)
        w.at = end
    w.take("trailer.magic", 8, "magic")
    w.take("footer_offset", 8, "offset")


def cdt_sums(data):
    """Checksums of payloads that are not compressed, so that what they hold is looked at."""
    at = 27
    while at + 32 <= len(data) and data[at:at + 4] in (b"META", b"TICK", b"FOTR"):
        flags, length = struct.unpack_from("<II", data, at + 12)
        body = bytes(data[at + 32:at + 32 + length])
        if flags == 2 and len(body) == length:
            data[at + 24:at + 32] = hashlib.blake2b(body, digest_size=8).digest()
        at += 32 + length


# ---- AeroGPU -----------------------------------------------------------------------------------

AERO_HEADER = [("magic", 8, "magic"), ("header_size", 4, "length"),
               ("container_version", 4, "tag"), ("command_abi_version", 4, "value"),
               ("flags", 4, "flag"), ("meta_len", 4, "length"), ("reserved", 4, "flag")]
AERO_RECORD = [("record_type", 1, "tag"), ("record_flags", 1, "flag"),
               ("record_reserved", 2, "flag"), ("payload_len", 4, "length")]
AERO_TOC = [("toc.magic", 8, "magic"), ("toc_version", 4, "tag"), ("frame_count", 4, "count")]
AERO_ENTRY = [("toc.frame_index", 4, "value"), ("toc.flags", 4, "flag"),
              ("start_offset", 8, "offset"), ("present_offset", 8, "offset"),
              ("end_offset", 8, "offset")]
AERO_FOOTER = [("footer.magic", 8, "magic"), ("footer_size", 4, "length"),
               ("footer.version", 4, "tag"), ("toc_offset", 8, "offset"), ("toc_len", 8, "length")]
AERO_BLOB = [("blob_id", 8, "value"), ("blob.kind", 4, "tag"), ("blob.reserved", 4, "flag")]
AERO_SUBMISSION = [("record_version", 4, "tag"), ("submission.header_size", 4, "length"),
                   ("submit_flags", 4, "flag"), ("context_id", 4, "value"),
                   ("engine_id", 4, "value"), ("reserved0", 4, "flag"),
                   ("signal_fence", 8, "value"), ("cmd_stream_blob_id", 8, "value"),
                   ("alloc_table_blob_id", 8, "value"),
                   ("memory_range_count", 4, "count"), ("reserved1", 4, "flag")]
AERO_RANGE = [("range.alloc_id", 4, "value"), ("range.flags", 4, "flag"), ("range.gpa", 8, "value"),
              ("range.size_bytes", 8, "length"), ("range.blob_id", 8, "value")]
AERO_STREAM = [("stream.magic", 4, "magic"), ("abi_version", 4, "tag"), ("size_bytes", 4, "length"),
               ("stream.flags", 4, "flag"), ("stream.reserved0", 4, "flag"),
               ("stream.reserved1", 4, "flag")]
AERO_TABLE = [("table.magic", 4, "magic"), ("table.abi_version", 4, "tag"),
              ("table.size_bytes", 4, "length"), ("entry_count", 4, "count"),
              ("entry_stride", 4, "length"), ("table.reserved0", 4, "flag")]
AERO_ALLOC = [("alloc_id", 4, "value"), ("alloc.flags", 4, "flag"), ("gpa", 8, "value"),
              ("alloc.size_bytes", 8, "length"), ("alloc.reserved", 8, "flag")]


def aerogpu_words(w, end):
    """The rest of a packet or a command, in dwords; one too many is the walk's own business."""
    while w.at + 4 <= end:
        w.take("argument", 4)
    w.at = end


def aerogpu_stream(w, end):
    w.rows(AERO_STREAM)
    while w.at + 8 <= end:
        start = w.at
        w.take("opcode", 4, "tag")
        size = w.take("command.size_bytes", 4, "length")
        if size < 8 or start + size > end:
            break
        aerogpu_words(w, start + size)
    w.at = end


def aerogpu_table(w, end):
    w.rows(AERO_TABLE)
    while w.at + 32 <= end:
        w.rows(AERO_ALLOC)
    w.at = end


def aerogpu_payload(w, kind, end):
    if kind == 4:
        w.rows(AERO_BLOB)
    if w.sees(b"ACMD"):
        aerogpu_stream(w, end)
    elif w.sees(b"ALOC"):
        aerogpu_table(w, end)
    elif kind in (1, 2):
        w.take("frame_index", 4)
    elif kind == 3:
        w.take("opcode", 4, "tag")
        w.take("total_dwords", 4, "length")
        aerogpu_words(w, end)
    elif kind == 5:
        w.rows(AERO_SUBMISSION)
        while w.at + 32 <= end:
            w.rows(AERO_RANGE)
    w.at = end


def aerogpu(w):
    if w.sees(b"ACMD"):
        return aerogpu_stream(w, len(w.data))
    if w.sees(b"ALOC"):
        return aerogpu_table(w, len(w.data))
    w.skip(w.rows(AERO_HEADER)["meta_len"])
    while w.left() and not w.sees(b"AEROTOC\0"):
        record = w.rows(AERO_RECORD)
        end = w.at + record["payload_len"]
        if end <= len(w.data):
            aerogpu_payload(w, record["record_type"], end)
        w.at = end
    for _ in range(w.rows(AERO_TOC)["frame_count"]):
        w.rows(AERO_ENTRY)
    w.rows(AERO_FOOTER)
    return None


# ---- dial9 -------------------------------------------------------------------------------------

DIAL9_FIXED = {1: 8, 2: 8, 3: 1, 6: 4, 7: 4, 11: 1, 12: 2, 13: 4}


def dial9_varint(w, name):
    value, shift = 0, 0
    while True:
        byte = w.take(name, 1)
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value


def dial9_value(w, kind):
    if kind & 0x80:
        if not w.take("presence", 1, "flag"):
            return
        kind &= 0x7f
    if kind in DIAL9_FIXED:
        w.take("value%d" % kind, DIAL9_FIXED[kind])
    elif kind in (4, 5):
        w.text("bytes")
    elif kind == 8:
        for _ in range(w.take("frames.count", 4, "count")):
            w.take("address", 8)
    elif kind == 9:
        dial9_varint(w, "varint")
    elif kind == 10:
        for _ in range(w.take("map.count", 4, "count")):
            w.text("map.key")
            w.text("map.value")
    elif kind in (14, 15):
        for _ in range(w.take("list.count", 4, "count") * (kind - 13)):
            dial9_value(w, w.take("list.type", 1, "tag"))
    else:
        raise EOFError


def dial9_schema(w, schemas):
    type_id = w.take("schema.type_id", 2)
    w.text("schema.name", 2)
    timed = w.take("has_timestamp", 1, "flag")
    kinds = []
    for _ in range(w.take("field_count", 2, "count")):
        w.text("field.name", 2)
        kinds.append(w.take("field.type", 1, "tag"))
    schemas[type_id] = (timed, kinds)


def dial9_pools(w, tag):
    for _ in range(w.take("pool.count", 4, "count")):
        w.take("pool.id", 4)
        if tag == 3:
            w.text("pool.text")
        else:
            for _ in range(w.take("stack.count", 4, "count")):
                w.take("stack.address", 8)


def dial9(w):
    schemas = {}
    while w.left():
        if w.sees(b"TRC\0"):
            w.take("magic", 4, "magic")
            w.take("version", 1, "tag")
            schemas = {}
            continue
        tag = w.take("frame.tag", 1, "tag")
        if tag == 1:
            dial9_schema(w, schemas)
        elif tag == 2:
            timed, kinds = schemas.get(w.take("event.type_id", 2), (0, [0]))
            if timed:
                w.take("delta", 3)
            for kind in kinds:
                dial9_value(w, kind)
        elif tag in (3, 4):
            dial9_pools(w, tag)
        elif tag == 5:
            w.take("reset", 8)
        elif tag == 6:
            dial9_varint(w, "annotated.type_id")
            for _ in range(w.take("annotation.count", 2, "count")):
                w.take("field_index", 2)
                w.text("key", 2)
                w.text("value", 4)
        else:
            return


# ---- ATF ---------------------------------------------------------------------------------------

ATF_HEAD = [("magic", 4, "magic"), ("endian", 1, "tag"), ("version", 1, "tag"), ("arch", 1, "tag"),
            ("os", 1, "tag"), ("flags", 4, "flag"), ("thread_id", 4, "value")]
ATF_INDEX = ATF_HEAD + [
    ("clock_type", 1, "tag"), ("reserved", 3, "flag"), ("reserved4", 4, "flag"),
    ("event_size", 4, "length"), ("event_count", 4, "count"), ("events_offset", 8, "offset"),
    ("footer_offset", 8, "offset"), ("time_start_ns", 8, "value"), ("time_end_ns", 8, "value")]
ATF_DETAIL = ATF_HEAD + [
    ("reserved", 4, "flag"), ("events_offset", 8, "offset"), ("event_count", 8, "count"),
    ("bytes_length", 8, "length"), ("index_seq_start", 8, "value"), ("index_seq_end", 8, "value"),
    ("padding", 4, "flag")]
ATF_EVENT = [("timestamp_ns", 8, "value"), ("function_id", 8, "value"),
             ("event.thread_id", 4, "value"), ("event_kind", 4, "tag"),
             ("call_depth", 4, "value"), ("detail_seq", 4, "value")]
ATF_RECORD = [("total_length", 4, "length"), ("event_type", 2, "tag"), ("detail.flags", 2, "flag"),
              ("index_seq", 4, "value"), ("detail.thread_id", 4, "value"),
              ("timestamp", 8, "value")]
ATF_INDEX_FOOTER = [("footer.magic", 4, "magic"), ("checksum", 4, "sum"),
                    ("footer.event_count", 8, "count"), ("footer.time_start", 8, "value"),
                    ("footer.time_end", 8, "value"), ("bytes_written", 8, "length")]
ATF_DETAIL_FOOTER = [("footer.magic", 4, "magic"), ("checksum", 4, "sum"),
                     ("footer.event_count", 8, "count"), ("footer.bytes_length", 8, "length"),
                     ("footer.time_start", 8, "value"), ("footer.time_end", 8, "value")]
# Of a payload as specified: function_id, the registers, the stack.
ATF_PAYLOAD = [("payload.function_id", 8, "value")] + [("register", 8, "value")] * 11 + [
    ("stack_size", 2, "length"), ("payload.reserved", 2, "flag")]


def atf(w):
    if w.sees(b"ATI2"):
        w.rows(ATF_INDEX)
        while w.left() >= 32 and not w.sees(b"2ITA"):
            w.rows(ATF_EVENT)
        w.rows(ATF_INDEX_FOOTER)
    elif w.sees(b"ATD2"):
        w.rows(ATF_DETAIL)
        while w.left() >= 24 and not w.sees(b"2DTA"):
            end = w.at + w.rows(ATF_RECORD)["total_length"]
            if w.at + 100 <= end:
                w.rows(ATF_PAYLOAD)
            w.at = max(end, w.at)
        w.rows(ATF_DETAIL_FOOTER)
    elif w.sees(b"{"):
        for number in re.finditer(rb"\d+", w.data):
            w.found.append(Field("manifest.number", number.start(), len(number[0]), "digits"))


def atf_sums(data):
    """The checksum that the events now have, where one was computed."""
    foot = {b"ATI2": b"2ITA", b"ATD2": b"2DTA"}.get(bytes(data[:4]))
    at = data.rfind(foot) if foot else -1
    if at >= 64 and at + 8 <= len(data) and any(data[at + 4:at + 8]):
        struct.pack_into("<I", data, at + 4, zlib.crc32(bytes(data[64:at])))


# ---- replays and evidence ----------------------------------------------------------------------

CRD_FRAME = [("zstd.magic", 4, "magic"), ("zstd.descriptor", 1, "flag"),
             ("zstd.content_size", 4, "length"), ("zstd.block", 3, "length")]


def crd(w):
    """The frames of goldens have one stored block; lengths of records look like small numbers."""
    if w.sees(b"\x28\xb5\x2f\xfd"):
        w.rows(CRD_FRAME)
    cdt_pack(w, len(w.data))


WALKS = {"murk": murk, "cdt": cdt, "aerogpu": aerogpu, "dial9": dial9, "atf": atf, "crd": crd}
SUMS = {"cdt": cdt_sums, "atf": atf_sums}
# Fields with which a record, a chunk, a frame or a footer begins.
STARTS = {"tick_id", "kind", "trailer.magic", "record_type", "toc.magic", "opcode", "frame.tag",
          "timestamp_ns", "total_length", "footer.magic", "table.magic", "alloc_id"}
GZIP = [("gzip.magic", 2, "magic"), ("gzip.method", 1, "tag"), ("gzip.flags", 1, "flag"),
        ("gzip.time", 4, "value")]


def fields(name, data):
    """The fields of one file of a trace of this format."""
    w = Walk(data)
    try:
        if w.sees(b"\x1f\x8b"):
            w.rows(GZIP)
            w.at = len(data) - 8
            w.take("gzip.crc", 4, "sum")
            w.take("gzip.size", 4, "length")
        else:
            WALKS[name](w)
    except EOFError:
        pass
    return w.found
