/* repair_place.c - a repair in place, and undoing it. */
#include "base/file.h"
#include "base/os.h"
#include "codec/seekable.h"
#include "core/sink.h"
#include "ops/repair/repair.h"
#include "ops/repair/undo.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* Write a part into the existing file, for all of its names. A file with several hard links cannot
 * be replaced by another without separating them. The result is written to NAME.repaired first,
 * whole and synced, and then copied into the file: if the copy is interrupted, NAME.repaired is
 * complete, and the undo plan covers it, too. */

enum { NAME_SIZE = 4096 + 16, PIECE = 1 << 20 };

static void beside(const char *path, char name[NAME_SIZE])
{
    snprintf(name, NAME_SIZE, "%s.repaired", path);
}

/* Whether a part has several hard links; whether they can be kept; the same into
 * the file itself. */
static bool repair_is_linked(const char *path)
{
    struct os_about about;
    return os_about_link(path, &about) == 0 && about.kind == OS_FILE && about.links > 1;
}

static int repair_check_linked(const char *path, struct ras_error *err)
{
    char name[NAME_SIZE];
    struct os_about about;
    beside(path, name);
    if (!repair_is_linked(path))
        return RAS_OK;
    if (os_about_link(name, &about) == 0)
        return fail(err, RAS_EUSAGE, RAS_NONE,
                    "%s exists: a repair of %s was interrupted, and this is all of its result; "
                    "copy it into that file, or remove it",
                    name, path);
    return os_may_write(path) < 0 ? fail_os(err, path) : RAS_OK;
}

/* Reserve the room before the first byte changes. */
static int copy_into(int to, int from, const char *path, struct ras_error *err)
{
    struct os_about new, old;
    if (os_about_fd(from, &new) < 0 || os_about_fd(to, &old) < 0)
        return fail_os(err, path);
    if (new.size > old.size && os_reserve(to, new.size) < 0 &&
        errno != EOPNOTSUPP &&errno != EINVAL) {
        int status = fail_os(err, path);
        (void)os_cut(to, old.size);
        return status;
    }
    uint8_t *piece = malloc(PIECE);
    int status = piece ? RAS_OK : fail_memory(err);
    for (uint64_t at = 0; status == RAS_OK && at < new.size;) {
        int64_t got = file_read_at(from, piece, PIECE, at, err);
        status = got < 0    ? (int)got
                 : got == 0 ? fail(err, RAS_EIO, at, "%s.repaired ends early", path)
                            : file_write_at(to, piece, (size_t)got, at, err);
        at += got > 0 ? (uint64_t)got : 0;
    }
    free(piece);
    if (status == RAS_OK && (os_cut(to, new.size) < 0 || os_sync(to) < 0))
        status = fail_os(err, path);
    return status;
}

static int repair_write_linked(const struct plan_map *map, const char *part, const struct source *s,
                               const char *path, struct ras_error *err)
{
    char name[NAME_SIZE];
    struct ras_sink *sink;
    beside(path, name);
    int to = os_open(path, OS_READ_WRITE | OS_NO_LINK);
    if (to < 0)
        return fail_os(err, path);
    int status = sink_file(&sink, name, false, 0600, err);
    if (status == RAS_OK) {
        if (repair_is_packed(s, part))
            status = sink_compress(sink, FRAME_HEAD_USUAL, err);
        if (status == RAS_OK)
            status = plan_apply(map, part, repair_part(s, part), repair_to_sink, sink, err);
        if (status == RAS_OK)
            status = ras_sink_close(sink, err);
        else
            ras_sink_drop(sink);
    }
    int from = status == RAS_OK ? os_open(name, OS_READ) : -1;
    if (status == RAS_OK && from < 0)
        status = fail_os(err, name);
    if (status == RAS_OK) {
        status = copy_into(to, from, path, err);
        if (status == RAS_OK && os_remove(name) < 0)
            status = fail_os(err, name);
        else if (status < 0 && err)
            fail(err, status, RAS_NONE, "%s: not all of it is written: %s has all", path, name);
    }
    if (from >= 0)
        os_close(from);
    os_close(to);
    return status;
}

/* The path of a part, with links followed. */
static int part_path(const char *path, const char *part, char name[4096], struct ras_error *err)
{
    struct os_about about;
    bool link = os_about_link(path, &about) == 0 && about.kind == OS_LINK;
    char *real = link ? os_real_path(path) : NULL;
    if (link && !real)
        return fail_os(err, path);
    int n = snprintf(name, 4096, "%s%s%s", real ? real : path, *part ? "/" : "", part);
    free(real);
    return n < 0 || n >= 4096
               ? fail(err, RAS_ELIMIT, RAS_NONE, "%s/%s: the name is too long", path, part)
               : RAS_OK;
}

static bool is_first(const struct plan_map *map, size_t i)
{
    return plan_first(map, map->plan->patches[i].part) == i;
}

/* The part is written to a new file, which takes the name, mode and owner of the old one; a file
 * with several names stays the same file. */
static int apply_part(const struct plan_map *map, const struct ras_patch *p, const struct source *s,
                      const char *path, struct ras_error *err)
{
    char name[4096];
    int status = part_path(path, p->part, name, err);
    if (status == RAS_OK && p->fresh) /* created by the repair that is undone */
        return os_remove(name) < 0 ? fail_os(err, name) : RAS_OK;
    if (status == RAS_OK)
        status = (repair_is_linked(name) ? repair_write_linked : repair_write_part)(map, p->part, s,
                                                                                    name, err);
    return status;
}

/* ---- in place ------------------------------------------------------------------------ */

static int write_backup(const struct plan_map *map, const struct source *s, const char *backup,
                        struct ras_error *err)
{
    struct undo undo = {0};
    struct out out = {0};
    struct ras_sink *sink;
    int status = undo_make(&undo, map, s, err);
    if (status == RAS_OK) /* it has bytes of the trace: readable by its owner only */
        status = sink_file(&sink, backup, false, 0600, err);
    if (status == RAS_EUSAGE) /* never replace a plan that may still be needed */
        status =
            fail(err, status, RAS_NONE, "%s exists: name another file for the undo plan", backup);
    if (status == RAS_OK) {
        undo_put(&out, &undo);
        status = out.failed ? fail_memory(err) : ras_sink_write(sink, out.at, out.len, err);
        if (status == RAS_OK)
            status = ras_sink_close(sink, err);
        else
            ras_sink_drop(sink);
    }
    out_free(&out);
    undo_free(&undo);
    return status;
}

/* Before anything is written: every part can be replaced. */
static int check_parts(const struct plan_map *map, const struct source *s, const char *path,
                       struct ras_error *err)
{
    char name[4096];
    for (size_t i = 0; i < source_count(s); i++)
        if (source_wrapping(s, i)->name && !repair_is_packed(s, source_name(s, i)))
            return fail(err, RAS_EUNSUPPORTED, RAS_NONE,
                        "%s wrapping cannot be repaired in place, only a copy of its contents",
                        source_wrapping(s, i)->name);
    for (size_t i = 0; i < map->plan->patch_count; i++) {
        if (!is_first(map, i))
            continue;
        int status = part_path(path, map->plan->patches[i].part, name, err);
        if (status == RAS_OK)
            status = repair_check_linked(name, err);
        if (status < 0)
            return status;
    }
    return RAS_OK;
}

int repair_in_place(const struct plan_map *map, const struct source *s, const char *path,
                    const char *backup, struct ras_error *err)
{
    int status = check_parts(map, s, path, err);
    if (status < 0 || !map->plan->patch_count)
        return status;
    status = write_backup(map, s, backup, err);
    for (size_t i = 0; status == RAS_OK && i < map->plan->patch_count; i++)
        if (is_first(map, i))
            status = apply_part(map, &map->plan->patches[i], s, path, err);
    return status;
}

/* ---- back ------------------------------------------------------------------------------ */

static struct undo_state found_state(const struct source *s, const char *part)
{
    size_t i;
    return source_find(s, part, &i) ? undo_state_of(source_bytes(s, i)) : (struct undo_state){0};
}

static void state_words(const struct undo_state *s, char words[64])
{
    if (s->there)
        snprintf(words, 64, "%" PRIu64 " bytes of sha256 %02x%02x%02x%02x%02x%02x%02x%02x", s->size,
                 s->sha256[0], s->sha256[1], s->sha256[2], s->sha256[3], s->sha256[4], s->sha256[5],
                 s->sha256[6], s->sha256[7]);
    else
        snprintf(words, 64, "no file");
}

/* Each part is as the repair left it or, after an interrupted undo, as it was before. */
static int check_states(const struct undo *u, const struct source *s, bool *done,
                        struct ras_error *err)
{
    size_t done_count = 0;
    for (size_t i = 0; i < u->count; i++) {
        const struct undo_part *p = &u->parts[i];
        struct undo_state found = found_state(s, p->name);
        char is[64], wanted[64];
        done[i] = undo_same(&found, &p->then) && !undo_same(&found, &p->now);
        done_count += done[i];
        if (done[i] || undo_same(&found, &p->now))
            continue;
        state_words(&found, is);
        state_words(&p->now, wanted);
        return fail(err, RAS_EUSAGE, RAS_NONE,
                    "%s%sthe plan is for another file: found %s, the plan is for %s", p->name,
                    *p->name ? ": " : "", is, wanted);
    }
    if (!u->count || done_count < u->count)
        return RAS_OK;
    char is[64], wanted[64];
    state_words(&u->parts[0].then, is);
    state_words(&u->parts[0].now, wanted);
    return fail(err, RAS_EUSAGE, RAS_NONE,
                "the repair was undone before: found %s, the plan is for %s", is, wanted);
}

/* The patches of each part give the stated result. */
static int check_results(const struct undo *u, const struct plan_map *map, const struct source *s,
                         const bool *done, struct ras_error *err)
{
    for (size_t i = 0; i < u->count; i++) {
        const struct undo_part *p = &u->parts[i];
        struct undo_state after;
        if (done[i] || !p->then.there)
            continue;
        int status = undo_state_after(map, p->name, repair_part(s, p->name), &after, err);
        if (status < 0)
            return status;
        if (!undo_same(&after, &p->then))
            return fail(
                err, RAS_EFORMAT, RAS_NONE,
                "the plan is damaged: its patches of part '%s' do not give the stated result",
                p->name);
    }
    return RAS_OK;
}

/* The parts that differ from their state before the repair, each once. */
static int apply_parts(const struct undo *u, const struct plan_map *map, const bool *done,
                       const struct source *s, const char *path, struct ras_error *err)
{
    int status = RAS_OK;
    bool *skip = calloc(map->plan->patch_count + 1, sizeof *skip); /* by first patch */
    if (!skip)
        return fail_memory(err);
    for (size_t k = 0; k < u->count; k++) {
        uint32_t first = plan_first(map, u->parts[k].name);
        if (first != PLAN_NONE)
            skip[first] = done[k];
    }
    for (size_t i = 0; status == RAS_OK && i < map->plan->patch_count; i++)
        if (is_first(map, i) && !skip[i])
            status = apply_part(map, &map->plan->patches[i], s, path, err);
    free(skip);
    return status;
}

static int take_back(const struct undo *u, struct source *s, const char *path,
                     struct ras_error *err)
{
    struct plan_map map;
    int status = plan_map_make(&map, &u->plan.out, err);
    bool *done = calloc(u->count + 1, sizeof *done);
    if (status == RAS_OK && !done)
        status = fail_memory(err);
    for (size_t i = 0; status == RAS_OK && i < source_count(s); i++)
        status = source_load(s, i, err);
    if (status == RAS_OK)
        status = check_states(u, s, done, err);
    if (status == RAS_OK)
        status = check_results(u, &map, s, done, err);
    if (status == RAS_OK)
        status = check_parts(&map, s, path, err);
    if (status == RAS_OK)
        status = apply_parts(u, &map, done, s, path, err);
    free(done);
    plan_map_free(&map);
    return status;
}

/* Name the file of an error. */
static int about(const char *path, struct ras_error *err)
{
    struct ras_error first = *err;
    int room =
        (int)(sizeof err->text - sizeof ": " - strlen(first.text)); /* it is more than a name */
    return fail(err, first.status, first.offset, "%.*s: %s", room > 0 ? room : 0, path, first.text);
}

int ras_repair_undo(const char *path, const char *backup, struct ras_error *err)
{
    struct source *text = NULL, *s = NULL;
    struct undo undo = {0};
    struct ras_error why = {0};
    const struct ras_options none = {0};
    const struct ras_limits limits = limits_of(&none);
    const char *which = backup;
    int status = source_open_path(&text, backup, &none, &limits, &why);
    if (status == RAS_OK)
        status = source_load(text, 0, &why);
    if (status == RAS_OK)
        status = undo_get(source_bytes(text, 0), &undo, &why);
    if (status == RAS_OK) {
        which = path;
        status = source_open_path(&s, path, &none, &limits, &why);
    }
    if (status == RAS_OK)
        status = take_back(&undo, s, path, &why);
    undo_free(&undo);
    source_close(s);
    source_close(text);
    if (status < 0) {
        about(which, &why);
        if (err)
            *err = why;
    }
    return status;
}
