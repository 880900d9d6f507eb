/* duckdb_load.c - find DuckDB on this machine, and its functions. */
#include "base/os.h"
#include "sql/duckdb_api.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION_MAJOR = 1, VERSION_MINOR = 2 };

struct duckdb_api duck;

static const struct {
    const char *name;
    size_t offset;
    bool optional;
} wanted[] = {
#define DUCKDB_ROW(type, name, parameters)                                                         \
    {"duckdb_" #name, offsetof(struct duckdb_api, name), false},
    DUCKDB_FUNCTIONS(DUCKDB_ROW)
#undef DUCKDB_ROW
#define DUCKDB_ROW(type, name, parameters)                                                         \
    {"duckdb_" #name, offsetof(struct duckdb_api, name), true},
        DUCKDB_OPTIONAL(DUCKDB_ROW)
#undef DUCKDB_ROW
};

/* "v1.5.5" is at least 1.2; what is no number is a version under development. */
static bool is_recent(const char *version)
{
    char *end;
    const char *digits = version + (*version == 'v');
    unsigned long major = strtoul(digits, &end, 10);
    if (end == digits || *end != '.')
        return false;
    unsigned long minor = strtoul(end + 1, NULL, 10);
    return major > VERSION_MAJOR || (major == VERSION_MAJOR && minor >= VERSION_MINOR);
}

static bool load(struct duckdb_api *api, char *why, size_t room)
{
    const char *named = getenv("RASTRUM_DUCKDB");
    const char *path = named && *named ? named : "libduckdb.so";
    char said[160] = "";
    void *library = os_library_open(path, said, sizeof said);
    if (!library) {
        snprintf(why, room,
                 "%.100s cannot be loaded: install DuckDB %d.%d or later, or name its library in "
                 "RASTRUM_DUCKDB",
                 path, VERSION_MAJOR, VERSION_MINOR);
        return false;
    }
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        void *found = os_library_find(library, wanted[i].name);
        if (!found && !wanted[i].optional) {
            snprintf(why, room, "%.100s has no function %s: DuckDB %d.%d or later is needed", path,
                     wanted[i].name, VERSION_MAJOR, VERSION_MINOR);
            return false;
        }
        memcpy((char *)api + wanted[i].offset, &found, sizeof found);
    }
    if (!is_recent(api->library_version())) {
        snprintf(why, room, "%.100s is DuckDB %.20s: %d.%d or later is needed", path,
                 api->library_version(), VERSION_MAJOR, VERSION_MINOR);
        return false;
    }
    return true;
}

bool duckdb_load(char *why, size_t room)
{
    static _Atomic int stage; /* 0: not loaded, 1: a thread writes, 2: loaded */
    struct duckdb_api found;
    int none = 0;
    if (atomic_load(&stage) == 2)
        return true;
    if (!load(&found, why, room))
        return false;
    if (atomic_compare_exchange_strong(&stage, &none, 1)) {
        duck = found;
        atomic_store(&stage, 2);
    }
    while (atomic_load(&stage) != 2)
        (void)os_sleep(1);
    return true;
}
