#pragma once

#include "jobs/model/job_id.h"

#include <QMetaType>
#include <QString>

#include <optional>

namespace drover::gui {

// One line of the stream of events.
struct EventRow {
    enum class About { Job, Worker, Queue, Limit, Schedule, Lock, Server, Session };

    qint64 at = 0; // ms of the Unix epoch; by the server's clock where it is known
    QString event; // "ended", as drover events calls it; or "lock-taken", ...
    About about = About::Session;
    QString subject; // the job's id, or the name of what it is about
    std::optional<jobs::JobId> job{}; // of a job, or that a schedule has submitted
    QString queue{};
    QString state{}; // the new one: of a job, or the role of a server
    QString worker{};
    QString name{}; // of the job
    QString by{};
    QString detail{};
    bool bad = false; // the user may have to act
};

} // namespace drover::gui
