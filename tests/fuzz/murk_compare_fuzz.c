/* murk_compare_fuzz.c - two Murk replays of any bytes, compared. */
#include "compare.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const paths[] = {"header", "commands[*].coord", "commands[*].*",
                                        "snapshot_hash", "commands"};
    const struct ras_options open = {.format = "murk"};
    const struct ras_tolerance near = {"commands[*].value", 2};
    struct ras_bytes a, b;
    uint8_t *edited, choice = size ? bytes[size - 1] : 0;
    fuzz_halves(bytes, size, &a, &b, &edited);
    const struct ras_compare_options how = {.choices = &(struct ras_choice){"hash-only", 0},
                                            .choice_count = (choice & 3) == 3,
                                            .paranoid = choice & 1,
                                            .has_first = choice >> 1 & 1,
                                            .first = 2,
                                            .tolerances = &near,
                                            .tolerance_count = choice >> 2 & 1,
                                            .ignored = &paths[(choice >> 4) % 5],
                                            .ignored_count = choice >> 3 & 1};
    fuzz_compare_halves(a, b, &open, &how);
    free(edited);
    return 0;
}
