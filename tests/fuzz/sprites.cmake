stn_fuzz(sprite stn_renderer_sprite)
