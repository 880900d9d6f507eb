/* duckdb_api.h - the functions of DuckDB's C interface that are used here, found at run time.
 *
 * Declared by its documentation: no header of DuckDB is needed, neither to build nor to run.
 * duckdb_arrow_scan and duckdb_data_chunk_from_arrow must never be added: the first leaves out
 * conditions and columns without an error, the second overflows with more than 2048 rows. */
#ifndef SQL_DUCKDB_API_H
#define SQL_DUCKDB_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Numbers of its types. */
enum duckdb_kind {
    DUCKDB_BOOLEAN = 1,
    DUCKDB_TINYINT = 2,
    DUCKDB_SMALLINT = 3,
    DUCKDB_INTEGER = 4,
    DUCKDB_BIGINT = 5,
    DUCKDB_UTINYINT = 6,
    DUCKDB_USMALLINT = 7,
    DUCKDB_UINTEGER = 8,
    DUCKDB_UBIGINT = 9,
    DUCKDB_FLOAT = 10,
    DUCKDB_DOUBLE = 11,
    DUCKDB_HUGEINT = 16,
    DUCKDB_VARCHAR = 17,
    DUCKDB_BLOB = 18,
    DUCKDB_DECIMAL = 19,
    DUCKDB_LIST = 24,
    DUCKDB_UHUGEINT = 32,
    DUCKDB_SQLNULL = 36,
};
enum duckdb_progress { DUCKDB_READY, DUCKDB_NOT_READY, DUCKDB_FAILED, DUCKDB_NO_TASK };

/* Its handles are pointers to what is its own. */
typedef void *duckdb_handle;

struct duckdb_result {
    uint64_t unused[3];
    void *columns;
    char *message;
    void *internal;
};
/* A text: up to 12 bytes are in it, of a longer one the address is. */
struct duckdb_string {
    uint32_t len;
    char start[4];
    union {
        const char *at;
        char rest[8];
    } more;
};
struct duckdb_entry { /* of a list: its items in the vector of all */
    uint64_t offset, len;
};
struct duckdb_huge {
    uint64_t low;
    int64_t high;
};

typedef void duckdb_call(duckdb_handle);
typedef void duckdb_work(duckdb_handle, duckdb_handle);
typedef void duckdb_forget(void *);
typedef void duckdb_scalar(duckdb_handle info, duckdb_handle chunk, duckdb_handle result);

/* X(what it returns, its name after "duckdb_", its parameters) */
#define DUCKDB_FUNCTIONS(X)                                                                        \
    X(const char *, library_version, (void))                                                       \
    X(void, free, (void *))                                                                        \
    X(int, create_config, (duckdb_handle *))                                                       \
    X(int, set_config, (duckdb_handle, const char *, const char *))                                \
    X(void, destroy_config, (duckdb_handle *))                                                     \
    X(int, open_ext, (const char *, duckdb_handle *, duckdb_handle, char **))                      \
    X(void, close, (duckdb_handle *))                                                              \
    X(int, connect, (duckdb_handle, duckdb_handle *))                                              \
    X(void, disconnect, (duckdb_handle *))                                                         \
    X(void, interrupt, (duckdb_handle))                                                            \
    X(int, query, (duckdb_handle, const char *, struct duckdb_result *))                           \
    X(void, destroy_result, (struct duckdb_result *))                                              \
    X(const char *, result_error, (struct duckdb_result *))                                        \
    X(uint64_t, extract_statements, (duckdb_handle, const char *, duckdb_handle *))                \
    X(const char *, extract_statements_error, (duckdb_handle))                                     \
    X(int, prepare_extracted_statement, (duckdb_handle, duckdb_handle, uint64_t, duckdb_handle *)) \
    X(void, destroy_extracted, (duckdb_handle *))                                                  \
    X(const char *, prepare_error, (duckdb_handle))                                                \
    X(void, destroy_prepare, (duckdb_handle *))                                                    \
    X(int, pending_prepared, (duckdb_handle, duckdb_handle *))                                     \
    X(int, pending_execute_task, (duckdb_handle))                                                  \
    X(const char *, pending_error, (duckdb_handle))                                                \
    X(int, execute_pending, (duckdb_handle, struct duckdb_result *))                               \
    X(void, destroy_pending, (duckdb_handle *))                                                    \
    X(uint64_t, column_count, (struct duckdb_result *))                                            \
    X(const char *, column_name, (struct duckdb_result *, uint64_t))                               \
    X(duckdb_handle, column_logical_type, (struct duckdb_result *, uint64_t))                      \
    X(duckdb_handle, fetch_chunk, (struct duckdb_result))                                          \
    X(void, destroy_data_chunk, (duckdb_handle *))                                                 \
    X(uint64_t, data_chunk_get_size, (duckdb_handle))                                              \
    X(void, data_chunk_set_size, (duckdb_handle, uint64_t))                                        \
    X(duckdb_handle, data_chunk_get_vector, (duckdb_handle, uint64_t))                             \
    X(uint64_t, vector_size, (void))                                                               \
    X(void *, vector_get_data, (duckdb_handle))                                                    \
    X(uint64_t *, vector_get_validity, (duckdb_handle))                                            \
    X(void, vector_ensure_validity_writable, (duckdb_handle))                                      \
    X(void, vector_assign_string_element_len, (duckdb_handle, uint64_t, const char *, uint64_t))   \
    X(duckdb_handle, list_vector_get_child, (duckdb_handle))                                       \
    X(int, list_vector_set_size, (duckdb_handle, uint64_t))                                        \
    X(int, list_vector_reserve, (duckdb_handle, uint64_t))                                         \
    X(duckdb_handle, create_logical_type, (int))                                                   \
    X(duckdb_handle, create_list_type, (duckdb_handle))                                            \
    X(duckdb_handle, list_type_child_type, (duckdb_handle))                                        \
    X(int, get_type_id, (duckdb_handle))                                                           \
    X(uint8_t, decimal_scale, (duckdb_handle))                                                     \
    X(int, decimal_internal_type, (duckdb_handle))                                                 \
    X(void, destroy_logical_type, (duckdb_handle *))                                               \
    X(duckdb_handle, create_table_function, (void))                                                \
    X(void, destroy_table_function, (duckdb_handle *))                                             \
    X(void, table_function_set_name, (duckdb_handle, const char *))                                \
    X(void, table_function_set_extra_info, (duckdb_handle, void *, duckdb_forget *))               \
    X(void, table_function_set_bind, (duckdb_handle, duckdb_call *))                               \
    X(void, table_function_set_init, (duckdb_handle, duckdb_call *))                               \
    X(void, table_function_set_local_init, (duckdb_handle, duckdb_call *))                         \
    X(void, table_function_set_function, (duckdb_handle, duckdb_work *))                           \
    X(void, table_function_supports_projection_pushdown, (duckdb_handle, bool))                    \
    X(int, register_table_function, (duckdb_handle, duckdb_handle))                                \
    X(void *, bind_get_extra_info, (duckdb_handle))                                                \
    X(void, bind_add_result_column, (duckdb_handle, const char *, duckdb_handle))                  \
    X(void, bind_set_cardinality, (duckdb_handle, uint64_t, bool))                                 \
    X(void *, init_get_extra_info, (duckdb_handle))                                                \
    X(void, init_set_init_data, (duckdb_handle, void *, duckdb_forget *))                          \
    X(uint64_t, init_get_column_count, (duckdb_handle))                                            \
    X(uint64_t, init_get_column_index, (duckdb_handle, uint64_t))                                  \
    X(void, init_set_max_threads, (duckdb_handle, uint64_t))                                       \
    X(void, init_set_error, (duckdb_handle, const char *))                                         \
    X(void *, function_get_extra_info, (duckdb_handle))                                            \
    X(void *, function_get_init_data, (duckdb_handle))                                             \
    X(void *, function_get_local_init_data, (duckdb_handle))                                       \
    X(void, function_set_error, (duckdb_handle, const char *))                                     \
    X(duckdb_handle, create_scalar_function, (void))                                               \
    X(void, destroy_scalar_function, (duckdb_handle *))                                            \
    X(void, scalar_function_set_name, (duckdb_handle, const char *))                               \
    X(void, scalar_function_add_parameter, (duckdb_handle, duckdb_handle))                         \
    X(void, scalar_function_set_return_type, (duckdb_handle, duckdb_handle))                       \
    X(void, scalar_function_set_extra_info, (duckdb_handle, void *, duckdb_forget *))              \
    X(void, scalar_function_set_function, (duckdb_handle, duckdb_scalar *))                        \
    X(void *, scalar_function_get_extra_info, (duckdb_handle))                                     \
    X(void, scalar_function_set_error, (duckdb_handle, const char *))                              \
    X(duckdb_handle, create_scalar_function_set, (const char *))                                   \
    X(void, destroy_scalar_function_set, (duckdb_handle *))                                        \
    X(int, add_scalar_function_to_set, (duckdb_handle, duckdb_handle))                             \
    X(int, register_scalar_function_set, (duckdb_handle, duckdb_handle))

/* Used where they are there: a later version may have them no more. */
#define DUCKDB_OPTIONAL(X) X(int, pending_prepared_streaming, (duckdb_handle, duckdb_handle *))

struct duckdb_api {
#define DUCKDB_MEMBER(type, name, parameters) type(*name) parameters;
    DUCKDB_FUNCTIONS(DUCKDB_MEMBER)
    DUCKDB_OPTIONAL(DUCKDB_MEMBER)
#undef DUCKDB_MEMBER
};

/* The functions, once duckdb_load() has returned true: callbacks are given nothing else. */
extern struct duckdb_api duck;
/* Load libduckdb.so, or what RASTRUM_DUCKDB names. false: why not, in one line. It stays loaded. */
bool duckdb_load(char *why, size_t room);
#endif
