/* render.c - execute a trace of GPU commands again, and hash what it shows. */
#include "core/format.h"
#include <rastrum/render.h>

struct hashing {
    const struct ras_render_options *asked;
};

static bool hash_frame(void *user, const struct ras_rendered *frame)
{
    const struct hashing *h = user;
    struct ras_rendered hashed = *frame;
    if (!h->asked->frame_shown)
        return true;
    ras_picture_sha256(&frame->picture, hashed.sha256);
    return h->asked->frame_shown(h->asked->user, &hashed);
}

static void pass_drawn(void *user, const struct ras_drawn *drawn)
{
    const struct hashing *h = user;
    h->asked->drawn(h->asked->user, drawn);
}

static void pass_remark(void *user, uint64_t offset, const char *text)
{
    const struct hashing *h = user;
    if (h->asked->remark)
        h->asked->remark(h->asked->user, offset, text);
}

bool ras_can_render(const struct ras_trace *t)
{
    return t->format->render != NULL;
}

int ras_render(struct ras_trace *t, const struct ras_render_options *options,
               struct ras_render *out, struct ras_error *err)
{
    static const struct ras_render_options usual;
    struct hashing hashing = {options ? options : &usual};
    struct ras_render_options inner = *hashing.asked;
    *out = (struct ras_render){0};
    if (!t->format->render)
        return fail(err, RAS_EUNSUPPORTED, RAS_NONE, "%s traces have no frames to render",
                    t->format->about.name);
    inner.frame_shown = hash_frame;
    inner.drawn = inner.drawn ? pass_drawn : NULL;
    inner.remark = pass_remark;
    inner.user = &hashing;
    return t->format->render(t, &inner, out, err);
}
