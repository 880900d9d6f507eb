/* info_json.c - how many records a trace of any format has, as JSON. */
#include <rastrum/rastrum.h>
#include <stdio.h>

static int put(struct ras_sink *sink, const char *path, const struct ras_info *info,
               struct ras_error *err)
{
    struct ras_json *j;
    (void)!ras_json_open(&j, sink, 0, NULL); /* NULL is a writer that failed: close reports it */
    ras_json_object(j, NULL);
    ras_json_text(j, "path", path);
    ras_json_uint(j, "records", info->records);
    ras_json_end(j);
    ras_json_newline(j);
    return ras_json_close(j, err);
}

int main(int argc, char **argv)
{
    struct ras_trace *trace = NULL;
    struct ras_info *info = NULL;
    struct ras_sink *sink = NULL;
    struct ras_error err = {0};
    const char *path = argc > 1 ? argv[1] : "";
    int status = ras_open(&trace, path, NULL, &err);
    if (status == RAS_OK)
        status = ras_info(&info, trace, NULL, NULL, &err);
    if (status == RAS_OK)
        status = ras_sink_fd(&sink, 1, &err);
    if (status == RAS_OK)
        status = put(sink, path, info, &err);
    if (sink && ras_sink_close(sink, status < 0 ? NULL : &err) < 0)
        status = RAS_EIO;
    if (status < 0)
        fprintf(stderr, "info_json: %s\n", err.text);
    ras_info_free(info);
    ras_close(trace);
    return status < 0 ? 2 : 0;
}
