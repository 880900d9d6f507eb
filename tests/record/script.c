/* script.c - compare what was recorded with what was played. */
#include "script.h"

#include <ftw.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BATCH = 4096 };

bool complain(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vprintf(fmt, args);
    va_end(args);
    putchar('\n');
    return false;
}

/* How far the scripts of a thread were read. */
struct listener {
    struct script script;
    uint64_t time, place;
    bool begun, holes;
};

static bool listen(struct listener *l, const struct ras_atf_index_event *e, struct heard *h)
{
    uint64_t number = e->function_id >> 32, i = e->function_id & UINT32_MAX;
    if (!l->begun || number != l->script.number) {
        l->script = script_of(number);
        l->begun = true;
        h->scripts++;
        h->whole &= i == 0;
    }
    struct played p;
    do {
        p = script_next(&l->script);
    } while (l->holes && p.function_id < e->function_id);
    h->whole &= p.function_id == e->function_id;
    if (p.function_id != e->function_id || p.kind != e->event_kind || p.depth != e->call_depth)
        return complain(
            "event %" PRIu64 " is 0x%" PRIx64 " %u at %u, played was 0x%" PRIx64 " %u at %u",
            l->place, e->function_id, e->event_kind, e->call_depth, p.function_id, p.kind, p.depth);
    if (e->timestamp_ns < l->time)
        return complain("event %" PRIu64 " steps back from %" PRIu64 " to %" PRIu64, l->place,
                        l->time, e->timestamp_ns);
    l->time = e->timestamp_ns;
    l->place++;
    return true;
}

bool script_check(struct ras_atf_session *s, size_t thread, bool holes, struct heard *heard)
{
    static struct ras_atf_index_event events[BATCH];
    struct listener l = {.holes = holes};
    *heard = (struct heard){.whole = true};
    for (size_t got; (got = ras_atf_index_read(s, thread, l.place, events, BATCH)) > 0;)
        for (size_t i = 0; i < got; i++)
            if (!listen(&l, &events[i], heard))
                return false;
    heard->events = l.place;
    return true;
}

const char *scratch(void)
{
    static char dir[4096];
    const char *where = getenv("TMPDIR");
    snprintf(dir, sizeof dir, "%s/rastrum-record-XXXXXX", where ? where : P_tmpdir);
    if (!mkdtemp(dir)) {
        perror("no directory to record into");
        exit(2);
    }
    return dir;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

void remove_all(const char *dir)
{
    nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
