/* gles_child.c - the process that runs OpenGL ES: it drops the privileges it does not need, then
 * runs calls until the pipe is closed. It alone may call _exit(); nothing else of the library does.
 */
#include "base/error.h"
#include "gpu/gles_api.h"
#include "gpu/gles_process.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_close_range /* musl; the number is the same on every machine */
#define SYS_close_range 436
#endif

/* ---- gles load --------------------------------------------------------------------------- */

/* EGL and OpenGL ES found at run time: a context without a window, a display server or a GPU, that
 * draws into a canvas. */

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
    static const int32_t attributes[] = {EGL_SURFACE_TYPE, 0, EGL_RENDERABLE_TYPE,
                                         EGL_OPENGL_ES3_BIT, EGL_NONE};
    static const int32_t version[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_NONE};
    void *config = NULL;
    int32_t count = 0;
    if (gl->eglBindAPI(EGL_OPENGL_ES_API) == EGL_FALSE ||
        gl->eglChooseConfig(display, attributes, &config, 1, &count) == EGL_FALSE || count < 1)
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

/* Load EGL and OpenGL ES and make a context current that draws into a canvas of that size,
 * which is its only target. RAS_EUNSUPPORTED: not here, and what to install. To be called in a
 * process of its own: what it loads is never released. */
static int gles_load(struct gles_api *gl, uint32_t width, uint32_t height, struct ras_error *err)
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

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

enum { LOCATIONS = 16, POSITION = 0, COLOR = 1 }; /* attributes are known by their location */

/* Mesa and LLVM map about half of this before the first call. */
#define DRIVER_BYTES (UINT64_C(2) << 30)

struct child {
    struct gles_api gl;
    struct gles_shared *shared;
    struct ras_error err;
    uint32_t *buffers, *programs; /* OpenGL's names, by object */
};

/* ---- confinement ------------------------------------------------------------------------- */

#ifdef __GLIBC__
typedef __rlimit_resource_t limit_kind;
#else
typedef int limit_kind;
#endif

static void set_limit(limit_kind what, uint64_t value)
{
    struct rlimit limit;
    if (getrlimit(what, &limit) == 0 &&
        (limit.rlim_max == RLIM_INFINITY || value < limit.rlim_max)) {
        limit.rlim_cur = limit.rlim_max = (rlim_t)value;
        (void)!setrlimit(what, &limit);
    }
}

/* It closes all file descriptors but the two pipes. */
static void close_others(int ask, int answer)
{
    unsigned low = (unsigned)(ask < answer ? ask : answer);
    unsigned high = (unsigned)(ask < answer ? answer : ask);
    int null = open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3 && null >= 0; fd++)
        if (fd != ask && fd != answer)
            (void)dup2(null, fd);
    if (low > 3)
        (void)syscall(SYS_close_range, 3u, low - 1, 0);
    if (high > low + 1)
        (void)syscall(SYS_close_range, low + 1, high - 1, 0);
    (void)syscall(SYS_close_range, high + 1, ~0u, 0);
}

static void confine(int ask, int answer, const struct gpu_limits *limits)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    for (int number = 1; number < 32; number++)
        signal(
            number,
            SIG_DFL); /* handlers are our parent's; SIGKILL and SIGSTOP fail, which is harmless */
    signal(SIGINT, SIG_IGN); /* when our parent goes, we go */
    close_others(ask, answer);
    set_limit(RLIMIT_CORE, 0);
    set_limit(RLIMIT_FSIZE, 0);
    if (!SANITIZED && limits->memory_bytes < UINT64_MAX / 8) /* their shadow takes terabytes */
        set_limit(RLIMIT_AS, DRIVER_BYTES + 4 * limits->memory_bytes);
    /* The same pixels on every machine: Mesa's own rasterizer, also where there is a GPU. And no
     * cache file of an untrusted shader in the user's cache directory. */
    setenv("LIBGL_ALWAYS_SOFTWARE", "1", 1);
    setenv("GALLIUM_DRIVER", "llvmpipe", 1);
    setenv("MESA_SHADER_CACHE_DISABLE", "true", 1);
    (void)gles_filter_loading(); /* without it all of the above still holds */
}

/* ---- calls ------------------------------------------------------------------------------- */

static int set_buffer(struct child *c, const struct gles_call *call)
{
    static const uint8_t zero[1];
    const struct gles_api *gl = &c->gl;
    uint32_t size = call->argument[1];
    uint8_t *zeros = calloc(size ? size : 1, 1);
    if (!zeros)
        return fail_memory(&c->err);
    gl->glGenBuffers(1, &c->buffers[call->argument[0]]);
    gl->glBindBuffer(GL_ARRAY_BUFFER, c->buffers[call->argument[0]]);
    gl->glBufferData(GL_ARRAY_BUFFER, (intptr_t)size, size ? zeros : zero, GL_DYNAMIC_DRAW);
    free(zeros);
    return RAS_OK;
}

static void set_vertices(struct child *c, const struct gles_call *call)
{
    const struct gles_api *gl = &c->gl;
    int32_t stride = (int32_t)call->argument[1];
    gl->glBindBuffer(GL_ARRAY_BUFFER, c->buffers[call->argument[0]]);
    gl->glEnableVertexAttribArray(POSITION);
    gl->glEnableVertexAttribArray(COLOR);
    gl->glVertexAttribPointer(POSITION, 2, GL_FLOAT, 0, stride,
                              (const void *)(uintptr_t)call->argument[2]);
    gl->glVertexAttribPointer(COLOR, 4, GL_FLOAT, 0, stride,
                              (const void *)(uintptr_t)call->argument[3]);
}

/* The viewport begins in the top left corner; OpenGL counts from the bottom. */
static void child_set_viewport(struct child *c, const struct gles_call *call)
{
    int32_t height = (int32_t)call->argument[1];
    c->gl.glViewport(0, (int32_t)c->shared->height - height, (int32_t)call->argument[0], height);
}

static void child_clear(struct child *c, const struct gles_call *call)
{
    float rgba[4];
    memcpy(rgba, call->argument, sizeof rgba);
    c->gl.glClearColor(rgba[0], rgba[1], rgba[2], rgba[3]);
    c->gl.glClear(GL_COLOR_BUFFER_BIT);
}

/* A driver may calculate in 16 bits what is declared mediump or lowp, or is an int of a fragment
 * shader, and this one does where the processor can. What browsers do on desktops is allowed as
 * well and the same everywhere: to take all of it for highp. The text put after the line of
 * #version says so; where that does not suit the shader it is compiled as it is. */
static bool compile_exact(const struct gles_api *gl, uint32_t shader, unsigned stage,
                          const char *text, uint32_t len)
{
    static const char words[] = "#define mediump highp\n#define lowp highp\n",
                      numbers[] = "precision highp int;\n", line[] = "#line 2\n";
    static const char version[] = "#version 300 es";
    const char *end = memchr(text, '\n', len);
    if (!end || len < sizeof version || memcmp(text, version, sizeof version - 1) != 0)
        return false;
    int32_t first = (int32_t)(end + 1 - text), good = 0;
    bool extends = memmem(text, len, "#extension", 10) != NULL; /* must come first */
    const char *const texts[] = {text, words, numbers, line, end + 1};
    const int32_t lengths[] = {first, sizeof words - 1,
                               stage == GL_FRAGMENT_SHADER && !extends ? (int32_t)sizeof numbers - 1
                                                                       : 0,
                               sizeof line - 1, (int32_t)len - first};
    gl->glShaderSource(shader, 5, texts, lengths);
    gl->glCompileShader(shader);
    gl->glGetShaderiv(shader, GL_COMPILE_STATUS, &good);
    return good;
}

/* 0: it does not compile, and `text` has the log. */
static uint32_t child_compile(struct child *c, unsigned stage, const char *text, uint32_t len)
{
    const struct gles_api *gl = &c->gl;
    const int32_t length = (int32_t)len;
    int32_t good = 0, got = 0;
    uint32_t shader = gl->glCreateShader(stage);
    if (compile_exact(gl, shader, stage, text, len))
        return shader;
    c->shared->unchanged = 1;
    gl->glShaderSource(shader, 1, &text, &length);
    gl->glCompileShader(shader);
    gl->glGetShaderiv(shader, GL_COMPILE_STATUS, &good);
    if (good)
        return shader;
    char *log = c->shared->text;
    int said = snprintf(log, GLES_TEXT_SIZE, "the %s shader does not compile\n",
                        stage == GL_VERTEX_SHADER ? "vertex" : "fragment");
    gl->glGetShaderInfoLog(shader, (int32_t)GLES_TEXT_SIZE - said, &got, log + said);
    gl->glDeleteShader(shader);
    return 0;
}

static uint32_t locations_of(const struct child *c, uint32_t program)
{
    const struct gles_api *gl = &c->gl;
    uint32_t found = 0;
    int32_t count = 0;
    gl->glGetProgramiv(program, GL_ACTIVE_ATTRIBUTES, &count);
    for (int32_t i = 0; i < count; i++) {
        char name[256];
        int32_t len = 0, size = 0;
        unsigned type;
        gl->glGetActiveAttrib(program, (uint32_t)i, sizeof name, &len, &size, &type, name);
        int32_t location = gl->glGetAttribLocation(program, name);
        if (location >= 0 && location < LOCATIONS) /* gl_VertexID has none */
            found |= 1u << location;
    }
    return found;
}

static int link_program(struct child *c, const struct gles_call *call, const char *texts)
{
    const struct gles_api *gl = &c->gl;
    uint32_t first = call->argument[1];
    c->shared->unchanged = 0;
    uint32_t vertex = child_compile(c, GL_VERTEX_SHADER, texts, first);
    uint32_t fragment =
        vertex ? child_compile(c, GL_FRAGMENT_SHADER, texts + first, call->len - first) : 0;
    if (!fragment)
        return RAS_EFORMAT;
    int32_t good = 0, got = 0;
    uint32_t program = gl->glCreateProgram();
    gl->glAttachShader(program, vertex);
    gl->glAttachShader(program, fragment);
    gl->glLinkProgram(program);
    gl->glDeleteShader(vertex);
    gl->glDeleteShader(fragment);
    gl->glGetProgramiv(program, GL_LINK_STATUS, &good);
    if (!good) {
        char *log = c->shared->text;
        int said = snprintf(log, GLES_TEXT_SIZE, "the shaders do not link\n");
        gl->glGetProgramInfoLog(program, (int32_t)GLES_TEXT_SIZE - said, &got, log + said);
        gl->glDeleteProgram(program);
        return RAS_EFORMAT;
    }
    c->programs[call->argument[0]] = program;
    c->shared->locations = locations_of(c, program);
    return RAS_OK;
}

static int run_call(struct child *c, const struct gles_call *call, const void *data)
{
    const struct gles_api *gl = &c->gl;
    struct gles_shared *s = c->shared;
    switch ((enum gles_kind)call->kind) {
    case GLES_BUFFER:
        return set_buffer(c, call);
    case GLES_WRITE:
        gl->glBindBuffer(GL_ARRAY_BUFFER, c->buffers[call->argument[0]]);
        gl->glBufferSubData(GL_ARRAY_BUFFER, (intptr_t)call->argument[1], (intptr_t)call->len,
                            data);
        break;
    case GLES_DROP_BUFFER:
        gl->glDeleteBuffers(1, &c->buffers[call->argument[0]]);
        break;
    case GLES_PROGRAM:
        return link_program(c, call, data);
    case GLES_DROP_PROGRAM:
        gl->glDeleteProgram(c->programs[call->argument[0]]);
        break;
    case GLES_USE:
        gl->glUseProgram(c->programs[call->argument[0]]);
        break;
    case GLES_VERTICES:
        set_vertices(c, call);
        break;
    case GLES_VIEWPORT:
        child_set_viewport(c, call);
        break;
    case GLES_CLEAR:
        child_clear(c, call);
        break;
    case GLES_DRAW:
        gl->glDrawArrays(GL_TRIANGLES, (int32_t)call->argument[1], (int32_t)call->argument[0]);
        break;
    case GLES_READ:
        gl->glReadPixels(0, 0, (int32_t)s->width, (int32_t)s->height, GL_RGBA, GL_UNSIGNED_BYTE,
                         s->pixels);
        break;
    }
    return RAS_OK;
}

static int run_queue(struct child *c)
{
    struct gles_shared *s = c->shared;
    int status = RAS_OK;
    for (size_t at = 0; at < s->used && status == RAS_OK;) {
        struct gles_call call;
        memcpy(&call, s->queue + at, sizeof call);
        const uint8_t *data = s->queue + at + sizeof call;
        at += sizeof call + (((size_t)call.len + 7) & ~(size_t)7);
        s->opcode = call.opcode;
        s->offset = call.offset;
        s->text[0] = 0;
        status = run_call(c, &call, data);
        unsigned error = c->gl.glGetError();
        if (status == RAS_OK && error != GL_NO_ERROR) {
            status = error == GL_OUT_OF_MEMORY ? RAS_EMEMORY : RAS_EUNSUPPORTED;
            snprintf(s->text, GLES_TEXT_SIZE, "the OpenGL driver refuses it (error 0x%04x)", error);
        }
    }
    return status;
}

static void child_answer(const struct child *c, int fd, int status)
{
    struct gles_shared *s = c->shared;
    if (status < 0 && !s->text[0])
        snprintf(s->text, GLES_TEXT_SIZE, "%s", c->err.text);
    s->status = status;
    while (write(fd, "", 1) < 0 && errno == EINTR)
        ;
}

_Noreturn void gles_child(struct gles_shared *shared, int ask, int answer_to,
                          const struct gpu_limits *limits)
{
    struct child c = {.shared = shared};
    confine(ask, answer_to, limits);
    c.buffers = calloc(GLES_OBJECTS_MAX, sizeof *c.buffers);
    c.programs = calloc(GLES_OBJECTS_MAX, sizeof *c.programs);
    int status = c.buffers && c.programs ? gles_load(&c.gl, shared->width, shared->height, &c.err)
                                         : fail_memory(&c.err);
    (void)gles_filter(); /* input from now on is untrusted */
    child_answer(&c, answer_to, status);
    uint8_t byte;
    ssize_t got;
    while (status == RAS_OK && ((got = read(ask, &byte, 1)) == 1 || (got < 0 && errno == EINTR)))
        if (got == 1)
            child_answer(&c, answer_to, run_queue(&c));
    _exit(0);
}
