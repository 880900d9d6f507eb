/* pages.h - the bytes of a file on a server, fetched by pages where they are needed.
 *
 * All bytes have their addresses from the start. Those that were not fetched must not be read: the
 * address sanitizer reports it, and without it small files are filled with a byte that changes what
 * is read. Where a fetch has failed the bytes end before the first page that is missing. */
#ifndef CORE_PAGES_H
#define CORE_PAGES_H

#include "remote/remote.h"

struct pages;

/* `head` is what has come; it is copied. The remote file is borrowed. */
int pages_open(struct pages **, struct remote *, struct ras_bytes head, struct ras_error *);
void pages_close(struct pages *);
struct ras_bytes pages_bytes(const struct pages *);
/* Fetch what is missing of [from, to), each page once: more after it where pages are needed in
 * order, up to 4 MiB a request. The first failure is final. */
int pages_need(struct pages *, uint64_t from, uint64_t to, struct ras_error *) RAS_CHECKED;
#endif
