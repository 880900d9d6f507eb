/* atf_record.h - a recording as an ATF session, from inside. */
#ifndef ATF_RECORD_H
#define ATF_RECORD_H

#include "formats/atf/atf_write.h"
#include "record/record_output.h"

struct output_file {
    struct output *output;
    uint32_t thread_id;
    int index_fd, detail_fd;
    struct ras_sink *index, *detail;
    struct ras_atf_writer *writer;
    uint64_t allocated; /* of index.atf */
};

struct output {
    char *dir;                      /* session_T/pid_N */
    struct ras_atf_listed *threads; /* those that have files */
    size_t count, room;
    uint64_t time_min, time_max; /* of threads that have ended */
};

/* atf_record_counts.c: what a durable recording has counted, for a repair. */
int atf_record_counts(const char *dir);
void atf_record_ended(int fd, const struct thread_info *);
void atf_record_forget(const char *dir);
/* manifest.json, in place of the one before. */
int atf_record_manifest(struct output *, const struct manifest_info *, struct ras_error *);
#endif
