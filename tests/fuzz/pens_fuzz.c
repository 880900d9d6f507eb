/* pens_fuzz.c - any bytes as the notes of a killed program, and as the files that it left: they are
 * refused or end early, and what is written of them is read again to the same tick. */
#include "fuzz.h"
#include "pens/scribe.h"

#include <stdlib.h>
#include <string.h>

enum { RING = 1 << 12 };

static void took_nothing(void *user, uint64_t tick, uint32_t commands)
{
    (void)user, (void)tick, (void)commands;
}

/* The files of a run, each as far as it is whole. */
static void read_again(struct ras_folder *folder, uint64_t first, uint64_t last)
{
    size_t count;
    const struct ras_part *parts = ras_folder_parts(folder, &count);
    for (size_t i = 0; i < count; i++)
        for (unsigned k = 0; k < SCRIBES; k++) {
            uint64_t found = RAS_NONE - 1;
            if (strcmp(parts[i].name, scribes[k]->file) != 0)
                continue;
            if (scribes[k]->resume(NULL, parts[i].bytes, first, &found, took_nothing, NULL, NULL) <
                    0 ||
                found != last)
                fuzz_wrong("%s ends with another tick", parts[i].name);
        }
}

static void write_notes(struct ras_bytes file)
{
    struct ledger_scan scan;
    struct note n;
    struct desk desk = {0};
    struct scribe_run run = {.program = "fuzz", .dt_seconds = 0.01};
    int status = RAS_OK;
    if (ledger_scan(&scan, file, NULL) < 0 || ras_folder_memory(&run.folder, NULL) < 0)
        return;
    if (desk_open(&desk, &run, NULL) == RAS_OK) {
        while (status == RAS_OK && ledger_scan_next(&scan, &n))
            status = desk_note(&desk, &n, NULL);
        desk.open = false;
        uint64_t first = desk.run.first_tick, last = desk.last, ticks = desk.ticks;
        if (status == RAS_OK && desk_close(&desk, NULL) == RAS_OK && ticks)
            read_again(run.folder, first, last);
    }
    desk_free(&desk);
    ras_folder_drop(run.folder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The input is a ring; what is before it is made valid. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct stage stage = {.magic = STAGE_MAGIC, .ring_bytes = RING};
    uint64_t last = RAS_NONE - 1;
    uint8_t *file = calloc(1, STAGE_PAGE + RING);
    if (!file || size < 1 || size > RING) {
        free(file);
        return 0;
    }
    stage.head = size & ~(size_t)7;
    memcpy(file, &stage, sizeof stage);
    memcpy(file + STAGE_PAGE, data, size);
    write_notes((struct ras_bytes){file, STAGE_PAGE + RING});
    free(file);
    (void)!scribes[data[0] % SCRIBES]->resume(NULL, (struct ras_bytes){data + 1, size - 1}, 1,
                                              &last, took_nothing, NULL, NULL);
    return 0;
}
