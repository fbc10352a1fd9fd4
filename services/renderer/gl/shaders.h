/* shaders.h - the texts of gl/shaders/, NUL-terminated, put into the program at build time. */
#ifndef STN_RENDERER_GL_SHADERS_H
#define STN_RENDERER_GL_SHADERS_H

extern const char stn_shader_common[];
extern const char stn_shader_vertex[];
extern const char stn_shader_fragment[];
extern const char stn_shader_quad[];
extern const char stn_shader_outline[];
extern const char stn_shader_copy[];
extern const char stn_shader_flat[];
extern const char stn_shader_flat_vertex[];

#endif
