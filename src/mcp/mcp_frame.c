/* mcp_frame.c - the tools about pictures: a frame as a PNG file, and the blobs that it is made of.
 */
#include "base/error.h"
#include "codec/sha256.h"
#include "codec/utf8.h"
#include "mcp/mcp_answers.h"
#include <rastrum/render.h>
#include <rastrum/aerogpu.h>
#include <rastrum/gpu.h>

#include <stdlib.h>
#include <string.h>

enum { SIDE_MOST = 2048, LISTED_MOST = 1000 };

struct shot {
    struct mcp_call *call;
    bool shown;
    int failed;
    struct ras_error err;
};

static void put_sha256(struct mcp_call *call, const uint8_t digest[RAS_SHA256_SIZE])
{
    json_blob(&call->json, "sha256", digest, RAS_SHA256_SIZE);
}

/* ---- frame ---------------------------------------------------------------------------------- */

static bool keep_picture(struct shot *s, const struct ras_picture *picture)
{
    struct ras_sink *sink = call_sink(s->call);
    if (!sink)
        return false;
    s->failed = ras_png_put(sink, picture, &s->err);
    if (s->failed >= 0) {
        struct ras_bytes png = ras_sink_bytes(sink);
        if (png.len > MCP_PICTURE_MOST)
            s->failed = fail(&s->err, RAS_ELIMIT, RAS_NONE,
                             "the picture has %zu bytes, at most %d are sent: pass a smaller size",
                             png.len, MCP_PICTURE_MOST);
        else
            out_bytes(&s->call->picture, png.at, png.len);
    }
    ras_sink_drop(sink);
    return s->failed >= 0;
}

static bool frame_shown(void *user, const struct ras_rendered *frame)
{
    struct shot *s = user;
    struct json *j = &s->call->json;
    json_uint(j, "frame", frame->frame_index);
    json_uint(j, "draws", frame->draws);
    json_uint(j, "width", frame->picture.width);
    json_uint(j, "height", frame->picture.height);
    put_sha256(s->call, frame->sha256);
    json_text(j, "backend", frame->backend);
    json_text(j, "size_from", ras_size_from_name(frame->size_from));
    if (*frame->inexact)
        json_text(j, "not_executed", frame->inexact);
    s->shown = true;
    (void)keep_picture(s, &frame->picture);
    return false;
}

static bool shot_goes_on(void *user, uint64_t done, uint64_t total)
{
    const struct shot *s = user;
    return call_goes_on(s->call, done, total);
}

/* "512x256"; false after saying why. */
static bool size_of(struct mcp_call *call, uint32_t *width, uint32_t *height)
{
    const char *text = call_text(call, "size");
    char *end;
    if (!text)
        return true;
    unsigned long w = strtoul(text, &end, 10);
    unsigned long h = *end == 'x' ? strtoul(end + 1, &end, 10) : 0;
    if (*end || !w || !h || w > SIDE_MOST || h > SIDE_MOST)
        return tool_fail(call, "size is WIDTHxHEIGHT, each from 1 to %d, not '%.40s'", SIDE_MOST,
                         text);
    *width = (uint32_t)w;
    *height = (uint32_t)h;
    return true;
}

bool tool_frame(struct mcp_call *call)
{
    const char *path = call_text(call, "path");
    const struct mcp_trace *shown = call_trace(call, path);
    struct shot s = {.call = call};
    struct ras_render result;
    struct ras_error err;
    struct ras_render_options how = {
        .struct_size = sizeof how,
        .gpu = ras_gpu(),
        .has_frame = true,
        .frame = call_number(call, "frame", 0),
        .has_draw = call_value(call, "until_draw")->given,
        .draw = call_number(call, "until_draw", 0),
        .limits = {.memory_bytes = UINT64_C(256) << 20, .side = SIDE_MOST},
        .frame_shown = frame_shown,
        .progress = shot_goes_on,
        .user = &s};
    if (!shown || !size_of(call, &how.width, &how.height))
        return false;
    if (!ras_can_render(shown->trace))
        return tool_fail(call, "%.200s has no frames to draw; info says what it has", path);
    json_object(&call->json, NULL);
    json_text(&call->json, "path", path);
    int status = ras_render(&result, shown->trace, &how, &err);
    json_close(&call->json);
    if (s.failed < 0)
        return tool_fail_with(call, path, &s.err);
    if (status < 0 && !s.shown)
        return tool_fail_with(call, path, &err);
    return s.shown || tool_fail(call,
                                "%.200s: no picture of frame %" PRIu64 "%s; stats with table "
                                "frames lists them",
                                path, how.frame, how.has_draw ? " after that draw" : "");
}

/* ---- blob ----------------------------------------------------------------------------------- */

static bool blob_has_text(struct ras_bytes data)
{
    return data.len && !memchr(data.at, 0, data.len) && utf8_check(data.at, data.len, NULL);
}

static void put_blob(struct mcp_call *call, const struct ras_aero_blob *blob)
{
    const char *kind = ras_aero_blob_kind_name(blob->kind);
    json_uint(&call->json, "blob_id", blob->blob_id);
    json_text(&call->json, "kind", kind ? kind : "unknown");
    json_uint(&call->json, "size", blob->data.len);
}

static bool put_blobs(struct mcp_call *call, struct ras_trace *trace, struct ras_error *err)
{
    struct ras_aero_blob blob;
    uint64_t offset;
    int status = RAS_OK;
    json_array(&call->json, "blobs");
    for (size_t i = 0; status == RAS_OK && i < LISTED_MOST; i++) {
        status = ras_aero_blob_at(trace, i, &blob, &offset, err);
        if (status != RAS_OK)
            break;
        json_object(&call->json, NULL);
        put_blob(call, &blob);
        json_uint(&call->json, "offset", offset);
        json_bool(&call->json, "text", blob_has_text(blob.data));
        json_close(&call->json);
    }
    json_close(&call->json);
    if (status == RAS_OK)
        json_text(&call->json, "more", "only the first 1000 are listed");
    return status >= 0;
}

static bool put_one_blob(struct mcp_call *call, const char *path, struct ras_trace *trace,
                         struct ras_error *err)
{
    struct ras_aero_blob blob;
    uint8_t digest[RAS_SHA256_SIZE];
    uint64_t id = call_number(call, "id", 0);
    int status = ras_aero_blob(trace, id, &blob, err);
    if (status < 0)
        return tool_fail_with(call, path, err);
    if (status == RAS_END)
        return tool_fail(call, "%.200s has no blob %" PRIu64 "; blob without id lists them", path,
                         id);
    put_blob(call, &blob);
    struct sha256 h = sha256_start();
    sha256_add(&h, blob.data.at, blob.data.len);
    sha256_end(&h, digest);
    put_sha256(call, digest);
    call->text_most = call->budget > 1000 ? call->budget - 600 : call->budget;
    if (blob_has_text(blob.data))
        json_string(&call->json, "text", blob.data.at, blob.data.len);
    return true;
}

bool tool_blob(struct mcp_call *call)
{
    const char *path = call_text(call, "path");
    const struct mcp_trace *shown = call_trace(call, path);
    struct ras_aero_blob blob;
    struct ras_error err;
    uint64_t offset;
    if (!shown)
        return false;
    if (ras_aero_blob_at(shown->trace, 0, &blob, &offset, &err) < 0)
        return tool_fail_with(call, path, &err);
    json_object(&call->json, NULL);
    json_text(&call->json, "path", path);
    bool fine = call_value(call, "id")->given
                    ? put_one_blob(call, path, shown->trace, &err)
                    : put_blobs(call, shown->trace, &err) || tool_fail_with(call, path, &err);
    json_close(&call->json);
    return fine;
}
