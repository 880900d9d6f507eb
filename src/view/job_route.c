/* job_route.c - the routes job and cancel, and how a job is answered. */
#include "view/viewer.h"

static const char *const job_words[] = {[JOB_QUEUED] = "queued",
                                        [JOB_RUNNING] = "running",
                                        [JOB_READY] = "ready",
                                        [JOB_FAILED] = "failed",
                                        [JOB_CANCELLED] = "cancelled"};

static int answer_state(struct request *r, const struct job_report *report)
{
    struct json j = request_json(r);
    json_text(&j, "state", job_words[report->state]);
    json_f64(&j, "done", report->done);
    if (report->state == JOB_FAILED) {
        r->status = status_of_failure(report->err.status);
        json_text(&j, "error", report->err.text);
        json_text(&j, "hint", report->hint);
    } else if (report->state != JOB_CANCELLED) {
        r->status = 202;
    }
    return request_end(r, &j);
}

int job_answer(struct request *r, uint64_t id, bool started)
{
    struct job_report report;
    if (!jobs_report(r->view->jobs, id, &report)) {
        r->hint = "ask for it again";
        return fail(&r->err, RAS_ENOTHING, RAS_NONE, "there is no job %" PRIu64, id);
    }
    if (report.state == JOB_READY) {
        r->status = report.status;
        r->type = report.type;
        r->file_name = report.file_name;
        out_bytes(r->out, report.bytes.at, report.bytes.len);
        return r->out->failed ? fail_memory(&r->err) : RAS_OK;
    }
    if (!started)
        return answer_state(r, &report);
    struct json j = request_json(r);
    json_uint(&j, "job", id);
    r->status = 202;
    return request_end(r, &j);
}

static int answer_job(struct request *r)
{
    return job_answer(r, r->args[0].value, false);
}

static int answer_cancel(struct request *r)
{
    uint64_t id = r->args[0].value;
    if (!jobs_cancel(r->view->jobs, id))
        return fail(&r->err, RAS_ENOTHING, RAS_NONE, "there is no job %" PRIu64, id);
    struct json j = request_json(r);
    json_uint(&j, "job", id);
    return request_end(r, &j);
}

const struct route job_routes[] = {
    {.path = "job", .args = {{"id", ARG_NUMBER}}, .answer = answer_job},
    {.path = "cancel", .post = true, .args = {{"id", ARG_NUMBER}}, .answer = answer_cancel},
    {0},
};
