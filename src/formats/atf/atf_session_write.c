/* atf_session_write.c - writes a session: its threads, then its manifest. */
#include "base/error.h"
#include "base/id_table.h"
#include "base/memory.h"
#include "base/struct_size.h"
#include "formats/atf/atf_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct thread {
    struct ras_atf_session_writer *session;
    uint32_t id;
    struct ras_sink *index, *detail; /* NULL: not begun, or closed */
    struct ras_atf_writer *writer;
};

struct ras_atf_session_writer {
    struct ras_folder *folder;
    char *dir;
    struct ras_atf_session_options options;
    struct thread **threads; /* allocated one by one: writers keep their address */
    size_t count, room;
    struct id_table ids;       /* of the threads */
    struct ras_sink *manifest; /* NULL: not begun */
    bool finalized;
};

static int session_begin_file(struct ras_atf_session_writer *s, const struct thread *t,
                              const char *file, struct ras_sink **out, struct ras_error *err)
{
    char name[512];
    const char *slash = *s->dir ? "/" : "";
    int len =
        t ? snprintf(name, sizeof name, "%s%sthread_%" PRIu32 "/%s", s->dir, slash, t->id, file)
          : snprintf(name, sizeof name, "%s%s%s", s->dir, slash, file);
    if (len >= (int)sizeof name)
        return fail(err, RAS_EUSAGE, RAS_NONE, "a name of %d bytes is too long for a folder", len);
    return ras_folder_sink(s->folder, name, out, err);
}

static int thread_begin_detail(void *user, struct ras_sink **out, struct ras_error *err)
{
    struct thread *t = user;
    int status = session_begin_file(t->session, t, "detail.atf", &t->detail, err);
    *out = t->detail;
    return status;
}

int ras_atf_session_writer_open(struct ras_atf_session_writer **out, struct ras_folder *folder,
                                const struct ras_atf_session_options *options,
                                struct ras_error *err)
{
    *out = NULL;
    struct ras_atf_session_options own;
    options = OPTIONS(&own, options, err);
    if (!options)
        return RAS_EUSAGE;
    struct ras_atf_session_writer *s = calloc(1, sizeof *s);
    if (!s)
        return fail_memory(err);
    s->options = *options;
    const char *dir = options->dir ? options->dir : "";
    s->folder = folder;
    s->dir = text_copy(dir, strlen(dir));
    if (!s->dir) {
        free(s);
        return fail_memory(err);
    }
    *out = s;
    return RAS_OK;
}

static struct thread *find(const struct ras_atf_session_writer *s, uint32_t id)
{
    uint32_t found = id_table_find(&s->ids, id);
    return found == ID_TABLE_NONE ? NULL : s->threads[found];
}

static int open_thread(struct ras_atf_session_writer *s, struct thread *t, struct ras_error *err)
{
    struct ras_atf_index_header header = s->options.header;
    struct ras_atf_writer_options options = {.detail = thread_begin_detail,
                                             .user = t,
                                             .events_max = s->options.events_max,
                                             .details_max = s->options.details_max,
                                             .no_checksum = s->options.no_checksum};
    header.thread_id = t->id;
    int status = t->index ? RAS_OK : session_begin_file(s, t, "index.atf", &t->index, err);
    if (status == RAS_OK)
        status = ras_atf_writer_open(&t->writer, t->index, &header, &options, err);
    return status;
}

int ras_atf_session_writer_thread(struct ras_atf_session_writer *s, uint32_t thread_id,
                                  struct ras_atf_writer **out, struct ras_error *err)
{
    *out = NULL;
    struct thread *t = find(s, thread_id);
    if (s->finalized)
        return fail(err, RAS_EUSAGE, RAS_NONE, "the session is finalized");
    if (t && t->writer)
        return fail(err, RAS_EUSAGE, RAS_NONE, "thread %" PRIu32 " was already begun", thread_id);
    if (!t) { /* else its header failed, and is tried again */
        t = calloc(1, sizeof *t);
        if (!t || !array_grow(&s->threads, &s->room, s->count + 1, sizeof(struct thread *)) ||
            !id_table_add(&s->ids, thread_id, (uint32_t)s->count)) {
            free(t);
            return fail_memory(err);
        }
        *t = (struct thread){.session = s, .id = thread_id};
        s->threads[s->count++] = t;
    }
    int status = open_thread(s, t, err);
    *out = t->writer;
    return status;
}

static int session_end_thread(struct thread *t, struct ras_error *err)
{
    struct ras_sink *detail = t->detail, *index = t->index;
    int status =
        atf_writer_written(t->writer).finalized ? RAS_OK : ras_atf_writer_finalize(t->writer, err);
    if (status < 0)
        return status;
    t->detail = t->index = NULL; /* an error of closing them is reported once */
    if (detail)
        status = ras_folder_finish(t->session->folder, detail, err);
    if (status == RAS_OK && index)
        status = ras_folder_finish(t->session->folder, index, err);
    return status;
}

int ras_atf_session_writer_end(struct ras_atf_session_writer *s, uint32_t thread_id,
                               struct ras_error *err)
{
    struct thread *t = find(s, thread_id);
    if (!t || !t->writer)
        return fail(err, RAS_EUSAGE, RAS_NONE, "thread %" PRIu32 " was not begun", thread_id);
    if (!t->index)
        return fail(err, RAS_EUSAGE, RAS_NONE, "thread %" PRIu32 " has ended", thread_id);
    return session_end_thread(t, err);
}

/* ---- the manifest ------------------------------------------------------------- */

/* The path that the caller gives for a thread; they mostly come in the order of the threads. */
static const char *given_thread_path(const struct ras_atf_listed *given, size_t count, size_t *next,
                                     uint32_t id)
{
    for (size_t i = 0; i < count; i++) {
        const struct ras_atf_listed *listed = &given[*next];
        *next = *next + 1 < count ? *next + 1 : 0;
        if (listed->id == id)
            return listed->path;
    }
    return NULL;
}

/* Fills in the threads, their times and their clock. */
static bool fill_manifest(const struct ras_atf_session_writer *s, struct ras_atf_manifest *m,
                          struct ras_atf_listed **listed)
{
    uint64_t first = UINT64_MAX, last = 0;
    const struct ras_atf_listed *given = m->threads;
    size_t given_count = m->thread_count, next = 0;
    *listed = calloc(s->count + 1, sizeof **listed);
    m->threads = *listed;
    m->thread_count = 0;
    m->clock_type = s->options.header.clock_type ? s->options.header.clock_type : RAS_ATF_BOOTTIME;
    for (size_t i = 0; *listed && i < s->count; i++) {
        struct thread *t = s->threads[i];
        if (!t->writer)
            continue;
        struct atf_written written = atf_writer_written(t->writer);
        const char *path = given_thread_path(given, given_count, &next, t->id);
        (*listed)[m->thread_count++] = (struct ras_atf_listed){t->id, written.has_detail, path};
        if (!written.has_events)
            continue;
        first = written.times.min < first ? written.times.min : first;
        last = written.times.max > last ? written.times.max : last;
    }
    m->time_start_ns = first <= last ? first : 0;
    m->time_end_ns = last;
    return *listed;
}

static int session_write_manifest(struct ras_atf_session_writer *s,
                                  const struct ras_atf_manifest *given, struct ras_error *err)
{
    struct ras_atf_manifest m = given ? *given : (struct ras_atf_manifest){.format_version = ""};
    struct ras_atf_listed *listed;
    int status = fill_manifest(s, &m, &listed) ? RAS_OK : fail_memory(err);
    if (status == RAS_OK && !s->manifest)
        status = session_begin_file(s, NULL, "manifest.json", &s->manifest, err);
    if (status == RAS_OK)
        status = ras_atf_manifest_put(&m, s->manifest, err);
    free(listed);
    return status;
}

int ras_atf_session_writer_finalize(struct ras_atf_session_writer *s,
                                    const struct ras_atf_manifest *manifest, struct ras_error *err)
{
    int status = RAS_OK;
    if (s->finalized)
        return fail(err, RAS_EUSAGE, RAS_NONE, "the session is finalized");
    for (size_t i = 0; status == RAS_OK && i < s->count; i++)
        if (s->threads[i]->writer && s->threads[i]->index)
            status = session_end_thread(s->threads[i], err);
    if (status == RAS_OK)
        status = session_write_manifest(s, manifest, err);
    s->finalized = status == RAS_OK;
    return status;
}

int ras_atf_session_writer_close(struct ras_atf_session_writer *s, struct ras_error *err)
{
    int status = RAS_OK;
    if (!s)
        return RAS_OK;
    for (size_t i = 0; i < s->count; i++) {
        int closed = ras_atf_writer_close(s->threads[i]->writer, status == RAS_OK ? err : NULL);
        status = status == RAS_OK ? closed : status;
        free(s->threads[i]);
    }
    id_table_free(&s->ids);
    free(s->threads);
    free(s->dir);
    free(s);
    return status;
}
