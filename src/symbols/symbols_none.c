/* symbols_none.c - names of addresses where no ELF file is: only Rust's are demangled. */
#include "base/error.h"
#include "symbols/demangle.h"

#include <stdlib.h>

struct ras_symbols {
    char *shown;
};

int ras_symbols_open(struct ras_symbols **out, struct ras_error *err)
{
    *out = calloc(1, sizeof **out);
    return *out ? RAS_OK : fail_memory(err);
}

void ras_symbols_close(struct ras_symbols *symbols)
{
    if (symbols)
        free(symbols->shown);
    free(symbols);
}

const char *ras_symbols_demangle(struct ras_symbols *symbols, const char *name)
{
    free(symbols->shown);
    symbols->shown = rust_demangle(name);
    return symbols->shown ? symbols->shown : name;
}
