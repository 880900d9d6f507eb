/* gles_load.c - EGL and OpenGL ES found at run time: a context without a window, a display
 * server or a GPU, that draws into a canvas. */
#include "base/error.h"
#include "gpu/gles_api.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define INSTALL "install libegl1 libgles2 libegl-mesa0 libgl1-mesa-dri"

static int missing(struct ras_error *err, const char *what)
{
    return fail(err, RAS_EUNSUPPORTED, RAS_NONE, "OpenGL ES 3 is not here (%s): %s", what, INSTALL);
}

/* A function is not a pointer to an object; POSIX has dlsym() all the same. */
static bool look_up(void *library, const char *name, void *to)
{
    void *found = dlsym(library, name);
    memcpy(to, &found, sizeof found);
    return found != NULL;
}

static int find_calls(struct gles_api *gl, struct ras_error *err)
{
    void *egl = dlopen("libEGL.so.1", RTLD_NOW | RTLD_LOCAL);
    void *gles = dlopen("libGLESv2.so.2", RTLD_NOW | RTLD_LOCAL);
    if (!egl || !gles)
        return missing(err, egl ? "no libGLESv2.so.2" : "no libEGL.so.1");
#define GLES_FIND_EGL(result, name, arguments)                                                     \
    if (!look_up(egl, #name, &gl->name))                                                           \
        return missing(err, "libEGL.so.1 lacks " #name);
#define GLES_FIND_GL(result, name, arguments)                                                      \
    if (!look_up(gles, #name, &gl->name))                                                          \
        return missing(err, "libGLESv2.so.2 lacks " #name);
    GLES_EGL_CALLS(GLES_FIND_EGL)
    GLES_GL_CALLS(GLES_FIND_GL)
#undef GLES_FIND_EGL
#undef GLES_FIND_GL
    return RAS_OK;
}

/* The display of Mesa's surfaceless platform: no X, no /dev/dri, nothing in the environment. */
static int find_display(const struct gles_api *gl, void **display, struct ras_error *err)
{
    void *(*platform_display)(unsigned, void *, const int32_t *) = NULL;
    const char *extensions = gl->eglQueryString(NULL, EGL_EXTENSIONS);
    void *found = gl->eglGetProcAddress("eglGetPlatformDisplayEXT");
    memcpy(&platform_display, &found, sizeof found);
    if (!extensions || !strstr(extensions, "EGL_MESA_platform_surfaceless") || !platform_display)
        return missing(err, "EGL has no EGL_MESA_platform_surfaceless");
    *display = platform_display(EGL_PLATFORM_SURFACELESS_MESA, NULL, NULL);
    int32_t major, minor;
    if (!*display || gl->eglInitialize(*display, &major, &minor) == EGL_FALSE)
        return missing(err, "EGL finds no driver for the surfaceless platform");
    return RAS_OK;
}

static int make_context(const struct gles_api *gl, void *display, struct ras_error *err)
{
    static const int32_t asked[] = {EGL_SURFACE_TYPE, 0, EGL_RENDERABLE_TYPE, EGL_OPENGL_ES3_BIT,
                                    EGL_NONE};
    static const int32_t version[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_NONE};
    void *config = NULL;
    int32_t count = 0;
    if (gl->eglBindAPI(EGL_OPENGL_ES_API) == EGL_FALSE ||
        gl->eglChooseConfig(display, asked, &config, 1, &count) == EGL_FALSE || count < 1)
        return missing(err, "EGL has no OpenGL ES 3");
    void *context = gl->eglCreateContext(display, config, NULL, version);
    if (!context || gl->eglMakeCurrent(display, NULL, NULL, context) == EGL_FALSE)
        return missing(err, "EGL makes no context without a surface");
    return RAS_OK;
}

/* Everything that could change a pixel beside the commands is off, as it is in the public
 * replayer. */
static int make_canvas(const struct gles_api *gl, uint32_t width, uint32_t height,
                       struct ras_error *err)
{
    static const unsigned off[] = {GL_CULL_FACE, GL_DEPTH_TEST,   GL_STENCIL_TEST,   GL_DITHER,
                                   GL_BLEND,     GL_SCISSOR_TEST, GL_SAMPLE_COVERAGE};
    int32_t most = 0, view[2] = {0, 0};
    uint32_t frame, render;
    gl->glGetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &most);
    gl->glGetIntegerv(GL_MAX_VIEWPORT_DIMS, view);
    if (most < 0 || width > (uint32_t)most || height > (uint32_t)most)
        return fail(err, RAS_ELIMIT, RAS_NONE,
                    "a canvas of %" PRIu32 "x%" PRIu32 ", the driver has at most %" PRId32, width,
                    height, most);
    gl->glGenFramebuffers(1, &frame);
    gl->glBindFramebuffer(GL_FRAMEBUFFER, frame);
    gl->glGenRenderbuffers(1, &render);
    gl->glBindRenderbuffer(GL_RENDERBUFFER, render);
    gl->glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, (int32_t)width, (int32_t)height);
    gl->glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, render);
    for (size_t i = 0; i < sizeof off / sizeof *off; i++)
        gl->glDisable(off[i]);
    gl->glPixelStorei(GL_PACK_ALIGNMENT, 1);
    gl->glViewport(0, 0, (int32_t)width, (int32_t)height);
    gl->glClearColor(0, 0, 0, 0);
    gl->glClear(GL_COLOR_BUFFER_BIT);
    unsigned state = gl->glCheckFramebufferStatus(GL_FRAMEBUFFER), error = gl->glGetError();
    if (state != GL_FRAMEBUFFER_COMPLETE || error != GL_NO_ERROR)
        return fail(err, RAS_EUNSUPPORTED, RAS_NONE,
                    "the driver makes no canvas of %" PRIu32 "x%" PRIu32
                    " (status 0x%04x, error 0x%04x)",
                    width, height, state, error);
    return RAS_OK;
}

int gles_load(struct gles_api *gl, uint32_t width, uint32_t height, struct ras_error *err)
{
    void *display = NULL;
    int status = find_calls(gl, err);
    if (status == RAS_OK)
        status = find_display(gl, &display, err);
    if (status == RAS_OK)
        status = make_context(gl, display, err);
    if (status == RAS_OK)
        status = make_canvas(gl, width, height, err);
    return status;
}
