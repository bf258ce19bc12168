#pragma once

#include <QtGlobal>

namespace drover::test {

// SplitMix64: the same numbers from the same seed on every machine and library, unlike the standard distributions.
class SeededRandom
{
public:
    explicit SeededRandom(quint64 seed) : m_state(seed) { }

    quint64 next()
    {
        quint64 z = (m_state += 0x9e3779b97f4a7c15);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }
    // 0 to bound - 1.
    int below(int bound) { return static_cast<int>(next() % static_cast<quint64>(bound)); }
    // 0 to just under 1.
    double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
    bool chance(double probability) { return unit() < probability; }

private:
    quint64 m_state;
};

} // namespace drover::test
