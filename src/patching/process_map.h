/* process_map.h - what is where in the memory of another process. */
#ifndef PATCHING_PROCESS_MAP_H
#define PATCHING_PROCESS_MAP_H

#include <rastrum/rastrum.h>

#include <sys/types.h>

enum process_region_kind {
    REGION_OTHER,   /* the program and its libraries */
    REGION_LIBRARY, /* the C library, and whatever has an allocator of its own */
    REGION_LINKER,  /* the dynamic linker */
};

/* A mapping that is code, or the first of a file. */
struct process_region {
    uint64_t from, to;
    uint64_t base; /* of its file: where offset 0 of it is mapped */
    char *path;    /* "": none */
    enum process_region_kind kind;
    bool code;
};

struct process_map {
    struct process_region *regions;
    size_t count, room;
    /* Of the C library; 0: not found. */
    uint64_t dlopen, errno_location, pthread_create, pthread_detach, munmap;
    uint64_t restorer; /* what a signal handler returns to */
    uint64_t syscall;  /* an instruction */
};

/* Read, or read again: files that are known are not read once more. */
int process_map_read(struct process_map *, pid_t, struct ras_error *);
void process_map_free(struct process_map *);
/* The code at an address; NULL: none. */
const struct process_region *process_map_at(const struct process_map *, uint64_t address);
const char *process_map_file(const struct process_region *);
/* The address of a dynamic symbol of a file that is mapped, by its path; 0: none. */
uint64_t process_map_symbol(const struct process_map *, const char *path, const char *name);
#endif
