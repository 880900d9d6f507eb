/* atf_roundtrip.c - the files of valid sessions, encoded again, have their own bytes.
 *
 *   atf_roundtrip LEAST FOLDER...
 *
 * Each entry of a folder that strict verification finds no error in is held to it in
 * two ways: event by event with their details, and as blocks of records. */
#include <rastrum/atf.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tally {
    unsigned traces, passed, failed;
};

/* The two files of a thread, and what became of them. */
struct pair {
    struct ras_bytes index, detail; /* at NULL: there is none */
    struct ras_atf_index_file f;
    struct ras_atf_detail_file g;
    struct ras_sink *index_sink, *detail_sink;
};

static struct ras_bytes read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    struct ras_bytes bytes = {0};
    if (!file)
        return bytes;
    fseek(file, 0, SEEK_END);
    bytes.len = (size_t)ftell(file);
    rewind(file);
    uint8_t *at = malloc(bytes.len + 1);
    if (at && fread(at, 1, bytes.len, file) != bytes.len)
        exit(2);
    bytes.at = at;
    fclose(file);
    return bytes;
}

static int make_detail(void *user, struct ras_sink **out, struct ras_error *err)
{
    struct pair *p = user;
    int status = ras_sink_memory(&p->detail_sink, err);
    *out = p->detail_sink;
    return status;
}

static bool next_event(const struct pair *p, uint64_t i, struct ras_atf_index_event *e)
{
    return p->index.at && i < p->f.count &&
           ras_atf_index_event_get((struct ras_bytes){p->index.at + p->f.at + 32 * i, 32}, e);
}

/* Events with their details in turn. RAS_END: the links of this thread are others. */
static int put_events(struct ras_atf_writer *w, const struct pair *p, struct ras_error *err)
{
    struct ras_atf_index_event e;
    struct ras_atf_detail_event d;
    uint64_t at = p->g.at, details = 0;
    int status = RAS_OK;
    for (uint64_t i = 0; status == RAS_OK && next_event(p, i, &e); i++) {
        bool linked = e.detail_seq != RAS_ATF_NO_DETAIL;
        if (linked &&
            (!p->detail.at || e.detail_seq != details++ ||
             ras_atf_detail_step(&p->g, p->detail, &at, &d) != RAS_OK || d.index_seq != i ||
             d.timestamp != e.timestamp_ns || d.thread_id != e.thread_id))
            return RAS_END;
        status = ras_atf_writer_event(w, &e, linked ? &d : NULL, err);
    }
    return status == RAS_OK && p->detail.at && at != p->g.limit ? RAS_END : status;
}

/* Records decoded, encoded and appended, some at a time. */
static int put_blocks(struct ras_atf_writer *w, const struct pair *p, struct ras_error *err)
{
    enum { SOME = 7, ROOM = 1 << 20 };
    static uint8_t block[ROOM];
    struct ras_atf_index_event e;
    struct ras_atf_detail_event d;
    size_t len = 0;
    int status = RAS_OK;
    for (uint64_t i = 0; status == RAS_OK && next_event(p, i, &e); i++) {
        ras_atf_index_event_put(&e, block + len);
        len += 32;
        if (len == SOME * 32 || i + 1 == p->f.count) {
            status = ras_atf_writer_append(w, block, len / 32, err);
            len = 0;
        }
    }
    uint64_t at = p->g.at;
    while (status == RAS_OK && p->detail.at &&
           ras_atf_detail_step(&p->g, p->detail, &at, &d) == RAS_OK) {
        if (!ras_atf_detail_event_put(&d, block, ROOM))
            return RAS_END;
        status = ras_atf_writer_append_details(w, block, d.total_length, err);
    }
    return status;
}

static int reencode(struct pair *p, bool blocks, struct ras_error *err)
{
    struct ras_atf_writer *w;
    struct ras_atf_index_header h = p->f.header;
    bool summed = p->index.at ? p->f.footer.checksum : p->g.footer.checksum;
    struct ras_atf_writer_options options = {
        .detail = make_detail, .user = p, .no_checksum = !summed};
    if (!p->detail.at)
        options.detail = NULL; /* the flag of a lone index refers to a file that is elsewhere */
    if (!p->index.at)
        h = (struct ras_atf_index_header){
            .arch = p->g.header.arch, .os = p->g.header.os, .thread_id = p->g.header.thread_id};
    int status = ras_sink_memory(&p->index_sink, err);
    if (status == RAS_OK)
        status = ras_atf_writer_open(&w, p->index_sink, &h, &options, err);
    if (status < 0)
        return status;
    if (blocks || p->index.at)
        status = blocks ? put_blocks(w, p, err) : put_events(w, p, err);
    else
        status = RAS_END; /* details alone */
    if (status == RAS_OK)
        status = ras_atf_writer_finalize(w, err);
    int closed = ras_atf_writer_close(w, NULL);
    return status == RAS_OK ? closed : status;
}

static bool same(struct ras_bytes want, const struct ras_sink *sink)
{
    struct ras_bytes got = sink ? ras_sink_bytes(sink) : (struct ras_bytes){0};
    return !want.at || (got.len == want.len && !memcmp(got.at, want.at, want.len));
}

static void hold(const char *path, struct pair *p, struct tally *tally)
{
    for (int blocks = 0; blocks < 2; blocks++) {
        struct ras_error err = {0};
        p->index_sink = p->detail_sink = NULL;
        int status = reencode(p, blocks, &err);
        bool good = status == RAS_OK && same(p->index, p->index_sink) &&
                    same(p->detail, p->detail_sink) && (p->detail.at || !p->detail_sink);
        if (status < 0)
            printf("%s: %s\n", path, err.text);
        else if (status == RAS_OK && !good)
            printf("%s: %s differ\n", path, blocks ? "blocks" : "events");
        tally->passed += good;
        tally->failed += status != RAS_END && !good;
        ras_sink_drop(p->index_sink);
        ras_sink_drop(p->detail_sink);
    }
}

/* One thread: "DIR/index.atf" and what lies beside it, or a lone file of either kind. */
static void hold_thread(const char *path, bool beside, struct tally *tally)
{
    char other[4200];
    struct pair p = {.index = read_file(path)};
    if (beside) {
        snprintf(other, sizeof other, "%.*sdetail.atf", (int)(strlen(path) - 9), path);
        p.detail = read_file(other);
    } else if (p.index.len > 4 && !memcmp(p.index.at, "ATD2", 4)) {
        p.detail = p.index;
        p.index = (struct ras_bytes){0};
    }
    bool good = !p.index.at || ras_atf_index_open(&p.f, p.index, NULL) == RAS_OK;
    good = good && (!p.detail.at || ras_atf_detail_open(&p.g, p.detail, NULL) == RAS_OK);
    if (good)
        hold(path, &p, tally);
    free((void *)(uintptr_t)p.index.at);
    free((void *)(uintptr_t)p.detail.at);
}

static void hold_trace(const char *path, struct tally *tally)
{
    struct ras_verify_options strict = {.strict = true};
    struct ras_trace *t;
    struct ras_report *report;
    char part[4200];
    if (ras_open(&t, path, NULL, NULL) < 0)
        return;
    bool valid = ras_atf_session(t) && ras_verify(&report, t, &strict, NULL) == RAS_OK;
    if (valid) {
        valid = !report->by_severity[RAS_ERROR];
        ras_report_free(report);
    }
    tally->traces += valid;
    for (size_t i = 0; valid && i < ras_part_count(t); i++) {
        const char *name = ras_part_name(t, i);
        size_t len = strlen(name);
        snprintf(part, sizeof part, "%s%s%s", path, len ? "/" : "", name);
        if (!len || (len >= 9 && !strcmp(name + len - 9, "index.atf")))
            hold_thread(part, len > 0, tally);
    }
    ras_close(t);
}

int main(int argc, char **argv)
{
    struct tally tally = {0};
    for (int i = 2; i < argc; i++) {
        struct dirent **names;
        char path[4096];
        int count = scandir(argv[i], &names, NULL, alphasort);
        if (count < 0) {
            printf("%s is absent, not run\n", argv[i]);
            return 77;
        }
        for (int n = 0; n < count; n++) {
            snprintf(path, sizeof path, "%s/%s", argv[i], names[n]->d_name);
            if (names[n]->d_name[0] != '.')
                hold_trace(path, &tally);
            free(names[n]);
        }
        free(names);
    }
    if (argc < 3 || tally.traces < strtoul(argv[1], NULL, 10)) {
        printf("%u traces are valid, that is too few\n", tally.traces);
        tally.failed++;
    }
    printf("%u passed, %u failed\n", tally.passed, tally.failed);
    return tally.failed != 0;
}
