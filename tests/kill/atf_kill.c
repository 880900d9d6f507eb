/* atf_kill.c - a session as a recorder writes it: in place, every third event with a detail. */
#include "kill.h"
#include <rastrum/atf.h>

static void write_events(const char *path, void (*acknowledged)(void *user), void *user)
{
    struct ras_folder *folder;
    struct ras_atf_session_writer *s;
    struct ras_atf_writer *w;
    if (ras_folder_live(&folder, path, NULL) < 0 ||
        ras_atf_session_writer_open(&s, folder, NULL, NULL) < 0 ||
        ras_atf_session_writer_thread(s, 7, &w, NULL) < 0)
        return;
    for (uint64_t i = 0;; i++) {
        const struct ras_atf_payload payload = {
            .form = RAS_ATF_SPEC, .function_id = 1, .x_regs = {i}};
        uint8_t bytes[RAS_ATF_PAYLOAD_SIZE];
        struct ras_atf_detail_event d = {.payload.at = bytes};
        if (!ras_atf_payload_put(&payload, bytes, sizeof bytes, &d.payload.len))
            return;
        const struct ras_atf_index_event e = {.timestamp_ns = i,
                                              .function_id = 1,
                                              .thread_id = 7,
                                              .event_kind = RAS_ATF_CALL + (uint32_t)i % 2,
                                              .call_depth = 1};
        if (ras_atf_writer_event(w, &e, i % 3 ? NULL : &d, NULL) < 0 ||
            ras_atf_writer_flush(w, NULL) < 0)
            return;
        acknowledged(user);
    }
}

static uint64_t number(const struct ras_cursor *c, const struct ras_record *r)
{
    return ras_schema_of(c)->name[0] == 'e' ? r->time_ns : RAS_NONE;
}

const struct killed_writer atf_writer = {.name = "atf", .write = write_events, .number = number};
