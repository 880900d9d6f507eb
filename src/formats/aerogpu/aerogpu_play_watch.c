/* aerogpu_play_watch.c - the picture before and after a draw. */
#include "formats/aerogpu/aerogpu_play_watch.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

int aero_watch_before(struct aero_watch *w, const struct gpu_backend *backend, struct gpu *gpu,
                      uint64_t offset, struct ras_error *err)
{
    struct gpu_present now;
    w->looked = false;
    w->offset = offset;
    if (!backend)
        return RAS_OK;
    int status = backend->look(gpu, &now, err);
    if (status != RAS_OK)
        return status == RAS_END ? RAS_OK : status;
    size_t size = (size_t)now.picture.width * now.picture.height * 4;
    if (size > w->room) {
        uint8_t *more = realloc(w->pixels, size);
        if (!more)
            return fail_memory(err);
        w->pixels = more;
        w->room = size;
    }
    memcpy(w->pixels, now.picture.rgba, size);
    w->width = now.picture.width;
    w->height = now.picture.height;
    w->looked = true;
    return RAS_OK;
}

int aero_watch_after(const struct aero_watch *w, const struct gpu_backend *backend, struct gpu *gpu,
                     struct ras_drawn *drawn, struct ras_error *err)
{
    struct gpu_present now;
    if (!w->looked)
        return RAS_OK;
    int status = backend->look(gpu, &now, err);
    if (status != RAS_OK)
        return status == RAS_END ? RAS_OK : status;
    drawn->offset = w->offset;
    drawn->before = (struct ras_picture){w->width, w->height, w->pixels};
    drawn->after = (struct ras_picture){now.picture.width, now.picture.height, now.picture.rgba};
    return RAS_OK;
}
