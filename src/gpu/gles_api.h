/* gles_api.h - the part of EGL 1.5 and OpenGL ES 3.0 that is used, declared here because both
 * are found at run time: nothing of them is needed to build. Names and values are Khronos'. */
#ifndef GPU_GLES_API_H
#define GPU_GLES_API_H

#include <rastrum/rastrum.h>

enum {
    EGL_FALSE = 0,
    EGL_NONE = 0x3038,
    EGL_EXTENSIONS = 0x3055,
    EGL_RENDERABLE_TYPE = 0x3040,
    EGL_SURFACE_TYPE = 0x3033,
    EGL_OPENGL_ES3_BIT = 0x40,
    EGL_CONTEXT_MAJOR_VERSION = 0x3098,
    EGL_OPENGL_ES_API = 0x30a0,
    EGL_PLATFORM_SURFACELESS_MESA = 0x31dd,
};

enum {
    GL_NO_ERROR = 0,
    GL_OUT_OF_MEMORY = 0x0505,
    GL_TRIANGLES = 4,
    GL_COLOR_BUFFER_BIT = 0x4000,
    GL_CULL_FACE = 0x0b44,
    GL_DEPTH_TEST = 0x0b71,
    GL_STENCIL_TEST = 0x0b90,
    GL_DITHER = 0x0bd0,
    GL_BLEND = 0x0be2,
    GL_SCISSOR_TEST = 0x0c11,
    GL_SAMPLE_COVERAGE = 0x80a0,
    GL_PACK_ALIGNMENT = 0x0d05,
    GL_MAX_VIEWPORT_DIMS = 0x0d3a,
    GL_UNSIGNED_BYTE = 0x1401,
    GL_FLOAT = 0x1406,
    GL_RGBA = 0x1908,
    GL_RGBA8 = 0x8058,
    GL_VERSION = 0x1f02,
    GL_RENDERER = 0x1f01,
    GL_MAX_RENDERBUFFER_SIZE = 0x84e8,
    GL_ARRAY_BUFFER = 0x8892,
    GL_DYNAMIC_DRAW = 0x88e8,
    GL_FRAGMENT_SHADER = 0x8b30,
    GL_VERTEX_SHADER = 0x8b31,
    GL_COMPILE_STATUS = 0x8b81,
    GL_LINK_STATUS = 0x8b82,
    GL_ACTIVE_ATTRIBUTES = 0x8b89,
    GL_FRAMEBUFFER_COMPLETE = 0x8cd5,
    GL_COLOR_ATTACHMENT0 = 0x8ce0,
    GL_FRAMEBUFFER = 0x8d40,
    GL_RENDERBUFFER = 0x8d41,
};

/* CALL(result, name, arguments): what EGL and OpenGL ES are attributes for, by name. */
#define GLES_EGL_CALLS(CALL)                                                                       \
    CALL(void *, eglGetProcAddress, (const char *name))                                            \
    CALL(const char *, eglQueryString, (void *display, int32_t name))                              \
    CALL(unsigned, eglInitialize, (void *display, int32_t *major, int32_t *minor))                 \
    CALL(unsigned, eglBindAPI, (unsigned api))                                                     \
    CALL(unsigned, eglChooseConfig,                                                                \
         (void *display, const int32_t *attributes, void **configs, int32_t size, int32_t *count)) \
    CALL(void *, eglCreateContext,                                                                 \
         (void *display, void *config, void *share, const int32_t *attributes))                    \
    CALL(unsigned, eglMakeCurrent, (void *display, void *draw, void *read, void *context))         \
    CALL(int32_t, eglGetError, (void))

#define GLES_GL_CALLS(CALL)                                                                        \
    CALL(const uint8_t *, glGetString, (unsigned name))                                            \
    CALL(unsigned, glGetError, (void))                                                             \
    CALL(void, glGetIntegerv, (unsigned name, int32_t *values))                                    \
    CALL(void, glGenFramebuffers, (int32_t n, uint32_t * names))                                   \
    CALL(void, glBindFramebuffer, (unsigned target, uint32_t name))                                \
    CALL(void, glGenRenderbuffers, (int32_t n, uint32_t * names))                                  \
    CALL(void, glBindRenderbuffer, (unsigned target, uint32_t name))                               \
    CALL(void, glRenderbufferStorage,                                                              \
         (unsigned target, unsigned format, int32_t width, int32_t height))                        \
    CALL(void, glFramebufferRenderbuffer,                                                          \
         (unsigned target, unsigned attachment, unsigned kind, uint32_t name))                     \
    CALL(unsigned, glCheckFramebufferStatus, (unsigned target))                                    \
    CALL(void, glDisable, (unsigned what))                                                         \
    CALL(void, glPixelStorei, (unsigned name, int32_t value))                                      \
    CALL(void, glViewport, (int32_t x, int32_t y, int32_t width, int32_t height))                  \
    CALL(void, glClearColor, (float r, float g, float b, float a))                                 \
    CALL(void, glClear, (unsigned mask))                                                           \
    CALL(void, glGenBuffers, (int32_t n, uint32_t * names))                                        \
    CALL(void, glDeleteBuffers, (int32_t n, const uint32_t *names))                                \
    CALL(void, glBindBuffer, (unsigned target, uint32_t name))                                     \
    CALL(void, glBufferData, (unsigned target, intptr_t size, const void *data, unsigned usage))   \
    CALL(void, glBufferSubData,                                                                    \
         (unsigned target, intptr_t offset, intptr_t size, const void *data))                      \
    CALL(uint32_t, glCreateShader, (unsigned stage))                                               \
    CALL(void, glShaderSource,                                                                     \
         (uint32_t shader, int32_t n, const char *const *texts, const int32_t *lengths))           \
    CALL(void, glCompileShader, (uint32_t shader))                                                 \
    CALL(void, glGetShaderiv, (uint32_t shader, unsigned name, int32_t *value))                    \
    CALL(void, glGetShaderInfoLog, (uint32_t shader, int32_t room, int32_t * len, char *log))      \
    CALL(void, glDeleteShader, (uint32_t shader))                                                  \
    CALL(uint32_t, glCreateProgram, (void))                                                        \
    CALL(void, glAttachShader, (uint32_t program, uint32_t shader))                                \
    CALL(void, glLinkProgram, (uint32_t program))                                                  \
    CALL(void, glGetProgramiv, (uint32_t program, unsigned name, int32_t *value))                  \
    CALL(void, glGetProgramInfoLog, (uint32_t program, int32_t room, int32_t * len, char *log))    \
    CALL(void, glDeleteProgram, (uint32_t program))                                                \
    CALL(void, glUseProgram, (uint32_t program))                                                   \
    CALL(void, glGetActiveAttrib,                                                                  \
         (uint32_t program, uint32_t index, int32_t room, int32_t * len, int32_t * size,           \
          unsigned *type, char *name))                                                             \
    CALL(int32_t, glGetAttribLocation, (uint32_t program, const char *name))                       \
    CALL(void, glEnableVertexAttribArray, (uint32_t location))                                     \
    CALL(void, glVertexAttribPointer,                                                              \
         (uint32_t location, int32_t size, unsigned type, uint8_t normalized, int32_t stride,      \
          const void *offset))                                                                     \
    CALL(void, glDrawArrays, (unsigned mode, int32_t first, int32_t count))                        \
    CALL(void, glFinish, (void))                                                                   \
    CALL(void, glReadPixels,                                                                       \
         (int32_t x, int32_t y, int32_t width, int32_t height, unsigned format, unsigned type,     \
          void *pixels))

/* Every call as a pointer of its own name. */
struct gles_api {
#define GLES_POINTER(result, name, arguments) result(*name) arguments;
    GLES_EGL_CALLS(GLES_POINTER)
    GLES_GL_CALLS(GLES_POINTER)
#undef GLES_POINTER
};

#endif
