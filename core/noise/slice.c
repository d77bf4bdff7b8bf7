/* Prepares the slice of one octave for a request's z and t. The planes' weights are the fades along
 * the further axes, multiplied; a plane's key is the hash of its lines on those axes, so the planes
 * of an octave have lattices that do not resemble each other. */
#include "core/noise/slice.h"

#include "core/noise/basis.h"

int128 slice_origin(const struct noise *noise, unsigned octave, unsigned axis,
                    const struct noise_uniforms *uniforms)
{
    const struct noise_octave *o = &noise->octaves[octave];
    const struct noise_domain *domain = &noise->settings.domain;
    const int64_t at[4] = {domain->shift_x, domain->shift_y, uniforms->z, uniforms->t};
    const uint64_t offset = o->offset[axis];
    int128 origin = int128_shift_left(int128_from((int64_t)(offset >> 32)), 64);
    origin =
        int128_add(origin, int128_shift_left(int128_from((int64_t)(offset & 0xFFFFFFFFu)), 32));
    for (int i = 0; i < 4; i++)
        if (o->form[axis][i] != 0)
            origin = int128_add(origin, int128_multiply(at[i], o->form[axis][i]));
    return origin;
}

/* The two lattice lines around a request on one of the further axes: their hashes and cells, their
 * weights, and the distances from them to the request in cells. */
struct edges {
    uint32_t line[2], cell[2];
    float weight[2], t[2];
};

static struct edges edges_of(const struct noise *noise, unsigned octave, unsigned axis,
                             const struct noise_uniforms *uniforms)
{
    const struct lattice_point at = lattice_split(slice_origin(noise, octave, axis, uniforms));
    const float t = lattice_fraction(at.fraction);
    const uint64_t key = noise->octaves[octave].key[axis];
    struct edges edges = {.t = {t, t - 1.0f}};
    kernel_fade(noise->settings.interpolation, 1, &t, &edges.weight[1], NULL);
    edges.weight[0] = 1.0f - edges.weight[1];
    for (int i = 0; i < 2; i++) {
        const uint32_t own = lattice_key(key, at.cell + i);
        edges.cell[i] = (uint32_t)at.cell + (uint32_t)i;
        edges.line[i] =
            axis == 2 ? lattice_line_x(edges.cell[i], own) : lattice_line_y(edges.cell[i], own);
    }
    return edges;
}

void slice_prepare(const struct noise *noise, unsigned octave,
                   const struct noise_uniforms *uniforms, struct slice *slice)
{
    *slice = (struct slice){.weight = {1.0f}};
    if (noise->dimensions < 3)
        return;
    const struct edges z = edges_of(noise, octave, 2, uniforms);
    struct edges w = {.weight = {1.0f}};
    if (noise->dimensions == 4)
        w = edges_of(noise, octave, 3, uniforms);
    for (int plane = 0; plane < (noise->dimensions == 4 ? 4 : 2); plane++) {
        const int i = plane & 1, k = plane >> 1;
        slice->key[plane] =
            basis_of(noise)->unkeyed ? z.cell[i] : lattice_plane(z.line[i], w.line[k]);
        slice->weight[plane] = z.weight[i] * w.weight[k];
        slice->t_z[plane] = z.t[i];
        slice->t_w[plane] = w.t[k];
    }
}
