/* registry.c - the list of formats, which one a source is of, and the options in their rows. */
#include "core/registry.h"
#include "base/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A test may build a program with one more format. */
#ifndef FORMATS_LIST
#define FORMATS_LIST "formats/list.h"
#endif

#define FORMAT(name) extern const struct ras_format name##_format;
#include FORMATS_LIST
#undef FORMAT

static const struct ras_format *const formats[] = {
#define FORMAT(name) &name##_format,
#include FORMATS_LIST
#undef FORMAT
};

enum { FORMAT_COUNT = sizeof formats / sizeof *formats, PEEK = 4096, FIRST_SHOWN = 4 };

const struct ras_format *registry_at(size_t i)
{
    return i < FORMAT_COUNT ? formats[i] : NULL;
}

const struct ras_format_about *ras_format_at(size_t i)
{
    return i < FORMAT_COUNT ? &formats[i]->about : NULL;
}

const struct ras_format *registry_find(const char *name)
{
    for (size_t i = 0; i < FORMAT_COUNT; i++)
        if (!strcmp(formats[i]->about.name, name))
            return formats[i];
    return NULL;
}

int registry_unknown(const char *name, struct ras_error *err)
{
    struct ras_near near;
    char meant[120], all[120] = "";
    ras_near_start(&near, name);
    for (size_t i = 0, len = 0; i < FORMAT_COUNT && len < sizeof all; i++) {
        ras_near_add(&near, formats[i]->about.name);
        len += (size_t)snprintf(all + len, sizeof all - len, " %s", formats[i]->about.name);
    }
    ras_near_text(&near, meant, sizeof meant);
    return fail(err, RAS_EUSAGE, RAS_NONE, "there is no format '%.80s'%s%shere are:%s", name, meant,
                *meant ? " T" : "; t", all);
}

static bool has_rule(const struct ras_format *f)
{
    return f->rules && f->rules[0].id;
}

/* What a row must not be; NULL: it can be used. */
static const char *row_fault(const struct ras_format *f)
{
    const struct ras_format_about *a = &f->about;
    const struct {
        bool wrong;
        const char *why;
    } faults[] = {
        {!a->title || !a->label, "no title or label"},
        {!a->dialects || !a->dialects[0], "no dialect"},
        {!a->extensions, "no list of extensions"},
        {a->axis != RAS_AXIS_NONE && a->axis != RAS_AXIS_SEQ && !(a->axes >> a->axis & 1),
         "its own axis is not among its axes"},
        {!f->probe, "no probe"},
        {!f->open, "no open"},
        {!f->next, "no next"},
        {!f->save != !f->load, "save and load go together"},
        {!f->run_count != !f->run_enter, "run_count and run_enter go together"},
        {f->run_known && !f->run_enter, "run_known without run_enter"},
        {f->seek_counts && !f->seek, "seek_counts without seek"},
        {!f->render != !f->canvas, "render and canvas go together"},
        {has_rule(f) != (f->check != NULL), "rules and check go together"},
        {f->check_ends && !f->check, "check_ends without check"},
        {f->repair && !(a->can & RAS_CAN_REPAIR), "repair, and it does not say that it can"},
        {!(a->can & RAS_CAN_REPLAY) != !(f->play || f->render),
         "it says it can replay, or has play or render: not both"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        if (faults[i].wrong)
            return faults[i].why;
    return NULL;
}

int registry_check(const struct ras_format *f, struct ras_error *err)
{
    if (!f->about.name || !*f->about.name)
        return fail(err, RAS_EUSAGE, RAS_NONE, "a format without a name cannot be used");
    const char *why = row_fault(f);
    return why ? fail(err, RAS_EUSAGE, RAS_NONE, "the format %s cannot be used: %s", f->about.name,
                      why)
               : RAS_OK;
}

static struct probe probe_of(const struct source *source)
{
    struct probe p = {.is_dir = source_is_dir(source), .source = source};
    if (p.is_dir)
        return p;
    struct source *same = (struct source *)(uintptr_t)source; /* more of its bytes are there */
    struct ras_bytes all = source_arrived(source, 0);
    size_t peek = all.len < PEEK ? all.len : PEEK;
    if (source_is_spread(source) && (source_need(same, 0, 0, peek, NULL, NULL) < 0 ||
                                     source_need(same, 0, all.len - peek, all.len, NULL, NULL) < 0))
        peek = 0;
    p.size = all.len;
    p.head = (struct ras_bytes){all.at, peek};
    p.tail = (struct ras_bytes){all.at ? all.at + (all.len - peek) : NULL, peek};
    return p;
}

bool registry_probe(const struct ras_format *format, const struct source *source)
{
    struct probe p = probe_of(source);
    return format->probe(&p) > 0;
}

/* POSIX and GNU tar; older ones have no magic. */
static bool is_tar(const struct probe *p)
{
    enum { MAGIC_AT = 257, MAGIC_SIZE = 5 };
    return p->head.len >= MAGIC_AT + MAGIC_SIZE &&
           !memcmp(p->head.at + MAGIC_AT, "ustar", MAGIC_SIZE);
}

/* What a server answers in the place of a directory, or of an error that it does not report. */
static bool is_page(const struct probe *p)
{
    static const char *const begins[] = {"<!doctype html", "<html"};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (p->head.len >= strlen(begins[i]) &&
            !strncasecmp((const char *)p->head.at, begins[i], strlen(begins[i])))
            return true;
    return false;
}

static void say_unknown(const struct probe *p, struct ras_error *err)
{
    if (p->is_dir) {
        fail(err, RAS_EFORMAT, RAS_NONE, "no trace of a known format in this directory");
        return;
    }
    const struct wrapping *wrap = source_wrapping(p->source, 0);
    if (!p->size && wrap && wrap->name && wrap->kind != RAS_COMPLETE) {
        fail(err, RAS_EFORMAT, wrap->offset, "%s data is %s: %s; nothing of it can be decompressed",
             wrap->name, ras_ending_name(wrap->kind), wrap->why);
        return;
    }
    if (!p->size) {
        fail(err, RAS_EFORMAT, 0, "empty: there is no trace in 0 bytes");
        return;
    }
    if (is_tar(p)) {
        fail(err, RAS_EFORMAT, 0, "a tar archive: unpack it, and name a trace or directory of it");
        return;
    }
    if (is_page(p)) {
        fail(err, RAS_EFORMAT, 0, "a page of HTML%s",
             source_is_remote(p->source) ? ": the URL of a directory ends with /" : "");
        return;
    }
    char first[3 * FIRST_SHOWN + 1] = "";
    for (size_t i = 0; i < p->head.len && i < FIRST_SHOWN; i++)
        snprintf(first + 3 * i, sizeof first - 3 * i, " %02x", p->head.at[i]);
    char broken[120] = "";
    if (wrap && wrap->name && wrap->kind != RAS_COMPLETE)
        snprintf(broken, sizeof broken, "; the %s data is %s at byte %" PRIu64 ": %.60s",
                 wrap->name, ras_ending_name(wrap->kind), wrap->offset, wrap->why);
    fail(err, RAS_EFORMAT, 0,
         "not a trace of a known format (%s%" PRIu64 " bytes that begin with%s)%s",
         source_pending(p->source) ? "more than " : "", p->size, first, broken);
}

/* Of a directory that holds whole runs: traces of some of their formats are no session of one run.
 * False: err says which there are. */
static bool is_one_run(const struct probe *p, struct ras_error *err)
{
    static const char last[] = "/run.json";
    size_t count = 0, len = 0, part;
    const char *first = NULL;
    if (p->is_dir && source_is_remote(p->source) && source_find(p->source, last + 1, &part)) {
        fail(err, RAS_EUNSUPPORTED, RAS_NONE,
             "a run directory is not opened as one trace by its URL: name one of its traces (%s "
             "has their names; that of a directory ends with /)",
             last + 1);
        return false;
    }
    for (size_t i = 0; p->is_dir && i < source_count(p->source); i++) {
        const char *name = source_name(p->source, i);
        size_t size = strlen(name);
        if (size < sizeof last || strcmp(name + size - (sizeof last - 1), last) != 0)
            continue;
        if (!count++) {
            first = name;
            len = size - (sizeof last - 1);
        }
    }
    if (!count)
        return true;
    fail(err, RAS_EFORMAT, RAS_NONE, "not a run directory, but it holds %s (%.*s%s): name one",
         ras_counted(count, "run").text, (int)len, first, count > 1 ? ", ..." : "");
    return false;
}

const struct ras_format *registry_choose(const struct ras_format *const *list, size_t count,
                                         const struct source *source, struct ras_error *err)
{
    struct probe p = probe_of(source);
    const struct ras_format *best = NULL, *rival = NULL;
    int best_score = 0;
    if (!is_one_run(&p, err))
        return NULL;
    for (size_t i = 0; i < count; i++) {
        if (registry_check(list[i], err) < 0)
            return NULL;
        int score = list[i]->probe(&p);
        if (score > best_score) {
            best_score = score;
            best = list[i];
            rival = NULL;
        } else if (score && score == best_score) {
            rival = list[i];
        }
    }
    if (rival) {
        fail(err, RAS_EFORMAT, RAS_NONE, "may be %s or %s: name its format", best->about.name,
             rival->about.name);
        return NULL;
    }
    if (!best)
        say_unknown(&p, err);
    return best;
}

const struct ras_format *registry_detect(const struct source *source, struct ras_error *err)
{
    return registry_choose(formats, FORMAT_COUNT, source, err);
}

void registry_explain(const struct source *source, const struct ras_format *won)
{
    const struct ras_debug *debug = source_debug(source);
    if (!debug_wants(debug, RAS_DEBUG_PROBE))
        return;
    struct probe p = probe_of(source);
    for (size_t i = 0; i < FORMAT_COUNT; i++) {
        int score = formats[i]->probe(&p);
        debug_write(debug, RAS_DEBUG_PROBE, "%s: %d of 100: %s", formats[i]->about.name, score,
                    formats[i] == won ? "chosen"
                    : !score          ? "not its bytes"
                    : won             ? "less sure than another"
                                      : "as sure as another");
    }
    if (!won)
        debug_write(debug, RAS_DEBUG_PROBE, "no format is chosen");
}

/* ---- options of formats ---------------------------------------------------------------------- */

bool choice_made(const struct ras_choice *choices, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(choices[i].name, name))
            return true;
    return false;
}

uint64_t choice_value(const struct ras_choice *choices, size_t count, const char *name)
{
    uint64_t value = 0;
    for (size_t i = 0; i < count; i++)
        if (!strcmp(choices[i].name, name))
            value = choices[i].value;
    return value;
}

bool ras_option_has_verb(const struct ras_format_option *o, const char *verb)
{
    size_t len = strlen(verb);
    for (const char *p = o->verbs; (p = strstr(p, verb)); p += len)
        if ((p == o->verbs || p[-1] == ' ') && (!p[len] || p[len] == ' '))
            return true;
    return false;
}

/* The row of that name; `verb` NULL: of any verb. */
static const struct ras_format_option *find_option(const struct ras_format *f, const char *verb,
                                                   const char *name)
{
    for (const struct ras_format_option *o = f->about.options; o && o->name; o++)
        if (!strcmp(o->name, name) && (!verb || ras_option_has_verb(o, verb)))
            return o;
    return NULL;
}

/* The list of all that any format has for the verb is what to choose from. */
static int unknown_choice(const char *verb, const char *name, struct ras_error *err)
{
    struct ras_near near;
    char meant[120], all[160] = "";
    const struct ras_format *f;
    ras_near_start(&near, name);
    for (size_t i = 0, len = 0; (f = registry_at(i)); i++)
        for (const struct ras_format_option *o = f->about.options; o && o->name; o++) {
            if (!ras_option_has_verb(o, verb))
                continue;
            ras_near_add(&near, o->name);
            if (len < sizeof all)
                len += (size_t)snprintf(all + len, sizeof all - len, " %s", o->name);
        }
    ras_near_text(&near, meant, sizeof meant);
    return fail(err, RAS_EUSAGE, RAS_NONE, "%s has no option '%.60s' of any format%s%shere are:%s",
                verb, name, meant, *meant ? " T" : "; t", all);
}

int choices_check(const struct ras_format *format, const char *verb,
                  const struct ras_choice *choices, size_t count, struct ras_error *err)
{
    for (size_t i = 0; i < count; i++) {
        const char *name = choices[i].name;
        const struct ras_format_option *found = find_option(format, verb, name);
        if (found)
            continue;
        const struct ras_format *other;
        for (size_t k = 0; !found && (other = registry_at(k)); k++)
            found = find_option(other, verb, name);
        if (!found)
            return unknown_choice(verb, name, err);
        if (found->refused)
            return fail(err, RAS_EUNSUPPORTED, RAS_NONE, "%s traces %s", format->about.name,
                        found->refused);
    }
    return RAS_OK;
}

struct ras_choice *choices_copy(const struct ras_format *format, const struct ras_choice *choices,
                                size_t *count)
{
    size_t kept = 0;
    struct ras_choice *copy = malloc((*count + 1) * sizeof *copy);
    for (size_t i = 0; copy && i < *count; i++) {
        const struct ras_format_option *row = find_option(format, NULL, choices[i].name);
        if (row)
            copy[kept++] = (struct ras_choice){row->name, choices[i].value};
    }
    *count = kept;
    return copy;
}
