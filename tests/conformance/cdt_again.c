/* cdt_again.c - a CDT trace decoded and written again: cdt_again STYLE IN OUT
 *
 * STYLE is python or zig: every struct typed and encoded again, as that producer would
 * write it; or raw: the bytes of each row handed on. The chunks are as long as in IN. */
#include <rastrum/cdt.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int complain(const char *path, const struct ras_error *err)
{
    fprintf(stderr, "cdt_again: %s: %s\n", path, err->text);
    return 1;
}

static uint8_t *slurp(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = NULL;
    long end;
    if (file && fseek(file, 0, SEEK_END) == 0 && (end = ftell(file)) >= 0 &&
        (bytes = malloc((size_t)end + 1))) {
        rewind(file);
        *size = fread(bytes, 1, (size_t)end, file);
    }
    if (file)
        fclose(file);
    return bytes;
}

static int copy_blocks(struct ras_cdt *in, struct ras_cdt_writer *out, bool raw,
                       struct ras_error *err)
{
    const struct ras_cdt_trace_footer *footer = ras_cdt_footer(in);
    int status = RAS_OK;
    for (size_t i = 0; footer && i < footer->tick_blocks.count && status == RAS_OK; i++) {
        const struct ras_cdt_tick_block *block;
        status = ras_cdt_block_at(in, (uint64_t)footer->tick_blocks.at[i].file_offset, &block, err);
        for (size_t k = 0; status == RAS_OK && k < block->ticks.count; k++) {
            const struct ras_cdt_tick_record *tick = &block->ticks.at[k];
            struct ras_bytes bytes = {ras_cdt_payload(in).at + tick->node.at, tick->node.length};
            status =
                raw ? ras_cdt_writer_raw(out, bytes, err) : ras_cdt_writer_tick(out, tick, err);
        }
        if (status == RAS_OK)
            status = ras_cdt_writer_flush(out, err);
    }
    return status;
}

static int copy(struct ras_cdt *in, struct ras_sink *sink, const char *style, struct ras_error *err)
{
    struct ras_cdt_writer *out;
    struct ras_cdt_writer_options options = {
        .style = strcmp(style, "zig") == 0 ? RAS_CDT_ZIG : RAS_CDT_PYTHON,
        .chunk_ticks = UINT32_MAX,
    };
    int status = ras_cdt_writer_open(&out, sink, ras_cdt_meta(in), &options, err);
    if (status < 0)
        return status;
    status = copy_blocks(in, out, strcmp(style, "raw") == 0, err);
    if (status == RAS_OK)
        return ras_cdt_writer_close(out, err);
    ras_cdt_writer_drop(out);
    return status;
}

int main(int argc, char **argv)
{
    struct ras_error err = {.text = "cannot be read"};
    struct ras_cdt *in;
    struct ras_sink *sink;
    size_t size = 0;
    if (argc != 4)
        return 2;
    uint8_t *bytes = slurp(argv[2], &size);
    if (!bytes || ras_cdt_open(&in, bytes, size, NULL, &err) < 0)
        return complain(argv[2], &err);
    if (ras_sink_file(&sink, argv[3], true, &err) < 0)
        return complain(argv[3], &err);
    int status = copy(in, sink, argv[1], &err);
    if (status == RAS_OK)
        status = ras_sink_close(sink, &err);
    else
        ras_sink_drop(sink);
    ras_cdt_close(in);
    free(bytes);
    return status < 0 ? complain(argv[3], &err) : 0;
}
