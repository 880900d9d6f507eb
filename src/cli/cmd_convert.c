/* cmd_convert.c - a trace in another dialect or version of its format. */
#include "cli/environment.h"
#include "cli/rewriting.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct options {
    struct common common;
    const char *to;
    bool from_jsonl, verbose;
};

/* Standard input is looked at twice: a pipe becomes a file first. */
static int keep_input(void)
{
    char piece[65536];
    ssize_t n = 0;
    if (lseek(STDIN_FILENO, 0, SEEK_CUR) >= 0)
        return 0;
    FILE *kept = tmpfile();
    while (kept && (n = read(STDIN_FILENO, piece, sizeof piece)) > 0)
        if (fwrite(piece, 1, (size_t)n, kept) != (size_t)n)
            break;
    int status = 0;
    if (!kept || n || fflush(kept) || fseek(kept, 0, SEEK_SET) ||
        dup2(fileno(kept), STDIN_FILENO) < 0)
        status = trouble("standard input: %s", strerror(errno));
    if (kept)
        fclose(kept);
    return status;
}

/* What is read once only is kept as standard input is: a named pipe, or <(...) of a shell. */
static int take_pipe(struct common *common)
{
    struct stat st;
    const char *path = common->operands.items[0];
    if (!strcmp(path, "-") || stat(path, &st) < 0 || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))
        return 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || dup2(fd, STDIN_FILENO) < 0)
        return trouble("%s: %s", shown_path(path), strerror(errno));
    close(fd);
    common->operands.items[0] = "-";
    return 0;
}

/* A version that reading refuses goes through the bytes of the one that followed it. */
static int upgrade(const struct options *o, const char *path, struct ras_sink **bytes,
                   uint64_t *lost)
{
    struct ras_trace *t;
    struct ras_error err, why;
    const struct ras_options how = {.format = o->common.input_format, .debug = debug_options()};
    const char *name = strcmp(path, "-") ? path : "/dev/stdin";
    *bytes = NULL;
    if (name != path && keep_input())
        return EXIT_TROUBLE;
    int status = ras_open(&t, name, &how, &err);
    ras_close(t);
    if (status != RAS_EVERSION)
        return 0; /* what else is wrong is said when it is opened for good */
    if (ras_sink_memory(bytes, &why) < 0)
        return trouble("%s", why.text);
    uint64_t from;
    status = ras_upgrade(name, *bytes, &from, lost, &why);
    if (status == RAS_OK && *lost)
        trouble("%s: offset %" PRIu64 ": cut: the last %" PRIu64 " bytes are not a complete frame",
                shown_path(path), from, *lost);
    if (status == RAS_OK)
        return 0;
    ras_sink_drop(*bytes);
    *bytes = NULL;
    return trouble_at(path, status == RAS_EUNSUPPORTED ? &err : &why);
}

static int open_upgraded(struct rewriting *w, const struct options *o, struct ras_sink *bytes)
{
    struct ras_error err;
    struct ras_bytes b = ras_sink_bytes(bytes);
    w->common = &o->common;
    w->traces = calloc(1, sizeof(struct ras_trace *));
    if (!w->traces)
        return trouble("out of memory");
    if (ras_open_memory(&w->traces[0], b.at, b.len, NULL, &err) < 0)
        return trouble_at(o->common.operands.items[0], &err);
    w->count = 1;
    return 0;
}

/* ---- from JSON Lines ------------------------------------------------------------------ */

static bool convert_read_all(FILE *file, struct ras_sink *to)
{
    char piece[65536];
    size_t n;
    while ((n = fread(piece, 1, sizeof piece, file)) > 0)
        if (ras_sink_write(to, piece, n, NULL) < 0)
            return false;
    return !ferror(file);
}

/* The format is named by --to, by --input-format, or by the file's extension. */
static const char *format_named(const struct options *o, const char **dialect)
{
    const struct ras_format_about *f;
    const char *out = o->common.out, *dot = strrchr(out, '.');
    *dialect = o->common.dialect ? o->common.dialect : o->to;
    for (size_t i = 0; (f = ras_format_at(i)); i++)
        if (o->to && !strcmp(o->to, f->name)) {
            *dialect = o->common.dialect;
            return f->name;
        }
    if (o->common.input_format)
        return o->common.input_format;
    for (size_t i = 0; (f = ras_format_at(i)); i++)
        for (size_t k = 0; dot && f->extensions[k]; k++)
            if (!strcmp(dot, f->extensions[k]))
                return f->name;
    return NULL;
}

static int build(const struct options *o, struct ras_bytes text, struct answer *answer)
{
    struct ras_build_options how = {.replace = o->common.force};
    struct ras_rewritten *r;
    struct ras_error err;
    how.format = format_named(o, &how.dialect);
    if (strcmp(o->common.out, "-") != 0)
        how.path = o->common.out;
    else
        how.sink = answer->sink;
    struct progress progress;
    progress_start(&progress, &o->common, "convert", how.sink && answer->on_screen);
    int built = ras_build(&r, text, &how, &err);
    progress_stop(&progress);
    if (built < 0)
        return output_trouble(&o->common, &err);
    int status = how.sink ? EXIT_YES : rewriting_tell(&o->common, o->verbose, answer, r);
    int lost = rewriting_loss(o->common.operands.items[0], r);
    status = status ? status : lost;
    ras_rewritten_free(r);
    return status;
}

static int convert_lines(const struct options *o)
{
    const char *path = o->common.operands.items[0];
    struct common common = o->common;
    struct answer answer;
    struct ras_sink *text;
    struct ras_error err;
    FILE *file = strcmp(path, "-") ? fopen(path, "rb") : stdin;
    if (!file)
        return trouble("%s: %s", path, strerror(errno));
    if (ras_sink_memory(&text, &err) < 0)
        return trouble_with(&err);
    bool whole = convert_read_all(file, text);
    if (file != stdin)
        fclose(file);
    if (strcmp(common.out, "-") != 0)
        common.out = NULL;
    int status =
        whole ? answer_open(&answer, &common) : trouble("%s: cannot be read", shown_path(path));
    if (!status)
        status = answer_close(&answer, build(o, ras_sink_bytes(text), &answer));
    ras_sink_drop(text);
    return status;
}

static int convert_run(void *options)
{
    struct options *o = options;
    struct rewriting w = {.verbose = o->verbose};
    struct ras_sink *bytes;
    uint64_t lost = 0;
    if (o->common.operands.count != 1)
        return trouble("convert takes one trace");
    int status = output_refuse(&o->common, "converted trace");
    if (!status && o->from_jsonl)
        return convert_lines(o);
    if (!status)
        status = take_pipe(&o->common);
    if (!status)
        status = upgrade(o, o->common.operands.items[0], &bytes, &lost);
    if (status)
        return status;
    status = bytes ? open_upgraded(&w, o, bytes) : rewriting_open(&w, &o->common);
    w.how = (struct ras_rewrite_options){.target = o->to, .newest = !o->to};
    if (!status)
        status = rewriting_run(&w);
    rewriting_close(&w);
    ras_sink_drop(bytes);
    return !status && lost ? EXIT_LOSS : status;
}

static const struct option_row rows[] = {
    {"to", 0, OPTION_TEXT, "NAME", "dialect or version to write (default: the newest)", NULL,
     offsetof(struct options, to)},
    {"from-jsonl", 0, OPTION_FLAG, NULL, "read records as JSON Lines, as printed by cat", NULL,
     offsetof(struct options, from_jsonl)},
    VERBOSE_ROW(struct options, verbose),
    {0},
};

const struct command cmd_convert = {
    .name = "convert",
    .operands = "TRACE",
    .about = "write a trace in another dialect or version",
    .text = "Converts Murk v1 and v2 to v3, AeroGPU v1 to v2, CDT between zig style and python\n"
            "style, dial9 from full to seed, ATF from the production layout to that of the\n"
            "specification. Data that the target cannot hold is reported.\n\n"
            "With --from-jsonl a trace is built from records as printed by cat --format jsonl, or\n"
            "typed by hand; --to names the format, unless the extension of the output or the\n"
            "records do.\n",
    .examples = "rastrum convert old.murk -o new.murk\n"
                "rastrum convert --to seed trace.bin -o plain.trc\n"
                "rastrum convert --from-jsonl --to murk run.jsonl -o run.murk\n",
    .exits = "0 written; 2 error, or it cannot be converted; 3 written, but the source is cut\n"
             "or damaged, or something was lost",
    .rows = rows,
    .size = sizeof(struct options),
    .reads = true,
    .run = convert_run,
};
