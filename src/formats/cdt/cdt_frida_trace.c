/* cdt_frida_trace.c - the files of a run: its trace and its evidence.
 *
 * META comes first in a trace but contains the number of ticks, so the chunks of a run are kept in
 * an unlinked file until the run ends and then copied after META. */
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/os.h"
#include "codec/calendar.h"
#include "core/sink.h"
#include "formats/cdt/cdt_frida_run.h"
#include "formats/cdt/cdt_put.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#define TEXT(literal) ((struct ras_bytes){(const uint8_t *)(literal), sizeof(literal) - 1})

/* ISO 8601 with microseconds, omitted if zero, as Python formats it. */
struct ras_bytes frida_utc(const struct ras_cdt_finalize_options *o, char text[FRIDA_UTC])
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (o && o->created_ns)
        now = (struct timespec){o->created_ns / 1000000000, o->created_ns % 1000000000};
    size_t len = calendar_write(text, 32, now.tv_sec);
    if (now.tv_nsec / 1000)
        len += (size_t)snprintf(text + len, 16, ".%06ld", now.tv_nsec / 1000);
    len += (size_t)snprintf(text + len, 16, "+00:00");
    return (struct ras_bytes){(const uint8_t *)text, len};
}

static void set_int(struct ras_cdt_node *node, unsigned member, int64_t *to,
                    struct ras_cdt_int value)
{
    *to = value.value;
    ras_cdt_set(node, member);
    if (value.wide)
        node->wide |= UINT32_C(1) << member;
}

static void fill_source(const struct frida *f, struct ras_cdt_trace_source *s)
{
    enum { RUN_ID = 1, MODE_ID, MAJOR = 6, MINOR };
    const struct frida_run *run = &f->run;
    const struct frida_run_start *start = &run->start;
    struct ras_cdt_node *node = &s->node;
    s->path = (struct ras_bytes){(const uint8_t *)f->path, strlen(f->path)};
    s->sha256 = (struct ras_bytes){(const uint8_t *)f->lines.hex, 2 * SHA256_SIZE};
    s->size = (int64_t)f->lines.stored;
    s->mtime_ns = f->lines.mtime_ns;
    for (unsigned i = RAS_CDT_SOURCE_PATH; i <= RAS_CDT_SOURCE_MTIME_NS; i++)
        ras_cdt_set(node, i);
    set_int(node, RAS_CDT_SOURCE_SEED, &s->seed,
            frida_start_int(start, 10, start->rng_state_at_run_setup));
    set_int(node, RAS_CDT_SOURCE_MODE_ID, &s->mode_id,
            frida_start_int(start, MODE_ID, start->mode_id));
    set_int(node, RAS_CDT_SOURCE_RUN_ID, &s->run_id, frida_start_int(start, RUN_ID, start->run_id));
    set_int(node, RAS_CDT_SOURCE_QUEST_STAGE_MAJOR, &s->quest_stage_major,
            frida_start_int(start, MAJOR, start->quest_stage_major));
    set_int(node, RAS_CDT_SOURCE_QUEST_STAGE_MINOR, &s->quest_stage_minor,
            frida_start_int(start, MINOR, start->quest_stage_minor));
    if (run->has_global) {
        set_int(node, RAS_CDT_SOURCE_GLOBAL_TICK_FIRST, &s->global_tick_first, run->global_first);
        set_int(node, RAS_CDT_SOURCE_GLOBAL_TICK_LAST, &s->global_tick_last, run->global_last);
    }
    s->run_start_seed_source = TEXT("run_setup_rng_state");
    ras_cdt_set(node, RAS_CDT_SOURCE_RUN_START_SEED_SOURCE);
}

/* META of the run; its texts are those of *f, and `created`. */
static struct ras_cdt_trace_meta frida_meta(const struct frida *f, char created[FRIDA_UTC])
{
    struct ras_cdt_trace_meta meta = {
        .trace_format_version = RAS_CDT_FORMAT_VERSION,
        .trace_schema_version = RAS_CDT_SCHEMA_VERSION,
        .created_utc = frida_utc(f->options, created),
        .producer = {.impl = TEXT("frida_original"),
                     .impl_version = f->session.script_version,
                     .platform = f->session.platform,
                     .arch = f->session.arch},
        .tick_range = {.start_tick = 0,
                       .end_tick = (int64_t)f->run.ticks - 1,
                       .tick_count = (int64_t)f->run.ticks},
        .status = f->run.status,
    };
    ras_cdt_set(&meta.node, RAS_CDT_META_STATUS);
    fill_source(f, &meta.source);
    return meta;
}

/* ---- beginning ------------------------------------------------------------------------- */

int frida_spool_open(struct frida_spool *spool, bool memory, struct ras_error *err)
{
    *spool = (struct frida_spool){.fd = memory ? -1 : file_temporary(err)};
    if (!memory && spool->fd < 0)
        return spool->fd;
    return memory ? ras_sink_memory(&spool->sink, err) : ras_sink_fd(&spool->sink, spool->fd, err);
}

int frida_spool_read(const struct frida_spool *spool, uint64_t at, void *to, size_t n,
                     struct ras_error *err)
{
    if (spool->fd < 0) {
        memcpy(to, ras_sink_bytes(spool->sink).at + at, n);
        return RAS_OK;
    }
    int64_t got = file_read_at(spool->fd, to, n, at, err);
    if (got < 0)
        return (int)got;
    return (uint64_t)got == n
               ? RAS_OK
               : fail(err, RAS_EIO, at, "the temporary file has %" PRId64 " bytes of %zu there",
                      got, n);
}

void frida_spool_close(struct frida_spool *spool)
{
    if (spool->sink && spool->fd >= 0)
        os_close(spool->fd);
    ras_sink_drop(spool->sink);
    *spool = (struct frida_spool){.fd = -1};
}

static int open_chunks(struct frida *f, struct ras_error *err)
{
    struct frida_run *run = &f->run;
    uint8_t header[RAS_CDT_HEADER_SIZE];
    int status = frida_spool_open(&run->chunks, f->to, err);
    ras_cdt_header_put(header);
    if (status == RAS_OK)
        status =
            cdt_writer_begin(&run->writer, run->chunks.sink,
                             (struct ras_bytes){header, sizeof header}, &cdt_model_12, NULL, err);
    return status;
}

int frida_run_begin(struct frida *f, const struct frida_run_start *row, struct ras_error *err)
{
    const struct cdt_field status = {.type = CDT_STRUCT,
                                     .need = CDT_DEFAULT,
                                     .size = sizeof f->run.status,
                                     .of = &cdt_game_status_data};
    frida_run_drop(&f->run);
    f->run.start = *row;
    cdt_member_default(&status, (uint8_t *)&f->run.status);
    f->run.open = true;
    return open_chunks(f, err);
}

void frida_run_drop(struct frida_run *run)
{
    ras_cdt_writer_drop(run->writer);
    frida_spool_close(&run->chunks);
    out_free(&run->tail);
    frida_evidence_free(&run->evidence);
    *run = (struct frida_run){.chunks = {.fd = -1}};
}

/* ---- ticks ------------------------------------------------------------------------------- */

/* META.status is that of the first tick; it outlives the row. */
static int keep_status(struct frida_run *run, const struct frida_gameplay *game,
                       struct ras_error *err)
{
    if (run->ticks || !ras_cdt_has(&game->canonical.node, FRIDA_GAMEPLAY_STATUS))
        return RAS_OK;
    run->status = game->status;
    out_bytes(&run->tail, game->status.unknown_tail.at, game->status.unknown_tail.len);
    if (run->tail.failed)
        return fail_memory(err);
    run->status.unknown_tail = (struct ras_bytes){run->tail.at, run->tail.len};
    return RAS_OK;
}

int frida_run_tick(struct frida *f, struct frida_tick *row, struct ras_error *err)
{
    struct frida_run *run = &f->run;
    struct ras_cdt_tick_record tick;
    int status = frida_canonical(f, row, &tick, err);
    if (status == RAS_OK)
        status = frida_evidence_tick(&run->evidence, run->start.rng_state_at_run_setup, row,
                                     tick.channels.rng_stream.at, err);
    if (status == RAS_OK)
        status = keep_status(run, &row->channels.sim_state.gameplay, err);
    if (status == RAS_OK)
        status = ras_cdt_writer_tick(run->writer, &tick, err);
    if (status < 0)
        return status;
    if (ras_cdt_has(&row->node, FRIDA_TICK_GLOBAL)) {
        run->global_last =
            (struct ras_cdt_int){row->tick_index_global, row->node.wide >> FRIDA_TICK_GLOBAL & 1};
        if (!run->has_global)
            run->global_first = run->global_last;
        run->has_global = true;
    }
    run->ticks++;
    f->ticks++;
    return RAS_OK;
}

/* ---- the trace ------------------------------------------------------------------------------ */

/* Reads the next chunk, with its header, into *room. */
static int next_chunk(const struct frida_spool *from, uint64_t at, struct ras_cdt_chunk *chunk,
                      struct out *room, struct ras_error *err)
{
    enum { HEAD = RAS_CDT_CHUNK_HEADER_SIZE };
    room->len = 0;
    uint8_t *to = out_room(room, HEAD);
    int status = to ? frida_spool_read(from, at, to, HEAD, err) : fail_memory(err);
    if (status == RAS_OK)
        status = ras_cdt_chunk_get((struct ras_bytes){to, HEAD}, 0, chunk, err);
    if (status < 0)
        return status;
    room->len = HEAD;
    to = out_room(room, chunk->compressed_len);
    if (!to)
        return fail_memory(err);
    room->len += chunk->compressed_len;
    return frida_spool_read(from, at + HEAD, to, chunk->compressed_len, err);
}

int frida_copy_chunks(const struct frida_spool *chunks, struct ras_cdt_writer *to,
                      struct ras_error *err)
{
    struct out room = {0};
    uint64_t at = RAS_CDT_HEADER_SIZE, end = ras_sink_size(chunks->sink);
    int status = RAS_OK;
    while (status == RAS_OK && at < end) {
        struct ras_cdt_chunk chunk;
        status = next_chunk(chunks, at, &chunk, &room, err);
        if (status < 0)
            break;
        status = cdt_writer_chunk(to, &chunk, (struct ras_bytes){room.at, room.len},
                                  chunk.start_tick, chunk.end_tick,
                                  (uint64_t)(chunk.end_tick - chunk.start_tick) + 1, err);
        at += room.len;
    }
    out_free(&room);
    return status;
}

static int write_trace(struct frida *f, struct ras_sink *sink, struct ras_error *err)
{
    char created[FRIDA_UTC];
    struct ras_cdt_writer *writer;
    const struct ras_cdt_trace_meta meta = frida_meta(f, created);
    int status = ras_cdt_writer_open(&writer, sink, &meta, NULL, err);
    if (status < 0)
        return status;
    status = frida_copy_chunks(&f->run.chunks, writer, err);
    if (status == RAS_OK)
        return ras_cdt_writer_close(writer, err);
    ras_cdt_writer_drop(writer);
    return status;
}

static int write_evidence(struct frida *f, struct ras_sink *sink, struct ras_error *err)
{
    struct out text = {0};
    frida_evidence_put(&f->run.evidence, &f->run.start, &text);
    return sink_write_out(sink, &text, err);
}

/* ---- names --------------------------------------------------------------------------- */

static void label_of(frida_number mode, frida_number major, frida_number minor, char *text,
                     size_t room)
{
    static const char *const modes[] = {"demo", "survival", "rush", "quests",  "typo",
                                        NULL,   NULL,       NULL,   "tutorial"};
    enum { QUESTS = 3 };
    if (mode == QUESTS && major > 0 && minor > 0)
        snprintf(text, room, "quest_%s_%s", frida_digits(major).text, frida_digits(minor).text);
    else if (mode >= 0 && mode <= 8 && modes[(size_t)mode])
        snprintf(text, room, "%s", modes[(size_t)mode]);
    else
        snprintf(text, room, "mode_%s", frida_digits(mode).text);
}

struct frida_label *frida_label(struct frida *f, frida_number mode, frida_number major,
                                frida_number minor)
{
    struct frida_label fresh = {.count = 0};
    label_of(mode, major, minor, fresh.text, sizeof fresh.text);
    for (size_t i = 0; i < f->label_count; i++)
        if (!strcmp(f->labels[i].text, fresh.text)) {
            f->labels[i].count++;
            return &f->labels[i];
        }
    if (!array_grow(&f->labels, &f->label_room, f->label_count + 1, sizeof fresh))
        return NULL;
    fresh.count = 1;
    f->labels[f->label_count] = fresh;
    return &f->labels[f->label_count++];
}

/* The capture's name without folder and last suffix; a leading dot does not start a suffix. */
static int stem_of(const char *path, const char **stem)
{
    const char *slash = strrchr(path, '/');
    *stem = slash ? slash + 1 : path;
    if (!strcmp(path, "-"))
        *stem = "capture";
    const char *name = *stem;
    while (*name == '.')
        name++;
    const char *dot = strrchr(name, '.');
    return (int)(dot ? dot - *stem : (ptrdiff_t)strlen(*stem));
}

char *frida_name(const struct frida *f, const struct frida_label *label, const char *suffix)
{
    const char *stem, *folder = f->to ? "" : f->folder;
    int len = stem_of(f->path, &stem);
    const char *slash = *folder && folder[strlen(folder) - 1] != '/' ? "/" : "";
    char *name = NULL;
    if (asprintf(&name, "%s%s%.*s.%s.run%llu%s", folder, slash, len, stem, label->text,
                 (unsigned long long)label->count, suffix) < 0)
        return NULL;
    return name;
}

/* ---- writing ------------------------------------------------------------------------- */

/* Creates the folder and its parents. */
int frida_make_folder(const char *path, struct ras_error *err)
{
    char *part = text_copy(path, strlen(path));
    if (!part)
        return fail_memory(err);
    int status = RAS_OK;
    for (char *at = part; *at && status == RAS_OK;) {
        at += strspn(at, "/");
        at += strcspn(at, "/");
        char kept = *at;
        *at = 0;
        struct os_about about;
        if (*part && os_about(part, &about) < 0 && os_make_folder(part, 0777) < 0 &&
            errno != EEXIST)
            status = fail_os(err, part);
        *at = kept;
    }
    free(part);
    return status;
}

typedef int write_file(struct frida *f, struct ras_sink *sink, struct ras_error *err);

static int put_file(struct frida *f, const char *name, write_file *write, struct ras_error *err)
{
    struct ras_sink *sink;
    size_t len = strlen(name);
    bool trace = len > 4 && !strcmp(name + len - 4, ".cdt");
    int status = f->to   ? ras_folder_sink(f->to, name, &sink, err)
                 : trace ? ras_sink_trace(&sink, name, true, err)
                         : ras_sink_report(&sink, name, true, err);
    if (status < 0)
        return status;
    status = write(f, sink, err);
    if (f->to)
        return status == RAS_OK ? ras_folder_finish(f->to, sink, err) : status;
    if (status == RAS_OK)
        return ras_sink_close(sink, err);
    ras_sink_drop(sink);
    return status;
}

static int add_result(struct frida *f, char *trace, char *evidence, struct ras_error *err)
{
    enum { RUN_ID = 1, MODE_ID, MAJOR = 6, MINOR };
    struct ras_cdt_finalized *r = f->result;
    const struct frida_run_start *start = &f->run.start;
    if (!array_grow(&r->runs, &f->run_room, r->run_count + 1, sizeof *r->runs))
        return fail_memory(err);
    r->runs[r->run_count++] = (struct ras_cdt_finalized_run){
        .trace = trace,
        .evidence = evidence,
        .run_id = frida_start_int(start, RUN_ID, start->run_id),
        .mode_id = frida_start_int(start, MODE_ID, start->mode_id),
        .quest_stage_major = frida_start_int(start, MAJOR, start->quest_stage_major),
        .quest_stage_minor = frida_start_int(start, MINOR, start->quest_stage_minor),
        .has_global = f->run.has_global,
        .global_tick_first = f->run.global_first,
        .global_tick_last = f->run.global_last,
        .ticks = f->run.ticks,
    };
    return RAS_OK;
}

int frida_run_finish(struct frida *f, struct ras_error *err)
{
    enum { MODE_ID = 2, MAJOR = 6, MINOR };
    const struct frida_run_start *start = &f->run.start;
    struct frida_label *label =
        frida_label(f, frida_wide(&start->node, MODE_ID, start->mode_id),
                    frida_wide(&start->node, MAJOR, start->quest_stage_major),
                    frida_wide(&start->node, MINOR, start->quest_stage_minor));
    char *trace = label ? frida_name(f, label, ".cdt") : NULL;
    char *evidence = label ? frida_name(f, label, ".rng_evidence.json") : NULL;
    int status = trace && evidence ? frida_lines_hash(&f->lines, err) : fail_memory(err);
    if (status == RAS_OK)
        status = ras_cdt_writer_flush(f->run.writer, err);
    if (status == RAS_OK && !f->to)
        status = frida_make_folder(f->folder, err);
    if (status == RAS_OK)
        status = put_file(f, trace, write_trace, err);
    if (status == RAS_OK)
        status = put_file(f, evidence, write_evidence, err);
    if (status == RAS_OK)
        status = add_result(f, trace, evidence, err);
    if (status < 0) {
        free(trace);
        free(evidence);
    }
    frida_run_drop(&f->run);
    return status;
}
