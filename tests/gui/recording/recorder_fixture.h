#pragma once

#include "gui/recording/recorder.h"

#include <optional>

// What a test tells a recorder.
namespace drover::test {

inline constexpr qint64 Noon = 1'714'564'800'000;
inline const gui::Target Cluster{QStringLiteral("zk1:2181"), QByteArrayLiteral("default")};

inline gui::SessionStatus statusOf(gui::SessionStatus::Phase phase)
{
    gui::SessionStatus status;
    status.phase = phase;
    status.target = Cluster;
    return status;
}

inline gui::JobRow jobOf(int number, jobs::JobState state)
{
    gui::JobRow row;
    row.id = {"default", number};
    row.state = state;
    row.loaded = true;
    row.name = u"job-%1"_qs.arg(number);
    row.command = QStringList{u"sh"_qs, u"-c"_qs, u"true"_qs};
    row.since = Noon;
    if (jobs::isFinal(state))
        row.exitCode = 3;
    return row;
}

inline gui::JobsSnapshot snapshotOf(const QList<gui::JobRow> &rows)
{
    gui::JobsSnapshot jobs;
    jobs.clusterExists = true;
    jobs.rows = rows;
    return jobs;
}

inline gui::LockRow ticketOf(int place)
{
    return {.lock = "database",
            .place = place,
            .ticket = "ticket-" + QByteArray::number(place),
            .about = "host",
            .session = 7,
            .since = Noon,
            .czxid = 0x100000005 + place};
}

inline gui::WorkerRow workerOf(int slotCount)
{
    gui::WorkerRow row;
    row.id = "w1";
    row.master = true;
    row.cordon = u"me: kernel"_qs;
    row.masterToken = 77;
    row.info.slotCount = slotCount;
    return row;
}

inline gui::ZnodeListing listingOf(int children)
{
    gui::ZnodeListing listing;
    listing.path = zk::Path("/drover");
    for (int i = 0; i < children; ++i)
        listing.names.append("child-" + QByteArray::number(i));
    listing.stat.numChildren = children;
    return listing;
}

// A recorder whose time is the test's.
struct RecorderFixture {
    qint64 now = Noon;
    gui::Recorder recorder;
    std::optional<gui::Moment> moment;
    gui::RecordingStatus status;

    explicit RecorderFixture(const gui::RecordingLimits &limits = {}) : recorder([this] { return now; }, limits)
    {
        QObject::connect(&recorder, &gui::Recorder::momentRead,
                         [this](int, const gui::Moment &read) { moment = read; });
        QObject::connect(&recorder, &gui::Recorder::statusChanged,
                         [this](const gui::RecordingStatus &told) { status = told; });
    }
    void connectAndRecord()
    {
        recorder.showStatus(statusOf(gui::SessionStatus::Phase::Connected));
        recorder.setOn(true);
        recorder.showJobs(snapshotOf({jobOf(1, jobs::JobState::Ready)}));
        after(2000);
    }
    void after(qint64 ms)
    {
        now += ms;
        recorder.flush();
    }
    const gui::Moment &at(qint64 when, qint64 since = 0)
    {
        recorder.read(1, when, since);
        return *moment;
    }
};

} // namespace drover::test
