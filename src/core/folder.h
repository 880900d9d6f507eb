/* folder.h - what only the library does with folders. */
#ifndef CORE_FOLDER_H
#define CORE_FOLDER_H

#include "base/private_api.h"
#include "core/sink.h"

/* The directory that it is made in, for callers that write files into it; NULL: in memory. */
PRIVATE_API const char *folder_place(const struct ras_folder *);
/* Close the files that were begun, and take in those that others have made: they are published
 * with the folder, or removed. */
PRIVATE_API int folder_settle(struct ras_folder *, struct ras_error *);
/* The files that are begun from now on are hashed as they are written, each by a thread of its
 * own; see sink_relay(). */
PRIVATE_API void folder_hash(struct ras_folder *);
/* The digest of the i-th of folder_files() once it is settled; NULL: it has to be read. */
PRIVATE_API struct sink_digest *folder_digest(const struct ras_folder *, size_t i);
/* All its files. Those of a folder in memory have their bytes. */
PRIVATE_API const struct ras_part *folder_files(struct ras_folder *, size_t *count);
/* A member "files": those of the name, or all that are below it, each with its size and its
 * SHA-256. The folder is settled. */
struct json;
PRIVATE_API int folder_json(struct json *, struct ras_folder *, const char *file,
                            struct ras_error *);
/* How many bytes the i-th of them has, once it is settled. */
uint64_t folder_size(const struct ras_folder *, size_t i);
#endif
