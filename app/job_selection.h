#pragma once

#include "app/arguments.h"
#include "jobs/job_lookup.h"

#include <QRegularExpression>

namespace drover::app {

// The jobs that a command is to act on, out of its arguments: ids (default-42, default-42.7), ranges of them
// (default-3..17, default-42.1..100) and filters, which all have to fit.
class JobSelection
{
public:
    // What the id of an array stands for.
    enum class Arrays {
        AsOne, // itself
        WithTasks, // itself and its unfinished tasks
        TasksAlone,
    };
    struct Chosen {
        jobs::JobId id;
        bool named = true; // by its id: then a state that does not fit is an error
    };

    static QList<QCommandLineOption> options();

    // `ids` are the arguments that name jobs. Throws UsageError, also when nothing is chosen at all.
    JobSelection(const Arguments &arguments, const QStringList &ids);

    // In the order of the ids named, then by queue and number. Of ranges those that are there: unfinished, and with
    // `ended` also those with a record. Throws SessionLost, ConnectionLoss.
    async::Task<std::vector<Chosen>> find(zk::Coordinator &zk, jobs::Layout layout, Arrays arrays,
                                          bool ended = false) const;

private:
    struct Range {
        jobs::JobId first;
        qint32 last; // number, or index of a task

        bool covers(const jobs::JobId &id) const;
    };
    struct Listed {
        jobs::JobId id;
        std::optional<jobs::QueueEntry> entry; // none: it has ended
        jobs::JobState state{}; // while unfinished; what waits at its worker counts as running until somebody asks
    };

    static Range parseRange(const QString &text);
    async::Task<std::vector<Range>> addNamed(zk::Coordinator &zk, jobs::Layout layout, Arrays arrays,
                                             std::vector<Chosen> &chosen) const;
    async::Task<std::vector<Listed>> list(zk::Coordinator &zk, jobs::Layout layout, QByteArray queue, bool ended) const;
    async::Task<void> lookWhichWait(zk::Coordinator &zk, jobs::Layout layout, std::vector<Listed> &listed) const;
    async::Task<void> addMatching(zk::Coordinator &zk, jobs::Layout layout, std::vector<Listed> listed,
                                  std::vector<Chosen> &chosen) const;
    bool matches(const Listed &job, const QByteArray &stored) const;
    bool looksInside() const;
    bool filters() const { return !m_queue.isEmpty() || m_state || looksInside(); }

    std::vector<jobs::JobId> m_ids;
    std::vector<Range> m_ranges;
    QByteArray m_queue; // empty: any, as in the others
    std::optional<jobs::JobState> m_state;
    std::optional<QRegularExpression> m_name;
    QString m_tag;
    QString m_submitter;
};

} // namespace drover::app
