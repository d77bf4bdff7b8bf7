/* The names of GLSL, HLSL, C, Python, Lua, libnoise and spreadsheets. A row that formulas get under
 * the same name is to be removed here: the table is searched only for what is unknown. */
#include "core/language/meanings.h"

#include <string.h>

static const struct meaning {
    const char *words; /* between spaces, lower case */
    const char *meaning;
} meanings[] = {
    {" if ifelse iif select where ternary ", "c ? a : b"},
    {" and & ", "a && b"},
    {" or | ", "a || b"},
    {" not ~ ", "!v"},
    {" mod fmod modulo rem remainder % ", "a - b * floor(a / b)"},
    {" = ", "a == b"},
    {" ** ", "v ^ 2, or pow(v, e)"},
    {" lerp blend interpolate ", "mix(a, b, t)"},
    {" saturate clamp01 ", "clamp(v, 0, 1)"},
    {" limit constrain bound ", "clamp(v, low, high)"},
    {" inverselerp unlerp linearstep linstep ", "clamp((v - a) / (b - a), 0, 1)"},
    {" remap map rescale ", "mix(c, d, (v - a) / (b - a))"},
    {" smootherstep fade ", "smoothstep(a, b, v)"},
    {" frac ", "fract(v)"},
    {" trunc int truncate ", "v < 0 ? -floor(-v) : floor(v)"},
    {" ceil ceiling ", "-floor(-v)"},
    {" round rint nearest ", "floor(v + 0.5)"},
    {" sign signum sgn ", "(v > 0) - (v < 0)"},
    {" sqr square ", "v ^ 2"},
    {" cube ", "v ^ 3"},
    {" cbrt ", "pow(v, 1 / 3)"},
    {" rsqrt inversesqrt ", "1 / sqrt(v)"},
    {" atan arctan ", "atan2(v, 1)"},
    {" hypot length norm ", "sqrt(a ^ 2 + b ^ 2)"},
    {" dist ", "distance(cx, cy)"},
    {" cover stroke aastep antialias fwidth ", "coverage(distance, width)"},
    {" power raise ", "pow(v, e)"},
    {" ln loge ", "log(v)"},
    {" log2 ", "log(v) / log(2)"},
    {" log10 lg ", "log(v) / log(10)"},
    {" exp2 ", "pow(2, v)"},
    {" exp10 ", "pow(10, v)"},
    {" tan ", "sin(v) / cos(v)"},
    {" degrees deg ", "v * 180 / pi"},
    {" radians rad ", "v * pi / 180"},
    {" avg average mean ", "(a + b) / 2"},
    {" noise perlin2 perlinnoise cnoise gradientnoise ", "perlin(wavelength)"},
    {" snoise simplexnoise opensimplex ", "simplex(wavelength)"},
    {" valuenoise ", "value(wavelength)"},
    {" voronoi cellular cellnoise cells ", "worley(wavelength)"},
    {" whitenoise ", "white(wavelength)"},
    {" rand rnd hash ", "random(id, n)"},
    {" fractal octaves noise2d fbmnoise ", "fbm(wavelength, octaves)"},
    {" ridge ridgedmulti ridgedmultifractal ", "ridged(wavelength, octaves)"},
    {" translate shift offset displace distort ", "warp(e, dx, dy)"},
    {" turn ", "rotate(e, degrees)"},
    {" zoom ", "scale(e, k)"},
    {" curve ramp ", "spline(v, x0, y0, x1, y1, ...)"},
    {" steps staircase quantize posterize ", "terrace(v, step, sharpness)"},
    {" ddx dfdx ", "gradient_x(e, spacing)"},
    {" ddy dfdy ", "gradient_y(e, spacing)"},
    {" time seconds now ", "t"},
    {" tau ", "2 * pi"},
    {" e ", "exp(1)"},
    {" true yes ", "1"},
    {" false no null none ", "0"},
};

enum { WORD_MAX = 32 };

const char *meaning_find(const char *word, size_t length)
{
    char wanted[WORD_MAX + 3];
    if (length == 0 || length > WORD_MAX || memchr(word, ' ', length))
        return NULL;
    wanted[0] = wanted[length + 1] = ' ';
    wanted[length + 2] = '\0';
    for (size_t i = 0; i < length; i++) {
        wanted[i + 1] = word[i];
        if (word[i] >= 'A' && word[i] <= 'Z')
            wanted[i + 1] |= 0x20; /* a small letter of ASCII */
    }
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
        if (strstr(meanings[i].words, wanted))
            return meanings[i].meaning;
    return NULL;
}
