/* mcp_fuzz.c - any lines to a server over the goldens: each answer is one line of valid JSON of at
 * most the size of a message or a picture. */
#include "codec/json_read.h"
#include "fuzz.h"
#include "mcp/mcp.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { LINES_MOST = 16, ANSWER_MOST = 3 << 20 };

static void check_line(struct ras_bytes answer)
{
    struct json_read in = json_read_bytes(answer);
    struct json_token token;
    enum json_kind kind;
    if (answer.len > ANSWER_MOST)
        fuzz_wrong("an answer of %zu bytes", answer.len);
    if (memchr(answer.at, '\n', answer.len))
        fuzz_wrong("an answer of two lines");
    while ((kind = json_read_next(&in, &token)) != JSON_END)
        if (kind == JSON_BAD)
            fuzz_wrong("not JSON at %zu (%s): %.*s", in.fault_at, in.why, (int)answer.len,
                       (const char *)answer.at);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const roots[] = {GOLDEN_DIR "/murk", GOLDEN_DIR "/atf"};
    const struct mcp_options how = {.roots = roots, .root_count = 2};
    struct mcp *mcp;
    struct ras_error err;
    if (mcp_open(&mcp, &how, &err) < 0)
        fuzz_wrong("%s", err.text);
    for (int i = 0; size && i < LINES_MOST; i++) {
        const uint8_t *end = memchr(bytes, '\n', size);
        size_t len = end ? (size_t)(end - bytes) : size;
        struct ras_bytes answer = mcp_answer(mcp, (struct ras_bytes){bytes, len});
        if (answer.len)
            check_line(answer);
        bytes += len + (end != NULL);
        size -= len + (end != NULL);
    }
    mcp_close(mcp);
    return 0;
}
