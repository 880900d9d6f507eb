/* join.c - the segments of a recording, which are files of a directory, as one run of bytes. */
#include "core/join.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/sort.h"
#include "core/directory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JOIN_STEP = 1 << 20, HEADS_TRIED = 16 };

struct join {
    const struct segment_ops *ops;
    struct join_files files;
    struct ras_limits limits;
    bool live;
    size_t seen;    /* files before this number were considered */
    unsigned depth; /* of the segments below the directory */
    struct source_segment *segments;
    size_t segment_count, segment_room;
    size_t last; /* file of the last segment */
};

/* A file that is a segment by its name. */
struct candidate {
    const char *text;
    size_t file;
    unsigned depth;
    struct segment_name name;
};

struct candidates {
    struct candidate *at;
    size_t count, room;
};

/* ---- names ----------------------------------------------------------------------------------- */

static unsigned depth_in(const char *name)
{
    unsigned depth = 0;
    for (; *name; name++)
        depth += *name == '/';
    return depth;
}

static int by_stem(const char *a, size_t a_len, const char *b, size_t b_len)
{
    int order = memcmp(a, b, a_len < b_len ? a_len : b_len);
    return order ? order : (a_len > b_len) - (a_len < b_len);
}

static int by_number(const void *a, const void *b, void *context)
{
    const struct candidate *x = a, *y = b;
    (void)context;
    int order = by_stem(x->text, x->name.stem, y->text, y->name.stem);
    if (order)
        return order;
    if (x->name.number != y->name.number)
        return x->name.number < y->name.number ? -1 : 1;
    if (x->name.rank != y->name.rank)
        return x->name.rank < y->name.rank ? -1 : 1;
    return (x->file > y->file) - (x->file < y->file);
}

/* Only the uppermost directory that has segments is used: others are other recordings. */
static void keep_uppermost(struct candidates *c, unsigned depth)
{
    size_t kept = 0;
    for (size_t i = 0; i < c->count; i++)
        depth = c->at[i].depth < depth ? c->at[i].depth : depth;
    for (size_t i = 0; i < c->count; i++)
        if (c->at[i].depth == depth)
            c->at[kept++] = c->at[i];
    c->count = kept;
}

static bool candidate_add(struct candidates *c, const struct segment_ops *ops, const char *name,
                          size_t file)
{
    struct candidate one = {.text = name, .file = file, .depth = depth_in(name)};
    if (!ops->name(name, &one.name))
        return true;
    if (!array_grow(&c->at, &c->room, c->count + 1, sizeof *c->at))
        return false;
    c->at[c->count++] = one;
    return true;
}

static void candidates_sort(struct candidates *c, unsigned depth)
{
    keep_uppermost(c, depth);
    if (c->count)
        sort_with(c->at, c->count, sizeof *c->at, by_number, NULL);
}

bool join_finds(const struct source *s, const struct segment_ops *ops)
{
    struct source *same = (struct source *)(uintptr_t)s; /* parts are loaded when they are needed */
    struct candidates c = {0};
    bool found = false;
    for (size_t i = 0; i < source_count(s) && !found; i++)
        found = !candidate_add(&c, ops, source_name(s, i), i);
    candidates_sort(&c, UINT32_MAX);
    for (size_t i = 0; i < c.count && i < HEADS_TRIED && !found; i++) {
        int status = source_enter(same, c.at[i].file, NULL);
        found = status == RAS_EMEMORY || (status == RAS_OK && source_arrived(s, c.at[i].file).len &&
                                          ops->begins(source_arrived(s, c.at[i].file)));
    }
    free(c.at);
    return found;
}

/* ---- bytes ----------------------------------------------------------------------------------- */

static int join_load(struct join *j, size_t file, struct ras_error *err)
{
    struct part *p = &j->files.at[file];
    int status = RAS_OK;
    if (!p->loaded && p->borrowed) {
        p->loaded = true;
    } else if (!p->loaded) {
        part_unload(p); /* a probe may have failed half-way */
        status = part_load_listed(p, j->files.dir, file, false, err);
    }
    p->by_frames = false;
    if (status == RAS_OK && !p->inflate && !p->unpacked)
        status = part_unwrap(p, true, &j->limits, err);
    while (status == RAS_OK && p->pending)
        status = part_inflate(p, &j->limits, err);
    if (status == RAS_OK && p->unpacked) /* a probe has loaded it; damage ends its bytes */
        status = unpacked_need(p->unpacked, 0, RAS_NONE, NULL, err) == RAS_EMEMORY ? RAS_EMEMORY
                                                                                   : RAS_OK;
    return status;
}

static void segment_fault(struct source_segment *s, enum ras_ending_kind kind, const char *why)
{
    if (kind <= s->kind)
        return;
    s->kind = kind;
    snprintf(s->why, sizeof s->why, "%.159s", why);
}

/* Another segment follows the last one: what is not whole of that is left out. */
static int join_settle(struct join *j, struct part *to, struct ras_error *err)
{
    struct source_segment *s = j->segment_count ? &j->segments[j->segment_count - 1] : NULL;
    struct ras_error why = {0};
    if (!s)
        return RAS_OK;
    uint64_t whole = 0;
    if (!s->size)
        segment_fault(s, RAS_CUT, "nothing is in it");
    else
        whole = j->ops->whole((struct ras_bytes){to->view.at + s->offset, (size_t)s->size},
                              &j->limits, &why);
    if (whole == RAS_NONE)
        return fail_memory(err);
    if (whole < s->size) {
        segment_fault(s, why.status == RAS_ECUT ? RAS_CUT : RAS_DAMAGED, why.text);
        s->lost = s->size - whole;
        s->size = whole;
        spool_cut(&to->view, (size_t)(s->offset + whole));
    }
    if (j->live)
        part_unload(&j->files.at[j->last]);
    return RAS_OK;
}

/* The wrapping of all of it is that of the last segment. */
static void join_wrap(struct join *j, struct part *to, struct source_segment *s)
{
    const struct wrapping *w = &j->files.at[j->last].wrap;
    const char *name = w->name ? w->name : to->wrap.name;
    s->wrapping = w->name;
    to->wrap = *w;
    to->wrap.name = name;
    if (w->name && w->kind > RAS_COMPLETE)
        segment_fault(s, w->kind, w->why);
}

static int join_append(struct join *j, const struct candidate *c, struct part *to,
                       struct ras_error *err)
{
    int status = join_settle(j, to, err);
    if (status == RAS_OK &&
        !array_grow(&j->segments, &j->segment_room, j->segment_count + 1, sizeof *j->segments))
        status = fail_memory(err);
    if (status < 0)
        return status;
    const struct source_segment *before =
        j->segment_count ? &j->segments[j->segment_count - 1] : NULL;
    bool same = before && !by_stem(before->name, before->stem, c->text, c->name.stem);
    struct source_segment *s = &j->segments[j->segment_count];
    *s = (struct source_segment){.name = c->text,
                                 .stem = c->name.stem,
                                 .number = c->name.number,
                                 .offset = to->view.len,
                                 .missing = same ? c->name.number - before->number - 1 : 0,
                                 .first = !same,
                                 .kind = RAS_COMPLETE};
    j->last = c->file;
    struct part *p = &j->files.at[c->file];
    struct ras_error why;
    if (join_load(j, c->file, &why) < 0) {
        if (why.status == RAS_EMEMORY || directory_is_remote(j->files.dir)) {
            if (err) /* a server that fails says nothing about the segment */
                *err = why;
            return why.status;
        }
        segment_fault(s, RAS_DAMAGED, why.text);
    }
    struct ras_bytes bytes = p->loaded ? part_bytes(p) : (struct ras_bytes){NULL, 0};
    if (bytes.len && !j->ops->begins(bytes)) { /* it would be taken for more of the one before */
        segment_fault(s, RAS_DAMAGED, "it does not begin as a segment does");
        s->lost = bytes.len;
        bytes.len = 0;
    }
    status = spool_append(&to->view, bytes.at, bytes.len, err);
    s->stored = p->stored;
    s->size = bytes.len;
    to->stored += p->stored;
    join_wrap(j, to, s);
    j->segment_count++;
    if (!j->live && !p->borrowed)
        part_unload(p);
    return status;
}

/* Append those that come after the last segment, each number once. */
static int join_append_all(struct join *j, const struct candidates *c, struct part *to,
                           bool *changed, struct ras_error *err)
{
    int status = RAS_OK;
    for (size_t i = 0; status == RAS_OK && i < c->count; i++) {
        const struct candidate *one = &c->at[i];
        const struct source_segment *last =
            j->segment_count ? &j->segments[j->segment_count - 1] : NULL;
        int order = last ? by_stem(last->name, last->stem, one->text, one->name.stem) : -1;
        if (order > 0 || (order == 0 && one->name.number <= last->number))
            continue;
        status = join_append(j, one, to, err);
        *changed = true;
    }
    return status;
}

/* ---- files that come later ------------------------------------------------------------------- */

static int join_consider(struct join *j, struct part *to, bool *changed, struct ras_error *err)
{
    struct candidates c = {0};
    int status = RAS_OK;
    for (; status == RAS_OK && j->seen < j->files.count; j->seen++)
        if (!candidate_add(&c, j->ops, j->files.at[j->seen].name, j->seen))
            status = fail_memory(err);
    candidates_sort(&c, j->depth);
    if (c.count)
        j->depth = c.at[0].depth;
    if (status == RAS_OK)
        status = join_append_all(j, &c, to, changed, err);
    free(c.at);
    return status;
}

/* What was added to the file of the last segment, whatever its name is now. */
static int join_grow(struct join *j, struct part *to, bool *changed, struct ras_error *err)
{
    struct source_segment *s = j->segment_count ? &j->segments[j->segment_count - 1] : NULL;
    struct part *p = s ? &j->files.at[j->last] : NULL;
    struct os_about about;
    if (!p || !p->fd || p->wrap.name || s->lost)
        return RAS_OK;
    if (os_about_fd(p->fd - 1, &about) < 0)
        return fail_os(err, "cannot stat");
    if (about.size <= p->stored)
        return RAS_OK;
    uint8_t *buffer = malloc(JOIN_STEP);
    int status = buffer ? RAS_OK : fail_memory(err);
    while (status == RAS_OK && p->stored < about.size) {
        uint64_t left = about.size - p->stored;
        int64_t got = file_read_at(p->fd - 1, buffer, left < JOIN_STEP ? (size_t)left : JOIN_STEP,
                                   p->stored, err);
        if (got <= 0) {
            status = (int)got;
            break;
        }
        status = spool_append(&to->view, buffer, (size_t)got, err);
        p->stored += (uint64_t)got;
        s->stored = p->stored;
        s->size += (uint64_t)got;
        to->stored += (uint64_t)got;
        *changed = true;
    }
    free(buffer);
    return status;
}

static bool file_add(struct join_files *f, const char *name, uint64_t size)
{
    struct part p = {.name = text_copy(name, strlen(name)), .stored = size};
    if (!p.name || !array_grow(&f->at, &f->room, f->count + 1, sizeof *f->at)) {
        free(p.name);
        return false;
    }
    p.wrap.kind = RAS_COMPLETE;
    f->at[f->count++] = p;
    return true;
}

int join_refresh(struct join *j, struct part *to, bool *changed, struct ras_error *err)
{
    /* First the names, then what was written: a segment that another follows is complete. */
    int status = directory_refresh(j->files.dir, err);
    for (size_t i = j->files.count; status == RAS_OK && i < directory_count(j->files.dir); i++)
        if (!file_add(&j->files, directory_name(j->files.dir, i), directory_size(j->files.dir, i)))
            status = fail_memory(err);
    if (status == RAS_OK)
        status = join_grow(j, to, changed, err);
    return status == RAS_OK ? join_consider(j, to, changed, err) : status;
}

/* ---- all of it ------------------------------------------------------------------------------- */

int join_open(struct join **out, const struct join_files *files, const struct segment_ops *ops,
              const struct ras_limits *limits, bool live, struct part *to, struct ras_error *err)
{
    struct join *j = calloc(1, sizeof *j);
    bool changed;
    *out = j;
    if (!j) {
        for (size_t i = 0; i < files->count; i++)
            part_free(&files->at[i]);
        free(files->at);
        return fail_memory(err);
    }
    *j = (struct join){
        .ops = ops, .files = *files, .limits = *limits, .live = live, .depth = UINT32_MAX};
    to->loaded = to->closed = true;
    to->joined = true;
    return join_consider(j, to, &changed, err);
}

void join_close(struct join *j)
{
    if (!j)
        return;
    for (size_t i = 0; i < j->files.count; i++)
        part_free(&j->files.at[i]);
    free(j->files.at);
    free(j->segments);
    free(j);
}

const struct source_segment *join_segments(const struct join *j, size_t *count)
{
    *count = j->segment_count;
    return j->segments;
}
