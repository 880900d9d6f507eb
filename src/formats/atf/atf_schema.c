/* atf_schema.c - the record types of ATF and their fields. */
#include "formats/atf/atf_driver.h"

#define COUNT(a) ((uint16_t)(sizeof(a) / sizeof *(a)))

static const char *kind_word(uint64_t kind)
{
    static const char *const words[] = {
        [RAS_ATF_CALL] = "call", [RAS_ATF_RETURN] = "return", [RAS_ATF_EXCEPTION] = "exception"};
    return kind < sizeof words / sizeof *words ? words[kind] : NULL;
}

/* Fields an event has; a joined event begins with them. */
#define EVENT_ROWS                                                                                 \
    {"timestamp_ns", RAS_UINT, 64, RAS_IN_HEAD}, {"function_id", RAS_UINT, 64, RAS_HEX},           \
        {"thread_id", RAS_UINT, 32, 0}, {"event_kind", RAS_UINT, 32, 0, kind_word},                \
        {"call_depth", RAS_UINT, 32, 0}, {"detail_seq", RAS_UINT, 32, RAS_NULLABLE},               \
        {"function", RAS_STR, 0, RAS_NULLABLE},                                                    \
    {                                                                                              \
        "module", RAS_STR, 0, RAS_NULLABLE | RAS_PATH                                              \
    }

/* Fields a detail has. Joined to an event those bear a prefix whose names the event
 * has too, and all of them may be null. */
#define REG(name)                                                                                  \
    {                                                                                              \
        name, RAS_UINT, 64, RAS_NULLABLE | RAS_HEX                                                 \
    }
#define X86_64_ROWS                                                                                \
    REG("rdi"), REG("rsi"), REG("rdx"), REG("rcx"), REG("r8"), REG("r9"), REG("rbp"), REG("rsp"),  \
        REG("rax")
#define OTHER_ROWS                                                                                 \
    REG("x0"), REG("x1"), REG("x2"), REG("x3"), REG("x4"), REG("x5"), REG("x6"), REG("x7")
#define DETAIL_ROWS(prefix, nullable, registers)                                                   \
    {"event_type", RAS_UINT, 16, nullable}, {"flags", RAS_UINT, 16, nullable},                     \
        {"index_seq", RAS_UINT, 32, nullable}, {prefix "thread_id", RAS_UINT, 32, nullable},       \
        {"timestamp", RAS_UINT, 64, nullable},                                                     \
        {prefix "function_id", RAS_UINT, 64, RAS_NULLABLE | RAS_HEX}, registers, REG("lr"),        \
        REG("fp"), REG("sp"), {"stack", RAS_BLOB, 0, RAS_NULLABLE},                                \
        {"os_thread_id", RAS_UINT, 32, RAS_NULLABLE},                                              \
        {prefix "event_kind", RAS_UINT, 32, RAS_NULLABLE},                                         \
        {prefix "call_depth", RAS_UINT, 32, RAS_NULLABLE},                                         \
    {                                                                                              \
        "payload", RAS_BLOB, 0, RAS_NULLABLE                                                       \
    }

static const struct ras_field event_fields[EVENT_FIELDS] = {EVENT_ROWS};
static const struct ras_field x86_64_fields[] = {DETAIL_ROWS("", 0, X86_64_ROWS)};
static const struct ras_field other_fields[] = {DETAIL_ROWS("", 0, OTHER_ROWS)};
_Static_assert(sizeof x86_64_fields <= DETAIL_FIELDS_MAX * sizeof *x86_64_fields, "room for sums");
static const struct ras_field joined_x86_64_fields[] = {
    EVENT_ROWS, DETAIL_ROWS("detail_", RAS_NULLABLE, X86_64_ROWS)};
static const struct ras_field joined_other_fields[] = {
    EVENT_ROWS, DETAIL_ROWS("detail_", RAS_NULLABLE, OTHER_ROWS)};

static const struct ras_field span_fields[] = {
    {"start_ns", RAS_UINT, 64, RAS_NULLABLE},
    {"end_ns", RAS_UINT, 64, RAS_NULLABLE},
    {"duration_ns", RAS_UINT, 64, RAS_NULLABLE},
    {"thread_id", RAS_UINT, 32, 0},
    {"call_depth", RAS_UINT, 32, 0},
    {"function_id", RAS_UINT, 64, RAS_HEX},
    {"function", RAS_STR, 0, RAS_NULLABLE},
    {"module", RAS_STR, 0, RAS_NULLABLE},
    {"call_seq", RAS_UINT, 64, RAS_NULLABLE},
    {"return_seq", RAS_UINT, 64, RAS_NULLABLE},
    {"reason", RAS_STR, 0, 0},
};

static const struct ras_field thread_fields[] = {
    {"thread_id", RAS_UINT, 32, 0},
    {"process", RAS_STR, 0, RAS_NULLABLE},
    {"event_count", RAS_UINT, 64, RAS_NULLABLE},
    {"detail_count", RAS_UINT, 64, RAS_NULLABLE},
    {"time_start_ns", RAS_UINT, 64, RAS_NULLABLE},
    {"time_end_ns", RAS_UINT, 64, RAS_NULLABLE},
    {"sorted", RAS_BOOL, 0, RAS_NULLABLE},
    {"arch", RAS_STR, 0, RAS_NULLABLE},
    {"os", RAS_STR, 0, RAS_NULLABLE},
    {"clock_type", RAS_STR, 0, RAS_NULLABLE},
    {"counted_by", RAS_STR, 0, RAS_NULLABLE},
};

static const struct ras_field function_fields[] = {
    {"function_id", RAS_UINT, 64, RAS_HEX}, {"name", RAS_STR, 0, 0},
    {"module_id", RAS_UINT, 32, 0},         {"symbol_index", RAS_UINT, 32, 0},
    {"module", RAS_STR, 0, RAS_NULLABLE},
};

static const struct ras_field module_fields[] = {
    {"module_id", RAS_UINT, 32, 0},
    {"path", RAS_STR, 0, 0},
    {"base_address", RAS_UINT, 64, RAS_NULLABLE | RAS_HEX},
    {"size", RAS_UINT, 64, RAS_NULLABLE},
    {"uuid", RAS_STR, 0, RAS_NULLABLE},
};

const struct ras_schema atf_event_schema = {"event", event_fields, EVENT_FIELDS, 0};
const struct ras_schema atf_span_schema = {"span", span_fields, COUNT(span_fields), RAS_ON_REQUEST};
const struct ras_schema atf_thread_schema = {"thread", thread_fields, COUNT(thread_fields),
                                             RAS_ON_REQUEST};
const struct ras_schema atf_function_schema = {"function", function_fields, COUNT(function_fields),
                                               RAS_ON_REQUEST};
const struct ras_schema atf_module_schema = {"module", module_fields, COUNT(module_fields),
                                             RAS_ON_REQUEST};
const struct ras_schema atf_detail_schemas[CPU_COUNT] = {
    [CPU_X86_64] = {"detail", x86_64_fields, COUNT(x86_64_fields), 0},
    [CPU_OTHER] = {"detail", other_fields, COUNT(other_fields), 0},
};
const struct ras_schema atf_joined_schemas[CPU_COUNT] = {
    [CPU_X86_64] = {"event", joined_x86_64_fields, COUNT(joined_x86_64_fields), 0},
    [CPU_OTHER] = {"event", joined_other_fields, COUNT(joined_other_fields), 0},
};
