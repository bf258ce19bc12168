#include "workers/sim/variation.h"

namespace drover::test {

std::vector<const Variation *> &Variation::all()
{
    static std::vector<const Variation *> variations;
    return variations;
}

qint64 Counts::operator[](const Counter &counter) const
{
    const auto found = m_counts.find(&counter);
    return found == m_counts.end() ? 0 : found->second;
}

Counts &Counts::operator+=(const Counts &other)
{
    for (const auto &[counter, count] : other.m_counts)
        m_counts[counter] += count;
    return *this;
}

QStringList Counts::report() const
{
    QStringList lines;
    for (const Variation *variation : Variation::all()) {
        QStringList counts;
        for (const Counter *counter : variation->counters)
            counts += QStringLiteral("%1 %2").arg((*this)[*counter]).arg(QLatin1String(counter->name));
        if (!counts.isEmpty())
            lines += QStringLiteral("%1: %2").arg(QLatin1String(variation->name), counts.join(QStringLiteral(", ")));
    }
    return lines;
}

QStringList Counts::missing() const
{
    QStringList names;
    for (const Variation *variation : Variation::all()) {
        for (const Counter *counter : variation->counters) {
            if ((*this)[*counter] == 0)
                names += QLatin1String(counter->name);
        }
    }
    return names;
}

VariationSet &VariationSet::add(const Variation &variation)
{
    m_members.insert(&variation);
    return *this;
}

VariationSet &VariationSet::remove(const Variation &variation)
{
    m_members.erase(&variation);
    return *this;
}

} // namespace drover::test
