/* say.c - messages on standard error: errors, notes, endings. */
#include "cli/say.h"
#include "cli/command.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *shown_path(const char *path)
{
    return strcmp(path, "-") ? path : "standard input";
}

const char *slash_between(const char *path, const char *part)
{
    size_t len = strlen(path);
    return *part && len && path[len - 1] != '/' ? "/" : "";
}

void say_line(const char *before, const char *text)
{
    fflush(stdout);
    progress_hold();
    fputs(before, stderr);
    for (size_t len = strlen(text); len;) {
        char escape[RAS_ESCAPE_SIZE];
        size_t plain = ras_plain_prefix(text, len);
        fwrite(text, 1, plain, stderr);
        text += plain;
        len -= plain;
        if (!len)
            break;
        size_t size = ras_plain_escape(escape, text, len);
        fputs(escape, stderr);
        text += size;
        len -= size;
    }
    fputc('\n', stderr);
    progress_release();
}

static void put_line(const char *fmt, va_list args)
{
    char line[8192];
    vsnprintf(line, sizeof line, fmt, args);
    say_line("rastrum: ", line);
}

int trouble(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    put_line(fmt, args);
    va_end(args);
    return EXIT_TROUBLE;
}

/* A hint which options help. */
static const char *hint_for(const struct ras_error *err)
{
    if (err->os_errno == EEXIST)
        return "; --force replaces it";
    if (err->about == RAS_ABOUT_NO_RECIPE)
        return "; use --world FILE.so or --world-recipe FILE";
    return "";
}

const char *text_of(const struct ras_error *err)
{
    return *err->text ? err->text : ras_status_text(err->status);
}

int trouble_with(const struct ras_error *err)
{
    return trouble("%s%s", text_of(err), hint_for(err));
}

int trouble_at(const char *path, const struct ras_error *err)
{
    if (err->offset == RAS_NONE)
        return trouble("%s: %s%s", shown_path(path), text_of(err), hint_for(err));
    return trouble("%s: offset %" PRIu64 ": %s", shown_path(path), err->offset, text_of(err));
}

int only_for(const char *verb, const char *formats, const char *path, const struct ras_trace *trace,
             const char *command, ...)
{
    char next[400];
    const char *label = ras_format_of(trace)->label;
    va_list args;
    va_start(args, command);
    vsnprintf(next, sizeof next, command, args);
    va_end(args);
    return trouble("%s: %s supports %s only (this is %s %s): %s", shown_path(path), verb, formats,
                   strchr("AEIOUaeiou", *label) ? "an" : "a", label, next);
}

void remark(bool quiet, const char *fmt, ...)
{
    if (quiet)
        return;
    va_list args;
    va_start(args, fmt);
    put_line(fmt, args);
    va_end(args);
}

/* Name traces of other formats that the answer leaves out. */
static void say_say_carried(const char *path, const struct ras_trace *trace, bool quiet)
{
    size_t count = 0;
    const char *first = ras_carried_name(trace, 0);
    if (!first || quiet)
        return;
    while (count < 1000 && ras_carried_name(trace, count))
        count++;
    char more[40] = "";
    if (count > 1)
        snprintf(more, sizeof more, " (and %zu more)", count - 1);
    remark(quiet, "%s%s%s%s: a separate trace, not included here; give its path to read it",
           shown_path(path), slash_between(path, first), first, more);
}

int say_ending(const char *path, const struct ras_trace *trace, const struct ras_ending *e,
               bool quiet)
{
    say_say_carried(path, trace, quiet);
    return say_end(path, trace, e, quiet);
}

int say_end(const char *path, const struct ras_trace *trace, const struct ras_ending *e, bool quiet)
{
    struct ras_ending missing = ras_missing(trace); /* also if the trace was not read to its end */
    const struct ras_ending *worst = missing.kind > e->kind ? &missing : e;
    return say_ending_of(path, ras_part_name(trace, worst->part), worst, quiet);
}

int say_ending_of(const char *path, const char *part, const struct ras_ending *e, bool quiet)
{
    if (e->kind <= RAS_COMPLETE)
        return EXIT_YES;
    const char *slash = slash_between(path, part);
    if (e->kind == RAS_UNSEALED) {
        remark(quiet, "%s%s%s: offset %" PRIu64 ": unsealed, but every record is complete: %s",
               shown_path(path), slash, part, e->offset, e->why);
        return EXIT_YES;
    }
    /* Loss is reported even with --quiet: it is part of the answer, not a note. */
    trouble("%s%s%s: offset %" PRIu64 ": %s: %s", shown_path(path), slash, part, e->offset,
            ras_ending_name(e->kind), e->why);
    return EXIT_LOSS;
}
