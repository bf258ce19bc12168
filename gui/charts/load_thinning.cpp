#include "gui/charts/load_thinning.h"

#include <algorithm>
#include <array>

namespace drover::gui {

using namespace std::chrono_literals;

namespace {

constexpr std::array Tiers{LoadTier{48h, 15min}, LoadTier{6h, 1min}, LoadTier{0h, FreshWidth}};

// How wide a sample of that moment has to be.
qint64 widthAt(qint64 at, qint64 now)
{
    const auto isOlder = [age = now - at](const LoadTier &tier) { return age >= tier.age.count(); };
    const auto tier = std::find_if(Tiers.begin(), Tiers.end(), isOlder);
    return tier == Tiers.end() ? FreshWidth.count() : tier->width.count();
}

// Both at once; `a` ends where `b` begins.
LoadSample joined(const LoadSample &a, const LoadSample &b)
{
    const qint64 width = b.end() - a.at;
    const auto mean = [&](qint64 first, qint64 second) { return (first * a.width + second * b.width) / width; };
    return {.at = a.at,
            .width = width,
            .ready = mean(a.ready, b.ready),
            .running = mean(a.running, b.running),
            .submitted = a.submitted + b.submitted,
            .ended = a.ended + b.ended};
}

} // namespace

std::vector<LoadSample> keptAt(qint64 now, const std::vector<LoadSample> &samples)
{
    constexpr qint64 Age = std::chrono::milliseconds(KeptFor).count();
    std::vector<LoadSample> kept;
    for (const LoadSample &sample : samples) {
        if (sample.end() <= now - Age)
            continue;
        const qint64 width = widthAt(sample.at, now);
        const bool joins = !kept.empty() && kept.back().end() == sample.at
            && kept.back().at / width == sample.at / width && kept.back().width + sample.width <= width;
        if (joins)
            kept.back() = joined(kept.back(), sample);
        else
            kept.push_back(sample);
    }
    return kept;
}

} // namespace drover::gui
