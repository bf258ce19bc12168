#pragma once

#include "gui/data/entity.h"
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

    EntityRef entity() const; // what it is about; null: nothing that a page shows
};

inline EntityRef EventRow::entity() const
{
    switch (about) {
    case About::Job:
        return job ? EntityRef{EntityRef::Kind::Job, job->bytes()} : EntityRef();
    case About::Worker:
        return {EntityRef::Kind::Worker, subject.toUtf8()};
    case About::Queue:
        return {EntityRef::Kind::Queue, subject.toUtf8()};
    case About::Schedule:
        return {EntityRef::Kind::Schedule, subject.toUtf8()};
    case About::Lock:
        return {EntityRef::Kind::Lock, subject.toUtf8()};
    case About::Server:
        return {EntityRef::Kind::Server, subject.toUtf8()};
    case About::Limit:
    case About::Session:
        break;
    }
    return {};
}

} // namespace drover::gui
