/* atf_record_own.c - the member "recorder" of the manifest of a recording: what the recorder itself
 * knows of it. */
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "formats/atf/atf_record.h"
#include "formats/atf/atf_write.h"
#include "record/record_output.h"
#include "record/recorder.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

uint64_t atf_reasons_sum(const uint64_t reasons[RAS_RECORD_REASONS])
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < RAS_RECORD_REASONS; i++)
        sum += reasons[i];
    return sum;
}

/* A member whose key has two parts. */
static void put_pair_count(struct json *j, const char *what, const char *more, uint64_t count)
{
    char key[64];
    snprintf(key, sizeof key, "%s_%s", what, more);
    json_uint(j, key, count);
}

/* Writes the counts of details or events of a thread that has any. */
static void put_extra(struct json *j, const char *what, uint64_t stored, uint64_t dropped)
{
    if (!stored && !dropped)
        return;
    json_uint(j, what, stored);
    put_pair_count(j, what, "dropped", dropped);
}

static void put_recorded_threads(struct json *j, const struct manifest_info *sum)
{
    json_array(j, "threads");
    for (size_t i = 0; i < sum->thread_count; i++) {
        const struct thread_info *b = &sum->threads[i];
        if (b->os_tid < 0)
            continue;
        json_line(j, 4);
        json_object(j, NULL);
        json_uint(j, "id", b->thread_id);
        json_int(j, "os_tid", b->os_tid);
        atf_manifest_text(j, "name", b->name, strnlen(b->name, sizeof b->name));
        json_uint(j, "produced", b->counts.produced);
        json_uint(j, "stored", b->counts.stored);
        json_uint(j, "dropped", atf_reasons_sum(b->counts.dropped));
        put_extra(j, "details", b->counts.details, b->counts.details_dropped);
        put_extra(j, "events", b->counts.events, atf_reasons_sum(b->counts.events_dropped));
        json_close(j);
    }
    json_close(j);
}

/* Events of threads for which no lane could be allocated. */
static void put_stray(struct json *j, const char *what, const uint64_t *stray)
{
    for (unsigned i = 0; i < RAS_RECORD_REASONS; i++) {
        uint64_t count = LOAD(&stray[i]);
        if (count)
            put_pair_count(j, what, ras_record_reason_name((enum ras_record_reason)i), count);
    }
}

static void put_seconds(struct json *j, const char *key, uint64_t ms)
{
    char text[32];
    int len = snprintf(text, sizeof text, "%g", (double)ms / 1000.0);
    json_raw(j, key, text, (size_t)len);
}

/* Windows that a flight recorder has stored, and why. */
static void put_windows(struct json *j, const struct manifest_info *sum)
{
    atf_member_line(j);
    json_array(j, "windows");
    for (size_t i = 0; i < sum->window_count; i++) {
        const struct window *w = &sum->windows[i];
        json_line(j, 4);
        json_object(j, NULL);
        json_uint(j, "startNs", w->from_ns);
        json_uint(j, "endNs", w->until_ns);
        json_text(j, "triggerKind", ras_record_trigger_name((enum ras_record_trigger)w->by.kind));
        json_uint(j, "triggerNs", w->by.time_ns);
        if (w->whole_ns > w->from_ns)
            json_uint(j, "wholeFromNs", w->whole_ns);
        if (w->by.function_id)
            json_hex(j, "functionId", w->by.function_id, 16);
        put_seconds(j, "preRollSec", sum->options->pre_ms);
        put_seconds(j, "postRollSec", sum->options->post_ms);
        json_close(j);
    }
    json_close(j);
}

static void put_crash_word(struct json *j, const char *key, uint64_t address)
{
    char text[24];
    snprintf(text, sizeof text, "0x%" PRIx64, address);
    json_text(j, key, text);
}

/* The crash that ended the program. The name of its function is added when functions are named. */
static void put_crash(struct json *j, const struct crash_info *c)
{
    json_object(j, "crash");
    json_int(j, "signal", c->number);
    json_text(j, "name", c->name);
    json_int(j, "code", c->code);
    json_uint_or_null(j, "thread_id", c->thread_id == UINT32_MAX ? RAS_NONE : c->thread_id);
    json_uint(j, "time_ns", c->time_ns);
    if (c->has_address)
        put_crash_word(j, "address", c->address);
    if (c->has_pc) {
        put_crash_word(j, "pc", c->pc);
        put_crash_word(j, "sp", c->sp);
    }
    if (c->has_tick)
        json_uint(j, "tick", c->tick);
    if (c->function_id)
        put_crash_word(j, "function_id", c->function_id);
    if (c->call_count)
        json_array(j, c->functions ? "open" : "returns");
    for (unsigned i = 0; i < c->call_count; i++)
        put_crash_word(j, NULL, c->calls[i]);
    if (c->call_count)
        json_close(j);
    if (c->register_count)
        json_object(j, "registers");
    for (unsigned i = 0; i < c->register_count; i++)
        put_crash_word(j, c->registers[i].name, c->registers[i].value);
    if (c->register_count)
        json_close(j);
    json_close(j);
}

/* ---- memory ----------------------------------------------------------------------- */

enum { MAPS_TEXT = 1 << 18, MAPS_MOST = 2000 };

static void put_map(struct json *j, uint64_t from, uint64_t to, const char *what, size_t len)
{
    json_line(j, 4);
    json_array(j, NULL);
    json_hex(j, NULL, from, 1);
    json_hex(j, NULL, to, 1);
    atf_manifest_text(j, NULL, what, len);
    json_close(j);
}

/* A line of /proc/self/maps: FROM-TO MODE OFFSET DEVICE INODE NAME. */
static void put_map_line(struct json *j, const char *line, size_t len)
{
    char *at;
    uint64_t from = strtoull(line, &at, 16), to = *at == '-' ? strtoull(at + 1, &at, 16) : 0;
    const char *end = line + len, *name = memchr(line, '/', len);
    const char *special = memchr(line, '[', len);
    if (to <= from)
        return;
    if (name && !special)
        put_map(j, from, to, name, (size_t)(end - name));
    else if (special && end - special == 6 && !memcmp(special, "[heap]", 6))
        put_map(j, from, to, "heap", 4);
    else
        put_map(j, from, to, "map", 3);
}

/* Where addresses in details lead to: the stack of each thread, then the maps of the process. */
static void put_maps(struct json *j, const struct manifest_info *sum)
{
    char *text = malloc(MAPS_TEXT);
    int fd = text ? open("/proc/self/maps", O_RDONLY | O_CLOEXEC) : -1;
    size_t len = 0, lines = 0;
    for (ssize_t n; fd >= 0 && len < MAPS_TEXT - 1; len += (size_t)n)
        if ((n = read(fd, text + len, MAPS_TEXT - 1 - len)) <= 0)
            break;
    if (fd >= 0)
        close(fd);
    json_array(j, "maps");
    for (size_t i = 0; i < sum->thread_count; i++)
        if (sum->threads[i].stack[1])
            put_map(j, sum->threads[i].stack[0], sum->threads[i].stack[1], "stack", 5);
    for (const char *at = text; text && at < text + len && lines < MAPS_MOST; lines++) {
        const char *end = memchr(at, '\n', (size_t)(text + len - at));
        if (!end)
            break;
        put_map_line(j, at, (size_t)(end - at));
        at = end + 1;
    }
    json_close(j);
    free(text);
}

static bool has_details(const struct manifest_info *sum)
{
    for (size_t i = 0; i < sum->thread_count; i++)
        if (sum->threads[i].counts.details)
            return true;
    return false;
}

void atf_record_own(struct out *out, const struct manifest_info *sum)
{
    struct json j = atf_members_start(out);
    json_object(&j, "recorder");
    json_text(&j, "version", RASTRUM_VERSION);
    json_bool(&j, "complete", sum->complete);
    json_text(&j, "policy", sum->options->policy == RAS_RECORD_DROP ? "drop" : "block");
    json_text(&j, "clock", sum->counter ? "tsc" : "boottime");
    json_uint(&j, "ring_bytes", sum->options->ring_bytes);
    if (sum->crash)
        put_crash(&j, sum->crash);
    if (sum->segment)
        json_uint(&j, "segment", sum->segment);
    if (sum->deleted_segments) {
        json_uint(&j, "deleted_segments", sum->deleted_segments);
        json_uint(&j, "deleted_events", sum->deleted_events);
    }
    put_stray(&j, "stray", sum->stray);
    put_stray(&j, "stray_events", sum->stray_events);
    put_recorded_threads(&j, sum);
    if (sum->complete && has_details(sum))
        put_maps(&j, sum);
    json_close(&j);
    if (sum->options->flight)
        put_windows(&j, sum);
}
