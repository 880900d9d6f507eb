/* write_atf.c - a session of two threads: calls, returns, and a detail with registers.
 *
 *   write_atf OUTPUT
 *
 * OUTPUT is a directory. It is made beside its name and renamed when all of it is
 * there; a recorder, which may be killed, would open it with ras_folder_live(). */
#include <rastrum/atf.h>
#include <stdio.h>

enum { THREADS = 2, MODULE = 42, MAIN = 1, WORK = 2 };

static const struct ras_atf_module modules[] = {
    {.module_id = MODULE, .path = "/usr/bin/demo", .uuid = ""},
};
static const struct ras_atf_symbol symbols[] = {
    {(uint64_t)MODULE << 32 | MAIN, MODULE, MAIN, "main", 4, 0, 0},
    {(uint64_t)MODULE << 32 | WORK, MODULE, WORK, "work", 4, 0, 0},
};

static int put(struct ras_atf_writer *w, uint64_t time_ns, uint32_t thread, unsigned symbol,
               enum ras_atf_event_kind kind, const struct ras_atf_detail_event *detail,
               struct ras_error *err)
{
    struct ras_atf_index_event event = {.timestamp_ns = time_ns,
                                        .function_id = symbols[symbol - 1].function_id,
                                        .thread_id = thread,
                                        .event_kind = kind,
                                        .call_depth = symbol};
    return ras_atf_writer_event(w, &event, detail, err);
}

/* main calls work, whose arguments and a bit of stack are kept. */
static int put_calls(struct ras_atf_writer *w, uint32_t thread, struct ras_error *err)
{
    static const uint8_t stack[16] = "on the stack";
    uint64_t start = 1000 + 5 * thread;
    struct ras_atf_payload payload = {.form = RAS_ATF_SPEC,
                                      .function_id = symbols[WORK - 1].function_id,
                                      .x_regs = {thread, 0x1000},
                                      .sp = 0x7ffd0000,
                                      .stack = {stack, sizeof stack}};
    uint8_t bytes[RAS_ATF_PAYLOAD_SIZE + RAS_ATF_STACK_MAX];
    struct ras_atf_detail_event detail = {.payload = {bytes, 0}};
    if (!ras_atf_payload_put(&payload, bytes, sizeof bytes, &detail.payload.len))
        return RAS_EUSAGE;
    int status = put(w, start, thread, MAIN, RAS_ATF_CALL, NULL, err);
    if (status == RAS_OK)
        status = put(w, start + 10, thread, WORK, RAS_ATF_CALL, &detail, err);
    if (status == RAS_OK)
        status = put(w, start + 20, thread, WORK, RAS_ATF_RETURN, NULL, err);
    if (status == RAS_OK)
        status = put(w, start + 30, thread, MAIN, RAS_ATF_RETURN, NULL, err);
    return status;
}

static int put_session(struct ras_atf_session_writer *session, struct ras_error *err)
{
    static const struct ras_atf_manifest names = {
        .modules = modules, .module_count = 1, .symbols = symbols, .symbol_count = 2};
    struct ras_atf_writer *w;
    for (uint32_t thread = 0; thread < THREADS; thread++) {
        int status = ras_atf_session_writer_thread(session, thread, &w, err);
        if (status == RAS_OK)
            status = put_calls(w, thread, err);
        if (status < 0)
            return status;
    }
    return ras_atf_session_writer_finalize(session, &names, err);
}

int main(int argc, char **argv)
{
    struct ras_folder *folder;
    struct ras_atf_session_writer *session;
    struct ras_error err;
    if (argc != 2) {
        fputs("write_atf: name the directory to make\n", stderr);
        return 2;
    }
    int status = ras_folder_open(&folder, argv[1], 0, &err);
    if (status == RAS_OK) {
        status = ras_atf_session_writer_open(&session, folder, NULL, &err);
        if (status == RAS_OK) {
            status = put_session(session, &err);
            int closed = ras_atf_session_writer_close(session, status == RAS_OK ? &err : NULL);
            status = status == RAS_OK ? closed : status;
        }
        if (status == RAS_OK)
            status = ras_folder_close(folder, &err);
        else
            ras_folder_drop(folder);
    }
    if (status < 0)
        fprintf(stderr, "write_atf: %s\n", err.text);
    return status < 0;
}
