stn_fuzz(simplify stn_renderer_core)
