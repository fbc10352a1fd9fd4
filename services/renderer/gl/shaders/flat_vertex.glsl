// Vertex stage of flat 2D drawing: pixels, y down, to clip space.
layout(location = 0) in vec2 a_pos;
layout(location = 2) in vec2 a_tex;
layout(location = 3) in vec4 a_col;
uniform vec2 pixels;
out vec2 v_tex;
out vec4 v_col;
void main()
{
    v_tex = a_tex;
    v_col = a_col;
    gl_Position = vec4(a_pos.x * 2.0 / pixels.x - 1.0, 1.0 - a_pos.y * 2.0 / pixels.y, 0.0, 1.0);
}
