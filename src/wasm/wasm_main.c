/* wasm_main.c - the viewer as a WebAssembly module: what a page calls.
 *
 * A module has one view. The page copies the bytes of files into memory that it takes here, names
 * them as parts, and opens them as a trace or a run directory, twice for a pair; then it sends the
 * requests of docs/view-protocol.md. The only import is a clock. */
#include <rastrum/gpu.h>
#include <rastrum/view.h>

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <wasi/api.h>

#define EXPORT(name) __attribute__((export_name(name), used))

enum { SIDES_MOST = 2 };

struct part_list {
    struct ras_part *at;
    size_t count;
};

/* A side borrows its parts until the view is closed. */
static struct {
    struct ras_view *view;
    struct part_list sides[SIDES_MOST];
    unsigned side_count;
    struct part_list pending;
    struct ras_answer answer;
    struct ras_error err;
} module;

/* ---- what the C library asks of a system --------------------------------------------------- */

__attribute__((import_module("rastrum"), import_name("now"))) double page_now(void); /* ms */

int clock_gettime(clockid_t clock, struct timespec *at)
{
    (void)clock;
    double ms = page_now();
    at->tv_sec = (time_t)(ms / 1000);
    at->tv_nsec = (long)((ms - (double)at->tv_sec * 1000) * 1e6);
    return 0;
}

/* There are no standard streams: those of the C library stay unused. */
__wasi_errno_t __wasi_fd_close(__wasi_fd_t fd)
{
    (void)fd;
    return __WASI_ERRNO_BADF;
}

__wasi_errno_t __wasi_fd_seek(__wasi_fd_t fd, __wasi_filedelta_t by, __wasi_whence_t from,
                              __wasi_filesize_t *at)
{
    (void)fd, (void)by, (void)from, (void)at;
    return __WASI_ERRNO_BADF;
}

__wasi_errno_t __wasi_fd_write(__wasi_fd_t fd, const __wasi_ciovec_t *pieces, size_t count,
                               __wasi_size_t *written)
{
    (void)fd, (void)pieces, (void)count, (void)written;
    return __WASI_ERRNO_BADF;
}

/* Debian's compiler library was built with a stack protector, which its C library lacks. */
extern void *__stack_chk_guard;
void *__stack_chk_guard;
void __stack_chk_fail(void);
void __stack_chk_fail(void)
{
    __builtin_trap();
}

/* ---- what a page calls ---------------------------------------------------------------------- */

/* Memory of the module; NULL: there is none left. */
EXPORT("alloc") void *module_alloc(size_t size);
void *module_alloc(size_t size)
{
    return malloc(size ? size : 1);
}

EXPORT("release") void module_release(void *at);
void module_release(void *at)
{
    free(at);
}

/* A file of what is opened next; both blocks become the module's. The name is UTF-8 and ends with
 * a zero byte. */
EXPORT("add") int module_add(char *name, uint8_t *bytes, size_t size);
int module_add(char *name, uint8_t *bytes, size_t size)
{
    struct part_list *list = &module.pending;
    struct ras_part *more = realloc(list->at, (list->count + 1) * sizeof *more);
    if (!more)
        return RAS_EMEMORY;
    list->at = more;
    list->at[list->count++] = (struct ras_part){.name = name, .bytes = {bytes, size}};
    return RAS_OK;
}

static void drop_parts(struct part_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free((void *)(uintptr_t)list->at[i].name);
        free((void *)(uintptr_t)list->at[i].bytes.at);
    }
    free(list->at);
    *list = (struct part_list){0};
}

/* Begin again without anything; `memory` is the budget of timelines in bytes. */
EXPORT("start") int module_start(size_t memory);
int module_start(size_t memory)
{
    ras_view_close(module.view);
    module.view = NULL;
    for (unsigned i = 0; i < SIDES_MOST; i++)
        drop_parts(&module.sides[i]);
    drop_parts(&module.pending);
    module.side_count = 0;
    const struct ras_view_options options = {.struct_size = sizeof options,
                                             .gpu = ras_gpu(),
                                             .memory_bytes = memory,
                                             .no_threads = true};
    return ras_view_open(&module.view, &options, &module.err);
}

/* Open what was added as the next side. */
EXPORT("open") int module_open(const char *name);
int module_open(const char *name)
{
    int status = RAS_EUSAGE;
    if (module.side_count < SIDES_MOST) {
        struct part_list *side = &module.sides[module.side_count];
        *side = module.pending;
        module.pending = (struct part_list){0};
        status = ras_view_add_parts(module.view, name, side->at, side->count, NULL, &module.err);
        if (status >= 0)
            module.side_count++;
        else
            drop_parts(side);
    }
    return status;
}

/* The sentence of the last failure. */
EXPORT("why") const char *module_why(void);
const char *module_why(void)
{
    return module.err.text;
}

/* Answer a request: its status, or a negative one of the library. Valid until the next call. */
EXPORT("answer")
int module_answer(bool post, const char *uri, size_t len, const uint8_t *body, size_t size);
int module_answer(bool post, const char *uri, size_t len, const uint8_t *body, size_t size)
{
    int status = ras_view_answer_uri(module.view, post, uri, len, (struct ras_bytes){body, size},
                                     &module.answer, &module.err);
    return status < 0 ? status : module.answer.status;
}

EXPORT("answer_bytes") const uint8_t *module_answer_bytes(void);
const uint8_t *module_answer_bytes(void)
{
    return module.answer.bytes.at;
}

EXPORT("answer_size") size_t module_answer_size(void);
size_t module_answer_size(void)
{
    return module.answer.bytes.len;
}

EXPORT("answer_type") const char *module_answer_type(void);
const char *module_answer_type(void)
{
    return module.answer.type ? module.answer.type : "";
}

/* As which it is saved; empty: it is shown. */
EXPORT("answer_name") const char *module_answer_name(void);
const char *module_answer_name(void)
{
    return module.answer.file_name ? module.answer.file_name : "";
}

/* Work for about `ms`: 1 when there is more to do, 0 when not, negative when it failed. */
EXPORT("step") int module_step(unsigned ms);
int module_step(unsigned ms)
{
    int status = ras_view_step(module.view, ms, &module.err);
    return status == RAS_OK ? 1 : status == RAS_END ? 0 : status;
}
