/* Times noises of other libraries as `terrane bench` times ours: 256 × 256 samples, medians of 15
 * rounds in which every noise has its turn; prints the same JSON. */
#ifndef TERRANE_BENCH_OTHER_NOISES_H
#define TERRANE_BENCH_OTHER_NOISES_H

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

constexpr int side = 256, rounds = 15;
/* The cells of all cases, in samples, and of the noise that warps. */
constexpr float wavelength = 256.0f, warp_wavelength = 512.0f, warp_metres = 40.0f;
constexpr int octaves = 8;

struct other_case {
    const char *name; /* of the case of `terrane bench` that computes the same kind of noise */
    std::function<void(float *)> sample;
    std::vector<double> ns;
};

inline double time_case(const other_case &work, float *out)
{
    const auto start = std::chrono::steady_clock::now();
    work.sample(out);
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
    return taken.count() / (side * side);
}

inline int run_cases(std::vector<other_case> &cases)
{
    std::vector<float> out(side * side);
    double sum = 0.0; /* printed, so that no compiler leaves the work out */
    for (int round = 0; round < rounds; round++)
        for (auto &work : cases) {
            work.ns.push_back(time_case(work, out.data()));
            sum += out[(size_t)round];
        }
    std::printf("{\"sum\": %g, \"noise\": [", sum);
    for (size_t i = 0; i < cases.size(); i++) {
        auto &ns = cases[i].ns;
        std::sort(ns.begin(), ns.end());
        std::printf("%s{\"name\": \"%s\", \"ns\": %.4f}", i > 0 ? ", " : "", cases[i].name,
                    ns[ns.size() / 2]);
    }
    std::printf("]}\n");
    return 0;
}

#endif
