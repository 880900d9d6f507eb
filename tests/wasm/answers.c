/* answers.c - the native answers of a view, for comparison with those of the module.
 *
 * answers NAME FILE PATH [FILE PATH...] [-- NAME FILE PATH...]
 *
 * Opens the files from memory under these paths, as a page does. A line of standard input is
 * GET|POST URI BODY-IN-HEX; the answer is `STATUS TYPE SIZE` and its bytes, after the work that the
 * request began is done. A side that cannot be opened is `error: ...`. */
#include <rastrum/gpu.h>
#include <rastrum/view.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Answers that may take only so long are as long as they can be, however busy the machine is: time
 * stands still, here and for the module. */
uint64_t __wrap_os_boot_ns(void);
uint64_t __wrap_os_boot_ns(void)
{
    return 1;
}

enum { PARTS_MAX = 4096, LINE_MAX_SIZE = 1 << 20 };
static const uint64_t memory_bytes = UINT64_C(256) << 20;

static struct ras_bytes file_bytes(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END))
        exit(2);
    size_t size = (size_t)ftell(file);
    uint8_t *at = malloc(size + 1);
    rewind(file);
    if (!at || fread(at, 1, size, file) != size)
        exit(2);
    fclose(file);
    return (struct ras_bytes){at, size};
}

static void finish(struct ras_view *view)
{
    struct ras_error err;
    while (ras_view_step(view, 8, &err) == RAS_OK)
        ;
}

static int digit(char c)
{
    return c <= '9' ? c - '0' : c - 'a' + 10;
}

static void answer(struct ras_view *view, char *line)
{
    char *uri = strchr(line, ' ') + 1, *body = strchr(uri, ' ');
    *body++ = 0;
    size_t size = strlen(body) / 2;
    for (size_t i = 0; i < size; i++)
        body[i] = (char)(digit(body[2 * i]) << 4 | digit(body[2 * i + 1]));
    struct ras_answer a;
    struct ras_error err;
    int status = ras_view_answer_uri(view, line[0] == 'P', uri, strlen(uri),
                                     (struct ras_bytes){(uint8_t *)body, size}, &a, &err);
    if (status < 0) {
        printf("%d - 0\n", status);
    } else {
        printf("%d %s %zu\n", a.status, a.type, a.bytes.len);
        fwrite(a.bytes.at, 1, a.bytes.len, stdout);
    }
    fflush(stdout);
    finish(view);
}

int main(int argc, char **argv)
{
    static struct ras_part parts[PARTS_MAX];
    static char line[LINE_MAX_SIZE];
    const struct ras_view_options options = {.struct_size = sizeof options,
                                             .gpu = ras_gpu(),
                                             .memory_bytes = memory_bytes,
                                             .no_threads = true};
    struct ras_view *view;
    struct ras_error err;
    if (ras_view_open(&view, &options, &err) < 0)
        return 2;
    for (int i = 1; i < argc; i++) {
        const char *name = argv[i++];
        size_t count = 0, first = (size_t)(i - 1);
        for (; i + 1 < argc && strcmp(argv[i], "--") != 0; i += 2)
            parts[first + count++] = (struct ras_part){argv[i + 1], file_bytes(argv[i])};
        int status = ras_view_add_parts(view, name, parts + first, count, NULL, &err);
        if (status < 0)
            printf("error: %s\n", err.text);
    }
    finish(view);
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        answer(view, line);
    }
    ras_view_close(view);
    for (size_t i = 0; i < PARTS_MAX; i++)
        free((void *)(uintptr_t)parts[i].bytes.at);
    return 0;
}
