// Fragment stage of everything in the scene: discards, normal, light, the colour chain in its fixed order, outputs.
uniform sampler2D tex_base;
uniform sampler2D tex_overlay;
uniform sampler2D tex_clip;
uniform sampler2D tex_bump;
uniform sampler2D tex_pal;
uniform sampler2D tex_waves;
uniform sampler2D tex_foam;
uniform sampler2D tex_clouds;
uniform samplerCube sky_cube;
#if SHADOW == 1
uniform sampler2D shadow_map;
#elif SHADOW == 2
uniform sampler2DShadow shadow_map;
#endif

#ifdef PASS_COLOUR
in vec3 v_eye;
in vec3 v_map;
in vec3 v_nrm;
#ifdef HAS_TAN
in vec3 v_tan;
in vec3 v_bit;
#endif
#ifdef OVERLAY
in vec2 v_otex;
#endif
#ifdef VCOL
in vec4 v_col;
#endif
#ifdef SHADOW
in vec4 v_shadow;
#endif
#if defined(BOTTOMFOG) || defined(WATER)
in float v_depth;
#endif
#ifdef FOAM
in vec2 v_cell;
flat in vec4 v_flow_a;
flat in vec4 v_flow_b;
#endif
flat in vec4 v_mix;
#ifdef TINT
flat in vec4 v_tint;
#endif
#ifdef TERRAIN
in float v_memory;
#endif
#ifdef OBFOG
in float v_under;
#endif
#ifdef CRACK
in vec3 v_crack;
flat in float v_crack_level;
#endif
layout(location = 0) out vec4 out_colour;
#ifdef NORMALS
layout(location = 1) out vec4 out_normal;
#endif
#endif
#ifdef TEX
in vec2 v_tex;
#endif
#ifdef CLIP
in vec2 v_clip;
#endif
#ifdef PASS_ID
flat in float v_id;
layout(location = 0) out vec4 out_id;
#ifdef TERRAIN
in vec2 v_place;
layout(location = 1) out vec2 out_place;
#endif
#endif

#ifdef PASS_COLOUR
#ifdef OVERLAY
vec4 overlay(vec4 b, vec4 s)
{
#if OVERLAY == 3
    return vec4(colblend(b.rgb, s), b.a);
#else
#if OVERLAY == 1
    vec3 pick = clamp((b.rgb - 0.5) * 1000.0, 0.0, 1.0);
#else
    vec3 pick = clamp((s.rgb - 0.5) * 1000.0, 0.0, 1.0);
#endif
    return vec4(mix(2.0 * b.rgb * s.rgb, 1.0 - 2.0 * (1.0 - b.rgb) * (1.0 - s.rgb), pick), b.a);
#endif
}
#endif

#ifdef HUE
vec3 rgb2hsv(vec3 c)
{
    vec4 p = mix(vec4(c.bg, -1.0, 2.0 / 3.0), vec4(c.gb, 0.0, -1.0 / 3.0), step(c.b, c.g));
    vec4 q = mix(vec4(p.xyw, c.r), vec4(c.r, p.yzx), step(p.x, c.r));
    float d = q.x - min(q.w, q.y);
    return vec3(abs(q.z + (q.w - q.y) / (6.0 * d + 1e-10)), d / (q.x + 1e-10), q.x);
}
vec3 hsv2rgb(vec3 h)
{
    vec3 p = abs(fract(h.xxx + vec3(1.0, 2.0 / 3.0, 1.0 / 3.0)) * 6.0 - 3.0);
    return h.z * mix(vec3(1.0), clamp(p - 1.0, 0.0, 1.0), h.y);
}
#endif

#if defined(CEL_D) || defined(CEL_S)
vec3 cel(vec3 c)
{
    float m = max(max(c.r, c.g), c.b);
    if (m < 0.01)
        return vec3(0.0);
    float v = m > 0.5 ? 1.0 : m > 0.1 ? 0.5 : 0.0;
    return c * (v / m);
}
#endif

#ifdef SHADOW
float day_share()
{
    vec3 q = v_shadow.xyz / v_shadow.w;
    float px = shadow_params.x, thr = shadow_params.y;
#if SHADOW == 1
    float lit = 0.0;
    for (float y = -1.5; y <= 1.5; y += 1.0)
        for (float x = -1.5; x <= 1.5; x += 1.0)
            if (texture(shadow_map, q.xy + vec2(x, y) * px).r + thr > q.z)
                lit += 1.0;
    return lit / 16.0;
#else
    if (q.x < 0.0 || q.x > 1.0 || q.y < 0.0 || q.y > 1.0 || q.z > 1.0)
        return 1.0;
    float z = q.z - thr;
    return 0.25 * (texture(shadow_map, vec3(q.xy + vec2(-px, -px), z)) +
                   texture(shadow_map, vec3(q.xy + vec2(px, -px), z)) +
                   texture(shadow_map, vec3(q.xy + vec2(-px, px), z)) +
                   texture(shadow_map, vec3(q.xy + vec2(px, px), z)));
#endif
}
#endif

vec3 sky(vec3 dir)
{
    if (sky_high.w > 0.0)
        return textureLod(sky_cube, dir, 0.0).rgb * sky_high.w;
    return mix(sky_low.rgb, sky_high.rgb, smoothstep(0.0, 0.75, max(dir.z, 0.0)));
}

#ifdef LIT
// What clouds leave of the day light.
float cloud_share()
{
    vec2 at = (v_map.xy + v_map.z * cloud_way.xy) * clouds.x + clouds.yz;
    float l = textureLod(tex_clouds, at, 0.0).r;
    return mix(1.0, 0.4 + 0.6 * smoothstep(0.5, 1.0, l), clouds.w);
}
#endif

#ifdef LIT
void light(vec3 n, vec3 edir, out vec3 bcol, out vec3 scol)
{
    bcol = m_emi.rgb;
    scol = vec3(0.0);
    // Looked up once, and not where it is used: a rasteriser in software takes both ways of every branch.
    float cloud = clouds.w > 0.0 ? cloud_share() : 1.0;
    for (int i = 0; i < counts.x; i++) {
        vec4 pos = lights[i * 5];
        float L = 1.0;
        vec3 D = pos.xyz;
        if (pos.w != 0.0) {
            vec4 att = lights[i * 5 + 4];
            vec3 r = pos.xyz - v_eye;
            float d = length(r);
            D = r / d;
            L = min(1.0 / (att.x + att.y * d + att.z * d * d), 1.0);
            L *= clamp((L - att.w) * 20.0, 0.0, 1.0);
        }
        float k = dot(n, D);
        bcol += m_amb.rgb * lights[i * 5 + 1].rgb * L;
        if (k > 0.0) {
#ifdef SHADOW
            if (i == counts.y)
                k *= day_share();
#endif
            if (i == counts.y)
                k *= cloud;
            bcol += m_dif.rgb * lights[i * 5 + 2].rgb * k * L;
            if (m_misc.x > 0.5)
                scol += m_spc.rgb * lights[i * 5 + 3].rgb * pow(max(dot(edir, reflect(-D, n)), 0.0), m_misc.x) * L;
        }
    }
#ifdef CEL_D
    bcol = cel(bcol);
#endif
#ifdef CEL_S
    scol = cel(scol);
#endif
}
#endif

#ifdef CRACK
// Made by code, the volume of the reference being its own: borders between cells of space, thinner and fewer the
// lighter the damage is. Repeats nowhere.
vec3 cell_point(ivec3 cell)
{
    uvec3 h = uvec3(cell) * uvec3(1664525u, 22695477u, 747796405u);
    h = (h.xyz ^ h.yzx) * 2891336453u + h.zxy;
    h = (h ^ (h >> 15u)) * uvec3(277803737u, 2246822519u, 3266489917u);
    return vec3(h >> 8u) / 16777216.0;
}

float crack(vec3 p, float level)
{
    p += 0.016 * sin(p.yzx * 61.0) + 0.006 * sin(p.zxy * 173.0); // not as straight as cut
    p = p * (4.0 + level) + 64.0;
    ivec3 at = ivec3(floor(p));
    vec3 in_cell = p - floor(p), nearest = vec3(0.0);
    float least = 9.0, border = 9.0, kept = 0.0;
    for (int i = 0; i < 27; i++) {
        ivec3 o = ivec3(i % 3, i / 3 % 3, i / 9) - 1;
        vec3 d = vec3(o) + cell_point(at + o) - in_cell;
        if (dot(d, d) < least) {
            least = dot(d, d);
            nearest = d;
        }
    }
    for (int i = 0; i < 27; i++) {
        ivec3 o = ivec3(i % 3, i / 3 % 3, i / 9) - 1;
        vec3 q = cell_point(at + o), d = vec3(o) + q - in_cell, across = d - nearest;
        float away = length(across);
        // Half of the borders hold; more give way as it gets worse.
        if (away > 0.001 && q.x + q.y < 0.7 + 0.3 * level)
            border = min(border, dot(0.5 * (d + nearest), across / away));
    }
    float width = 0.014 + 0.009 * level;
    return 1.0 - smoothstep(0.5 * width, width, border);
}
#endif

#ifdef FOAM
float foam(vec2 flow)
{
    return texture(tex_foam, v_map.xy * 0.1 - clock.x * 0.1 * flow).r * min(0.06 * length(flow), 1.0);
}
#endif

#ifdef WATER
vec3 waves(vec2 scale, vec2 drift, float o)
{
    return texture(tex_waves, v_map.xy * scale + clock.x * drift + vec2(o)).rgb;
}
#endif
#endif

void main()
{
#ifdef TEX
#ifdef PASS_ID
    // The texel itself, unfiltered and at full size: what scene/pick.h reads too.
    ivec2 size = textureSize(tex_base, 0);
    vec2 texel = floor(v_tex * vec2(size));
    texel -= vec2(size) * floor(texel / vec2(size));
    vec4 t = texelFetch(tex_base, min(ivec2(texel), size - 1), 0);
#else
    vec4 t = texture(tex_base, v_tex);
#endif
#ifdef PAL
    t = texture(tex_pal, t.rg);
#endif
#ifdef ALPHATEST
    if (t.a < 0.5)
        discard;
#endif
#endif
#ifdef CLIP
#ifdef TERRAIN
    // Filtering must not look over the edge of the tile's own place in the sheet: it would draw the tile's outline.
    // Half a texel of the level that is read, so that coarse levels stay inside too.
    vec2 sheet = vec2(textureSize(tex_clip, 0));
    vec2 dx = dFdx(v_clip) * sheet, dy = dFdy(v_clip) * sheet;
    float coarse = exp2(ceil(max(0.5 * log2(max(max(dot(dx, dx), dot(dy, dy)), 1.0)), 0.0)));
    vec2 half_texel = min(0.5 * coarse / sheet, 0.5 * m_misc.yz);
    vec2 corner = floor(v_clip / m_misc.yz) * m_misc.yz;
    vec4 clip = texture(tex_clip, clamp(v_clip, corner + half_texel, corner + m_misc.yz - half_texel));
#else
    vec4 clip = texture(tex_clip, v_clip);
#endif
    if (m_hue.w > 0.0 && clip.a < m_hue.w)
        discard;
#endif

#ifdef PASS_COLOUR
    vec3 edir = -normalize(v_eye);
    vec3 n = v_nrm;
#ifdef BUMP
#ifdef BUMP_OTEX
    vec3 b = (texture(tex_bump, v_otex).rgb - 0.5) * 2.0;
#else
    vec3 b = (texture(tex_bump, v_tex).rgb - 0.5) * 2.0;
#endif
#ifdef TERRAIN
    // The tangents of the ground lie along the map's axes; here they are turned into eye space with the normal.
    vec3 ground = normalize(n);
    vec3 tx = mat3(view) * v_tan;
    tx = normalize(tx - ground * dot(ground, tx));
    n = b.x * tx + b.y * cross(ground, tx) + b.z * ground;
#else
    n = b.x * v_tan + b.y * v_bit + b.z * n;
#endif
#endif
#ifdef WATER
    vec3 A = waves(vec2(0.01, 0.012), vec2(0.025, 0.035), 0.0) + waves(vec2(0.019, 0.018), vec2(-0.035, -0.025), 0.0);
    vec3 B = waves(vec2(0.01, 0.012), vec2(0.025, 0.035), 0.5) + waves(vec2(0.019, 0.018), vec2(-0.035, -0.025), 0.5);
    vec3 N = (mix(A, B, abs(mod(clock.x, 2.0) - 1.0)) - 1.0) * vec3(1.0 / 16.0, 1.0 / 16.0, 1.0);
    n = vec3(N.x, N.y, 0.0) + N.z * n;
#endif
    n = normalize(n);

    vec4 c = vec4(1.0) * m_base;
#ifdef TINT
    c *= v_tint;
#endif
#ifdef TEX
    c *= t;
#endif
#ifdef VCOL
    c *= v_col;
#endif
    c.rgb = colblend(c.rgb, v_mix);
#ifdef WATER
    vec3 seen = reflect(-edir, n);
    vec3 mirrored = sky(transpose(mat3(view)) * seen);
    if (sky_high.w > 0.0) {
        c.rgb *= mirrored * 0.4;
    } else {
        // Ours, without a picture of the sky: more of it at a flat angle.
        float facing = max(dot(edir, n), 0.0);
        c.rgb *= mirrored * sky_low.w * (0.15 + 0.85 * pow(1.0 - facing, 4.0));
    }
    if (counts.y >= 0 && sky_low.w > 0.0) // ours: the sun in the waves
        c.rgb += lights[counts.y * 5 + 2].rgb * 0.35 * pow(max(dot(seen, lights[counts.y * 5].xyz), 0.0), 180.0);
#endif
#ifdef FOAM
    c.rgb *= mix(mix(foam(v_flow_a.xy), foam(v_flow_a.zw), v_cell.x), mix(foam(v_flow_b.zw), foam(v_flow_b.xy), v_cell.x),
                 v_cell.y);
#endif
#ifdef OVERLAY
    c = overlay(c, texture(tex_overlay, v_otex));
#endif
#ifdef ENV
    c.rgb += sky(-(transpose(mat3(view)) * reflect(edir, n))) * m_env.rgb;
#endif
#ifdef CLIP
#ifdef TERRAIN
    // The colour of a mask is white where it covers; filtering mixes in the black of where it does not.
    c *= vec4(min(clip.rgb / max(clip.a, 0.001), 1.0), clip.a);
#else
    c *= clip;
#endif
#endif
    c.rgb = colblend(c.rgb, m_mask);
#ifdef CRACK
    c.rgb = colblend(c.rgb, vec4(0.0, 0.0, 0.0, crack(v_crack, v_crack_level)));
#endif
#ifdef LIT
    vec3 bcol, scol;
    light(n, edir, bcol, scol);
    c = c * vec4(bcol, m_dif.a) + vec4(scol, 0.0);
#endif
#ifdef HUE
    vec3 hsv = rgb2hsv(c.rgb);
    float h = fract((fract(hsv.x + (1.5 - m_hue.x)) - 0.5) * (1.0 - m_hue.y) + (1.0 + m_hue.x));
    c.rgb = hsv2rgb(vec3(h, hsv.y * m_hue.z, hsv.z));
#endif
#ifdef BOTTOMFOG
    c.rgb = mix(c.rgb, vec3(0.0, 16.0, 48.0) / 255.0, min(v_depth / 8.0, 1.0));
#ifdef TERRAIN
    // Ours: foam washes up and down where the water ends.
    vec2 along = v_map.xy * 0.035;
    float wash = texture(tex_foam, along + 0.012 * clock.x * vec2(1.0, 0.6)).r;
    float reach = 0.5 + 0.25 * sin(clock.x * 0.9 + 6.0 * texture(tex_foam, along * 0.21).r);
    float foamy = (1.0 - smoothstep(0.3 * reach, reach + 0.9 * wash, v_depth)) * smoothstep(0.0, 0.12, v_depth);
#ifdef LIT
    c.rgb = mix(c.rgb, bcol * 0.8, 0.55 * foamy);
#endif
#endif
#endif
#ifdef OBFOG
    c.rgb = mix(c.rgb, vec3(0.0, 16.0, 48.0) / 255.0, clamp(v_under / 8.0, 0.0, 1.0));
#endif
#if defined(TERRAIN) && !defined(WALL) && !defined(WATER) && !defined(FOAM)
    // Lines between tiles lie in the ground itself here, as wide as a pixel: they need no mesh, and never float.
    if (cloud_way.z > 0.0) {
        vec2 tile = v_map.xy / 11.0;
        vec2 away = abs(fract(tile - 0.5) - 0.5) / max(fwidth(tile), vec2(1e-6));
        c.rgb = mix(c.rgb, vec3(1.0), cloud_way.z * (1.0 - min(min(away.x, away.y), 1.0)));
    }
#endif
#ifdef TERRAIN
    // Ours: ground that is only remembered loses its colours and lies in a haze.
    if (v_memory > 0.0) {
#if defined(WATER) || defined(FOAM)
        c.rgb *= 1.0 - 0.5 * v_memory;
#else
        vec3 pale = mix(vec3(dot(c.rgb, vec3(0.3, 0.59, 0.11))), c.rgb, 0.25);
        c.rgb = mix(c.rgb, mix(pale, sky_low.rgb, 0.3), v_memory);
#endif
    }
#endif
    // Ours: far ground fades to the sky, by the distance from what the camera looks at. Strength 0 leaves the bits.
    if (fog.a > 0.0) {
        float haze = fog.a * smoothstep(fog_range.z, fog_range.w, distance(v_map.xy, fog_range.xy));
#if defined(WATER) || defined(FOAM)
        c.rgb *= 1.0 - haze; // it is added to a bed that has the haze already
#else
        c.rgb = mix(c.rgb, fog.rgb, haze);
#endif
    }
    out_colour = c;
#ifdef NORMALS
#ifdef TERRAIN
#ifndef WATER
    n = normalize(v_nrm); // the grain of the ground is no edge: lines are drawn at its real creases alone
#endif
#endif
#if NORMALS == 2
    out_normal = vec4((floor(clamp(n, -1.0, 1.0) * 127.0 + 0.5) + 128.0) / 255.0, 1.0);
#else
    out_normal = vec4(n, 1.0);
#endif
#endif
#endif
#ifdef PASS_ID
    float id = v_id;
    out_id = vec4(mod(id, 256.0), mod(floor(id / 256.0), 256.0), floor(id / 65536.0), 255.0) / 255.0;
#ifdef TERRAIN
    out_place = v_place;
#endif
#endif
}
