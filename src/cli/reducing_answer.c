/* reducing_answer.c - the smallest trace that fails, and what is told of it. */
#include "cli/reducing.h"
#include "cli/rewriting.h"

#include <inttypes.h>
#include <string.h>

static uint64_t size_of(const char *path)
{
    struct ras_trace *t;
    uint64_t size = ras_open(&t, path, NULL, NULL) == RAS_OK ? ras_size(t) : 0;
    ras_close(t);
    return size;
}

static void reduce_put_text(struct answer *a, const struct ras_reduced *r)
{
    answer_path(a, r->out, "");
    answer_format(a, ": %" PRIu64 " of %s, %" PRIu64 " of %s", r->records_to,
                  ras_counted(r->records_from, "record").text, r->bytes_to,
                  ras_counted(r->bytes_from, "byte").text);
    for (size_t i = 0; i < r->kept->kept_count; i++) {
        answer_format(a, i ? ", " : " (");
        answer_count(a, &r->kept->kept[i]);
    }
    answer_format(a, "%s; %s, %s\n", r->kept->kept_count ? ")" : "",
                  ras_counted(r->tests, "test").text, r->status);
}

static int reduce_put_answer(const struct reducing *r, const struct ras_reduced *done)
{
    struct common common = *r->common;
    struct answer answer;
    struct ras_error err;
    common.out = NULL; /* the trace is there; the report goes to standard output */
    int status = answer_open(&answer, &common);
    if (status)
        return status;
    if (!common.json)
        reduce_put_text(&answer, done);
    else if (ras_json_reduced(answer.sink, r->path, r->trace, done, &err) < 0)
        status = trouble_with(&err);
    answer_flush(&answer);
    int lost = say_ending(r->path, r->trace, &done->kept->ending, common.quiet);
    return answer_close(&answer, worse(status, lost));
}

int reducing_finish(struct reducing *r)
{
    struct ras_reduce_state s = ras_reduce_state(r->reduce);
    struct ras_rewritten *kept;
    struct ras_error err;
    const char *out = r->common->out;
    const struct ras_rewrite_options how = {.path = out, .replace = r->common->force || r->resumed};
    int status = ras_reduce_write(r->reduce, NULL, &how, &kept, &err);
    if (status != RAS_OK)
        return status < 0 ? output_trouble(r->common, &err) : trouble("%s: no record is left", out);
    struct ras_reduced done = {.out = out,
                               .status = r->caught    ? "interrupted"
                                         : r->minimal ? "minimal"
                                                      : "stopped",
                               .records_from = s.records,
                               .bytes_from = ras_size(r->trace),
                               .bytes_to = size_of(out),
                               .tests = r->tests,
                               .failed = r->failed,
                               .timed_out = r->timed_out,
                               .resumed = r->resumed,
                               .kept = kept};
    for (size_t i = 0; i < kept->kept_count; i++)
        done.records_to += kept->kept[i].records;
    status = reduce_put_answer(r, &done);
    if (!r->minimal)
        remark(r->common->quiet, "%s: not minimal; the same command resumes from %s", out,
               r->journal.path);
    ras_rewritten_free(kept);
    return status;
}
