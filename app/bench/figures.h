#pragma once

#include "async/boot_clock.h"

#include <QJsonObject>
#include <QString>

namespace drover::app {

// What one run of a benchmark has found: its name, its parameters, then the figures that apply, in this order. One
// object with --json, a small table without.
//
//     per_s         cycles, hand-offs or jobs in a second
//     median_ms     of the time that the benchmark is about; p99_ms beside it
//     round_trips   that time in injected round trips
//     wakeups       watch events for each release of the lock
//     rss_mb        resident memory of the idle worker, MiB
class Figures
{
public:
    explicit Figures(const QString &bench) { add("bench", bench, QString()); }

    // `what` explains the figure in the table.
    void add(const char *name, const QJsonValue &value, const QString &what);
    void addMilliseconds(const char *name, async::Duration value, const QString &what);

    QByteArray json() const; // one line
    QString table() const;

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
