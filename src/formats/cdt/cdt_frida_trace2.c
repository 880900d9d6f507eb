/* cdt_frida_trace2.c - the files of a run of captures 28 and 29: trace, capture replay, report on
 * random draws, evidence.
 *
 * The trace states the digest of the replay, the evidence that of both: what comes with each tick
 * is kept in unlinked files until the run ends. Files of all runs are staged, and get their names
 * when the whole capture has been read. */
#include "base/error.h"
#include "base/memory.h"
#include "core/sink.h"
#include "formats/cdt/cdt_frida_run.h"
#include "formats/cdt/cdt_put.h"
#include "formats/cdt/cdt_strict.h"

#include <inttypes.h>
#include <stdlib.h>

enum { MODE_QUESTS = 3, PIECE = 256 << 10 };

#define TEXT(literal) ((struct ras_bytes){(const uint8_t *)(literal), sizeof(literal) - 1})

/* ---- beginning ------------------------------------------------------------------------- */

static void set_source(struct ras_cdt_trace_source *s, unsigned member, int64_t *to, int64_t value)
{
    *to = value;
    ras_cdt_set(&s->node, member);
}

/* All of META's source that the run_start knows. */
static void source_begin(struct frida_run2 *run)
{
    const struct frida_run_start2 *start = &run->start;
    struct ras_cdt_trace_source *s = &run->source;
    s->kind = TEXT("capture");
    s->run_start_seed_source = TEXT("rng_state_before_bootstrap");
    ras_cdt_set(&s->node, RAS_CDT_SOURCE_KIND);
    ras_cdt_set(&s->node, RAS_CDT_SOURCE_RUN_START_SEED_SOURCE);
    set_source(s, RAS_CDT_SOURCE_TICK_RATE, &s->tick_rate, start->settings.tick_rate);
    set_source(s, RAS_CDT_SOURCE_SEED, &s->seed, start->rng_state_before_bootstrap);
    set_source(s, RAS_CDT_SOURCE_MODE_ID, &s->mode_id, start->mode_id);
    set_source(s, RAS_CDT_SOURCE_PLAYER_COUNT, &s->player_count, start->player_count);
    set_source(s, RAS_CDT_SOURCE_RUN_ID, &s->run_id, start->run_id);
    if (start->mode_id != MODE_QUESTS)
        return;
    int length = snprintf(run->level, sizeof run->level, "%" PRId64 ".%" PRId64,
                          start->quest_stage_major, start->quest_stage_minor);
    s->quest_level = (struct ras_bytes){(const uint8_t *)run->level, (size_t)length};
    ras_cdt_set(&s->node, RAS_CDT_SOURCE_QUEST_LEVEL);
    set_source(s, RAS_CDT_SOURCE_QUEST_STAGE_MAJOR, &s->quest_stage_major,
               start->quest_stage_major);
    set_source(s, RAS_CDT_SOURCE_QUEST_STAGE_MINOR, &s->quest_stage_minor,
               start->quest_stage_minor);
}

/* The row's status, which was checked, as that of META. */
static void status_begin(struct frida_run2 *run, const struct frida_status *from)
{
    struct ras_cdt_game_status_data *to = &run->status;
    *to = (struct ras_cdt_game_status_data){
        .quest_unlock_index = from->quest_unlock_index,
        .quest_unlock_index_full = from->quest_unlock_index_full,
        .mode_play_survival = from->mode_play_survival,
        .mode_play_rush = from->mode_play_rush,
        .mode_play_typo = from->mode_play_typo,
        .mode_play_other = from->mode_play_other,
        .game_sequence_id = from->play_time_ms,
        .unknown_tail = {run->seed_words, sizeof run->seed_words}};
    memcpy(to->weapon_usage_counts, from->weapon_usage_counts.at, sizeof to->weapon_usage_counts);
    memcpy(to->quest_play_counts, from->quest_play_counts.at, sizeof to->quest_play_counts);
    for (size_t i = 0; i < sizeof run->seed_words; i++)
        run->seed_words[i] = (uint8_t)from->reserved_seed_words.at[i].value;
}

int frida_run2_begin(struct frida *f, const struct frida_run_start2 *row, struct ras_error *err)
{
    struct frida_run2 *run = &f->run2;
    frida_run2_drop(run);
    run->open = true;
    run->start = *row;
    run->leave = (uint32_t)row->rng_state_after_bootstrap;
    status_begin(run, &row->settings.status);
    source_begin(run);
    frida_replay_pool(&run->pool, row->pool_residue.at, row->pool_residue.count);
    int status = run->pool.failed ? fail_memory(err) : frida_spool_open(&run->chunks, f->to, err);
    if (status == RAS_OK)
        status = frida_spool_open(&run->steps, f->to, err);
    return status == RAS_OK ? frida_spool_open(&run->proofs, f->to, err) : status;
}

void frida_run2_drop(struct frida_run2 *run)
{
    ras_cdt_writer_drop(run->writer);
    frida_spool_close(&run->chunks);
    frida_spool_close(&run->steps);
    frida_spool_close(&run->proofs);
    out_free(&run->pool);
    frida_evidence_free(&run->evidence);
    *run = (struct frida_run2){.chunks.fd = -1, .steps.fd = -1, .proofs.fd = -1};
}

/* ---- ticks ------------------------------------------------------------------------------- */

/* The schema is that of the run's first tick. */
static int chunks_begin(struct frida *f, struct ras_error *err)
{
    struct frida_run2 *run = &f->run2;
    uint8_t header[RAS_CDT_HEADER_SIZE];
    cdt_header_put(run->model->container, header);
    return cdt_writer_begin(&run->writer, run->chunks.sink,
                            (struct ras_bytes){header, sizeof header}, run->model, NULL, err);
}

/* Encodes the tick, and decodes and judges it as a reader of the trace would. */
static int put_checked_tick(struct frida *f, const struct ras_cdt_tick_record *tick,
                            struct ras_error *err)
{
    struct frida_run2 *run = &f->run2;
    const struct cdt_struct *table = run->model->rows[CDT_ROW_TICK];
    struct out *rows = cdt_writer_rows(run->writer);
    struct ras_cdt_tick_record again;
    struct cdt_problem problem;
    struct cdt_text text;
    size_t before = rows->len;
    bool good = cdt_encode(table, tick, RAS_CDT_PYTHON, rows, &problem);
    if (good && !out_room(rows, CDT_PADDING))
        return fail_memory(err);
    if (good)
        good = cdt_decode(table, (struct ras_bytes){rows->at + before, rows->len - before}, &f->row,
                          &again, &problem);
    if (!good && problem.status == RAS_EMEMORY)
        return fail_memory(err);
    if (!good)
        return frida_refuse(f, " not a tick of schema %" PRId64 ": %s at %s", run->model->schema,
                            problem.what, problem.path);
    if (cdt_tick_rules(run->model, &again, &run->source, &text) != CDT_OK)
        return frida_refuse(f, " %s", text.text);
    return cdt_writer_take(run->writer, before, tick->tick_index, err);
}

static int spool_put(struct frida_spool *to, struct out *out, struct ras_error *err)
{
    return sink_write_out(to->sink, out, err);
}

int frida_run2_tick(struct frida *f, const struct frida_tick2 *row, struct ras_error *err)
{
    struct frida_run2 *run = &f->run2;
    const struct ras_cdt_tick_record tick = {.tick_index = row->tick_index,
                                             .elapsed_ms = row->elapsed_ms,
                                             .dt_ms_i32 = row->dt_ms_i32,
                                             .mode_id = row->mode_id,
                                             .channels = row->channels};
    struct cdt_problem problem;
    int status = run->writer ? RAS_OK : chunks_begin(f, err);
    if (status == RAS_OK)
        status = put_checked_tick(f, &tick, err);
    if (status < 0)
        return status;
    struct out out = {0};
    if (!frida_replay_tick(&out, run->model, &row->channels.replay_step, &problem)) {
        out_free(&out);
        return cdt_refuse(&problem, RAS_NONE, err);
    }
    status = spool_put(&run->steps, &out, err);
    out = (struct out){0};
    if (status == RAS_OK)
        status = frida_proof_tick(f, row, &out, err);
    if (status < 0) {
        out_free(&out);
        return status;
    }
    status = spool_put(&run->proofs, &out, err);
    run->ticks++;
    f->ticks++;
    f->next_global = row->global_tick_index + 1;
    return status;
}

/* ---- files -------------------------------------------------------------------------------- */

typedef char digest_text[2 * SHA256_SIZE + 1];

static void digest_end(struct sha256 *sha, digest_text text)
{
    uint8_t digest[SHA256_SIZE];
    sha256_end(sha, digest);
    for (size_t i = 0; i < sizeof digest; i++)
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
}

/* A zstd frame that is being written. */
struct packed {
    struct compress *zstd;
    struct ras_sink *sink;
    struct sha256 sha; /* of the frame */
    uint8_t *room;     /* PIECE bytes to compress, PIECE bytes compressed */
};

static int packed_put(struct packed *p, struct ras_bytes in, bool last, struct ras_error *err)
{
    uint8_t *out = p->room + PIECE;
    bool done = false;
    while (last ? !done : in.len > 0) {
        size_t made = compress_step(p->zstd, &in, last, out, PIECE, &done);
        if (made == SIZE_MAX)
            return fail_memory(err);
        sha256_add(&p->sha, out, made);
        int status = ras_sink_write(p->sink, out, made, err);
        if (status < 0)
            return status;
    }
    return RAS_OK;
}

static int packed_spool(struct packed *p, const struct frida_spool *from, struct ras_error *err)
{
    uint64_t end = ras_sink_size(from->sink);
    int status = ras_sink_flush(from->sink, err);
    for (uint64_t at = 0; status == RAS_OK && at < end;) {
        size_t n = end - at < PIECE ? (size_t)(end - at) : PIECE;
        status = frida_spool_read(from, at, p->room, n, err);
        if (status == RAS_OK)
            status = packed_put(p, (struct ras_bytes){p->room, n}, false, err);
        at += n;
    }
    return status;
}

/* One frame: what comes first, the spool, what comes last. */
static int put_packed(struct ras_sink *sink, const struct out *first,
                      const struct frida_spool *spool, const struct out *last, digest_text digest,
                      struct ras_error *err)
{
    struct packed p = {compress_new(COMPRESS_ZSTD), sink, sha256_start(), malloc(2 * PIECE)};
    int status = p.zstd && p.room
                     ? packed_put(&p, (struct ras_bytes){first->at, first->len}, false, err)
                     : fail_memory(err);
    if (status == RAS_OK)
        status = packed_spool(&p, spool, err);
    if (status == RAS_OK)
        status = packed_put(&p, (struct ras_bytes){last->at, last->len}, true, err);
    if (status == RAS_OK)
        status = ras_sink_flush(sink, err);
    digest_end(&p.sha, digest);
    compress_free(p.zstd);
    free(p.room);
    return status;
}

/* Begins a file; it is published or dropped with all others. */
static int stage(struct frida *f, const char *name, bool trace, struct ras_sink **sink,
                 struct ras_error *err)
{
    if (!array_grow(&f->staged, &f->staged_room, f->staged_count + 1, sizeof *f->staged))
        return fail_memory(err);
    int status = f->to   ? ras_sink_memory(sink, err)
                 : trace ? ras_sink_trace(sink, name, true, err)
                         : ras_sink_report(sink, name, true, err);
    if (status < 0)
        return status;
    char *copy = text_copy(name, strlen(name));
    if (!copy) {
        ras_sink_drop(*sink);
        return fail_memory(err);
    }
    sink_as_is(*sink);
    f->staged[f->staged_count++] = (struct frida_staged){*sink, copy};
    return RAS_OK;
}

static int put_replay(struct frida *f, struct ras_sink *sink, digest_text digest,
                      struct ras_error *err)
{
    struct out head = {0};
    const struct out none = {0};
    struct cdt_problem problem;
    int status =
        frida_replay_head(&head, f, &problem) ? RAS_OK : cdt_refuse(&problem, RAS_NONE, err);
    if (status == RAS_OK && head.failed)
        status = fail_memory(err);
    if (status == RAS_OK)
        status = put_packed(sink, &head, &f->run2.steps, &none, digest, err);
    out_free(&head);
    return status;
}

static struct ras_cdt_trace_meta meta_of(struct frida *f, const char *replay,
                                         char created[FRIDA_UTC])
{
    struct frida_run2 *run = &f->run2;
    struct ras_cdt_trace_source *s = &run->source;
    s->path = (struct ras_bytes){(const uint8_t *)f->path, strlen(f->path)};
    s->sha256 = (struct ras_bytes){(const uint8_t *)f->lines.hex, 2 * SHA256_SIZE};
    s->replay_sha256 = (struct ras_bytes){(const uint8_t *)replay, 2 * SHA256_SIZE};
    ras_cdt_set(&s->node, RAS_CDT_SOURCE_PATH);
    ras_cdt_set(&s->node, RAS_CDT_SOURCE_SHA256);
    ras_cdt_set(&s->node, RAS_CDT_SOURCE_REPLAY_SHA256);
    set_source(s, RAS_CDT_SOURCE_SIZE, &s->size, (int64_t)f->lines.stored);
    set_source(s, RAS_CDT_SOURCE_MTIME_NS, &s->mtime_ns, f->lines.mtime_ns);
    set_source(s, RAS_CDT_SOURCE_GLOBAL_TICK_FIRST, &s->global_tick_first,
               run->start.global_tick_index);
    set_source(s, RAS_CDT_SOURCE_GLOBAL_TICK_LAST, &s->global_tick_last,
               run->start.global_tick_index + (int64_t)run->ticks - 1);
    struct ras_cdt_trace_meta meta = {
        .trace_format_version = run->model->container,
        .trace_schema_version = run->model->schema,
        .created_utc = frida_utc(f->options, created),
        .producer = {.impl = TEXT("frida_original"),
                     .impl_version = f->session.script_version,
                     .platform = f->session.platform,
                     .arch = f->session.arch},
        .source = *s,
        .tick_range = {.end_tick = (int64_t)run->ticks - 1, .tick_count = (int64_t)run->ticks},
        .status = run->status};
    ras_cdt_set(&meta.node, RAS_CDT_META_STATUS);
    return meta;
}

static int put_trace(struct frida *f, struct ras_sink *sink, const char *replay, digest_text digest,
                     struct ras_error *err)
{
    char created[FRIDA_UTC];
    struct ras_cdt_writer *writer;
    struct sink_digest known;
    const struct ras_cdt_trace_meta meta = meta_of(f, replay, created);
    if (!f->to)
        sink_digest(sink, &known);
    int status = ras_cdt_writer_flush(f->run2.writer, err);
    if (status == RAS_OK)
        status = ras_cdt_writer_open(&writer, sink, &meta, NULL, err);
    if (status < 0)
        return status;
    status = frida_copy_chunks(&f->run2.chunks, writer, err);
    if (status == RAS_OK) {
        status = ras_cdt_writer_close(writer, err);
    } else {
        ras_cdt_writer_drop(writer);
    }
    if (status == RAS_OK)
        status = ras_sink_flush(sink, err);
    struct sha256 sha = f->to ? sha256_start() : known.sha;
    if (status == RAS_OK && f->to)
        sha256_add(&sha, ras_sink_bytes(sink).at, ras_sink_bytes(sink).len);
    sink_digest(sink, NULL);
    digest_end(&sha, digest);
    return status;
}

static int put_proofs(struct frida *f, struct ras_sink *sink, const char *trace, const char *replay,
                      struct ras_error *err)
{
    struct out first = {0}, last = {0};
    digest_text unused;
    frida_proof_head(&first, f, trace, replay);
    frida_proof_end(&last, f);
    int status = first.failed || last.failed
                     ? fail_memory(err)
                     : put_packed(sink, &first, &f->run2.proofs, &last, unused, err);
    out_free(&first);
    out_free(&last);
    return status;
}

static int put_draws(struct frida *f, struct ras_sink *sink, struct ras_error *err)
{
    struct out text = {0};
    frida_evidence_put2(&f->run2.evidence, &f->run2.start, &text);
    int status = sink_write_out(sink, &text, err);
    return status == RAS_OK ? ras_sink_flush(sink, err) : status;
}

/* ---- ending ------------------------------------------------------------------------------- */

enum { TRACE, REPLAY, DRAWS, PROOFS, FILES };

static int stage_all(struct frida *f, char *const names[FILES], struct ras_error *err)
{
    struct ras_sink *sinks[FILES];
    digest_text replay = "", trace = "";
    int status = f->to ? RAS_OK : frida_make_folder(f->folder, err);
    for (unsigned i = 0; status == RAS_OK && i < FILES; i++)
        status = stage(f, names[i], i != DRAWS, &sinks[i], err);
    if (status == RAS_OK)
        status = put_replay(f, sinks[REPLAY], replay, err);
    if (status == RAS_OK)
        status = put_trace(f, sinks[TRACE], replay, trace, err);
    if (status == RAS_OK)
        status = put_draws(f, sinks[DRAWS], err);
    return status == RAS_OK ? put_proofs(f, sinks[PROOFS], trace, replay, err) : status;
}

static int add_result2(struct frida *f, char *const names[FILES], struct ras_error *err)
{
    const struct frida_run_start2 *start = &f->run2.start;
    struct ras_cdt_finalized *r = f->result;
    if (!array_grow(&r->runs, &f->run_room, r->run_count + 1, sizeof *r->runs))
        return fail_memory(err);
    r->runs[r->run_count++] = (struct ras_cdt_finalized_run){
        .trace = names[TRACE],
        .evidence = names[DRAWS],
        .replay = names[REPLAY],
        .sidecar = names[PROOFS],
        .run_id = {.value = start->run_id},
        .mode_id = {.value = start->mode_id},
        .quest_stage_major = {.value = start->quest_stage_major},
        .quest_stage_minor = {.value = start->quest_stage_minor},
        .has_global = true,
        .global_tick_first = {.value = start->global_tick_index},
        .global_tick_last = {.value = start->global_tick_index + (int64_t)f->run2.ticks - 1},
        .ticks = f->run2.ticks,
    };
    return RAS_OK;
}

int frida_run2_finish(struct frida *f, struct ras_error *err)
{
    static const char *const suffixes[FILES] = {".cdt", ".ccr", ".rng_evidence.json",
                                                ".evidence.msgpack.zst"};
    const struct frida_run_start2 *start = &f->run2.start;
    char *names[FILES] = {NULL};
    struct frida_label *label =
        frida_label(f, start->mode_id, start->quest_stage_major, start->quest_stage_minor);
    int status = label ? frida_lines_hash(&f->lines, err) : fail_memory(err);
    for (unsigned i = 0; status == RAS_OK && i < FILES; i++) {
        names[i] = frida_name(f, label, suffixes[i]);
        status = names[i] ? RAS_OK : fail_memory(err);
    }
    if (status == RAS_OK)
        status = stage_all(f, names, err);
    if (status == RAS_OK)
        status = add_result2(f, names, err);
    for (unsigned i = 0; status < 0 && i < FILES; i++)
        free(names[i]);
    frida_run2_drop(&f->run2);
    return status;
}

/* Of a folder in memory: copied to a sink of it. */
static int publish_one(struct frida *f, struct frida_staged *s, struct ras_error *err)
{
    struct ras_sink *sink = s->sink, *to;
    s->sink = NULL;
    if (!f->to)
        return ras_sink_close(sink, err);
    int status = ras_folder_sink(f->to, s->name, &to, err);
    if (status == RAS_OK)
        status = ras_sink_write(to, ras_sink_bytes(sink).at, ras_sink_bytes(sink).len, err);
    if (status == RAS_OK)
        status = ras_folder_finish(f->to, to, err);
    ras_sink_drop(sink);
    return status;
}

int frida_publish(struct frida *f, struct ras_error *err)
{
    int status = RAS_OK;
    for (size_t i = 0; status == RAS_OK && i < f->staged_count; i++)
        status = publish_one(f, &f->staged[i], err);
    return status;
}

void frida_unstage(struct frida *f)
{
    for (size_t i = 0; i < f->staged_count; i++) {
        ras_sink_drop(f->staged[i].sink);
        free(f->staged[i].name);
    }
    free(f->staged);
    f->staged = NULL;
    f->staged_count = 0;
}
