#pragma once

#include "jobs/model/json_fields.h"

#include <optional>
#include <vector>

namespace drover::jobs {

// The master's summary for consoles and `top`, written once a second. Times are milliseconds since the Unix epoch.
struct ClusterStats {
    struct Queue {
        QByteArray name;
        qint64 unfinished = 0;
        qint64 submitted = 0; // since the queue was created

        template <class Fields, class Record>
        static void fields(Fields &each, Record &queue);
    };
    // The state of archiving.
    struct Archive {
        QString history; // its location, for people
        std::optional<qint64> backlog{}; // unarchived final records; not set: unknown yet
        QString error; // one line while it fails
        std::chrono::milliseconds failingSince{};
        qint64 lost = 0; // records that this master deleted unarchived: done/ was full
        qint64 aside = 0; // records in done/ that the master may not read
        std::chrono::milliseconds pausedSince{}; // when claims paused; 0: they do not

        template <class Fields, class Record>
        static void fields(Fields &each, Record &archive);
    };
    // A part of the master's work that fails and is retried, while the other parts go on.
    struct Trouble {
        QString subject; // "queue gpu", "schedules"
        QString error; // one line
        std::chrono::milliseconds since{};

        template <class Fields, class Record>
        static void fields(Fields &each, Record &trouble);
    };
    QString master;
    std::chrono::milliseconds masterSince{}; // when it was elected
    std::chrono::milliseconds at{}; // when it wrote this
    qint64 workers = 0;
    qint64 claimed = 0; // jobs that run or wait at their workers
    qint64 done = 0; // final records in done/
    std::vector<Queue> queues;
    std::optional<Archive> archive; // set if a history is configured
    std::vector<Trouble> troubles; // the first troubles

    QByteArray encode() const;
    static ClusterStats decode(const QByteArray &bytes); // throws Malformed
    template <class Fields, class Record>
    static void fields(Fields &each, Record &stats);
};

} // namespace drover::jobs
