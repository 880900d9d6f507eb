/* atf_again.c - decode ATF sessions and write them again:
 *
 *   atf_again (INPUT OUTPUT)... */
#include <rastrum/atf.h>

#include <stdio.h>

/* Events with their details; a detail that its event does not name is an error here. */
static int write_thread(struct ras_atf_session_writer *out, struct ras_atf_session *in, size_t i,
                        struct ras_error *err)
{
    struct ras_atf_thread thread;
    struct ras_atf_writer *w;
    struct ras_atf_index_event e;
    struct ras_atf_detail_event d;
    int status = ras_atf_thread_at(in, i, &thread, err);
    if (status == RAS_OK)
        status = ras_atf_session_writer_thread(out, thread.thread_id, &w, err);
    for (uint64_t seq = 0; status == RAS_OK && seq < thread.index.count; seq++) {
        status = ras_atf_index_at(in, i, seq, &e, err);
        bool linked = status == RAS_OK && ras_atf_detail_of(in, i, &e, &d, err) == RAS_OK;
        if (status == RAS_OK)
            status = ras_atf_writer_event(w, &e, linked ? &d : NULL, err);
    }
    return status == RAS_OK ? ras_atf_session_writer_end(out, thread.thread_id, err) : status;
}

static int write_session(struct ras_folder *folder, struct ras_atf_session *in,
                         struct ras_error *err)
{
    struct ras_atf_session_options options = {0};
    struct ras_atf_session_writer *out;
    struct ras_atf_thread thread;
    int status = ras_atf_thread_at(in, 0, &thread, err);
    if (status < 0)
        return status;
    options.header = thread.index.header;
    options.no_checksum = !thread.index.footer.checksum;
    status = ras_atf_session_writer_open(&out, folder, &options, err);
    if (status < 0)
        return status;
    for (size_t i = 0; status == RAS_OK && i < ras_atf_thread_count(in); i++)
        status = write_thread(out, in, i, err);
    if (status == RAS_OK)
        status = ras_atf_session_writer_finalize(out, ras_atf_manifest(in, 0), err);
    int closed = ras_atf_session_writer_close(out, NULL);
    return status == RAS_OK ? closed : status;
}

static int write_again(const char *from, const char *to, struct ras_error *err)
{
    struct ras_trace *trace;
    struct ras_folder *folder;
    int status = ras_open(&trace, from, NULL, err);
    if (status < 0)
        return status;
    status = ras_folder_open(&folder, to, false, err);
    if (status == RAS_OK) {
        status = write_session(folder, ras_atf_session(trace), err);
        if (status == RAS_OK)
            status = ras_folder_close(folder, err);
        else
            ras_folder_drop(folder);
    }
    ras_close(trace);
    return status;
}

int main(int argc, char **argv)
{
    int failed = 0;
    for (int i = 1; i + 1 < argc; i += 2) {
        struct ras_error err = {0};
        if (write_again(argv[i], argv[i + 1], &err) < 0) {
            printf("%s: %s\n", argv[i], err.text);
            failed++;
        }
    }
    return failed > 0;
}
