/* aerogpu_compare_fuzz.c - two AeroGPU traces, streams or tables of any bytes, compared. */
#include "compare.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* A trace, a stream and a table cannot be compared with each other. */
static bool same_shape(struct ras_bytes a, struct ras_bytes b)
{
    return a.len >= 4 && b.len >= 4 && !memcmp(a.at, b.at, 4);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const paths[] = {"packets", "packets[*].*.blob_id",
                                        "submissions[*].commands", "blobs",
                                        "submissions[*].memory_ranges[*].gpa"};
    static const char *const channels[] = {"header", "packets"};
    const struct ras_options open = {.format = "aerogpu"};
    const struct ras_tolerance near = {"packets[*].*.*", 2};
    struct ras_bytes a, b;
    uint8_t *edited, choice = size ? bytes[size - 1] : 0;
    fuzz_halves(bytes, size, &a, &b, &edited);
    const struct ras_compare_options how = {.paranoid = choice & 1,
                                            .has_last = choice >> 1 & 1,
                                            .last = 1,
                                            .channels = channels,
                                            .channel_count = (choice & 0x81) == 0x81 ? 2 : 0,
                                            .tolerances = &near,
                                            .tolerance_count = choice >> 2 & 1,
                                            .ignored = &paths[(choice >> 4) % 5],
                                            .ignored_count = choice >> 3 & 1};
    if (same_shape(a, b))
        fuzz_compare_halves(a, b, &open, &how);
    free(edited);
    return 0;
}
