/* pages.c - the bytes of a file on a server, fetched by pages where they are needed. */
#include "core/pages.h"
#include "base/error.h"
#include "base/file.h"
#include "base/map.h"
#include "base/os.h"

#include <stdlib.h>
#include <string.h>

/* A page is a quarter of the least request, within these bounds: the address sanitizer marks no
 * less than 8 bytes. */
enum { PAGES_A_REQUEST = 4, PAGE_LEAST = 16, PAGE_MOST = 16 << 10, REQUESTS_MOST = 64 };
/* What a file of up to this size is filled with: zeros would pass for an empty value. */
enum { PAGES_FILL = 0xa5 };
#define PAGES_FILLED ((uint64_t)1 << 20)

#if defined(__SANITIZE_ADDRESS__)
#define PAGES_GUARDED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PAGES_GUARDED 1
#endif
#endif
#ifdef PAGES_GUARDED
#include <sanitizer/asan_interface.h>
static void pages_hide(const uint8_t *at, size_t n)
{
    __asan_poison_memory_region(at, n);
}
static void pages_show(const uint8_t *at, size_t n)
{
    __asan_unpoison_memory_region(at, n);
}
#else
static void pages_hide(const uint8_t *at, size_t n)
{
    (void)at;
    (void)n;
}
static void pages_show(const uint8_t *at, size_t n)
{
    (void)at;
    (void)n;
}
#endif

struct pages {
    struct remote *remote;
    uint8_t *at; /* malloc'ed, or mapped if fd is open */
    int fd;      /* + 1; 0: in memory */
    size_t size; /* of the file */
    size_t page; /* bytes of one */
    bool *here;
    size_t count, missing;
    size_t next;            /* the page after the last request */
    size_t window;          /* pages of the last request that continued the one before */
    struct ras_error fault; /* status RAS_OK: none */
};

/* Small files in memory, others in a file without a name, whose holes take no room. */
static int pages_reserve(struct pages *p, struct ras_error *err)
{
    if (!OS_HAS_FILES || p->size <= SPOOL_MEMORY) {
        p->at = calloc(1, p->size);
        if (p->at && p->size <= PAGES_FILLED)
            memset(p->at, PAGES_FILL, p->size);
        return p->at ? RAS_OK : fail_memory(err);
    }
    int fd = file_temporary(err);
    if (fd < 0)
        return fd;
    p->fd = fd + 1;
    if (os_cut(fd, p->size) == 0)
        p->at = map_open(fd, p->size);
    return p->at ? RAS_OK : fail_os(err, "cannot map the temporary file of a remote trace");
}

static size_t page_end(const struct pages *p, size_t page)
{
    size_t last = p->size / p->page;
    return page <= last && page * p->page < p->size ? page * p->page : p->size;
}

/* The bytes of whole pages from `page` on. */
static int pages_put(struct pages *p, size_t page, size_t to, const uint8_t *bytes,
                     struct ras_error *err)
{
    size_t from = page * p->page, n = page_end(p, to) - from;
    int status = p->fd ? file_write_at(p->fd - 1, bytes, n, from, err) : RAS_OK;
    if (status < 0)
        return status;
    pages_show(p->at + from, n);
    if (!p->fd)
        memcpy(p->at + from, bytes, n);
    for (size_t i = page; i < to; i++)
        p->here[i] = true;
    p->missing -= to - page;
    return RAS_OK;
}

int pages_open(struct pages **out, struct remote *remote, struct ras_bytes head,
               struct ras_error *err)
{
    uint64_t size = remote_size(remote), window = remote_window(remote);
    *out = NULL;
    if (size > SIZE_MAX / 2)
        return fail(err, RAS_ELIMIT, RAS_NONE, "%" PRIu64 " bytes cannot be mapped", size);
    struct pages *p = calloc(1, sizeof *p);
    if (!p)
        return fail_memory(err);
    p->remote = remote;
    p->size = (size_t)size;
    for (p->page = PAGE_LEAST; p->page < PAGE_MOST && p->page * PAGES_A_REQUEST < window;)
        p->page *= 2;
    p->count = (p->size + p->page - 1) / p->page;
    p->missing = p->count;
    p->window = PAGES_A_REQUEST;
    p->here = calloc(p->count, sizeof *p->here);
    int status = p->here ? pages_reserve(p, err) : fail_memory(err);
    if (status == RAS_OK) {
        pages_hide(p->at, p->size);
        p->next = head.len / p->page;
        status = pages_put(p, 0, p->next, head.at, err);
    }
    if (status < 0) {
        pages_close(p);
        return status;
    }
    *out = p;
    return RAS_OK;
}

void pages_close(struct pages *p)
{
    if (!p)
        return;
    if (p->at)
        pages_show(p->at, p->size);
    if (p->fd && p->at)
        map_close(p->at, p->size);
    else
        free(p->at);
    if (p->fd)
        os_close(p->fd - 1);
    free(p->here);
    free(p);
}

struct ras_bytes pages_bytes(const struct pages *p)
{
    size_t page = 0;
    while (p->fault.status && page < p->count && p->here[page])
        page++;
    return (struct ras_bytes){p->at, p->fault.status ? page_end(p, page) : p->size};
}

/* The pages to request for a need of [page, to): the window doubles while requests continue one
 * another; a step into other pages begins small again. */
static void choose(struct pages *p, size_t *page, size_t *to)
{
    bool on = *page == p->next, after = *page && p->here[*page - 1];
    size_t most = PAGES_A_REQUEST * REQUESTS_MOST, wanted = *to - *page, from = *page;
    p->window = on || after ? 2 * (on ? p->window : PAGES_A_REQUEST) : PAGES_A_REQUEST;
    p->window = p->window < most ? p->window : most;
    wanted = wanted > p->window ? wanted : p->window;
    wanted = wanted < most ? wanted : most;
    for (*to = from; *to < p->count && *to - from < wanted && !p->here[*to];)
        ++*to;
    while (*to == p->count && from && !p->here[from - 1] && *to - from < PAGES_A_REQUEST)
        from--; /* an index has its beginning before its end */
    *page = from;
}

static int fetch_pages(struct pages *p, size_t page, size_t to, struct ras_error *err)
{
    choose(p, &page, &to);
    size_t from = page * p->page, end = page_end(p, to);
    uint8_t *bytes = malloc(end - from);
    if (!bytes)
        return fail_memory(err);
    int status = remote_read(p->remote, from, end, bytes, err);
    if (status == RAS_OK)
        status = pages_put(p, page, to, bytes, err);
    free(bytes);
    p->next = to;
    return status;
}

int pages_need(struct pages *p, uint64_t from, uint64_t to, struct ras_error *err)
{
    size_t end = to < p->size ? (size_t)to : p->size;
    if (!p->missing || from >= end)
        return RAS_OK;
    size_t last = (end + p->page - 1) / p->page;
    for (size_t page = (size_t)from / p->page; page < last && !p->fault.status; page++)
        if (!p->here[page] && fetch_pages(p, page, last, &p->fault) == RAS_OK)
            p->fault.status = RAS_OK;
    if (p->fault.status && err)
        *err = p->fault;
    return p->fault.status;
}
