/* run_pens.c - the pens there are, and those of one run together. */
#include "core/tick_index.h"
#include "world/run_pens.h"
#include "base/error.h"
#include "base/os.h"

#include <stdio.h>
#include <string.h>

const struct pen_type *const pens[] = {&murk_pen,  &cdt_pen, &aerogpu_pen,
                                       &dial9_pen, &atf_pen, NULL};

uint64_t pen_now(void)
{
    return os_boot_ns();
}

/* ---- which are requested ----------------------------------------------------------------- */

static bool pen_requested(const struct ras_run_options *options, const char *name)
{
    for (size_t i = 0; i < options->pen_count; i++)
        if (!strcmp(options->pens[i], name))
            return true;
    return !options->pens;
}

static int unknown_pen(const char *name, struct ras_error *err)
{
    char names[100] = "";
    size_t len = 0;
    for (const struct pen_type *const *p = pens; *p && len < sizeof names; p++)
        len +=
            (size_t)snprintf(names + len, sizeof names - len, "%s%s", len ? ", " : "", (*p)->name);
    return fail(err, RAS_EUSAGE, RAS_NONE, "there is no pen '%.40s': there are %s", name, names);
}

static int check_names(const struct ras_run_options *options, struct ras_error *err)
{
    for (size_t i = 0; options->pens && i < options->pen_count; i++) {
        const struct pen_type *const *p = pens;
        while (*p && strcmp((*p)->name, options->pens[i]) != 0)
            p++;
        if (!*p)
            return unknown_pen(options->pens[i], err);
    }
    return RAS_OK;
}

/* ---- while a tick runs ------------------------------------------------------------------- */

static void pen_set_enter(void *user, uint32_t function, const uint64_t *args, uint32_t count)
{
    const struct pen_set *s = user;
    for (size_t i = 0; i < s->watcher_count; i++)
        s->watchers[i].type->enter(s->watchers[i].pen, function, args, count);
}

static void pen_set_leave(void *user, uint32_t function)
{
    const struct pen_set *s = user;
    for (size_t i = s->watcher_count; i-- > 0;)
        s->watchers[i].type->leave(s->watchers[i].pen, function);
}

static void pen_set_event(void *user, const struct ras_world_event *event)
{
    const struct pen_set *s = user;
    for (size_t i = 0; i < s->watcher_count; i++)
        if (s->watchers[i].type->event)
            s->watchers[i].type->event(s->watchers[i].pen, event);
}

static void listen(struct pen_set *s, const struct pen_run *run)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->pens[i].type->enter)
            s->watchers[s->watcher_count++] = s->pens[i];
    s->watch = (struct ras_world_watch){s, pen_set_enter, pen_set_leave, pen_set_event};
    if (s->watcher_count && run->type->watch)
        run->type->watch(run->world, &s->watch);
}

/* ---- the set ----------------------------------------------------------------------------- */

int pen_set_open(struct pen_set *s, const struct pen_run *run, struct ras_run *out,
                 struct ras_error *err)
{
    memset(s, 0, sizeof *s);
    int status = check_names(run->options, err);
    for (const struct pen_type *const *p = pens; status == RAS_OK && *p; p++) {
        struct ras_run_pen *entry = &out->pens[out->pen_count++];
        *entry = (struct ras_run_pen){.name = (*p)->name, .file = (*p)->file};
        entry->requested = pen_requested(run->options, (*p)->name);
        entry->lacks = (*p)->lacks ? (*p)->lacks(run->type, run->options) : NULL;
        if (!entry->requested)
            continue;
        if (entry->lacks && run->options->pens)
            status = fail(err, RAS_EUNSUPPORTED, RAS_NONE, "%s: %s: %s", (*p)->name,
                          run->type->name, entry->lacks);
        if (entry->lacks)
            continue;
        struct pen_held *held = &s->pens[s->count];
        status = (*p)->open(&held->pen, run, err);
        held->type = *p;
        s->count += status == RAS_OK;
    }
    if (status < 0)
        pen_set_drop(s);
    else
        listen(s, run);
    return status;
}

void pen_set_begin(const struct pen_set *s)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->pens[i].type->begin)
            s->pens[i].type->begin(s->pens[i].pen);
}

void pen_set_settle(const struct pen_set *s)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->pens[i].type->settle)
            s->pens[i].type->settle(s->pens[i].pen);
}

int pen_set_row(const struct pen_set *s, uint64_t tick, struct tick_rows *rows,
                struct ras_error *err)
{
    tick_rows_put(rows, "tick", tick);
    for (size_t i = 0; i < s->count; i++)
        s->pens[i].type->place(s->pens[i].pen, rows);
    return tick_rows_end(rows, err);
}

int pen_set_tick(struct pen_set *s, const struct pen_tick *tick, struct ras_error *err)
{
    int status = RAS_OK;
    for (size_t i = 0; status == RAS_OK && i < s->count; i++)
        status = s->pens[i].type->tick(s->pens[i].pen, tick, err);
    return status;
}

int pen_set_close(struct pen_set *s, struct ras_error *err)
{
    int status = RAS_OK;
    for (size_t i = 0; i < s->count; i++) {
        struct pen_held *p = &s->pens[i];
        if (status == RAS_OK)
            status = p->type->close(p->pen, err);
        else
            p->type->drop(p->pen);
    }
    s->count = s->watcher_count = 0;
    return status;
}

void pen_set_drop(struct pen_set *s)
{
    for (size_t i = 0; i < s->count; i++)
        s->pens[i].type->drop(s->pens[i].pen);
    s->count = s->watcher_count = 0;
}
