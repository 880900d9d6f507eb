"""figures - what each figure of bench.c is, by area: the words of docs/performance.md."""

AREAS = (
    ("Reading and checking", "Peers are the projects' own readers, measured before on a machine of "
     "this class.", {
         "murk.decode": "Murk frames of 50 commands, decoded with typed payloads",
         "cdt.decode": "all structs of a CDT trace; 1 is zstd and BLAKE2b of its chunks alone",
         "aerogpu.scan": "a record of AeroGPU packets, values left undecoded",
         "dial9.visit": "dial9's demo, every field, by the native reader",
         "dial9.scan": "the same as rows of the cursor",
         "atf.scan": "an event of ATF by the cursor",
         "atf.scan.native": "the same by the native reader",
         "atf.merge": "an event of two threads in one order",
         "atf.head100": "`cat --limit 100` of four million events, by the clock",
         "murk.range": "one tick of Murk; 1 is the whole trace",
         "cdt.range": "one tick of CDT; 1 is the whole trace",
         "aerogpu.range": "one frame of AeroGPU; 1 is the whole trace",
         "cdt.tick": "`tick` of a CDT trace of 100,000 ticks",
         "columns.atf": "batches of four columns, beside the native reader: rows a second",
         "columns.generic": "the same by core, beside a cursor with the same fields",
         "where.filter": "the dearest of several conditions, a record",
         "info.startup": "`info` of a small trace with the start of the program",
         "zstd.plain": "the zstd decoder of the library beside libzstd: time"}),
    ("Many threads", "What one thread of an ATF session costs `info`, `verify`, `stats` and `tree` "
     "together: its directory, its file and its eight events.", {
         "atf.threads.1": "a session of 1 thread, a thread",
         "atf.threads.16": "16 threads, a thread",
         "atf.threads.256": "256 threads, a thread",
         "atf.threads.1k": "1,000 threads, a thread",
         "atf.threads.4k": "4,000 threads, a thread",
         "atf.threads.16k": "16,000 threads, a thread",
         "atf.threads.64k": "64,000 threads, a thread",
         "atf.processes.16k": "16,000 processes of one thread, a process"}),
    ("Statistics", "The peer is dial9's own analysis.", {
        "dial9.analysis": "`stats` of dial9's demo",
        "dial9.analysis.memory": "the same: peak of memory",
        "dial9.folded": "its folded stacks",
        "dial9.spans": "spans through `stats`",
        "dial9.stats30m": "`stats` of 30 million events",
        "dial9.stats30m.memory": "the same: peak of memory that is no file's"}),
    ("Comparing", "", {
        "diff.murk": "`diff` of two replays", "diff.dial9": "`diff` of two dial9 traces",
        "diff.atf": "`diff` of two sessions, an event",
        "diff.aerogpu": "`diff` of two AeroGPU traces, a record",
        "cdt.diff.last": "`diff` of 100,000 ticks that differ in the last",
        "cdt.diff.same": "`diff` of a trace of 100,000 ticks with its copy",
        "cdt.diff.equal": "`diff` of traces with the same content; 1 is zstd and BLAKE2b of the "
                          "chunks",
        "cdt.query.ticks": "`query` over ticks; 1 is a full decode",
        "cdt.query.rows": "`query` over entities; 1 is a full decode",
        "cdt.health": "`health`; 1 is a full decode"}),
    ("Writing, slices and merges", "Slices and merges beside `cp` and `fsync` of as many bytes: "
     "1 is as fast.", {
         "murk.encode": "Murk frames of 50 commands", "cdt.write": "CDT; 1 is zstd -3 and BLAKE2b",
         "dial9.encode": "light events of dial9", "atf.write": "an event of ATF",
         "rewrite.slice": "a slice of Murk", "rewrite.slice.atf": "a slice of ATF",
         "rewrite.slice.dial9": "a slice of dial9", "rewrite.slice.aerogpu": "a slice of AeroGPU",
         "rewrite.slice.cdt": "a slice of CDT", "rewrite.merge": "a merge of two Murk replays",
         "finalize": "a Frida capture to traces: JSON a second"}),
    ("Recording", "What an event costs the program that is recorded. `entry` is the CPU time of "
     "`rastrum record` beside that of `uftrace record`, measured in the same run.", {
         "record.tsc": "an event by the counter of the processor",
         "record.boottime": "an event by the clock of the system",
         "hook.cyg": "an event of `-finstrument-functions`",
         "dial9.event": "an event with fields of the program's own",
         "entry.fentry": "a program built with `-pg -mfentry`, beside uftrace",
         "entry.patched": "with `-fpatchable-function-entry`, beside uftrace of `-mfentry`",
         "entry.unmodified": "as it is: `--unmodified`, beside `uftrace -P .`",
         "entry.plain": "the same, beside `record` of one built with entries to patch",
         "attach.stop": "how long `--attach` stops a program of 8 threads, the longest of 40 times",
         "record.disk1": "what one thread can store", "record.disk2": "what two threads can store",
         "record.packed": "the same, compressed as it is written",
         "pack.size": "compressed recordings; 1 is `zstd -1`",
         "pack.speed": "how fast they are made; 1 is `zstd -1`",
         "pack.event": "what an event takes, compressed"}),
    ("SQL", "Beside SQLite's own loop over a virtual table that does nothing, or beside the same "
     "question with a part of the module switched off: 1 is as fast.", {
         "sql.count": "`count(*)`", "sql.sum": "`sum()` of a column",
         "sql.equal": "rows that a condition selects, beside the cursor",
         "sql.group2": "two groups, beside SQLite's grouping",
         "sql.group5000": "5,000 groups, beside SQLite's grouping",
         "sql.join": "a join, beside one that reads the table for every row",
         "sql.dial9": "rows of dial9, beside the cursor",
         "sql.first": "the first rows of traces of 1 GiB",
         "sql.duckdb.count": "`count(*)` by DuckDB on one thread, beside SQLite",
         "sql.duckdb.group": "groups by DuckDB on one thread, beside SQLite"}),
    ("Export", "Beside the export of the same rows to JSON lines; Parquet beside DuckDB's own "
     "writer, in the same run: 1 is as fast.", {
         "export.perfetto": "Perfetto", "export.chrome": "Chrome", "export.ctf": "CTF",
         "export.parquet": "Parquet, beside DuckDB", "export.parquet.size": "its size; 1 is "
         "DuckDB's", "export.memory": "the most memory of any target"}),
    ("Replay, runs and pictures", "The peer is the public engine.", {
        "replay.grid64": "`replay` of a world of 64 x 64 cells",
        "run.arena": "`run arena`, no pens", "run.pens": "`run arena`, all five pens",
        "run.pens.ratio": "the same; 1 is the world and each pen alone",
        "pens.tick": "a tick that a program hands over", "pens.entity": "an entity of it",
        "pens.picture": "a picture; 1 is a copy of it",
        "snapshot.zeros": "the hash of fields of zeros",
        "snapshot.dense": "the hash of other fields; 1 is what a serial hash can reach",
        "raster.flat": "triangles of one color, in software",
        "raster.smooth": "triangles with colors between corners",
        "raster.textured": "triangles with textures",
        "raster.frame": "a frame of 1920 x 1080 cleared and shown",
        "raster.frame.bgra": "the same in BGRA",
        "frame.hash": "the hash of a frame; 1 is SHA-256 of its bytes",
        "frame.png": "a frame of 1920 x 1080 as PNG",
        "gles.start": "the start of OpenGL, by the clock"}),
    ("Viewer", "", {
        "view.build.atf": "the timeline of a session; 1 is a scan",
        "view.build.dial9": "the timeline of a dial9 trace; 1 is a scan",
        "view.memory": "its memory", "view.tile.pyramid": "a tile of what is kept",
        "view.tile.raw": "a tile that is read from the trace",
        "view.open": "the first answer about a trace of 1 GiB",
        "view.staff": "the first window of the staff of two runs",
        "view.report": "`report` of two runs"}),
)
WHAT = {name: what for _, _, rows in AREAS for name, what in rows.items()}
