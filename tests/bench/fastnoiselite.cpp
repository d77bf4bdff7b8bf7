/* The noises of FastNoiseLite (https://github.com/Auburn/FastNoiseLite), its C++ form. */
#include "FastNoiseLite.h"

#include "tests/bench/other_noises.h"

static FastNoiseLite noise_of(FastNoiseLite::NoiseType type, FastNoiseLite::FractalType fractal)
{
    FastNoiseLite noise(1337);
    noise.SetNoiseType(type);
    noise.SetFrequency(1.0f / wavelength);
    noise.SetFractalType(fractal);
    noise.SetFractalOctaves(octaves);
    return noise;
}

static other_case grid(const char *name, const FastNoiseLite &noise)
{
    const auto sample = [noise](float *out) {
        for (int y = 0; y < side; y++)
            for (int x = 0; x < side; x++)
                *out++ = noise.GetNoise(4096.0f + (float)x, -4096.0f + (float)y);
    };
    return {name, sample, {}};
}

static other_case slice(const char *name, const FastNoiseLite &noise)
{
    const auto sample = [noise](float *out) {
        for (int y = 0; y < side; y++)
            for (int x = 0; x < side; x++)
                *out++ = noise.GetNoise(4096.0f + (float)x, -4096.0f + (float)y, 12.0f);
    };
    return {name, sample, {}};
}

static other_case warped(const char *name, const FastNoiseLite &noise)
{
    FastNoiseLite warp = noise_of(FastNoiseLite::NoiseType_Perlin, FastNoiseLite::FractalType_None);
    warp.SetFrequency(1.0f / warp_wavelength);
    const auto sample = [noise, warp](float *out) {
        for (int y = 0; y < side; y++)
            for (int x = 0; x < side; x++) {
                const float east = 4096.0f + (float)x, south = -4096.0f + (float)y;
                *out++ = noise.GetNoise(east + warp_metres * warp.GetNoise(east, south),
                                        south + warp_metres * warp.GetNoise(south, east));
            }
    };
    return {name, sample, {}};
}

int main()
{
    using F = FastNoiseLite;
    const F perlin = noise_of(F::NoiseType_Perlin, F::FractalType_None);
    const F simplex = noise_of(F::NoiseType_OpenSimplex2, F::FractalType_None);
    const F value = noise_of(F::NoiseType_Value, F::FractalType_None);
    F distance = noise_of(F::NoiseType_Cellular, F::FractalType_None), cell = distance;
    distance.SetCellularReturnType(F::CellularReturnType_Distance);
    cell.SetCellularReturnType(F::CellularReturnType_CellValue);
    const F fbm = noise_of(F::NoiseType_Perlin, F::FractalType_FBm);
    const F ridged = noise_of(F::NoiseType_Perlin, F::FractalType_Ridged);
    std::vector<other_case> cases = {
        grid("value", value),
        grid("perlin", perlin),
        grid("simplex", simplex),
        grid("worley f1", distance),
        grid("worley cell", cell),
        slice("perlin, 3-D", perlin),
        slice("simplex, 3-D", simplex),
        slice("worley f1, 3-D", distance),
        grid("fbm 8", fbm),
        grid("fbm 8 of value", noise_of(F::NoiseType_Value, F::FractalType_FBm)),
        grid("fbm 8 of simplex", noise_of(F::NoiseType_OpenSimplex2, F::FractalType_FBm)),
        slice("fbm 8, 3-D", fbm),
        grid("ridged 8", ridged),
        warped("fbm 8, warped by a perlin", fbm),
        warped("ridged 8, warped by a perlin", ridged),
    };
    return run_cases(cases);
}
