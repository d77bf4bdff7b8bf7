#include "core/noise/sites.h"

#include <string.h>

#include "core/noise/fractal.h"

bool sites_share_key(int64_t first, int64_t last)
{
    int64_t reach = (int64_t)KERNEL_CELLS_MAX + 2;
    return (first - reach) >> 32 == (last + reach) >> 32 &&
           (last - reach) >> 32 == (first + reach) >> 32;
}

static void place_axis(uint32_t count, const struct kernel_axis *axis, uint32_t *low, float *t)
{
    if (axis->metres) {
        kernel_displace(count, axis, low, t);
        return;
    }
    memcpy(low, axis->base, count * sizeof *low);
    memcpy(t, axis->fraction, count * sizeof *t);
}

static void set_keys(const struct noise_octave *octave, int64_t cell_x, int64_t cell_y,
                     struct kernel_sites *sites)
{
    for (int i = 0; i < 2; i++) {
        sites->key_x[i] = lattice_key(octave->key_x, cell_x + i);
        sites->key_y[i] = lattice_key(octave->key_y, cell_y + i);
    }
}

/* A site whose neighbours have other lattice keys: it fills all lanes of a row of its own. */
static float add_alone(const struct noise *noise, unsigned octave, const struct sites *all,
                       const struct kernel_sites *moved, uint32_t i, float sum)
{
    uint32_t low[2][NOISE_LANES];
    float t[4][NOISE_LANES], out[NOISE_LANES];
    for (int lane = 0; lane < NOISE_LANES; lane++) {
        low[0][lane] = moved->low_x[i];
        low[1][lane] = moved->low_y[i];
        t[0][lane] = moved->t_x[i];
        t[1][lane] = moved->t_y[i];
        t[2][lane] = moved->s_x[i];
        t[3][lane] = moved->s_y[i];
        out[lane] = sum;
    }
    struct kernel_sites site = {low[0], low[1], t[0], t[1], t[2], t[3], {0}, {0}, moved->amplitude};
    set_keys(&noise->octaves[octave],
             all->cell_x[i] + (int32_t)(moved->low_x[i] - (uint32_t)all->cell_x[i]),
             all->cell_y[i] + (int32_t)(moved->low_y[i] - (uint32_t)all->cell_y[i]), &site);
    kernel_add_sites(noise->settings.basis, NOISE_LANES, &site, out);
    return out[0];
}

void sites_add(const struct noise *noise, unsigned octave, double spacing,
               const struct sites *sites, struct noise_scratch *scratch, float *out)
{
    const struct noise_octave *o = &noise->octaves[octave];
    uint32_t count = sites->count;
    const struct kernel_axis axis_x = {sites->base_x, sites->fraction_x, sites->dx,
                                       o->cells_per_metre};
    const struct kernel_axis axis_y = {sites->base_y, sites->fraction_y, sites->dy,
                                       o->cells_per_metre};
    place_axis(count, &axis_x, scratch->low_x, scratch->t_x);
    place_axis(count, &axis_y, scratch->low_y, scratch->t_y);
    kernel_fade(noise->settings.interpolation, count, scratch->t_x, scratch->s_x);
    kernel_fade(noise->settings.interpolation, count, scratch->t_y, scratch->s_y);
    struct kernel_sites moved = {scratch->low_x,
                                 scratch->low_y,
                                 scratch->t_x,
                                 scratch->t_y,
                                 scratch->s_x,
                                 scratch->s_y,
                                 {0},
                                 {0},
                                 fractal_amplitude(noise, octave, spacing)};
    if (sites->uniform) {
        set_keys(o, sites->cell_x[0], sites->cell_y[0], &moved);
        kernel_add_sites(noise->settings.basis, count, &moved, out);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        out[i] = add_alone(noise, octave, sites, &moved, i, out[i]);
}
