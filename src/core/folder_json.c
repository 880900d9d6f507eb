/* folder_json.c - the files of a folder as run.json lists them: their sizes and hashes. */
#include "base/error.h"
#include "base/file.h"
#include "base/os.h"
#include "codec/json_write.h"
#include "codec/sha256.h"
#include "core/folder.h"

#include <stdio.h>
#include <stdlib.h>

enum { PIECE = 1 << 16 };

static int hash_open_file(int fd, struct sha256 *sha, uint64_t *size, struct ras_error *err)
{
    uint8_t *piece = malloc(PIECE);
    int64_t got = piece ? 1 : fail_memory(err);
    for (*size = 0; got > 0; *size += (uint64_t)got) {
        got = file_read_at(fd, piece, PIECE, *size, err);
        if (got < 0)
            break;
        sha256_add(sha, piece, (size_t)got);
    }
    free(piece);
    return got < 0 ? (int)got : RAS_OK;
}

static int hash_part(struct ras_folder *folder, size_t i, struct sha256 *sha, uint64_t *size,
                     struct ras_error *err)
{
    char path[4096];
    size_t count;
    const struct ras_part *part = &folder_files(folder, &count)[i];
    const char *place = folder_place(folder);
    const struct sink_digest *known = folder_digest(folder, i);
    *size = known ? known->size : part->bytes.len;
    if (known) {
        *sha = known->sha;
        return RAS_OK;
    }
    if (!place) {
        sha256_add(sha, part->bytes.at, part->bytes.len);
        return RAS_OK;
    }
    if (snprintf(path, sizeof path, "%s/%s", place, part->name) >= (int)sizeof path)
        return fail(err, RAS_EUSAGE, RAS_NONE, "a path of %zu bytes", strlen(place));
    int fd = os_open(path, OS_READ);
    if (fd < 0)
        return fail_os(err, path);
    int status = hash_open_file(fd, sha, size, err);
    os_close(fd);
    return status;
}

static int put_file(struct json *j, struct ras_folder *folder, const char *name, size_t i,
                    struct ras_error *err)
{
    struct sha256 sha = sha256_start();
    uint8_t digest[SHA256_SIZE];
    uint64_t size;
    int status = hash_part(folder, i, &sha, &size, err);
    if (status < 0)
        return status;
    sha256_end(&sha, digest);
    json_object(j, NULL);
    json_text(j, "name", name);
    json_uint(j, "size_bytes", size);
    json_blob(j, "sha256", digest, sizeof digest);
    json_close(j);
    return RAS_OK;
}

int folder_json(struct json *j, struct ras_folder *folder, const char *file, struct ras_error *err)
{
    size_t count, len = strlen(file);
    const struct ras_part *parts = folder_files(folder, &count);
    int status = RAS_OK;
    json_array(j, "files");
    for (size_t i = 0; status == RAS_OK && i < count; i++) {
        const char *name = parts[i].name;
        if (!strncmp(name, file, len) && (!name[len] || name[len] == '/'))
            status = put_file(j, folder, name, i, err);
    }
    json_close(j);
    return status;
}
