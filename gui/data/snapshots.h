#pragma once

#include "jobs/client/job_filter.h"
#include "jobs/model/worker_info.h"
#include "trust/role.h"
#include "zk/types.h"

#include <QList>
#include <QMetaType>
#include <QSet>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>

// What the feeds send to the models. Each snapshot is a complete value: threads share it, and no one changes it.
namespace drover::gui {

// The ensemble and the root znode that the console shows.
struct Target {
    QString connect; // "host:port,host:port"
    QByteArray cluster = QByteArrayLiteral("default");

    friend bool operator==(const Target &, const Target &) = default;
};

// What the servers say of the cluster to a session.
enum class ClusterAccess {
    Unknown, // it has not asked yet
    Missing, // they have no such cluster
    Open, // all who reach them may use the cluster: they have not judged the session's credentials
    Closed, // the session may read the cluster, and others may not
    Refused, // the session may not read it
    NotAuthenticated, // they refuse the authentication itself, and end each session that tries
};

struct SessionStatus {
    enum class Phase {
        Disconnected, // by the user
        Connecting, // no server has answered yet
        Connected,
        Suspended, // the connection is gone, the session may live
        Lost, // the session has ended; a new one follows
        Failed, // a new attempt would fail too: see trouble
    };
    Phase phase = Phase::Disconnected;
    Target target;
    zk::SessionId sessionId = 0;
    std::chrono::milliseconds timeout{}; // negotiated
    QString server; // the server of the connection; empty if unknown
    QString user; // whose credentials the session has there; empty: none
    trust::Roles roles; // of that user
    QString passwordUser; // of ZooKeeper, whose password the session has instead of credentials; empty: none
    bool isPasswordGiven = false; // by the user, for znodes outside the cluster: the session makes none of the cluster
    ClusterAccess access = ClusterAccess::Unknown; // said last, also by a session before this one
    QString trouble; // one line: what is wrong and what to do

    friend bool operator==(const SessionStatus &, const SessionStatus &) = default;
};

// How well a node could be read.
// Unfollowed: no watch is left for it, and it is tried again.
enum class NodeCondition { Ok, Missing, Denied, Unfollowed };

// The children of one node, sorted by name.
struct ZnodeListing {
    zk::Path path;
    NodeCondition condition = NodeCondition::Ok;
    QByteArrayList names;
    zk::Stat stat;
};

struct ZnodeStat {
    zk::Path path;
    NodeCondition condition = NodeCondition::Ok;
    zk::Stat stat;
};

// The selected node.
struct ZnodeContents {
    zk::Path path;
    NodeCondition condition = NodeCondition::Ok;
    QByteArray data;
    zk::Stat stat;
};

struct JobRow {
    jobs::JobId id;
    jobs::JobState state = jobs::JobState::Ready;
    bool loaded = false; // false: only its id and state are known yet
    QString name;
    QStringList command;
    QString comment;
    QStringList tags;
    QString submitter; // NAME@HOST
    QString worker;
    int priority = 5;
    int attempt = 0; // of the current attempt, or of the last one
    qint64 since = 0; // ms of the Unix epoch: submitted, claimed or ended
    qint64 startsAt = 0; // ms of the Unix epoch, by the servers' clock: not before that; 0: it waits for no time
    int failed = 0; // of the attempts at an unfinished job, those that failed and were to be tried again
    int failedCode = 0; // exit code of the latest of these
    std::optional<int> exitCode;
    QString progress; // of an array: "28/40, 1 failed"
    QString waits; // what it waits for, as `drover ls` says it
    QString note; // why it failed, or what could not be read

    // The job has ended, but its record is not read yet.
    bool endUnknown() const { return !loaded && jobs::isFinal(state); }

    // Whether it meets the filter's conditions, but for that on its state. Only a job that has ended fits if there is
    // one on its end. Its id, name, command or worker must contain
    // the filter's words.
    bool fits(const jobs::JobFilter &filter) const;

    friend bool operator==(const JobRow &, const JobRow &) = default;
};

inline bool JobRow::fits(const jobs::JobFilter &filter) const
{
    const bool hasEnd = jobs::isFinal(state) && loaded;
    const auto end = hasEnd ? std::optional(std::chrono::milliseconds(since)) : std::nullopt;
    const auto holds = [&](const QString &part) { return part.contains(filter.words, Qt::CaseInsensitive); };
    return (filter.queue.isEmpty() || filter.queue == id.queue) && filter.fits(name, tags, submitter)
        && filter.fitsRun(worker, end)
        && (holds(id.toString()) || holds(name) || holds(worker) || holds(command.join(u' ')));
}

// So long a failure counts as a late one.
constexpr std::chrono::hours FailedFor(24);

// The jobs of the history that the table takes at a time. Each change in the cluster compares all of its rows on the
// GUI thread.
constexpr qsizetype MaxPastRows = 5'000;

struct JobsSnapshot {
    bool clusterExists = false;
    QList<JobRow> rows;
    qint64 pastRows = 0; // of `rows`: from the history
    qint64 pastRead = 0; // PastSnapshot::read, of which some may have no row of the history
    int pastWalk = 0; // PastSnapshot::walk of these
    qint64 past = 0; // jobs in the history; also counted in `ended`
    qint64 searched = 0; // unfinished jobs that a search has read and found not to fit
    qint64 pastSearched = 0; // of the history, by a search that goes on
    bool pastGoesOn = false; // a search has not read the whole history yet
    bool pastHasMore = false; // older ones can be asked for
    bool pastIsFull = false; // PastSnapshot::isFull
    qint64 pastDropped = 0; // PastSnapshot::dropped
    jobs::JobId pastFirst; // PastSnapshot::first
    jobs::JobId pastLast; // PastSnapshot::last
    int pastQuestion = 0; // PastSnapshot::question
    QString pastTrouble; // why the history cannot be read; or empty
    qint64 running = 0;
    qint64 ready = 0;
    qint64 waiting = 0;
    qint64 held = 0;
    qint64 ended = 0;
    qint64 failedLately = 0; // jobs, not tasks, that failed within FailedFor

    qint64 total() const { return running + ready + waiting + held + ended; }
};

// What the user searches.
struct JobSearch {
    QString text; // as typed; empty: all
    std::set<jobs::JobState> states; // empty: all
    bool tasks; // true: lists tasks of arrays, too
    jobs::JobFilter filter; // what the text asks for

    JobSearch(QString typed = {}, std::set<jobs::JobState> these = {}, bool tasksToo = false)
        : text(std::move(typed)), states(std::move(these)), tasks(tasksToo), filter(jobs::JobFilter::parse(text))
    {
    }

    // A job whose end is unknown fits if any state of ended jobs does.
    bool fits(const JobRow &job) const;

    // As typed: a time such as "2h" is another one at each reading.
    friend bool operator==(const JobSearch &a, const JobSearch &b)
    {
        return a.text == b.text && a.states == b.states && a.tasks == b.tasks;
    }
};

inline bool JobSearch::fits(const JobRow &job) const
{
    const auto fitsOne = [&](jobs::JobState state) {
        return state == job.state || (job.endUnknown() && jobs::isFinal(state));
    };
    return (states.empty() || std::any_of(states.begin(), states.end(), fitsOne))
        && (!filter.state || fitsOne(*filter.state)) && (tasks || !job.id.isTask()) && job.fits(filter);
}

// Jobs in the history that fit the search: MaxPastRows that follow each other, and some that an index has found.
struct PastSnapshot {
    QList<JobRow> rows;
    int walk = 0; // another number after each new beginning: a new search or order, or a new session
    qint64 read = 0; // jobs that fit and were walked past; it grows with each page, also if they had rows already
    qint64 count = 0; // of all in the history
    qint64 failedLately = 0; // jobs in the history, not tasks, that failed within FailedFor
    QSet<jobs::JobId> failedInDone; // of `failedLately`: those that had not left ZooKeeper when they were counted
    qint64 searched = 0; // how many a search that goes on has read
    bool goesOn = false;
    bool hasMore = false; // older ones can be asked for
    bool isFull = false; // there are older ones, and a further page of them may take the place of another
    qint64 dropped = 0; // jobs before `first` that were walked past, and have given their places to others
    jobs::JobId first; // that was walked past and has a row, in the order that was asked for; without a queue: none
    jobs::JobId last; // as `first`: what is older comes behind it
    int question = 0; // another number after each new search, order, session, or return to the beginning
    QString trouble; // one line: why it cannot be read; or empty
};

struct QueueDepth {
    QByteArray name;
    qint64 depth = 0; // unfinished jobs
    QString paused{}; // "paused by X: why"; empty: it is open
    int limit = 0; // of running jobs; 0: none
    qint64 running = 0; // of `depth`
    qint64 ready = 0; // of `depth`
    qint64 came = 0; // jobs that were put into it since the session began; never less than before
    qint64 left = 0; // jobs that have gone from it since then: they ended, or were moved
    qint64 oldestReady = 0; // when the ready job with the lowest number was submitted; ms of the Unix epoch; 0: none
    qint64 waiting = -1; // of `depth`: held, or waiting for a time or another job; -1: not known, as in a recording

    friend bool operator==(const QueueDepth &, const QueueDepth &) = default;
};

// What the claims say of one worker.
struct WorkerLoad {
    QStringList jobs; // that run there, sorted
    int slotCount = 0; // that they take

    friend bool operator==(const WorkerLoad &, const WorkerLoad &) = default;
};

struct WorkerRow {
    QByteArray id;
    bool master = false;
    jobs::WorkerInfo info;
    QString cordon; // who cordoned it and why; empty: no cordon
    qint64 since = 0; // when it joined, by the server's clock
    QString malformed;
    zk::Zxid masterToken{}; // the fencing token of the master; 0: it is not the master
    qint64 masterSince{}; // by the server's clock

    friend bool operator==(const WorkerRow &a, const WorkerRow &b)
    {
        return a.id == b.id && a.master == b.master && a.masterToken == b.masterToken && a.since == b.since
            && a.malformed == b.malformed && a.cordon == b.cordon && a.info.encode() == b.info.encode();
    }
};

// One contender for one lock: place 0 holds it, place 1 is next. A lock without contenders has one row, with place -1,
// as has a limit that is set.
struct LockRow {
    QByteArray lock;
    int place = -1;
    QByteArray ticket; // its node's name
    QByteArray about; // what the contender wrote about itself
    zk::SessionId session = 0;
    qint64 since = 0;
    zk::Zxid czxid{}; // of the ticket: the fencing token of a holder
    bool isOfSeveral = false; // of a limit or a semaphore: a waiter needs one of its holders to let go, not all
    QByteArray directory{}; // the path in which the ticket is; empty: it is not known, as in a recording
    int permits{}; // of a limit: how many of its contenders may hold it at a time; 0: it is not set, or not known

    friend bool operator==(const LockRow &, const LockRow &) = default;
};

} // namespace drover::gui

Q_DECLARE_METATYPE(drover::zk::Path)
Q_DECLARE_METATYPE(drover::gui::SessionStatus)
Q_DECLARE_METATYPE(drover::gui::JobSearch)
