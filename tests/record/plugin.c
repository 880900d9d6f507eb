/* plugin.c - a part of a program that is loaded, records, and is unloaded with its recorder. */
#include "script.h"

RAS_API int plugin_begin(const char *dir);
RAS_API void plugin_work(uint64_t number);

int plugin_begin(const char *dir)
{
    return ras_record_start(&(struct ras_record_options){.exact = dir}, NULL);
}

void plugin_work(uint64_t number)
{
    struct script s = script_of(number);
    for (unsigned i = 0; i < 20000; i++) {
        struct played p = script_next(&s);
        play(&p);
    }
}
