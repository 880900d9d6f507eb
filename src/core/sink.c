/* sink.c - where bytes go: an atomic file, a descriptor, memory; by a thread of its own if need be.
 */
#include "core/sink.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/out.h"
#include "base/thread.h"
#include "codec/compress.h"
#include "codec/seekable.h"
#include <rastrum/rastrum.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- relay: another thread writes ------------------------------------------------------------ */

enum { BLOCKS = 4 };

struct relay {
    relay_write *write;
    void *user;
    struct out blocks[BLOCKS]; /* those waiting are the other thread's, the rest the giver's */
    size_t next;               /* that is given */
    struct os_thread thread;
    struct os_mutex lock; /* guards what is below */
    struct os_condition changed;
    size_t waiting; /* the last ones before `next` */
    bool stop;
    struct ras_error failure;
};

/* One block more is done with. */
static void relay_finish(struct relay *r, const struct ras_error *failure)
{
    mutex_lock(&r->lock);
    if (failure->status && !r->failure.status)
        r->failure = *failure;
    r->waiting--;
    condition_notify_all(&r->changed);
    mutex_unlock(&r->lock);
}

static void *write_all(void *user)
{
    struct relay *r = user;
    for (size_t i = 0;; i = (i + 1) % BLOCKS) {
        struct ras_error failure = {0};
        mutex_lock(&r->lock);
        while (!r->waiting && !r->stop)
            condition_wait(&r->changed, &r->lock);
        bool stop = r->stop, failed = r->failure.status;
        mutex_unlock(&r->lock);
        if (stop)
            return NULL;
        if (!failed && r->write(r->user, r->blocks[i].at, r->blocks[i].len, &failure) == RAS_OK)
            failure.status = RAS_OK;
        r->blocks[i].len = 0;
        relay_finish(r, &failure);
    }
}

struct relay *relay_open(relay_write *write, void *user)
{
    struct relay *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->write = write;
    r->user = user;
    if (!mutex_init(&r->lock)) {
        free(r);
        return NULL;
    }
    if (!condition_init(&r->changed)) {
        mutex_free(&r->lock);
        free(r);
        return NULL;
    }
    if (thread_start(&r->thread, write_all, r))
        return r;
    condition_free(&r->changed);
    mutex_free(&r->lock);
    free(r);
    return NULL;
}

/* Until no more than `most` blocks wait, or one failed. */
static int wait_for(struct relay *r, size_t most, struct ras_error *err)
{
    mutex_lock(&r->lock);
    while (r->waiting > most)
        condition_wait(&r->changed, &r->lock);
    int status = r->failure.status;
    if (status && err)
        *err = r->failure;
    mutex_unlock(&r->lock);
    return status;
}

int relay_put(struct relay *r, struct out *block, struct ras_error *err)
{
    int status = wait_for(r, BLOCKS - 1, err);
    if (status < 0)
        return status;
    struct out empty = r->blocks[r->next];
    r->blocks[r->next] = *block;
    *block = empty;
    r->next = (r->next + 1) % BLOCKS;
    mutex_lock(&r->lock);
    r->waiting++;
    condition_notify_all(&r->changed);
    mutex_unlock(&r->lock);
    return RAS_OK;
}

int relay_wait(struct relay *r, struct ras_error *err)
{
    return wait_for(r, 0, err);
}

void relay_close(struct relay *r)
{
    if (!r)
        return;
    mutex_lock(&r->lock);
    r->stop = true;
    condition_notify_all(&r->changed);
    mutex_unlock(&r->lock);
    thread_join(&r->thread);
    condition_free(&r->changed);
    mutex_free(&r->lock);
    for (size_t i = 0; i < BLOCKS; i++)
        out_free(&r->blocks[i]);
    free(r);
}

/* ---- sink ------------------------------------------------------------------------------------ */

enum { BUFFER = 64 << 10, RELAYED = 512 << 10, WRITEBACK = 8 << 20 };

struct ras_sink {
    int fd;          /* -1: memory */
    char *path;      /* of a file: its final name */
    bool sync;       /* when closed: the bytes are on the disk */
    char *temporary; /* the name it may have until then; NULL: it is written as it is */
    bool named;      /* it has that name: the file system knows none without */
    enum compression compression; /* by the extension of its name */
    unsigned made_with;           /* the mode that it was created with */
    bool replace;                 /* a file that bears the final name by then */
    bool keep;                    /* mode, owner and attributes of the file that it replaces */
    struct os_about old;          /* if keep */
    struct out out;               /* memory: everything; else what is not yet written */
    uint64_t written;             /* bytes handed to the system, all of them whole writes */
    uint64_t begun;               /* of them, those on their way to the disk */
    struct relay *relay; /* whose thread writes; `written` and `begun` are then its own, until
                            it was waited for. NULL: whoever calls */
    uint64_t given;      /* bytes written, or given to the relay */
    struct frames_writer *frames; /* which compresses what is written; or NULL */
    struct sink_digest *digest;   /* of all that is written; or NULL */
    int64_t base;                 /* position of the descriptor at first; -1: it cannot seek */
    struct ras_error failure;     /* the first one; it sticks */
};

/* A write failed: where, and into what. */
static int note_failure(struct ras_sink *s, uint64_t at, struct ras_error *err)
{
    errno = s->failure.os_errno;
    if (s->failure.status != RAS_EMEMORY)
        fail_os(&s->failure, s->path ? s->path : "output");
    s->failure.offset = at;
    if (err)
        *err = s->failure;
    return s->failure.status;
}

/* What went wrong first is what every later call returns. */
static int report_failure(const struct ras_sink *s, struct ras_error *err)
{
    if (err && s->failure.status)
        *err = s->failure;
    return s->failure.status;
}

static int sink_new(struct ras_sink **out, int fd, struct ras_error *err)
{
    *out = calloc(1, sizeof **out);
    if (!*out)
        return fail_memory(err);
    (*out)->fd = fd;
    (*out)->base = fd < 0 ? 0 : os_position(fd);
    return RAS_OK;
}

int ras_sink_fd(struct ras_sink **out, int fd, struct ras_error *err)
{
    return sink_new(out, fd, err);
}

int ras_sink_memory(struct ras_sink **out, struct ras_error *err)
{
    return sink_new(out, -1, err);
}

/* A file without a name vanishes with this process, whatever ends it. */
static int create_beside(struct ras_sink *s, const char *path, unsigned mode, struct ras_error *err)
{
    s->path = text_copy(path, strlen(path));
    s->compression = compression_of(path);
    s->made_with = mode;
    s->temporary = file_name_beside(path);
    if (!s->path || !s->temporary)
        return fail_memory(err);
    s->fd = os_create_nameless(s->temporary, mode);
    if (s->fd >= 0)
        return RAS_OK;
    s->fd = os_create(s->temporary, true, mode);
    s->named = s->fd >= 0;
    return s->named ? RAS_OK : fail_os(err, path);
}

/* A device or a pipe is written to as it is: renaming over it would replace it. */
static int open_special(struct ras_sink *s, const char *path, struct ras_error *err)
{
    s->path = text_copy(path, strlen(path));
    if (!s->path)
        return fail_memory(err);
    s->fd = os_open(path, OS_WRITE);
    s->base = -1;
    return s->fd < 0 ? fail_os(err, path) : RAS_OK;
}

static int fail_exists(const char *path, struct ras_error *err)
{
    int status = fail(err, RAS_EUSAGE, RAS_NONE, "%s exists", path);
    if (err)
        err->os_errno = EEXIST;
    return status;
}

/* RAS_EUSAGE where the file has other names, too, which would then mean another file. */
static int check_links(const char *path, struct ras_error *err)
{
    struct os_about about;
    if (os_about_link(path, &about) < 0 || about.kind != OS_FILE || about.links < 2)
        return RAS_OK;
    return fail(err, RAS_EUSAGE, RAS_NONE,
                "%s has %" PRIu64
                " hard links, which replacing it would separate; remove it first, or write "
                "to another name",
                path, about.links);
}

int sink_file(struct ras_sink **out, const char *path, bool replace, unsigned mode,
              struct ras_error *err)
{
    *out = NULL;
    struct os_about about;
    bool there = os_about(path, &about) == 0, old = there && about.kind == OS_FILE;
    if (old && !replace)
        return fail_exists(path, err);
    if (there && about.kind == OS_FOLDER)
        return fail(err, RAS_EUSAGE, RAS_NONE, "%s is a directory", path);
    if (check_links(path, err) < 0)
        return RAS_EUSAGE;
    struct ras_sink *s;
    int status = sink_new(&s, -1, err);
    if (status < 0)
        return status;
    s->replace = replace;
    s->keep = old;
    s->old = about;
    if (there && !old)
        status = open_special(s, path, err);
    else /* what replaces a private file is private from its first byte on */
        status = create_beside(s, path, old ? 0600 : mode, err);
    if (status < 0) {
        ras_sink_drop(s);
        return status;
    }
    *out = s;
    return RAS_OK;
}

int sink_create(struct ras_sink **out, const char *path, const char *shown, struct ras_error *err)
{
    struct ras_sink *s;
    *out = NULL;
    int status = sink_new(&s, -1, err);
    if (status < 0)
        return status;
    s->sync = true;
    s->path = text_copy(shown, strlen(shown));
    s->fd = s->path ? os_create(path, false, 0666) : -1;
    if (s->fd >= 0) {
        *out = s;
        return RAS_OK;
    }
    status = s->path ? fail_os(err, shown) : fail_memory(err);
    ras_sink_drop(s);
    return status;
}

struct ras_bytes ras_sink_bytes(const struct ras_sink *s)
{
    return (struct ras_bytes){s->out.at, s->out.len};
}

/* What will be synced at the end is sent on its way as it comes, so that the disk works
 * while we do, and the sync finds little left. */
static void begin_writeback(struct ras_sink *s)
{
    if (!(s->temporary || s->sync) || s->frames || s->base < 0 || s->written - s->begun < WRITEBACK)
        return;
    os_begin_writeback(s->fd, (uint64_t)s->base + s->begun, s->written - s->begun);
    s->begun = s->written;
}

static int store_bytes_of(struct ras_sink *s, const uint8_t *bytes, size_t size,
                          struct ras_error *err)
{
    int status = file_write_all(s->fd, bytes, size, err);
    if (status == RAS_OK && s->digest) {
        sha256_add(&s->digest->sha, bytes, size);
        s->digest->size += size;
    }
    return status;
}

/* Bytes to the system, here or in the relay's thread. */
static int hand_over(void *user, const uint8_t *bytes, size_t size, struct ras_error *err)
{
    struct ras_sink *s = user;
    int status =
        s->frames ? frames_put(s->frames, bytes, size, err) : store_bytes_of(s, bytes, size, err);
    if (status < 0)
        return status;
    s->written += size;
    begin_writeback(s);
    return RAS_OK;
}

static int note_write(struct ras_sink *s, struct ras_error *err)
{
    s->given = s->written; /* what a relay was given after it is lost */
    return note_failure(s, s->written, err);
}

/* Nothing is under way any more. */
static int sink_drain(struct ras_sink *s, struct ras_error *err)
{
    if (!s->relay || s->failure.status)
        return report_failure(s, err);
    return relay_wait(s->relay, &s->failure) < 0 ? note_write(s, err) : RAS_OK;
}

/* What is buffered goes to the system, or on its way there. */
static int pass_on(struct ras_sink *s, struct ras_error *err)
{
    size_t size = s->out.len;
    int status = s->relay ? relay_put(s->relay, &s->out, &s->failure)
                          : hand_over(s, s->out.at, size, &s->failure);
    if (status < 0)
        return note_write(s, err);
    s->given += size;
    s->out.len = 0;
    return RAS_OK;
}

int sink_pass_out(struct ras_sink *s, struct out *out, size_t least, struct ras_error *err)
{
    if (out->failed)
        return fail_memory(err);
    if (out->len < least)
        return RAS_OK;
    int status = ras_sink_write(s, out->at, out->len, err);
    out->len = status == RAS_OK ? 0 : out->len;
    return status;
}

int sink_write_out(struct ras_sink *s, struct out *out, struct ras_error *err)
{
    int status = out->failed ? fail_memory(err) : ras_sink_write(s, out->at, out->len, err);
    out_free(out);
    return status;
}

/* Nothing is buffered here any more; a compressed sink may hold a part of a frame. */
static int pass_all(struct ras_sink *s, struct ras_error *err)
{
    if (s->fd < 0 || s->failure.status)
        return report_failure(s, err);
    int status = pass_on(s, err);
    return status == RAS_OK ? sink_drain(s, err) : status;
}

int ras_sink_flush(struct ras_sink *s, struct ras_error *err)
{
    int status = pass_all(s, err);
    if (status == RAS_OK && s->frames && frames_flush(s->frames, &s->failure) < 0)
        return note_write(s, err);
    return status;
}

static int write_through(struct ras_sink *s, const void *bytes, size_t size, struct ras_error *err)
{
    if (pass_all(s, err) < 0)
        return report_failure(s, err);
    if (hand_over(s, bytes, size, &s->failure) < 0)
        return note_write(s, err);
    s->given += size;
    return RAS_OK;
}

/* In blocks of one size, which stay in the processor's caches until they are written, and which
 * begin where a page of the file does: the system copies others at half the speed. */
static int write_blocks(struct ras_sink *s, const uint8_t *bytes, size_t size, size_t block,
                        struct ras_error *err)
{
    int status = RAS_OK;
    if (s->out.room >= block && size < block - s->out.len) { /* mostly, of short pieces */
        memcpy(s->out.at + s->out.len, bytes, size);
        s->out.len += size;
        return RAS_OK;
    }
    while (size && status == RAS_OK) {
        size_t whole = s->relay || s->out.len ? 0 : size - size % block;
        size_t piece = block - s->out.len < size ? block - s->out.len : size;
        if (whole) { /* a long piece is not copied first */
            status = write_through(s, bytes, whole, err);
            piece = whole;
        } else if (s->out.room < block && !out_room(&s->out, block - s->out.len)) {
            fail_memory(&s->failure);
            return report_failure(s, err);
        } else {
            out_bytes(&s->out, bytes, piece);
            status = s->out.len == block ? pass_on(s, err) : RAS_OK;
        }
        bytes += piece;
        size -= piece;
    }
    return status;
}

int ras_sink_write(struct ras_sink *s, const void *bytes, size_t size, struct ras_error *err)
{
    if (s->failure.status)
        return report_failure(s, err);
    if (!size) /* its bytes may be nowhere */
        return RAS_OK;
    if (s->relay || s->temporary) /* a file that others see grows by whole writes */
        return write_blocks(s, bytes, size, s->relay ? RELAYED : BUFFER, err);
    if (s->fd >= 0 && size >= BUFFER) /* a long piece is not copied first */
        return write_through(s, bytes, size, err);
    out_bytes(&s->out, bytes, size);
    if (s->out.failed) {
        fail_memory(&s->failure);
        return report_failure(s, err);
    }
    return s->out.len >= BUFFER ? pass_all(s, err) : RAS_OK;
}

int ras_sink_plain(struct ras_sink *sink, const void *text, size_t len, struct ras_error *err)
{
    const uint8_t *at = text;
    int status = RAS_OK;
    for (size_t i = 0; status == RAS_OK && i < len;) {
        char escape[RAS_ESCAPE_SIZE];
        size_t plain = ras_plain_prefix(at + i, len - i);
        status = ras_sink_write(sink, at + i, plain, err);
        i += plain;
        if (status == RAS_OK && i < len) {
            i += ras_plain_escape(escape, at + i, len - i);
            status = ras_sink_write(sink, escape, strlen(escape), err);
        }
    }
    return status;
}

bool sink_rewinds(const struct ras_sink *s)
{
    return !s->frames && (s->fd < 0 || (s->path && s->base >= 0));
}

void sink_relay(struct ras_sink *s)
{
    if (s->fd >= 0 && !s->relay && ras_sink_flush(s, NULL) == RAS_OK)
        s->relay = relay_open(hand_over, s);
}

void sink_digest(struct ras_sink *s, struct sink_digest *to)
{
    if (to)
        *to = (struct sink_digest){.sha = sha256_start()};
    s->digest = to;
}

uint64_t ras_sink_size(const struct ras_sink *s)
{
    return s->given + s->out.len;
}

/* The bytes are in the system's hands: those at the start of a compressed file are a frame. */
static int patch_written(struct ras_sink *s, uint64_t at, const void *bytes, size_t size,
                         struct ras_error *err)
{
    struct ras_bytes again = {bytes, size};
    if (s->base < 0)
        return fail(err, RAS_EUNSUPPORTED, at, "a pipe cannot go back to rewrite its beginning");
    if (s->frames && !frames_patch(s->frames, at, bytes, size, &again))
        return fail(err, RAS_EUNSUPPORTED, at, "what is compressed cannot be rewritten");
    uint64_t to = (uint64_t)s->base + (s->frames ? 0 : at);
    if (file_write_at(s->fd, again.at, again.len, to, &s->failure) < 0)
        return note_failure(s, at, err);
    if (s->digest)
        s->digest->broken = true;
    return RAS_OK;
}

int ras_sink_patch(struct ras_sink *s, uint64_t at, const void *bytes, size_t size,
                   struct ras_error *err)
{
    if (sink_drain(s, err) < 0)
        return report_failure(s, err);
    if (at > ras_sink_size(s) || size > ras_sink_size(s) - at)
        return fail(err, RAS_EUSAGE, at,
                    "a patch of %zu bytes reaches beyond the %" PRIu64 " written", size,
                    ras_sink_size(s));
    size_t early = at < s->written ? (size_t)(s->written - at) : 0;
    if (early > size)
        early = size;
    int status = early ? patch_written(s, at, bytes, early, err) : RAS_OK;
    if (status < 0)
        return status;
    if (size > early)
        memcpy(s->out.at + (at + early - s->written), (const uint8_t *)bytes + early, size - early);
    return RAS_OK;
}

int ras_sink_read(struct ras_sink *s, uint64_t at, void *bytes, size_t size, struct ras_error *err)
{
    if (sink_drain(s, err) < 0)
        return report_failure(s, err);
    if (at > ras_sink_size(s) || size > ras_sink_size(s) - at)
        return fail(err, RAS_EUSAGE, at, "%zu bytes reach beyond the %" PRIu64 " written", size,
                    ras_sink_size(s));
    size_t early = at < s->written ? (size_t)(s->written - at) : 0;
    if (early > size)
        early = size;
    if (early && (s->base < 0 || s->frames))
        return fail(err, RAS_EUNSUPPORTED, at, "%s cannot be read back",
                    s->frames ? "what is compressed" : "a pipe");
    for (size_t done = 0; done < early;) {
        int64_t got =
            os_read_at(s->fd, (uint8_t *)bytes + done, early - done, (uint64_t)s->base + at + done);
        if (got < 0)
            return fail_os(err, s->path ? s->path : "output");
        if (got == 0)
            return fail(err, RAS_EIO, at + done, "%s was truncated while it was written",
                        s->path ? s->path : "output");
        done += (size_t)got;
    }
    if (size > early)
        memcpy((uint8_t *)bytes + early, s->out.at + (at + early - s->written), size - early);
    return RAS_OK;
}

/* `written` only ever counts whole writes, so what lies after it on the disk is
 * the front of one that failed. */
int ras_sink_rewind(struct ras_sink *s, uint64_t size, struct ras_error *err)
{
    (void)sink_drain(s, NULL); /* going back helps against what failed */
    if (s->failure.status) {
        relay_close(s->relay);
        s->relay = NULL;
    }
    uint64_t stay = size < s->written ? size : s->written;
    if (size > ras_sink_size(s))
        return fail(err, RAS_EUSAGE, size,
                    "cannot go back to %" PRIu64 ": only %" PRIu64 " are written", size,
                    ras_sink_size(s));
    if (s->fd >= 0 && (s->failure.status || stay < s->written)) {
        if (s->base < 0 || s->frames)
            return fail(err, RAS_EUNSUPPORTED, size, "%s cannot take back what it was given",
                        s->frames ? "a compressed file" : "a pipe");
        if (os_cut(s->fd, (uint64_t)s->base + stay) < 0)
            return fail_os(err, "cannot take back half a record");
    }
    if (s->digest && stay < s->written)
        s->digest->broken = true;
    s->written = s->given = stay;
    s->begun = s->begun < stay ? s->begun : stay;
    s->out.len = (size_t)(size - stay);
    s->out.failed = false;
    s->failure = (struct ras_error){0};
    return RAS_OK;
}

/* Give a finished file its name, over another only if that may be replaced. */
static int publish_file(struct ras_sink *s, struct ras_error *err)
{
    if (s->keep)
        os_keep_access(s->fd, &s->old, s->path);
    if (!s->named && !s->replace)
        return os_name_file(s->fd, s->path) < 0 ? fail_os(err, s->path) : RAS_OK;
    if (!s->named && os_name_file(s->fd, s->temporary) < 0)
        return fail_os(err, s->path);
    s->named = true;
    if (os_rename(s->temporary, s->path, s->replace) < 0)
        return fail_os(err, s->path);
    s->named = false;
    return RAS_OK;
}

void sink_as_is(struct ras_sink *s)
{
    s->compression = 0;
}

void sink_is_packed(struct ras_sink *s, enum compression how)
{
    if (s->compression == how)
        s->compression = 0;
}

/* ---- compression ------------------------------------------------------------------ */

enum { GIVEN_BACK = 64 << 10 };

/* Of a frame that could not be written whole nothing stays: its front says nothing. The disk may be
 * full of the frames before it: some are given up, for who has to write how it ended. */
static int store_frame(void *user, const uint8_t *bytes, size_t size, struct ras_error *err)
{
    struct ras_sink *s = user;
    int status = store_bytes_of(s, bytes, size, err);
    if (status < 0 && s->base >= 0)
        (void)!os_cut(s->fd, (uint64_t)s->base + frames_give_back(s->frames, GIVEN_BACK));
    return status;
}

int sink_compress(struct ras_sink *s, size_t head, struct ras_error *err)
{
    if (s->fd < 0)
        return RAS_OK;
    s->frames = frames_open(head, store_frame, s);
    return s->frames ? RAS_OK : fail_memory(err);
}

int sink_finish(struct ras_sink *s, struct ras_error *err)
{
    int status = s->frames ? pass_all(s, err) : ras_sink_flush(s, err);
    if (status == RAS_OK && s->frames && frames_end(s->frames, &s->failure) < 0)
        return note_write(s, err);
    return status;
}

uint64_t sink_kept(const struct ras_sink *s)
{
    return s->frames ? frames_kept(s->frames) : s->written;
}

uint64_t sink_stored(const struct ras_sink *s)
{
    return s->frames ? frames_stored(s->frames) : ras_sink_size(s);
}

enum { PACK_PIECE = 256 << 10 };

/* What the file holds, compressed to another descriptor. */
static int compress_to(const struct ras_sink *s, int to, struct compress *c, uint8_t *in,
                       uint8_t *out, struct ras_error *err)
{
    uint64_t at = 0;
    bool done = false;
    struct ras_bytes left = {in, 0};
    while (!done) {
        if (!left.len && at < s->written) {
            int64_t got = os_read_at(s->fd, in, PACK_PIECE, at);
            if (got <= 0)
                return fail_os(err, s->path);
            left = (struct ras_bytes){in, (size_t)got};
            at += (uint64_t)got;
        }
        size_t made = compress_step(c, &left, at == s->written, out, PACK_PIECE, &done);
        if (made == SIZE_MAX)
            return fail_memory(err);
        if (file_write_all(to, out, made, err) < 0)
            return fail_os(err, s->path);
    }
    return RAS_OK;
}

/* The extension of the name means compression. A writer may go back to complete its header, so that
 * the bytes are compressed when all of them are there; they take the place of those that are not.
 */
static int pack(struct ras_sink *s, struct ras_error *err)
{
    struct ras_sink packed = {.fd = -1};
    struct compress *c = compress_new(s->compression);
    uint8_t *room = malloc(2 * PACK_PIECE);
    int status = c && room ? create_beside(&packed, s->path, s->made_with, err) : fail_memory(err);
    if (status == RAS_OK)
        status = compress_to(s, packed.fd, c, room, room + PACK_PIECE, err);
    compress_free(c);
    free(room);
    const struct ras_sink raw = *s;
    const struct ras_sink *stays = status == RAS_OK ? &packed : &raw;
    const struct ras_sink *goes = status == RAS_OK ? &raw : &packed;
    s->fd = stays->fd;
    s->temporary = stays->temporary;
    s->named = stays->named;
    if (goes->named)
        (void)os_remove(goes->temporary);
    if (goes->fd >= 0)
        os_close(goes->fd);
    free(goes->temporary);
    free(packed.path);
    return status;
}

int ras_sink_close(struct ras_sink *s, struct ras_error *err)
{
    int status = sink_finish(s, err);
    if (status == RAS_OK && s->compression && s->temporary)
        status = pack(s, err);
    if (status == RAS_OK && (s->temporary || s->sync) && os_sync(s->fd) < 0 && errno != EINVAL)
        status = fail_os(err, s->path);
    if (status == RAS_OK && s->temporary)
        status = publish_file(s, err);
    if (status == RAS_OK && s->temporary)
        file_sync_name(s->path);
    ras_sink_drop(s);
    return status;
}

void ras_sink_drop(struct ras_sink *s)
{
    if (!s)
        return;
    relay_close(s->relay);
    frames_free(s->frames);
    if (s->named)
        (void)os_remove(s->temporary);
    free(s->temporary);
    if (s->path && s->fd >= 0)
        os_close(s->fd);
    free(s->path);
    out_free(&s->out);
    free(s);
}
