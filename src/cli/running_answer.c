/* running_answer.c - what came of a run, as text or JSON, and what is to be said of it. */
#include "cli/playing.h"
#include "cli/session.h"

#include <inttypes.h>
#include <string.h>

static bool wrote(const struct ras_run_pen *p)
{
    return p->asked && !p->lacks;
}

static void run_put_text(struct answer *a, const char *dir, const struct ras_run *r)
{
    const char *comma = "";
    answer_format(a, "run=");
    answer_path(a, dir, "");
    answer_format(a,
                  "\nticks=%" PRIu64 " commands=%" PRIu64 " applied=%" PRIu64 " hash=0x%016" PRIx64
                  "\npens=",
                  r->ticks, r->commands, r->applied, r->hash);
    for (size_t i = 0; i < r->pen_count; i++)
        if (wrote(&r->pens[i])) {
            answer_format(a, "%s%s", comma, r->pens[i].name);
            comma = ",";
        }
    answer_format(a, "\n");
}

static void run_put_json(struct answer *a, const char *dir, const struct ras_run *r)
{
    struct ras_json *j = answer_json(a);
    ras_json_object(j, NULL);
    ras_json_text(j, "run", dir);
    ras_json_uint(j, "seed", r->seed);
    ras_json_uint(j, "ticks", r->ticks);
    ras_json_uint(j, "commands", r->commands);
    ras_json_uint(j, "applied", r->applied);
    ras_json_hex(j, "snapshot_hash", r->hash, 16);
    ras_json_object(j, "pens");
    for (size_t i = 0; i < r->pen_count; i++) {
        const struct ras_run_pen *p = &r->pens[i];
        ras_json_object(j, p->name);
        if (wrote(p))
            ras_json_text(j, "file", p->file);
        else
            ras_json_text(j, "left_out", p->asked ? p->lacks : "not requested");
        ras_json_end(j);
    }
    ras_json_end(j);
    if (r->perturbed_tick == RAS_NONE) {
        ras_json_null(j, "perturbed");
    } else {
        ras_json_object(j, "perturbed");
        ras_json_uint(j, "tick", r->perturbed_tick);
        ras_json_end(j);
    }
    ras_json_end(j);
    ras_json_newline(j);
}

int tell_run(const struct common *c, const char *replay, const struct ras_run_options *how,
             const struct ras_run *r)
{
    struct answer answer;
    struct common common = *c;
    common.out = NULL; /* that is the directory; what came of it is told here */
    int status = answer_open(&answer, &common);
    if (status)
        return status;
    (c->json ? run_put_json : run_put_text)(&answer, c->out, r);
    status = answer_close(&answer, 0);
    for (size_t i = 0; i < r->pen_count; i++)
        if (r->pens[i].asked && r->pens[i].lacks)
            remark(c->quiet, "%s: no %s: %s", c->out, r->pens[i].file, r->pens[i].lacks);
    if (how->perturb && r->perturbed_tick != how->perturb_tick)
        remark(c->quiet,
               "%s: no command of tick %" PRIu64 " could be perturbed with an effect: tick %" PRIu64
               " did",
               c->out, how->perturb_tick, r->perturbed_tick);
    if (r->commands_cut) {
        remark(c->quiet, "%s: cut inside a frame: %" PRIu64 " ticks were used", replay, r->ticks);
        status = worse(status, EXIT_LOSS);
    }
    return status;
}

int tell_no_run(const struct ras_error *err, const char *recipe, const char *replay)
{
    const char *at = input_of(err, recipe, replay, NULL);
    return at ? trouble_at(at, err) : trouble_with(err);
}
