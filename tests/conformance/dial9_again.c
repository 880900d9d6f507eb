/* dial9_again.c - decode dial9 streams and encode them again:
 *
 *   dial9_again full|seed (INPUT OUTPUT)... */
#include "../unit/again.h"

#include <stdio.h>

static uint8_t *read_all(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = NULL;
    if (file && fseek(file, 0, SEEK_END) == 0) {
        long end = ftell(file);
        bytes = end >= 0 ? malloc((size_t)end + 1) : NULL;
        rewind(file);
        *size = bytes ? fread(bytes, 1, (size_t)end, file) : 0;
    }
    if (file)
        fclose(file);
    return bytes;
}

static int write_again(const char *from, const char *to, enum ras_dial9_dialect dialect,
                       struct ras_error *err)
{
    struct ras_dial9_writer_options options = {.dialect = dialect};
    struct ras_dial9_writer *w;
    struct ras_sink *sink;
    size_t size;
    uint8_t *bytes = read_all(from, &size);
    if (!bytes)
        return -1;
    int status = ras_sink_file(&sink, to, false, err); /* never over an input */
    if (status == RAS_OK) {
        status = ras_dial9_writer_open(&w, sink, &options, err);
        if (status == RAS_OK) {
            status = again(w, bytes, size, dialect, err);
            int closed = ras_dial9_writer_close(w, err);
            status = status == RAS_END ? closed : status;
        }
        if (status == RAS_OK)
            status = ras_sink_close(sink, err);
        else
            ras_sink_drop(sink);
    }
    free(bytes);
    return status;
}

int main(int argc, char **argv)
{
    int failed = 0;
    if (argc < 2 || argc % 2)
        return 2;
    for (int i = 2; i < argc; i += 2) {
        struct ras_error err = {.text = "cannot be read"};
        bool seed = !strcmp(argv[1], "seed");
        if (write_again(argv[i], argv[i + 1], seed ? RAS_DIAL9_SEED : RAS_DIAL9_FULL, &err) < 0) {
            printf("%s: %s\n", argv[i], err.text);
            failed++;
        }
    }
    return failed > 0;
}
