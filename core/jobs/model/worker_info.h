#pragma once

#include "jobs/model/json_fields.h"

namespace drover::jobs {

// A worker of the cluster, as it describes itself.
struct WorkerInfo {
    QString id;
    QString host;
    qint64 pid = 0;
    int slotCount = 0; // at least 1 of each that was read
    qint64 memory = 0; // bytes for its jobs
    QStringList labels;
    qint64 cordon = 0; // the transaction of the cordon that it obeys; 0: none
    QString trouble; // why its machine cannot run jobs, as far as the worker knows; or empty
    // It claims nothing until that trouble is over. If false, only its next job tells whether the trouble is over.
    bool holdsBack = false;
    qint64 refused = 0; // jobs that it refused to run in this life
    QStringList queues;
    QString spool; // absolute path on that host
    QString spoolPlace; // output::placeOf() the spool; empty: unknown
    QString endpoint; // "host:port" where its spool can be read (output::RemoteOutput); empty: nowhere
    QString history; // where it archives as master, for people; or empty
    std::chrono::milliseconds startedAt{};
    QString version;
    bool asRoot = false; // its jobs run as root
    bool unbounded = false; // its machine cannot limit the processes of its jobs, although its owner does
    qint64 renewal = 0; // of its credentials: trust::Credentials::renewal

    QByteArray encode() const;
    static WorkerInfo decode(const QByteArray &bytes); // throws Malformed, also if it names no slots
    template <class Fields, class Record>
    static void fields(Fields &each, Record &info);
};

} // namespace drover::jobs
