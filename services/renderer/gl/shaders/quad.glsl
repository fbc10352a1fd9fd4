// Vertex stage of full-screen passes: one triangle that covers the target, without a buffer.
out vec2 v_at;
void main()
{
    vec2 p = vec2(float((gl_VertexID & 1) << 2), float((gl_VertexID & 2) << 1));
    v_at = p * 0.5;
    gl_Position = vec4(p - 1.0, 0.0, 1.0);
}
