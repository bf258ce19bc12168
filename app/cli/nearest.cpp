#include "app/cli/nearest.h"

#include <algorithm>
#include <numeric>

namespace drover::app {

namespace {

// Levenshtein's.
qsizetype editDistance(const QString &a, const QString &b)
{
    QList<qsizetype> row(b.size() + 1);
    std::iota(row.begin(), row.end(), 0);
    for (qsizetype i = 1; i <= a.size(); ++i) {
        qsizetype diagonal = row[0];
        row[0] = i;
        for (qsizetype j = 1; j <= b.size(); ++j) {
            const qsizetype substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
        }
    }
    return row[b.size()];
}

} // namespace

QStringList nearest(const QString &name, const QStringList &candidates)
{
    QList<std::pair<qsizetype, QString>> ranked;
    for (const QString &candidate : candidates) {
        const bool begins = candidate.startsWith(name) || candidate.startsWith(name.section(u' ', 0, 0) + u' ');
        const qsizetype distance = begins ? 1 : editDistance(name, candidate);
        if (distance <= std::max<qsizetype>(1, name.size() / 2) && distance <= 3)
            ranked.append({distance, candidate});
    }
    std::stable_sort(ranked.begin(), ranked.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
    QStringList names;
    for (const auto &[distance, candidate] : ranked.mid(0, 3))
        names.append(candidate);
    return names;
}

} // namespace drover::app
