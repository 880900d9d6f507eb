/* roundtrip.c - every valid trace of some folders, held to its own re-encoding. */
#include "roundtrip.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { WAYS = 4, SEEDS = 400 };

struct tally {
    unsigned traces, passed, failed;
};

uint64_t any_number(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    uint64_t x = *state >> 11 | *state << 53;
    static const uint64_t extremes[] = {0,          1,          0x7f,      0x80,
                                        UINT32_MAX, 0x80000000, INT64_MAX, UINT64_MAX};
    return x % 3 == 0 ? extremes[x / 3 % 8] : x;
}

/* What strict verification calls an error is not a trace to be held to. */
static bool is_valid(struct ras_bytes file)
{
    struct ras_trace *t;
    struct ras_report *report;
    struct ras_verify_options strict = {.strict = true};
    if (ras_open_memory(&t, file.at, file.len, NULL, NULL) < 0)
        return false;
    bool ok = ras_verify(&report, t, &strict, NULL) == RAS_OK;
    ok = ok && report->by_severity[RAS_ERROR] == 0;
    ras_report_free(report);
    ras_close(t);
    return ok;
}

static size_t first_difference(struct ras_bytes a, struct ras_bytes b)
{
    size_t i = 0;
    while (i < a.len && i < b.len && a.at[i] == b.at[i])
        i++;
    return i;
}

static void hold(const char *path, struct ras_bytes file, struct tally *tally)
{
    unsigned tried = 0;
    for (unsigned way = 0; way < WAYS; way++) {
        struct ras_sink *sink;
        struct ras_error err = {0};
        if (ras_sink_memory(&sink, NULL) < 0)
            exit(2);
        int status = reencode(file, way, sink, &err);
        struct ras_bytes made = ras_sink_bytes(sink);
        bool same = status == RAS_OK && made.len == file.len &&
                    (!made.len || !memcmp(made.at, file.at, made.len));
        if (status < 0)
            printf("%s: way %u: %s\n", path, way, err.text);
        else if (status == RAS_OK && !same)
            printf("%s: way %u: %zu bytes for %zu, which differ at %zu\n", path, way, made.len,
                   file.len, first_difference(made, file));
        tried += status != RAS_END;
        tally->passed += same;
        tally->failed += status != RAS_END && !same;
        ras_sink_drop(sink);
    }
    tally->traces += tried > 0;
}

static void hold_file(const char *path, struct tally *tally)
{
    struct stat st;
    FILE *in = stat(path, &st) == 0 && S_ISREG(st.st_mode) ? fopen(path, "rb") : NULL;
    if (!in)
        return;
    struct ras_bytes file = {malloc((size_t)st.st_size + 1), (size_t)st.st_size};
    if (file.at && fread((void *)file.at, 1, file.len, in) == file.len && is_valid(file))
        hold(path, file, tally);
    free((void *)file.at);
    fclose(in);
}

static void hold_random(struct tally *tally)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        const char *wrong = random_trip(seed);
        if (wrong)
            printf("random values %u: %s\n", (unsigned)seed, wrong);
        tally->passed += !wrong;
        tally->failed += wrong != NULL;
    }
}

static bool hold_folder(const char *folder, struct tally *tally)
{
    struct dirent **names;
    char path[4096];
    int count = scandir(folder, &names, NULL, alphasort);
    if (count < 0)
        return false;
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name);
        hold_file(path, tally);
        free(names[i]);
    }
    free(names);
    return true;
}

int main(int argc, char **argv)
{
    struct tally tally = {0};
    if (argc < 3) {
        fprintf(stderr, "usage: roundtrip LEAST FOLDER...\n");
        return 2;
    }
    for (int i = 2; i < argc; i++) {
        if (!hold_folder(argv[i], &tally)) {
            printf("%s is absent, not run\n", argv[i]);
            return 77;
        }
    }
    hold_random(&tally);
    printf("%u traces\n", tally.traces);
    if (tally.traces < strtoul(argv[1], NULL, 10)) {
        printf("%s traces at least should be valid\n", argv[1]);
        tally.failed++;
    }
    printf("%u passed, %u failed\n", tally.passed, tally.failed);
    return tally.failed != 0;
}
