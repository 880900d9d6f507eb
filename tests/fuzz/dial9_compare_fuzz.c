/* dial9_compare_fuzz.c - two dial9 streams of any bytes, compared. */
#include "compare.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const paths[] = {"*", "v", "Ev", "f10.k", "f14[0]"};
    const struct ras_options open = {.format = "dial9"};
    const struct ras_tolerance near = {"*", 2};
    struct ras_bytes a, b;
    uint8_t *edited, choice = size ? bytes[size - 1] : 0;
    fuzz_halves(bytes, size, &a, &b, &edited);
    const struct ras_compare_options how = {.choices = &(struct ras_choice){"time", choice & 2},
                                            .choice_count = choice & 1,
                                            .tolerances = &near,
                                            .tolerance_count = choice >> 2 & 1,
                                            .ignored = &paths[(choice >> 4) % 5],
                                            .ignored_count = choice >> 3 & 1};
    fuzz_compare_halves(a, b, &open, &how);
    free(edited);
    return 0;
}
