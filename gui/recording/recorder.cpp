#include "gui/recording/recorder.h"

#include "gui/recording/codec.h"
#include "gui/recording/recorded_events.h"

#include <QDateTime>
#include <QFile>
#include <QSet>

namespace drover::gui {

namespace {

constexpr qint64 Settling = 1000; // ms: in a new session the feeds tell of everything within it
constexpr qint64 EndedFor = 600'000; // ms: older ended jobs are in the table because a search found them

bool isRecorded(const JobRow &job, qint64 now)
{
    return !jobs::isFinal(job.state) || job.since > now - EndedFor || !job.loaded;
}

} // namespace

Recorder::Recorder(Clock clock, const RecordingLimits &limits)
    : m_clock(clock ? std::move(clock) : [] { return QDateTime::currentMSecsSinceEpoch(); }), m_limits(limits),
      m_timer(this)
{
    m_timer.setInterval(Batch);
    connect(&m_timer, &QTimer::timeout, this, &Recorder::flush);
}

void Recorder::open(const Target &target)
{
    stop();
    m_file.reset();
    m_state.clear();
    m_jobs.clear();
    m_changes.clear();
    m_toldAt = 0;
    m_status = {};
    m_status.target = target;
    if (QFile::exists(RecordingFile::pathFor(target)))
        file();
}

void Recorder::setOn(bool on)
{
    m_status.isOn = on;
    m_status.trouble.clear();
    if (on)
        m_timer.start();
    else
        stop();
    report();
}

void Recorder::stop()
{
    m_timer.stop();
    endSpan();
    m_status.isOn = false;
}

void Recorder::showStatus(const SessionStatus &status)
{
    using Phase = SessionStatus::Phase;
    if (status.target != m_status.target && !status.target.connect.isEmpty())
        open(status.target);
    const bool isConnected = status.phase == Phase::Connected;
    if (!isConnected)
        endSpan();
    if (!isConnected && status.phase != Phase::Suspended)
        m_toldAt = 0;
    if (isConnected && !m_isConnected && m_toldAt > 0)
        m_toldAt = m_clock(); // within the session: the feeds read what they missed
    m_isConnected = isConnected;
    report();
}

void Recorder::endSpan()
{
    if (!m_status.isRecording)
        return;
    const qint64 now = std::max(m_lastAt, m_clock());
    if (hasStoodStill(now))
        m_toldAt = now; // the feeds read what they missed
    else
        write(now);
    closeSpan();
}

void Recorder::closeSpan()
{
    m_status.isRecording = false;
    m_changes.clear();
    if (m_file)
        m_file->endSpan();
}

// The machine slept, or this process did: what happened meanwhile is not known.
bool Recorder::hasStoodStill(qint64 now) const
{
    return now - m_flushedAt > LongestPause;
}

void Recorder::put(const RecordedKey &key, const QByteArray &value)
{
    const auto known = m_state.find(key);
    if (known == m_state.end() ? value.isNull() : known->second == value)
        return;
    if (value.isNull())
        m_state.erase(known);
    else
        m_state.insert_or_assign(key, value);
    if (!m_status.isRecording)
        return;
    m_lastAt = std::max(m_lastAt, m_clock());
    m_changes.append({m_lastAt, key, value});
}

// The rows of that kind: all others have gone.
template <typename Row, typename KeyOf>
void Recorder::take(Kind kind, const QList<Row> &rows, const KeyOf &keyOf)
{
    QSet<QByteArray> there;
    for (const Row &row : rows) {
        const RecordedKey key = keyOf(row);
        there.insert(key.name);
        put(key, encodeRow(row));
    }
    keepOnly(kind, there);
}

// What else is known of that kind has gone.
void Recorder::keepOnly(Kind kind, const QSet<QByteArray> &there)
{
    QList<RecordedKey> gone;
    for (auto known = m_state.lower_bound({kind, {}}); known != m_state.end() && known->first.kind == kind; ++known) {
        if (!there.contains(known->first.name))
            gone.append(known->first);
    }
    for (const RecordedKey &key : std::as_const(gone))
        put(key, {});
}

// Most rows of a snapshot are as they were: these are not encoded.
void Recorder::showJobs(const JobsSnapshot &jobs)
{
    const qint64 now = m_clock();
    QHash<jobs::JobId, JobRow> there;
    there.reserve(jobs.rows.size());
    for (const JobRow &row : jobs.rows) {
        if (!isRecorded(row, now))
            continue;
        there.insert(row.id, row);
        const auto known = m_jobs.constFind(row.id);
        if (known == m_jobs.constEnd() || *known != row)
            put(keyOf(row), encodeRow(row));
    }
    for (auto known = m_jobs.cbegin(); known != m_jobs.cend(); ++known) {
        if (!there.contains(known.key()))
            put(keyOf(known.value()), {});
    }
    m_jobs = std::move(there);
    if (m_toldAt == 0 && m_isConnected)
        m_toldAt = now;
}

void Recorder::showQueues(const QList<QueueDepth> &queues)
{
    take(Kind::Queue, queues, [](const QueueDepth &row) { return keyOf(row); });
}

void Recorder::showLoads(const QMap<QString, WorkerLoad> &loads)
{
    QSet<QByteArray> there;
    for (auto load = loads.begin(); load != loads.end(); ++load) {
        there.insert(load.key().toUtf8());
        put(keyOfLoad(load.key()), encodeRow(*load));
    }
    keepOnly(Kind::Load, there);
}

void Recorder::showWorkers(const QList<WorkerRow> &workers)
{
    take(Kind::Worker, workers, [](const WorkerRow &row) { return keyOf(row); });
}

void Recorder::showLocks(const QList<LockRow> &rows)
{
    take(Kind::Lock, rows, [](const LockRow &row) { return keyOf(row); });
}

void Recorder::showOthers(const QList<LockRow> &rows)
{
    take(Kind::Other, rows, [](const LockRow &row) { return keyOfOther(row); });
}

void Recorder::showListing(const ZnodeListing &listing)
{
    ZnodeListing recorded = listing;
    if (recorded.names.size() > MostNames)
        recorded.names.clear();
    put(keyOf(recorded), encodeRow(recorded));
}

bool Recorder::mayBegin(qint64 now) const
{
    return m_status.isOn && m_status.trouble.isEmpty() && m_isConnected && m_toldAt > 0 && now >= m_toldAt + Settling;
}

void Recorder::flush()
{
    const qint64 now = std::max(m_lastAt, m_clock());
    if (m_status.isRecording && hasStoodStill(now)) {
        endSpan();
    } else if (m_status.isRecording) {
        write(now);
    } else if (mayBegin(now)) {
        try {
            if (RecordingFile *const own = file()) {
                own->begin(now, m_state);
                m_keyframeAt = m_lastAt = m_flushedAt = now;
                m_sinceKeyframe = 0;
                m_status.isRecording = true;
            }
        } catch (const SqliteError &error) {
            fail(error);
        }
    }
    report();
}

void Recorder::write(qint64 now)
{
    m_lastAt = now;
    m_sinceKeyframe += m_changes.size();
    try {
        m_file->append(now, std::exchange(m_changes, {}));
        m_flushedAt = now;
        if (now - m_keyframeAt < BetweenKeyframes && m_sinceKeyframe < MostChanges)
            return;
        m_file->keyframe(now, m_state);
        m_keyframeAt = now;
        m_sinceKeyframe = 0;
    } catch (const SqliteError &error) {
        fail(error);
    }
}

// Until the user switches it on again: a full disk is not filled further.
void Recorder::fail(const std::exception &error)
{
    m_status.trouble = QString::fromUtf8(error.what());
    m_status.isOn = false;
    m_timer.stop();
    closeSpan();
}

RecordingFile *Recorder::file()
{
    if (m_file || m_status.target.connect.isEmpty())
        return m_file.get();
    try {
        m_file = std::make_unique<RecordingFile>(RecordingFile::pathFor(m_status.target), m_limits);
    } catch (const SqliteError &error) {
        fail(error);
    }
    return m_file.get();
}

void Recorder::report()
{
    try {
        if (m_file) {
            m_status.spans = m_file->spans();
            m_status.bytes = m_file->bytes();
        }
    } catch (const SqliteError &error) {
        fail(error);
    }
    if (m_status == m_reported)
        return;
    m_reported = m_status;
    Q_EMIT statusChanged(m_status);
}

void Recorder::read(int request, qint64 at, qint64 since)
{
    Moment moment;
    if (RecordingFile *const own = m_file.get()) {
        try {
            if (const std::optional<RecordedState> state = own->stateAt(at)) {
                moment = momentOf(*state);
                moment.isRecorded = true;
            }
            // One more tells whether there are earlier ones.
            QList<RecordedStretch> stretches = own->changes(since, at, MostEvents + 1);
            qsizetype count = 0;
            for (const RecordedStretch &stretch : std::as_const(stretches))
                count += stretch.changes.size();
            moment.hasMoreEvents = count > MostEvents;
            if (moment.hasMoreEvents)
                stretches.first().changes.removeFirst();
            for (const RecordedStretch &stretch : std::as_const(stretches)) {
                if (!stretch.changes.isEmpty()) // of a gap nothing is known: each span has its own beginning
                    moment.events += eventsOf(own->stateBefore(stretch), stretch.changes);
            }
        } catch (const SqliteError &error) {
            moment = {};
            fail(error);
            report();
        }
    }
    moment.at = at;
    Q_EMIT momentRead(request, moment);
}

void Recorder::find(int request, std::optional<qint64> (RecordingFile::*search)(qint64), qint64 from)
{
    std::optional<qint64> at;
    try {
        at = m_file ? (m_file.get()->*search)(from) : std::nullopt;
    } catch (const SqliteError &error) {
        fail(error);
        report();
    }
    Q_EMIT found(request, at.value_or(0));
}

RecorderThread::RecorderThread() : m_recorder(new Recorder)
{
    m_recorder->moveToThread(&m_thread);
    m_thread.setObjectName(QStringLiteral("recorder"));
    m_thread.start();
}

RecorderThread::~RecorderThread()
{
    QMetaObject::invokeMethod(
        m_recorder, [this] { m_recorder->setOn(false); }, Qt::BlockingQueuedConnection);
    m_recorder->deleteLater();
    m_thread.quit();
    m_thread.wait();
}

} // namespace drover::gui
