/* json_fuzz.c - any text: tokens stay inside, texts and numbers follow, skipping agrees. */
#include "codec/json_read.h"
#include "codec/utf8.h"

#include <math.h>
#include <stdlib.h>

static void require(bool fact)
{
    if (!fact)
        __builtin_trap();
}

static void text(const struct json_read *in, const struct json_token *token)
{
    struct json_read probe = *in;
    uint8_t *room = malloc(token->span.len + 1);
    size_t len;
    if (json_read_text(&probe, token, room, token->span.len, &len)) {
        require(len <= token->span.len);
        require(utf8_check(room, len, NULL));
        require(json_text_is(token, (const char *)room, len));
    } else {
        require(token->escaped && probe.fault == JSON_INVALID);
    }
    free(room);
}

static void number(const struct json_token *token)
{
    uint64_t u;
    int64_t i;
    double f = 0;
    bool finite = json_f64_of(token, &f);
    require(!finite || isfinite(f));
    if (json_u64_of(token, &u))
        require(finite && f == (double)u);
    if (json_i64_of(token, &i))
        require(finite && f == (double)i);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct json_read in = json_read_bytes((struct ras_bytes){data, size}), whole = in;
    struct json_token token;
    json_read_next(&whole, &token);
    bool skipped = json_read_skip(&whole, &token);
    long level = 0;
    do {
        json_read_next(&in, &token);
        require(token.span.at >= data && token.span.at + token.span.len <= data + size);
        level += token.kind == JSON_ARRAY || token.kind == JSON_OBJECT;
        level -= token.kind == JSON_ARRAY_END || token.kind == JSON_OBJECT_END;
        require(token.kind == JSON_BAD || level == (long)in.depth);
        if (token.kind == JSON_STRING || token.kind == JSON_KEY)
            text(&in, &token);
        else if (token.kind == JSON_NUMBER)
            number(&token);
    } while (level && token.kind != JSON_BAD);
    require(skipped == (token.kind != JSON_BAD));
    require(in.at == whole.at && in.fault == whole.fault && in.fault_at == whole.fault_at);
    require(json_read_next(&in, &token) == JSON_END || in.fault != JSON_FINE);
    require(in.fault_at <= size && (in.fault == JSON_FINE) == !*in.why);
    return 0;
}
