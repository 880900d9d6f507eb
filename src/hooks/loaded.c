/* loaded.c - the modules of the program and their functions, numbered as they are called; and the
 * table of functions by address.
 *
 * Every number is written to functions.map beside the manifest before the first event that uses
 * it, so that the functions of a killed process can be named. Readers of the table take no lock:
 * an entry is published by its address, and a table that is too full is replaced by a larger
 * copy. Replaced tables are kept, since a thread may still read them; together they are smaller
 * than the last. */
#include "base/elf.h"
#include "base/functions_map.h"
#include "hooks/hooks.h"

#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- names of addresses ---------------------------------------------------------- */

struct name {
    uint64_t value, size;
    const char *text;
};

struct elf_names {
    struct name *at; /* by value */
    size_t count;
};

struct ras_bytes elf_names_map(const char *path)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return (struct ras_bytes){0};
    void *at = MAP_FAILED;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0)
        at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    return at == MAP_FAILED ? (struct ras_bytes){0} : (struct ras_bytes){at, (size_t)st.st_size};
}

static bool is_before(const struct name *a, const struct name *b)
{
    return a->value < b->value;
}

/* Sift down in a heap whose largest element is first. qsort() may call malloc(). */
static void sift(struct name *at, size_t i, size_t count)
{
    for (size_t child; (child = 2 * i + 1) < count; i = child) {
        if (child + 1 < count && is_before(&at[child], &at[child + 1]))
            child++;
        if (!is_before(&at[i], &at[child]))
            return;
        struct name swap = at[i];
        at[i] = at[child];
        at[child] = swap;
    }
}

static void sort(struct name *at, size_t count)
{
    for (size_t i = count / 2; i-- > 0;)
        sift(at, i, count);
    while (count-- > 1) {
        struct name swap = at[0];
        at[0] = at[count];
        at[count] = swap;
        sift(at, 0, count);
    }
}

static void read_table(const struct elf *elf, const struct elf_section *table,
                       struct elf_names *names)
{
    struct elf_symbol s;
    uint64_t most = elf_symbol_count(table);
    most = most < elf->bytes.len / sizeof(Elf64_Sym) ? most : elf->bytes.len / sizeof(Elf64_Sym);
    names->at = hooks_memory(most * sizeof *names->at);
    for (uint64_t i = 0; names->at && i < most && elf_symbol_at(elf, table, i, &s); i++)
        if (s.is_function && s.is_defined && *s.name)
            names->at[names->count++] = (struct name){s.value, s.size, s.name};
    sort(names->at, names->count);
}

/* The mapping is kept, since the names are in it. */
static struct elf_names *read_names(const char *path)
{
    static struct elf_names none;
    struct elf elf;
    struct elf_section table;
    struct elf_names *names = hooks_memory(sizeof *names);
    if (!names)
        return &none;
    *names = none;
    struct ras_bytes bytes = elf_names_map(path);
    if (bytes.at && elf_open(&elf, bytes) &&
        (elf_section_typed(&elf, SHT_SYMTAB, &table) ||
         elf_section_typed(&elf, SHT_DYNSYM, &table)))
        read_table(&elf, &table, names);
    if (bytes.at && !names->count)
        munmap((void *)(uintptr_t)bytes.at, bytes.len);
    return names;
}

const char *elf_name_of(struct loaded *module, uintptr_t address)
{
    if (!module->names)
        module->names = read_names(module->path);
    const struct elf_names *n = module->names;
    uint64_t value = address - module->bias;
    size_t low = 0, high = n->count;
    while (low < high) { /* the first one beyond */
        size_t middle = low + (high - low) / 2;
        if (n->at[middle].value <= value)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return NULL;
    const struct name *found = &n->at[low - 1];
    return value == found->value || value - found->value < found->size ? found->text : NULL;
}

static struct {
    struct loaded *first, **last;
    struct function *functions, **functions_last;
    struct loaded *reported_module;     /* the last one reported to the recorder */
    struct function *reported_function; /* the same */
    struct function *function_last;
    uint32_t count;
    uint64_t function_count;
    struct function *mapped; /* the last one that is in the file */
    uint32_t map_wanted, map_word;
} all;

/* ---- the map ----------------------------------------------------------------------------- */

/* Used by the drain, which has its own descriptors: numbers are written before the first event
 * that uses them. */
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

/* The length of a line that snprintf() has appended; one that is too long is left out. */
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

/* The address in the file. */
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
    map.module = NULL; /* a forked child inherits what its parent has numbered */
    map.function = NULL;
}

/* Modules are written before functions, and searched first. */
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
    map.fd = -1; /* in a forked child the number belongs to the parent's drain */
    map.len = 0;
    STORE_RELEASE(&all.mapped, NULL);
    STORE_RELEASE(&all.map_wanted, 1);
}

/* The drain itself: what is in the old file stays there. */
void loaded_map_moved(void)
{
    STORE_RELEASE(&all.map_wanted, 1);
}

/* With a timeout: a handler may have interrupted a thread that the drain waits for. */
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
    if (*info->dlpi_name !=
        '/') { /* the path given to dlopen(), relative to the current directory */
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

static struct loaded *loaded_append(struct loaded *m)
{
    if (!all.last)
        all.last = &all.first;
    STORE_RELEASE(all.last, m);
    all.last = &m->next;
    return m;
}

void loaded_build_id(const struct dl_phdr_info *info, char *to, size_t room)
{
    *to = 0;
    for (int i = 0; i < info->dlpi_phnum && !*to; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type == PT_NOTE)
            put_build_id(elf_note_build_id((struct ras_bytes){
                             (const uint8_t *)(info->dlpi_addr + p->p_vaddr), p->p_memsz}),
                         to, room);
    }
}

static struct loaded *loaded_add(const struct dl_phdr_info *info, uintptr_t from, uintptr_t to)
{
    struct loaded *m = hooks_memory(sizeof *m);
    if (!m)
        return NULL;
    *m = (struct loaded){
        .id = ++all.count, .from = from, .to = to, .bias = info->dlpi_addr, .path = path_of(info)};
    loaded_build_id(info, m->build_id, sizeof m->build_id);
    return loaded_append(m);
}

static int add_if_inside(struct dl_phdr_info *info, size_t size, void *user)
{
    struct search *s = user;
    uintptr_t from, to;
    (void)size;
    loaded_measure(info, &from, &to);
    if (s->address < from || s->address >= to)
        return 0;
    s->found = loaded_add(info, from, to);
    return 1;
}

struct loaded *loaded_find(uintptr_t address)
{
    for (struct loaded *m = all.first; m; m = m->next)
        if (!m->gone && address >= m->from && address < m->to)
            return m;
    struct search s = {.address = address};
    dl_iterate_phdr(add_if_inside, &s);
    return s.found;
}

/* ---- unloaded modules ---------------------------------------------------------------------- */

struct place {
    uintptr_t from, to;
};

static int is_same_place(struct dl_phdr_info *info, size_t size, void *user)
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
    return dl_iterate_phdr(is_same_place, &place);
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

static struct function *function_add(struct loaded *module, uintptr_t address, const char *name)
{
    struct function *f = hooks_memory(sizeof *f);
    if (!f)
        return NULL;
    *f = (struct function){.module = module,
                           .index = ++module->function_count,
                           .address = address,
                           .name = name,
                           .number = ++all.function_count};
    if (!all.functions_last)
        all.functions_last = &all.functions;
    STORE_RELEASE(all.functions_last, f);
    all.functions_last = &f->next;
    STORE_RELEASE(&all.function_last, f);
    return f;
}

struct function *loaded_function(struct loaded *module, uintptr_t address)
{
    return function_add(module, address, NULL);
}

/* Its module is marked as unloaded, so that no address is searched in it. */
uint64_t loaded_mark(enum map_mark mark)
{
    static struct loaded marks = {.gone = true, .path = MAP_MARKS};
    static struct function *functions[MAP_MARKS_END];
    if (!marks.id) {
        marks.id = ++all.count;
        loaded_append(&marks);
    }
    struct function *f = functions[mark];
    if (!f)
        f = functions[mark] = function_add(&marks, (uintptr_t)mark, map_mark_name(mark));
    return f ? (uint64_t)marks.id << 32 | f->index : 0;
}

const char *function_name(struct function *f)
{
    if (f->name)
        return f->name;
    f->name = elf_name_of(f->module, f->address);
    if (!f->name) { /* stripped: named by its address */
        char text[32];
        snprintf(text, sizeof text, "0x%" PRIxPTR, f->address - f->module->bias);
        f->name = copy_text(text);
    }
    return f->name;
}

/* The drain may call malloc() here; so it holds no lock, since a thread that waits for the lock
 * may be in malloc() itself. */
void loaded_report(void)
{
    loaded_map();
    struct loaded *m = LOAD_ACQUIRE(all.reported_module ? &all.reported_module->next : &all.first);
    for (; m && names_add_module(m->path, m->from, m->to - m->from, m->build_id);
         m = LOAD_ACQUIRE(&m->next))
        all.reported_module = m;
    struct function *f =
        LOAD_ACQUIRE(all.reported_function ? &all.reported_function->next : &all.functions);
    for (; f; f = LOAD_ACQUIRE(&f->next)) {
        struct held held;
        hooks_lock(&held);
        const char *name = function_name(f);
        hooks_unlock(&held);
        if (!names_add_function(f->module->id, name))
            return;
        all.reported_function = f;
    }
}

/* ---- functions by address -------------------------------------------------------- */

enum { FIRST_SHIFT = 52 }; /* 4096 entries */

static struct known first_entries[2][(size_t)1 << (64 - FIRST_SHIFT)];
static struct known_table first[2] = {
    {.shift = FIRST_SHIFT, .mask = ((size_t)1 << (64 - FIRST_SHIFT)) - 1, .at = first_entries[0]},
    {.shift = FIRST_SHIFT, .mask = ((size_t)1 << (64 - FIRST_SHIFT)) - 1, .at = first_entries[1]}};

struct known_table *known_table = &first[0];
struct known_table *thunk_table = &first[1];

static void known_insert(struct known_table *t, uintptr_t address, uint64_t id)
{
    size_t i = (size_t)(address * UINT64_C(0x9e3779b97f4a7c15) >> t->shift);
    while (t->at[i].address)
        i = (i + 1) & t->mask;
    t->at[i].id = id;
    STORE_RELEASE(&t->at[i].address, address);
    t->count++;
}

/* A larger copy, without the range [from, to). */
static bool known_replace(struct known_table **table, unsigned shift, uintptr_t from, uintptr_t to)
{
    struct known_table *old = *table;
    size_t room = (size_t)1 << (64 - shift);
    struct known_table *t = hooks_memory(sizeof *t + room * sizeof *t->at);
    if (!t)
        return false;
    *t = (struct known_table){.shift = shift, .mask = room - 1, .at = (struct known *)(t + 1)};
    for (size_t i = 0; i <= old->mask; i++) {
        uintptr_t address = old->at[i].address;
        if (address && (address < from || address >= to))
            known_insert(t, address, old->at[i].id);
    }
    STORE_RELEASE(table, t);
    return true;
}

bool known_put(struct known_table **table, uintptr_t address, uint64_t id)
{
    struct known_table *t = *table;
    if (t->count > t->mask / 2 && !known_replace(table, t->shift - 1, 0, 0))
        return false;
    known_insert(*table, address, id);
    return true;
}

static uint64_t known_learn_locked(uintptr_t address)
{
    uint64_t id = known_find(address);
    if (id)
        return id; /* another thread has added it */
    uintptr_t function = planned_function(address);
    struct loaded *module = loaded_find(function);
    if (!module)
        return 0;
    id = choice_of(module, function);
    return id && known_put(&known_table, address, id) ? id : 0;
}

uint64_t known_learn(uintptr_t address)
{
    struct held held;
    hooks_lock(&held);
    uint64_t id = known_learn_locked(address);
    hooks_unlock(&held);
    if (hooks.options.durable && id && !(id & CALL_IGNORED))
        loaded_map_wait(); /* the event is written to a file immediately */
    return id;
}

/* With hooks.lock held. */
void known_forget(uintptr_t from, uintptr_t to)
{
    if (!known_replace(&known_table, known_table->shift, from, to))
        STORE_RELEASE(&hooks.state, HOOKS_OFF); /* better none than wrong names */
}
