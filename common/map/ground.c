#include "map/ground.h"

#include <math.h>
#include <string.h>

void stn_ground_positions(const float z[STN_GROUND_VERTICES], stn_vec3 pos[STN_GROUND_VERTICES])
{
    for (int y = -1; y <= 26; y++)
        for (int x = -1; x <= 26; x++) {
            uint32_t v = stn_ground_vertex(x, y);
            /* 0 * -11 is -0.0, and stays so in what is drawn. */
            pos[v] = (stn_vec3){(float)x * 11.0f, (float)y * -11.0f, z[v]};
        }
}

void stn_ground_splits(const float z[STN_GROUND_VERTICES],
                       uint8_t split[STN_GROUND_SPLITS * STN_GROUND_SPLITS])
{
    for (int y = 0; y < STN_GROUND_SPLITS; y++) {
        const float *up = z + y * STN_GROUND_SIDE, *down = up + STN_GROUND_SIDE;
        for (int x = 0; x < STN_GROUND_SPLITS; x++)
            split[x + y * STN_GROUND_SPLITS] = fabsf(up[x] - down[x + 1]) > fabsf(up[x + 1] - down[x]);
    }
}

void stn_ground_faces(int x, int y, bool split, uint32_t out[6])
{
    uint32_t ul = stn_ground_vertex(x, y), ur = ul + 1, dl = ul + STN_GROUND_SIDE, dr = dl + 1;

    memcpy(out, split ? (uint32_t[6]){ul, dl, dr, ul, dr, ur} : (uint32_t[6]){ul, dl, ur, dl, dr, ur},
           6 * sizeof *out);
}

size_t stn_ground_border(const uint8_t split[STN_GROUND_SPLITS * STN_GROUND_SPLITS], uint32_t *out)
{
    size_t n = 0;
    for (int y = -1; y <= STN_CUT_TILES; y++)
        for (int x = -1; x <= STN_CUT_TILES; x += STN_CUT_TILES + 1)
            stn_ground_faces(x, y, split[stn_ring_tile(x, y)], out + 6 * n++);
    for (int x = 0; x < STN_CUT_TILES; x++)
        for (int y = -1; y <= STN_CUT_TILES; y += STN_CUT_TILES + 1)
            stn_ground_faces(x, y, split[stn_ring_tile(x, y)], out + 6 * n++);
    return n;
}

stn_vec3 stn_vec3_norm(stn_vec3 v)
{
    float l = sqrtf((v.x * v.x + v.y * v.y) + v.z * v.z);
    if (l == 0.0f)
        return (stn_vec3){0.0f, 0.0f, 0.0f};
    return (stn_vec3){v.x / l, v.y / l, v.z / l};
}

void stn_face_normals(const stn_vec3 *pos, size_t nv, const uint32_t *faces, size_t n, stn_vec3 *nrm,
                      uint16_t *count)
{
    memset(nrm, 0, nv * sizeof *nrm);
    memset(count, 0, nv * sizeof *count);
    for (size_t i = 0; i < n; i++) {
        const uint32_t *f = faces + 3 * i;
        for (int k = 0; k < 3; k++) {
            uint32_t v = f[k], to = f[(k + 1) % 3], from = f[(k + 2) % 3];
            stn_vec3 c =
                stn_vec3_norm(stn_vec3_cross(stn_vec3_sub(pos[to], pos[v]), stn_vec3_sub(pos[from], pos[v])));
            nrm[v] = stn_vec3_add(nrm[v], c);
            count[v]++;
        }
    }
    for (size_t v = 0; v < nv; v++) {
        float d = (float)count[v];
        nrm[v] = (stn_vec3){nrm[v].x / d, nrm[v].y / d, nrm[v].z / d};
    }
}

void stn_ground_normals(const float z[STN_GROUND_VERTICES],
                        const uint8_t split[STN_GROUND_SPLITS * STN_GROUND_SPLITS],
                        stn_vec3 nrm[STN_GROUND_VERTICES])
{
    stn_vec3 pos[STN_GROUND_VERTICES], all[STN_GROUND_VERTICES];
    uint16_t count[STN_GROUND_VERTICES];
    uint32_t faces[STN_GROUND_SPLITS * STN_GROUND_SPLITS * 6];
    size_t n = 0;

    stn_ground_positions(z, pos);
    for (int y = 0; y < STN_CUT_TILES; y++)
        for (int x = 0; x < STN_CUT_TILES; x++, n += 6)
            stn_ground_faces(x, y, split[stn_ring_tile(x, y)], faces + n);
    n += 6 * stn_ground_border(split, faces + n);
    stn_face_normals(pos, STN_GROUND_VERTICES, faces, n / 3, all, count);
    for (int y = 0; y < STN_CUT_VERTICES; y++)
        memcpy(nrm + stn_ground_vertex(0, y), all + stn_ground_vertex(0, y), STN_CUT_VERTICES * sizeof *nrm);
}
