/* aerogpu_scene.c - GPU commands in words, for lists of the commands of a frame. */
#include "core/row.h"
#include "formats/aerogpu/aerogpu_driver.h"
#include "ops/scene/scene_driver.h"

/* What a command does, with fields in braces; {color} is that of a clear. Of several rows with one
 * name the first counts whose fields are all there: the two dialects share some names. */
static const struct aero_words {
    const char *name, *text;
} aero_words[] = {
    {"UPLOAD_BUFFER", "buffer {buffer_id}, {data_len_bytes} bytes, blob {blob_id}"},
    {"CREATE_BUFFER", "buffer {buffer_id}, {size_bytes} bytes"},
    {"CREATE_BUFFER", "buffer {buffer_handle}, {size_bytes} bytes"},
    {"CREATE_SHADER", "shader {shader_id}, {stage}"},
    {"CREATE_SHADER_DXBC", "shader {shader_handle}, {stage}, {dxbc_size_bytes} bytes"},
    {"CREATE_PIPELINE", "pipeline {pipeline_id}, shaders {vs_shader_id} and {fs_shader_id}"},
    {"SET_PIPELINE", "pipeline {pipeline_id}"},
    {"SET_VERTEX_BUFFER", "buffer {buffer_id}, stride {stride_bytes}"},
    {"SET_VIEWPORT", "{width_px} \303\227 {height_px}"},
    {"SET_VIEWPORT", "{width} \303\227 {height} at {x}, {y}"},
    {"SET_SCISSOR", "{width} \303\227 {height} at {x}, {y}"},
    {"CLEAR", "{color}"},
    {"DRAW", "{vertex_count} vertices from {first_vertex}, {instance_count} instances"},
    {"DRAW", "{vertex_count} vertices from {first_vertex}"},
    {"DRAW_INDEXED", "{index_count} indices from {first_index}, {instance_count} instances"},
    {"DISPATCH", "{group_count_x} \303\227 {group_count_y} \303\227 {group_count_z} groups"},
    {"PRESENT", "scanout {scanout_id}"},
    {"PRESENT_EX", "scanout {scanout_id}"},
    {"CREATE_TEXTURE2D", "texture {texture_handle}, {width} \303\227 {height}, {format}"},
    {"UPLOAD_RESOURCE", "resource {resource_handle}, {size_bytes} bytes at {offset_bytes}"},
    {"RESOURCE_DIRTY_RANGE", "resource {resource_handle}, {size_bytes} bytes at {offset_bytes}"},
    {"DESTROY_RESOURCE", "resource {resource_handle}"},
    {"COPY_BUFFER", "{src_buffer} to {dst_buffer}, {size_bytes} bytes"},
    {"COPY_TEXTURE2D", "{src_texture} to {dst_texture}, {width} \303\227 {height}"},
    {"BIND_SHADERS", "vertex {vs}, pixel {ps}"},
    {"SET_RENDER_TARGETS", "colors {colors}, depth {depth_stencil}"},
    {"SET_PRIMITIVE_TOPOLOGY", "{topology}"},
    {"SET_TEXTURE", "{shader_stage} slot {slot}: texture {texture}"},
    {"SET_INPUT_LAYOUT", "layout {input_layout_handle}"},
    {"SET_INDEX_BUFFER", "buffer {buffer}, {format}"},
    {"DEBUG_MARKER", "{marker}"},
};
enum { WORDS_LISTED = 6, WORDS_TEXT = 80 };

/* 23,760. */
static void put_grouped(struct out *out, uint64_t value)
{
    char digits[24];
    int len = snprintf(digits, sizeof digits, "%" PRIu64, value);
    for (int i = 0; i < len; i++) {
        if (i && (len - i) % 3 == 0)
            out_byte(out, ',');
        out_byte(out, (uint8_t)digits[i]);
    }
}

static void put_word(struct out *out, const struct ras_value *v)
{
    double number;
    if (v->kind == RAS_UINT || (v->kind == RAS_INT && v->i >= 0)) {
        put_grouped(out, v->u);
    } else if (v->kind == RAS_STR) {
        out_bytes(out, v->at, v->count < WORDS_TEXT ? v->count : WORDS_TEXT);
    } else if (v->kind == RAS_BLOB) {
        out_text(out, ras_counted(v->count, "byte").text);
    } else if (v->kind == RAS_LIST) {
        const struct ras_value *item = v + 1;
        for (uint32_t i = 0; item < v + 1 + v->count && i < WORDS_LISTED; i++) {
            out_text(out, i ? ", " : "");
            if (item->kind == RAS_LIST || item->kind == RAS_MAP)
                out_text(out, "...");
            else
                put_word(out, item);
            item = ras_value_next(item);
        }
    } else if (scene_number(v, &number)) {
        out_format(out, "%.6g", number);
    } else {
        out_text(out, v->kind == RAS_MAP ? "..." : "none");
    }
}

/* "#0e0f12"; false: the command has no color. */
static bool put_clear_color(struct out *out, const struct ras_value *fields)
{
    static const char *const channels[] = {"r", "g", "b"};
    const struct ras_value *row = map_find(fields, "color_rgba");
    double parts[3];
    for (unsigned i = 0; i < 3; i++) {
        const struct ras_value *v =
            row && row->kind == RAS_LIST && row->count > i ? row + 1 + i : NULL;
        if (!scene_number(v ? v : map_find(fields, channels[i]), &parts[i]))
            return false;
        parts[i] = parts[i] > 0 ? parts[i] < 1 ? parts[i] : 1 : 0;
    }
    out_format(out, "#%02x%02x%02x", (unsigned)(parts[0] * 255 + .5),
               (unsigned)(parts[1] * 255 + .5), (unsigned)(parts[2] * 255 + .5));
    return true;
}

/* A field, by the name of its code where it has one. */
static const struct ras_value *named_field(const struct ras_value *fields, const char *text,
                                           size_t len)
{
    char name[48];
    snprintf(name, sizeof name, "%.*s_name", (int)len, text);
    const struct ras_value *v = map_find(fields, name);
    name[len < sizeof name ? len : sizeof name - 1] = 0;
    return v && v->kind != RAS_NULL ? v : map_find(fields, name);
}

/* False, and nothing is added: a field is not there. */
static bool put_words(struct out *out, const char *text, const struct ras_value *fields)
{
    size_t begin = out->len;
    while (*text) {
        size_t plain = strcspn(text, "{");
        out_bytes(out, text, plain);
        text += plain;
        if (!*text)
            break;
        size_t len = strcspn(++text, "}");
        const struct ras_value *v = named_field(fields, text, len);
        bool put = v || (!strncmp(text, "color}", 6) && put_clear_color(out, fields));
        text += len + 1;
        if (!put) {
            out->len = begin;
            return false;
        }
        if (v)
            put_word(out, v);
    }
    return true;
}

static bool ends_with(const struct ras_value *key, const char *suffix)
{
    size_t len = strlen(suffix);
    return key->count >= len && !memcmp((const char *)key->at + key->count - len, suffix, len);
}

/* The first fields with their names, but for the halves and bits that others are made of. */
static void put_all_fields(struct out *out, const struct ras_value *fields)
{
    unsigned shown = 0;
    for (const struct ras_value *k = fields + 1; k < fields + 1 + fields->count;) {
        const struct ras_value *v = k + 1;
        bool left_out = k->kind != RAS_STR || ends_with(k, "_lo") || ends_with(k, "_hi") ||
                        ends_with(k, "_f32_bits") || ends_with(k, "reserved0");
        if (!left_out && shown++ < WORDS_LISTED) {
            out_text(out, shown > 1 ? ", " : "");
            out_bytes(out, k->at, k->count);
            out_byte(out, ' ');
            put_word(out, v);
        }
        k = ras_value_next(v);
    }
    out_text(out, shown > WORDS_LISTED ? ", ..." : "");
}

static void aero_scene_text(const struct ras_cursor *c, struct out *out)
{
    const struct ras_value *name = ras_value_of(c, "name"), *fields = ras_value_of(c, "fields");
    if (!fields || fields->kind != RAS_MAP || out->failed)
        return;
    for (size_t i = 0; i < sizeof aero_words / sizeof *aero_words; i++) {
        const struct aero_words *w = &aero_words[i];
        if (name && name->kind == RAS_STR && name->count == strlen(w->name) &&
            !memcmp(name->at, w->name, name->count) && put_words(out, w->text, fields))
            return;
    }
    put_all_fields(out, fields);
}

static bool aero_scene_is_draw(const struct ras_cursor *c)
{
    const struct ras_value *name = ras_value_of(c, "name");
    return name && name->kind == RAS_STR && name->count >= 4 && !memcmp(name->at, "DRAW", 4);
}

const struct scene_ops aero_scene = {
    .commands = {"command", "name", aero_scene_text, aero_scene_is_draw},
};
