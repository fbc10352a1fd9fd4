#include "client/res/res_obj.h"

stn_status stn_ro_write(const stn_res_layer *mesh, stn_buf *out, stn_err *err)
{
    const stn_res_mesh *m = mesh->as.mesh;
    const stn_res_vbuf *vb = m->vbuf->as.vbuf;
    const stn_attrib *pos = stn_res_vbuf_attr(vb, STN_ATTR_POS), *tex = stn_res_vbuf_attr(vb, STN_ATTR_TEX),
                     *nrm = stn_res_vbuf_attr(vb, STN_ATTR_NRM);

    stn_buf_printf(out, "# layer %u, mesh %d, material %d; to look at, nothing is built from it\n",
                   mesh->index, m->id, m->mat ? m->mat->as.mat->id : -1);
    for (size_t i = 0; pos && i < vb->num; i++)
        stn_buf_printf(out, "v %.9g %.9g %.9g\n", (double)pos->f[3 * i], (double)pos->f[3 * i + 1],
                       (double)pos->f[3 * i + 2]);
    for (size_t i = 0; tex && i < vb->num; i++)
        stn_buf_printf(out, "vt %.9g %.9g\n", (double)tex->f[2 * i], 1.0 - (double)tex->f[2 * i + 1]);
    for (size_t i = 0; nrm && i < vb->num; i++)
        stn_buf_printf(out, "vn %.9g %.9g %.9g\n", (double)nrm->f[3 * i], (double)nrm->f[3 * i + 1],
                       (double)nrm->f[3 * i + 2]);
    for (size_t t = 0; pos && t < m->tris; t++) {
        stn_buf_printf(out, "f");
        for (size_t k = 0; k < 3; k++) {
            unsigned v = m->indices[3 * t + k] + 1u;
            if (tex && nrm)
                stn_buf_printf(out, " %u/%u/%u", v, v, v);
            else if (tex)
                stn_buf_printf(out, " %u/%u", v, v);
            else if (nrm)
                stn_buf_printf(out, " %u//%u", v, v);
            else
                stn_buf_printf(out, " %u", v);
        }
        stn_buf_u8(out, '\n');
    }
    return out->failed ? stn_fail(err, STN_NO_MEMORY, "mesh of %u triangles", m->tris) : STN_OK;
}
