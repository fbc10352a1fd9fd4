// The finished picture into the window, or scaled.
uniform sampler2D source;
in vec2 v_at;
layout(location = 0) out vec4 out_colour;
void main()
{
    out_colour = vec4(texture(source, v_at).rgb, 1.0);
}
