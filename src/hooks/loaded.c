/* loaded.c - the modules of the program and their functions, numbered as they are called.
 *
 * Every number goes to functions.map beside the manifest before the first event that bears
 * it: a process that is killed leaves enough to name its functions. */
#include "base/elf.h"
#include "base/functions_map.h"
#include "hooks/hooks.h"

#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct {
    struct loaded *first, **last;
    struct function *functions, **functions_last;
    struct loaded *told_module;     /* the last one that the recorder was told of */
    struct function *told_function; /* the same */
    struct function *function_last;
    uint32_t count;
    uint64_t function_count;
    struct function *mapped; /* the last one that is in the file */
    uint32_t map_wanted, map_word;
} all;

/* ---- the map ----------------------------------------------------------------------------- */

/* The drain's, whose descriptors are its own: numbers go to the file before the first event that
 * bears them does. */
static struct {
    int fd;
    struct loaded *module;     /* the last one that is in the file */
    struct function *function; /* the same */
    char text[16 << 10];       /* lines to be written */
    size_t len;
} map = {.fd = -1};

static void map_flush(void)
{
    if (map.fd >= 0 && map.len)
        (void)!write(map.fd, map.text, map.len);
    map.len = 0;
}

/* What snprintf() has made of a line behind the others; one that is too long is left out. */
static void map_line(int len)
{
    if (len > 0 && (size_t)len < sizeof map.text - map.len)
        map.len += (size_t)len;
}

static void map_module(const struct loaded *m)
{
    if (sizeof map.text - map.len < FUNCTIONS_MAP_LINE)
        map_flush();
    map_line(snprintf(map.text + map.len, sizeof map.text - map.len, MAP_MODULE_PUT, m->id,
                      (uint64_t)m->from, (uint64_t)(m->to - m->from),
                      *m->build_id ? m->build_id : "-", m->path));
}

/* The address as the file has it. */
static void map_function(const struct function *f)
{
    if (sizeof map.text - map.len < 128)
        map_flush();
    map_line(snprintf(map.text + map.len, sizeof map.text - map.len, MAP_FUNCTION_PUT,
                      (uint64_t)f->module->id << 32 | f->index,
                      (uint64_t)(f->address - f->module->bias)));
}

static void map_open(void)
{
    char path[4200];
    if (map.fd >= 0)
        close(map.fd);
    snprintf(path, sizeof path, "%s/" FUNCTIONS_MAP, ras_record_dir());
    map.fd = open(path, O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0666);
    map.module = NULL; /* a child of fork() knows what its parent did */
    map.function = NULL;
}

/* A module is listed before its functions, and looked for first. */
void loaded_map(void)
{
    uint32_t wanted = 1;
    if (LOAD(&all.map_wanted) && SWAP_IF(&all.map_wanted, &wanted, 0))
        map_open();
    struct function *last = LOAD_ACQUIRE(&all.function_last);
    struct loaded *m = LOAD_ACQUIRE(map.module ? &map.module->next : &all.first);
    for (; m; m = LOAD_ACQUIRE(&m->next)) {
        map_module(m);
        map.module = m;
    }
    if (last == map.function)
        return;
    struct function *f = LOAD_ACQUIRE(map.function ? &map.function->next : &all.functions);
    for (; f; f = LOAD_ACQUIRE(&f->next)) {
        map_function(f);
        map.function = f;
    }
    map_flush();
    STORE_RELEASE(&all.mapped, map.function);
    ADD(&all.map_word, 1);
    word_wake(&all.map_word);
}

void loaded_map_begin(void)
{
    map.fd = -1; /* in a child it is a number of the parent's drain */
    map.len = 0;
    STORE_RELEASE(&all.mapped, NULL);
    STORE_RELEASE(&all.map_wanted, 1);
}

/* A handler may have come upon somebody whom the drain waits for: there is an end to it. */
void loaded_map_wait(void)
{
    const struct function *mine = LOAD_ACQUIRE(&all.function_last);
    for (unsigned i = 0; i < 200 && ras_record_is_on(); i++) {
        uint32_t word = LOAD_ACQUIRE(&all.map_word);
        const struct function *mapped = LOAD_ACQUIRE(&all.mapped);
        if (mapped && mine && mapped->number >= mine->number)
            return;
        drain_wake();
        word_wait(&all.map_word, word, 10000000);
    }
}

/* ---- modules ----------------------------------------------------------------------------- */

static const char *copy_text(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = hooks_memory(size);
    return copy ? memcpy(copy, text, size) : "";
}

bool loaded_path(const struct dl_phdr_info *info, char *path, size_t room)
{
    size_t at = 0;
    if (!*info->dlpi_name) {
        ssize_t len = readlink("/proc/self/exe", path, room - 1);
        path[len > 0 ? len : 0] = 0;
        return len > 0;
    }
    if (*info->dlpi_name != '/') { /* as dlopen() was told, from where the program was */
        if (!getcwd(path, room))
            return false;
        at = strlen(path);
        path[at++] = '/';
    }
    int len = snprintf(path + at, room - at, "%s", info->dlpi_name);
    return len >= 0 && (size_t)len < room - at;
}

static const char *path_of(const struct dl_phdr_info *info)
{
    char path[4096];
    return loaded_path(info, path, sizeof path) ? copy_text(path) : info->dlpi_name;
}

static void put_build_id(struct ras_bytes id, char *to, size_t room)
{
    static const char digits[] = "0123456789abcdef";
    size_t n = 0;
    for (size_t i = 0; i < id.len && n + 3 <= room; i++) {
        to[n++] = digits[id.at[i] >> 4];
        to[n++] = digits[id.at[i] & 15];
    }
    to[n] = 0;
}

struct search {
    uintptr_t address;
    struct loaded *found;
};

void loaded_measure(const struct dl_phdr_info *info, uintptr_t *from, uintptr_t *to)
{
    *from = UINTPTR_MAX;
    *to = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type != PT_LOAD)
            continue;
        uintptr_t start = info->dlpi_addr + p->p_vaddr, stop = start + p->p_memsz;
        *from = start < *from ? start : *from;
        *to = stop > *to ? stop : *to;
    }
}

static struct loaded *add(const struct dl_phdr_info *info, uintptr_t from, uintptr_t to)
{
    struct loaded *m = hooks_memory(sizeof *m);
    if (!m)
        return NULL;
    *m = (struct loaded){
        .id = ++all.count, .from = from, .to = to, .bias = info->dlpi_addr, .path = path_of(info)};
    for (int i = 0; i < info->dlpi_phnum && !*m->build_id; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type == PT_NOTE)
            put_build_id(elf_note_build_id((struct ras_bytes){
                             (const uint8_t *)(info->dlpi_addr + p->p_vaddr), p->p_memsz}),
                         m->build_id, sizeof m->build_id);
    }
    if (!all.last)
        all.last = &all.first;
    STORE_RELEASE(all.last, m);
    all.last = &m->next;
    return m;
}

static int look_at(struct dl_phdr_info *info, size_t size, void *user)
{
    struct search *s = user;
    uintptr_t from, to;
    (void)size;
    loaded_measure(info, &from, &to);
    if (s->address < from || s->address >= to)
        return 0;
    s->found = add(info, from, to);
    return 1;
}

struct loaded *loaded_find(uintptr_t address)
{
    for (struct loaded *m = all.first; m; m = m->next)
        if (!m->gone && address >= m->from && address < m->to)
            return m;
    struct search s = {.address = address};
    dl_iterate_phdr(look_at, &s);
    return s.found;
}

/* ---- those that are loaded no more --------------------------------------------------------- */

struct place {
    uintptr_t from, to;
};

static int find_again(struct dl_phdr_info *info, size_t size, void *user)
{
    const struct place *p = user;
    uintptr_t from, to;
    (void)size;
    loaded_measure(info, &from, &to);
    return from == p->from && to == p->to;
}

bool loaded_is_there(uintptr_t from, uintptr_t to)
{
    struct place place = {from, to};
    return dl_iterate_phdr(find_again, &place);
}

void loaded_sweep(void)
{
    struct held held;
    hooks_lock(&held);
    for (struct loaded *m = all.first; m; m = m->next) {
        if (m->gone || loaded_is_there(m->from, m->to))
            continue;
        m->gone = true;
        known_forget(m->from, m->to);
    }
    patch_sweep();
    hooks_unlock(&held);
}

/* ---- functions --------------------------------------------------------------------------- */

struct function *loaded_function(struct loaded *module, uintptr_t address)
{
    struct function *f = hooks_memory(sizeof *f);
    if (!f)
        return NULL;
    *f = (struct function){.module = module,
                           .index = ++module->function_count,
                           .address = address,
                           .number = ++all.function_count};
    if (!all.functions_last)
        all.functions_last = &all.functions;
    STORE_RELEASE(all.functions_last, f);
    all.functions_last = &f->next;
    STORE_RELEASE(&all.function_last, f);
    return f;
}

const char *function_name(struct function *f)
{
    if (f->name)
        return f->name;
    f->name = elf_name_of(f->module, f->address);
    if (!f->name) { /* a stripped one: what it is called is where it is */
        char text[32];
        snprintf(text, sizeof text, "0x%" PRIxPTR, f->address - f->module->bias);
        f->name = copy_text(text);
    }
    return f->name;
}

/* The drain, which may call malloc(); so no lock is held then, for who waits for it may be
 * in malloc() itself. */
void loaded_tell(void)
{
    loaded_map();
    struct loaded *m = LOAD_ACQUIRE(all.told_module ? &all.told_module->next : &all.first);
    for (; m && names_add_module(m->path, m->from, m->to - m->from, m->build_id);
         m = LOAD_ACQUIRE(&m->next))
        all.told_module = m;
    struct function *f =
        LOAD_ACQUIRE(all.told_function ? &all.told_function->next : &all.functions);
    for (; f; f = LOAD_ACQUIRE(&f->next)) {
        struct held held;
        hooks_lock(&held);
        const char *name = function_name(f);
        hooks_unlock(&held);
        if (!names_add_function(f->module->id, name))
            return;
        all.told_function = f;
    }
}
