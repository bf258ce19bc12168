#pragma once

#include "app/bench/figures/distribution.h"
#include "app/cli/terminal.h"

#include <QJsonObject>
#include <QJsonValue>
#include <QString>

namespace drover::app {

// The columns for what a benchmark says: those of the terminal, elsewhere 80.
inline int widthFor(const Terminal &terminal)
{
    return terminal.width > 0 ? terminal.width : 80;
}

// The result of one benchmark run: its name, its parameters, then the figures that apply, in this order. Printed as one
// object with -o json, and as a small table without.
//
//     per_s         cycles, hand-offs or jobs a second
//     median_ms     the median of the measured time; p99_ms is its 99th percentile
//     round_trips   the median in injected round trips
//     wakeups       watch events for each release of the lock
//     rss_mb        resident memory of the idle worker, MiB
class Figures
{
public:
    explicit Figures(QAnyStringView bench, const char *label = "bench") { add(label, bench.toString(), {}); }

    // `what` explains the figure in the table.
    void add(const char *name, const QJsonValue &value, QAnyStringView what);
    void addMilliseconds(const char *name, async::Duration value, QAnyStringView what);
    void addMebibytes(const char *name, qint64 bytes, QAnyStringView what);
    // Adds the median and the 99th percentile: with `prefix` "end_" as end_median_ms and end_p99_ms.
    void addTimes(const char *prefix, const Distribution &times, QAnyStringView what);

    QJsonObject json() const;
    // In lines of at most so many columns, unless a word is longer.
    QString table(int width) const;

    QJsonValue value(const char *name) const;

private:
    struct Row {
        QString name;
        QJsonValue value;
        QString what;
    };
    std::vector<Row> m_rows;
};

} // namespace drover::app
