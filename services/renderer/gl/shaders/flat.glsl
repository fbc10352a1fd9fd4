// Fragment stage of flat 2D drawing (HUD): texture times colour.
uniform sampler2D source;
in vec2 v_tex;
in vec4 v_col;
layout(location = 0) out vec4 out_colour;
void main()
{
    out_colour = texture(source, v_tex) * v_col;
}
