// Blocks and helper functions that every stage shares. The C side of the blocks is gl/blocks.h.
#define MAX_LIGHTS 16

layout(std140) uniform Frame {
    mat4 view;
    mat4 proj;
    mat4 shadow_matrix;   // eye space of this camera to the shadow map
    vec4 clock;           // seconds mod 3000, wind strength, wind direction x, y (render space)
    vec4 screen;          // width, height, 1/width, 1/height of the target
    vec4 fog;             // colour, strength (0 = none)
    vec4 fog_range;       // focus x, y in render space, start, end
    vec4 sky_low;         // colour near the horizon, strength of the sky in water
    vec4 sky_high;        // colour overhead; over 0: the sky is a cube of pictures instead, so bright
    vec4 shadow_params;   // 1/resolution, depth threshold, unused, unused
    vec4 clouds;          // their shadows: repeats a unit, drift x, y, strength (0 = none)
    vec4 cloud_way;       // how far such a shadow moves aside for each unit of height x, y; lines between tiles, unused
    ivec4 counts;         // lights, index of the day light or -1, unused, unused
    vec4 lights[MAX_LIGHTS * 5]; // position in eye space (w 0 = direction), ambient, diffuse, specular, attenuation
};

layout(std140) uniform Material {
    vec4 m_amb;
    vec4 m_dif;
    vec4 m_spc;
    vec4 m_emi;
    vec4 m_base;
    vec4 m_mask;
    vec4 m_hue;    // target, amount, saturation; clip threshold
    vec4 m_env;
    vec4 m_misc;   // shine, scroll x, scroll y, terrain period
};

// A vector turned by a quaternion x, y, z, w.
vec3 vqrot(vec3 v, vec4 q)
{
    return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v);
}

vec3 colblend(vec3 b, vec4 s)
{
    return b * (1.0 - s.a) + s.rgb * s.a;
}
