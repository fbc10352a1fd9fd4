// Black lines where the depth or the normal jumps. The samplers wrap, so that edge pixels see the opposite edge.
uniform sampler2D depth_map;
uniform sampler2D normal_map;
in vec2 v_at;
layout(location = 0) out vec4 out_colour;

vec3 normal_at(vec2 at)
{
#if NORMALS == 2
    return (texture(normal_map, at).rgb * 255.0 - 128.0) / 127.0;
#else
    return texture(normal_map, at).rgb;
#endif
}

void main()
{
    vec2 at = gl_FragCoord.xy * screen.zw;
    vec2 side[4] = vec2[4](vec2(-1.0, 0.0), vec2(1.0, 0.0), vec2(0.0, -1.0), vec2(0.0, 1.0));
    float here = texture(depth_map, at).r;
    vec3 n = normal_at(at);
    float hi = 0.0002, lo = -0.0002, r = 0.0;
    for (int i = 0; i < 4; i++) {
        float d = here - texture(depth_map, at + side[i] * STEP * screen.zw).r;
        hi = max(hi, d);
        lo = min(lo, d);
    }
    r += smoothstep(5.0, 6.0, hi / -lo);
    for (int i = 0; i < 4; i++) {
        vec3 nk = normal_at(at + side[i] * STEP * screen.zw);
        if (cross(n, nk).z > 0.0)
            r += 1.0 - abs(dot(n, nk));
    }
    out_colour = vec4(0.0, 0.0, 0.0, smoothstep(0.4, 0.6, min(r, 1.0)) * OUTLINE_STRENGTH);
}
