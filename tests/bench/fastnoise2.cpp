/* The noises of FastNoise2 (https://github.com/Auburn/FastNoise2) at one of its instruction sets:
 * fastnoise2 sse2|avx2|avx512. */
#include <FastNoise/FastNoise.h>

#include <cstring>

#include "tests/bench/other_noises.h"

using namespace FastNoise;

static FastSIMD::FeatureSet level;

template <typename T> static SmartNode<T> scaled(float scale)
{
    auto node = New<T>(level);
    node->SetScale(scale);
    return node;
}

template <typename T> static SmartNode<T> fractal(SmartNode<> source)
{
    auto node = New<T>(level);
    node->SetSource(source);
    node->SetOctaveCount(octaves);
    return node;
}

static SmartNode<> warped(SmartNode<> source)
{
    auto node = New<DomainOffset>(level);
    auto perlin = scaled<Perlin>(warp_wavelength);
    perlin->SetOutputMin(-warp_metres);
    perlin->SetOutputMax(warp_metres);
    auto other = New<SeedOffset>(level);
    other->SetSource(perlin);
    node->SetSource(source);
    node->SetOffset<Dim::X>(perlin);
    node->SetOffset<Dim::Y>(other);
    return node;
}

static other_case grid(const char *name, SmartNode<> node)
{
    const auto sample = [node](float *out) {
        node->GenUniformGrid2D(out, 4096.0f, -4096.0f, side, side, 1.0f, 1.0f, 1337);
    };
    return {name, sample, {}};
}

static other_case slice(const char *name, SmartNode<> node)
{
    const auto sample = [node](float *out) {
        node->GenUniformGrid3D(out, 4096.0f, -4096.0f, 12.0f, side, side, 1, 1.0f, 1.0f, 1.0f,
                               1337);
    };
    return {name, sample, {}};
}

int main(int count, char **words)
{
    const char *set = count > 1 ? words[1] : "";
    level = !strcmp(set, "avx512") ? FastSIMD::FeatureSet::AVX512
            : !strcmp(set, "avx2") ? FastSIMD::FeatureSet::AVX2
                                   : FastSIMD::FeatureSet::SSE2;
    const auto perlin = scaled<Perlin>(wavelength);
    const auto simplex = scaled<Simplex>(wavelength);
    const auto value = scaled<Value>(wavelength);
    if (!perlin || perlin->GetActiveFeatureSet() != level) {
        std::fprintf(stderr, "fastnoise2: no code for %s\n", set);
        return 1;
    }
    const auto distance = scaled<CellularDistance>(wavelength);
    const auto cell = scaled<CellularValue>(wavelength);
    const auto fbm = fractal<FractalFBm>(perlin);
    const auto ridged = fractal<FractalRidged>(perlin);
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
        grid("fbm 8 of value", fractal<FractalFBm>(value)),
        grid("fbm 8 of simplex", fractal<FractalFBm>(simplex)),
        slice("fbm 8, 3-D", fbm),
        grid("ridged 8", ridged),
        grid("fbm 8, warped by a perlin", warped(fbm)),
        grid("ridged 8, warped by a perlin", warped(ridged)),
    };
    return run_cases(cases);
}
