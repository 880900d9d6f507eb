/* naming.h - what symbols are made of: files, debug information, languages. */
#ifndef SYMBOLS_NAMING_H
#define SYMBOLS_NAMING_H

#include <rastrum/symbols.h>

/* rust.c: demangle a name of its own scheme, into memory to free(); NULL: it is none. */
char *rust_demangle(const char *name);
/* What the C++ ABI made of a name of Rust's first scheme: escapes resolved, hash left out;
 * in place. False: it is no such name. */
bool rust_clean(char *name);

/* debug.c: libdw, loaded when it is there. */
struct debug;
struct debug_file;
struct debug *debug_open(void); /* NULL: it is not installed */
void debug_close(struct debug *);
struct debug_file *debug_file_open(struct debug *, const char *path); /* NULL: cannot */
void debug_file_close(struct debug *, struct debug_file *);
const char *debug_name(struct debug *, struct debug_file *, uint64_t address); /* NULL: none */
#endif
