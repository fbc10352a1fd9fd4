// Vertex stage of everything in the scene. One path for the position, so that layers that share vertices share depth
// to the bit (invariant), whatever else their programs do.
layout(location = 0) in vec3 a_pos;
layout(location = 1) in vec3 a_nrm;
layout(location = 2) in vec2 a_tex;
layout(location = 3) in vec4 a_col;
layout(location = 4) in vec2 a_otex;
layout(location = 5) in vec3 a_tan;
layout(location = 6) in vec3 a_bit;
layout(location = 7) in vec2 a_clip;
layout(location = 8) in vec4 a_bone;
layout(location = 9) in vec4 a_weight;
layout(location = 10) in float a_z;

// Per instance: 9 texels. 0..3 model matrix columns; 4 mix colour; 5 water height for object fog, how far the mesh
// animation is between its frames, first texel of the bone matrices, click id; 6 and 7 slow and fast sway: strengths
// x y z, frequency; 8 mesh animation: first vertex (65536 more: normals move too), vertices, frame from, frame to; or
// the colour of a point; or how far the corners of a cut lie in remembered ground.
uniform samplerBuffer instances;
uniform int instance_base;

invariant gl_Position;

#ifdef PASS_COLOUR
out vec3 v_eye;
out vec3 v_map;
out vec3 v_nrm;
#ifdef HAS_TAN
out vec3 v_tan;
out vec3 v_bit;
#endif
#ifdef OVERLAY
out vec2 v_otex;
#endif
#ifdef VCOL
out vec4 v_col;
#endif
#ifdef SHADOW
out vec4 v_shadow;
#endif
#if defined(BOTTOMFOG) || defined(WATER)
out float v_depth;
#endif
#ifdef FOAM
out vec2 v_cell;
flat out vec4 v_flow_a;
flat out vec4 v_flow_b;
#endif
flat out vec4 v_mix;
#ifdef TINT
flat out vec4 v_tint;
#endif
#ifdef TERRAIN
out float v_memory;
#endif
#ifdef OBFOG
out float v_under;
#endif
#ifdef CRACK
out vec3 v_crack;
flat out float v_crack_level;
#endif
#endif
#ifdef TEX
out vec2 v_tex;
#endif
#ifdef CLIP
out vec2 v_clip;
#endif
#ifdef PASS_ID
flat out float v_id;
#ifdef TERRAIN
out vec2 v_place; // in the cut, 0..1
#endif
#endif

#ifdef MORPH
uniform sampler2D morph_map;
vec3 moved(int texel, int row)
{
    int width = textureSize(morph_map, 0).x;
    return texelFetch(morph_map, ivec2(texel % width, row + texel / width), 0).xyz;
}
#endif

#ifdef SKIN
mat4 bone(int base, float index)
{
    int at = base + int(index) * 4;
    return mat4(texelFetch(instances, at), texelFetch(instances, at + 1), texelFetch(instances, at + 2),
                texelFetch(instances, at + 3));
}
#endif

void main()
{
    int at = (instance_base + gl_InstanceID) * 9;
    mat4 model = mat4(texelFetch(instances, at), texelFetch(instances, at + 1), texelFetch(instances, at + 2),
                      texelFetch(instances, at + 3));
    vec4 extra = texelFetch(instances, at + 5);
#ifdef TERRAIN
#ifdef GRID
    vec4 objv = vec4(a_pos.xy * vec2(11.0, -11.0), a_z, 1.0);
#else
    vec4 objv = vec4(a_pos.xy, a_z, 1.0);
#endif
#else
    vec4 objv = vec4(a_pos, 1.0);
#endif
    vec3 objn = a_nrm;
    mat3 turn = mat3(model);

#ifdef MORPH
    vec4 frames = texelFetch(instances, at + 8);
    int first = int(frames.x), count = int(frames.y), texel = gl_VertexID - first % 65536;
    if (texel >= 0 && texel < count) {
        int from = texel + count * int(frames.z), to = texel + count * int(frames.w);
        objv.xyz += mix(moved(from, 0), moved(to, 0), extra.y);
        if (first >= 65536) {
            int row = textureSize(morph_map, 0).y / 2;
            objn += mix(moved(from, row), moved(to, row), extra.y);
        }
    }
#endif
#ifdef SKIN
    int base = int(extra.z);
    mat4 pose = bone(base, a_bone.x) * a_weight.x + bone(base, a_bone.y) * a_weight.y +
                bone(base, a_bone.z) * a_weight.z + bone(base, a_bone.w) * a_weight.w;
    objv = vec4((pose * objv).xyz, 1.0);
    objn = mat3(pose) * objn;
#endif
    vec4 mapv = model * objv;
#ifdef SWAY
    // The whole leans with its height, and the crown trembles with its breadth; the root stands still.
    vec4 slow = texelFetch(instances, at + 6), fast = texelFetch(instances, at + 7);
    vec3 from = mapv.xyz - model[3].xyz;
    mapv.xyz += clock.y * (slow.xyz * sin(clock.x * slow.w) * max(from.z, 0.0) +
                           fast.xyz * sin(clock.x * fast.w) * max(length(from.xy) - 5.0, 0.0));
#endif
    vec4 eyev = view * mapv;
    gl_Position = proj * eyev;

#ifdef PASS_COLOUR
    v_eye = eyev.xyz;
    v_map = mapv.xyz;
    v_nrm = mat3(view) * (turn * objn);
    v_mix = texelFetch(instances, at + 4);
#ifdef CRACK
    // Damage: the colour is always red, and its place holds how the cracks are turned instead.
    v_crack = vqrot(a_pos, vec4(v_mix.xyz, sqrt(max(1.0 - dot(v_mix.xyz, v_mix.xyz), 0.0)))) * 0.025;
    v_crack_level = 3.0 - floor((1.0 - v_mix.a * (255.0 / 64.0)) * 4.0 + 0.5);
    v_mix.rgb = vec3(1.0, 0.0, 0.0);
#endif
#ifdef TINT
    v_tint = texelFetch(instances, at + 8);
#endif
#ifdef TERRAIN
    vec4 memory = texelFetch(instances, at + 8);
    vec2 part = clamp(objv.xy * vec2(1.0, -1.0) / 275.0, 0.0, 1.0);
    v_memory = smoothstep(
        0.0, 0.4, mix(mix(memory.x, memory.y, part.x), mix(memory.z, memory.w, part.x), part.y));
#endif
#ifdef HAS_TAN
#ifdef TERRAIN
    v_tan = vec3(1.0, 0.0, 0.0);
    v_bit = vec3(0.0, 1.0, 0.0);
#else
    v_tan = turn * a_tan;
    v_bit = turn * a_bit;
#endif
#endif
#ifdef OVERLAY
    v_otex = a_otex;
#endif
#ifdef VCOL
#ifdef TERRAIN
    v_col = vec4(1.0, 1.0, 1.0, a_col.x);
#else
    v_col = a_col;
#endif
#endif
#ifdef SHADOW
    v_shadow = shadow_matrix * eyev;
#endif
#if defined(BOTTOMFOG) || defined(WATER)
    v_depth = a_otex.x;
#endif
#ifdef FOAM
    v_cell = a_tex;
    v_flow_a = a_bone;
    v_flow_b = a_weight;
#endif
#ifdef OBFOG
    v_under = extra.x - mapv.z;
#endif
#endif
#ifdef TEX
#if defined(TERRAIN) && defined(ATLAS)
    v_tex = a_clip / 32768.0;
#elif defined(TERRAIN) && !defined(WALL)
    // A cut is a whole number of periods wide, so its own corner serves as origin, which keeps all digits.
    v_tex = vec2(objv.x, -objv.y) / m_misc.w;
#else
    v_tex = a_tex + m_misc.yz * clock.x;
#endif
#endif
#ifdef CLIP
#ifdef TERRAIN
    v_clip = a_clip / 32768.0;
#else
    v_clip = a_clip;
#endif
#endif
#ifdef PASS_ID
    v_id = extra.w;
#ifdef TERRAIN
    v_place = objv.xy * vec2(1.0, -1.0) / 275.0;
#endif
#endif
}
