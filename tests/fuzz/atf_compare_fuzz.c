/* atf_compare_fuzz.c - two ATF sessions of any bytes, compared: lone files, or the files of a
 * session separated by a mark. */
#include "compare.h"

enum { PARTS = 5 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static int open_half(struct ras_trace **t, struct ras_bytes half)
{
    static const char *const names[PARTS] = {"thread_0/index.atf", "thread_0/detail.atf",
                                             "manifest.json", "thread_1/index.atf",
                                             "thread_1/detail.atf"};
    struct ras_part parts[PARTS] = {{0}};
    const struct ras_options open = {.format = "atf"};
    size_t count = 0;
    if (!half.len || !memmem(half.at, half.len, "#next#", 6))
        return ras_open_memory(t, half.at, half.len, &open, NULL);
    while (count < PARTS) {
        const uint8_t *mark = count + 1 < PARTS ? memmem(half.at, half.len, "#next#", 6) : NULL;
        size_t length = mark ? (size_t)(mark - half.at) : half.len;
        parts[count] = (struct ras_part){names[count], {half.at, length}};
        count++;
        if (!mark)
            break;
        half.at = mark + 6;
        half.len -= length + 6;
    }
    return ras_open_parts(t, parts, count, &open, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const paths[] = {"detail", "detail.rdi", "call_depth", "function"};
    struct ras_bytes a, b;
    struct ras_trace *x, *y = NULL;
    uint8_t *edited, choice = size ? bytes[size - 1] : 0;
    fuzz_halves(bytes, size, &a, &b, &edited);
    const struct ras_compare_options how = {.choices = &(struct ras_choice){"profile", 0},
                                            .choice_count = choice & 1,
                                            .ignored = &paths[choice >> 2 & 3],
                                            .ignored_count = choice >> 1 & 1};
    if (open_half(&x, a) == RAS_OK && open_half(&y, b) == RAS_OK)
        fuzz_compare(x, y, &how);
    ras_close(x);
    ras_close(y);
    free(edited);
    return 0;
}
