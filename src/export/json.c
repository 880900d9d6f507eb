/* json.c - the public writer of JSON, to a sink or a callback. */
#include "base/error.h"
#include "codec/json_write.h"
#include "export/exporter.h"

#include <stdlib.h>

struct ras_json {
    struct json json;
    struct out out;
    struct ras_sink *sink;
    bool (*write)(void *user, const void *bytes, size_t size);
    void *user;
    const char *misuse; /* the first; NULL: none */
    struct ras_error err;
};

static bool drain(void *user, const uint8_t *bytes, size_t size)
{
    struct ras_json *j = user;
    if (j->sink)
        return ras_sink_write(j->sink, bytes, size, &j->err) == RAS_OK;
    if (j->write(j->user, bytes, size))
        return true;
    fail(&j->err, RAS_EIO, RAS_NONE, "the JSON text cannot be written");
    return false;
}

static int open_writer(struct ras_json **out, const struct ras_json *as, unsigned style,
                       struct ras_error *err)
{
    struct ras_json *j = *out = malloc(sizeof *j);
    if (!j)
        return fail_memory(err);
    *j = *as;
    j->out = (struct out){.drain = drain, .user = j};
    j->json = json_start(&j->out, style);
    return RAS_OK;
}

int ras_json_open(struct ras_json **out, struct ras_sink *sink, unsigned style,
                  struct ras_error *err)
{
    return open_writer(out, &(struct ras_json){.sink = sink}, style, err);
}

int ras_json_open_callback(struct ras_json **out,
                           bool (*write)(void *user, const void *bytes, size_t size), void *user,
                           unsigned style, struct ras_error *err)
{
    return open_writer(out, &(struct ras_json){.write = write, .user = user}, style, err);
}

void ras_json_flush(struct ras_json *j)
{
    if (j)
        out_flush(&j->out);
}

int ras_json_close(struct ras_json *j, struct ras_error *err)
{
    int status = RAS_OK;
    if (!j)
        return fail_memory(err);
    out_flush(&j->out);
    if (j->json.depth && !j->misuse)
        j->misuse = "an object or array is not closed";
    if (j->misuse)
        status = fail(err, RAS_EUSAGE, RAS_NONE, "ras_json: %s", j->misuse);
    else if (j->err.status)
        status = fail(err, j->err.status, j->err.offset, "%s", j->err.text);
    else if (j->out.failed)
        status = fail_memory(err);
    out_free(&j->out);
    free(j);
    return status;
}

/* The writer for one value; its key is checked first. */
static struct json *value(struct ras_json *j, const char *key)
{
    if (!j)
        return NULL;
    bool map = j->json.depth && json_in_object(&j->json, j->json.depth - 1);
    if (map != (key != NULL) && !j->misuse)
        j->misuse = map ? "a value in an object has no key" : "a key is outside of an object";
    return j->misuse ? NULL : &j->json;
}

struct json *json_of(struct ras_json *j)
{
    return j && !j->misuse ? &j->json : NULL;
}

/* A complete document is flushed at once. */
static void flush_document(struct ras_json *j)
{
    if (!j->json.depth)
        out_flush(&j->out);
}

#define PUT(call)                                                                                  \
    struct json *to = value(j, key);                                                               \
    if (to) {                                                                                      \
        call;                                                                                      \
        flush_document(j);                                                                         \
    }

void ras_json_object(struct ras_json *j, const char *key)
{
    PUT(json_object(to, key))
}

void ras_json_array(struct ras_json *j, const char *key)
{
    PUT(json_array(to, key))
}

void ras_json_end(struct ras_json *j)
{
    if (!j || j->misuse)
        return;
    if (!j->json.depth) {
        j->misuse = "there is nothing to close";
        return;
    }
    json_close(&j->json);
    flush_document(j);
}

void ras_json_text(struct ras_json *j, const char *key, const char *text)
{
    PUT(json_text(to, key, text))
}

void ras_json_string(struct ras_json *j, const char *key, const void *bytes, size_t size)
{
    PUT(json_string(to, key, bytes, size))
}

void ras_json_uint(struct ras_json *j, const char *key, uint64_t number)
{
    PUT(json_uint(to, key, number))
}

void ras_json_uint_or_null(struct ras_json *j, const char *key, uint64_t number)
{
    PUT(json_uint_or_null(to, key, number))
}

void ras_json_int(struct ras_json *j, const char *key, int64_t number)
{
    PUT(json_int(to, key, number))
}

void ras_json_double(struct ras_json *j, const char *key, double number)
{
    PUT(json_f64(to, key, number))
}

void ras_json_bool(struct ras_json *j, const char *key, bool truth)
{
    PUT(json_bool(to, key, truth))
}

void ras_json_null(struct ras_json *j, const char *key)
{
    PUT(json_null(to, key))
}

void ras_json_hex(struct ras_json *j, const char *key, uint64_t number, unsigned digits)
{
    PUT(json_hex(to, key, number, digits))
}

void ras_json_blob(struct ras_json *j, const char *key, const void *bytes, size_t size)
{
    PUT(json_blob(to, key, bytes, size))
}

void ras_json_cell(struct ras_json *j, const char *key, const struct ras_value *cell,
                   unsigned flags)
{
    PUT(json_cell(to, key, cell, flags))
}

void ras_json_raw(struct ras_json *j, const char *key, const void *text, size_t size)
{
    PUT(json_raw(to, key, text, size))
}

struct ras_sink *ras_json_sink(struct ras_json *j, const char *key)
{
    PUT(json_raw(to, key, "", 0))
    ras_json_flush(j);
    return j ? j->sink : NULL;
}

void ras_json_line(struct ras_json *j, unsigned indent)
{
    if (j)
        json_line(&j->json, indent);
}

void ras_json_newline(struct ras_json *j)
{
    if (!j)
        return;
    json_newline(&j->json);
    flush_document(j);
}
