#include "gui/lab/lab_stage.h"

#include "async/offload.h"
#include "async/or_timeout.h"
#include "gui/lab/observed.h"
#include "gui/lab/record_count.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>

#include <csignal>

namespace drover::gui {

using namespace std::chrono_literals;
using Life = LabParticipant::Life;
using Phase = LabParticipant::Phase;

namespace {

constexpr auto SendPause = 40ms; // gathers changes: a picture needs no more than 25 a second
constexpr auto WatchPause = 150ms; // between two questions which watches there are
constexpr auto RecordPause = 250ms;
constexpr auto JoinLimit = 15s; // for a participant to join, until the next is started

QByteArray readFile(const QString &name)
{
    QFile file(name);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

LabSettings LabSettings::ofThisProgram()
{
    const QString directory = qEnvironmentVariable("DROVER_BIN_DIR", QCoreApplication::applicationDirPath());
    return {QDir(directory).filePath(QStringLiteral("drover-console"))};
}

// The process of a participant, and what it has said.
struct LabStage::Actor {
    StepTracker tracker;
    std::unique_ptr<LabProcess> process;

    bool runs() const { return process && process->runs(); }
};

LabStage::LabStage(async::Loop &loop, LabSettings settings)
    : m_loop(loop), m_settings(std::move(settings)), m_server(loop, m_directory.filePath(QStringLiteral("zookeeper"))),
      m_lesson([this](const std::exception_ptr &error) { fail(async::describe(error)); }),
      m_tasks([this](const std::exception_ptr &error) { fail(async::describe(error)); })
{
    m_sending.setSingleShot(true);
    connect(&m_sending, &QTimer::timeout, this, &LabStage::send);
}

LabStage::~LabStage()
{
    m_lesson.cancelAll();
    m_tasks.cancelAll();
    m_actors.clear();
}

void LabStage::open(int lesson)
{
    endLesson();
    m_snapshot = Lesson::all()[lesson].beginning();
    m_snapshot.lesson = lesson;
    for (const LabParticipant &each : m_snapshot.participants) {
        const QList<CodeLine> &code = Lesson::all()[lesson].groups[each.group].code;
        m_actors.push_back(std::make_unique<Actor>(Actor{StepTracker(code), nullptr}));
    }
    ++m_round;
    if (m_server.isLost()) // all begins anew
        m_server.stop();
    if (m_server.state() == LabSnapshot::Server::Stopped)
        m_tasks.spawn(m_server.start());
    m_lesson.spawn(follow());
    notify();
}

void LabStage::endLesson()
{
    m_lesson.cancelAll();
    m_actors.clear();
    m_tree.reset();
    for (int group = 0; group < m_snapshot.groups.size(); ++group)
        QFile::remove(fileOf(group));
}

void LabStage::fail(const QString &trouble)
{
    m_snapshot.trouble = trouble;
    notify();
}

zk::Path LabStage::directoryOf(int group) const
{
    return zk::Path("/lab") / QByteArray::number(m_round) / QByteArray::number(group);
}

QString LabStage::fileOf(int group) const
{
    return m_directory.filePath(QStringLiteral("records-%1-%2").arg(m_round).arg(group));
}

// Makes the directories, and follows them.
async::Task<void> LabStage::follow()
{
    co_await async::untilSet(m_server.serving());
    notify();
    for (int group = 0; group < m_snapshot.groups.size(); ++group)
        co_await m_server.session().ensurePath(directoryOf(group));
    const auto change = [this](const recipes::TreeWatch::Change &) { notify(); };
    m_tree = std::make_unique<recipes::TreeWatch>(directoryOf(0).parent(), recipes::TreeWatch::AllLevels, change);
    m_lesson.spawn(readWatches());
    m_lesson.spawn(readRecords());
    co_await m_tree->run(m_server.session());
}

// Which session watches what, as the server says.
async::Task<void> LabStage::readWatches()
{
    for (;;) {
        const std::optional<QByteArray> answer = co_await m_server.watches();
        if (answer) { // or what is known stays, and it is asked again
            const QList<LabWatch> watches = watchesIn(*answer, directoryOf(0).parent(), m_snapshot.participants);
            if (std::exchange(m_snapshot.watches, watches) != watches)
                notify();
        }
        co_await async::sleepFor(m_loop, WatchPause);
    }
}

async::Task<void> LabStage::readRecords()
{
    const Lesson &lesson = Lesson::all()[m_snapshot.lesson];
    for (;;) {
        for (int group = 0; group < lesson.groups.size(); ++group) {
            if (!lesson.groups[group].writes)
                continue;
            const std::function<QByteArray()> work = [name = fileOf(group)] { return readFile(name); };
            const QByteArray file = co_await async::offload(m_loop, work);
            m_snapshot.groups[group].records = countRecords(file);
        }
        notify();
        co_await async::sleepFor(m_loop, RecordPause);
    }
}

QList<qint64> LabStage::pids() const
{
    QList<qint64> all;
    if (const std::optional<qint64> server = m_server.pid())
        all.append(*server);
    for (const auto &actor : m_actors) {
        if (actor->runs())
            all.append(actor->process->pid());
    }
    return all;
}

void LabStage::startAll()
{
    if (!m_actors.empty())
        m_lesson.spawn(startInOrder());
}

// One after the other, each when the one before it has joined: so the order of the line is that of the list.
async::Task<void> LabStage::startInOrder()
{
    co_await async::untilSet(m_server.serving());
    for (int i = 0; i < m_snapshot.participants.size(); ++i) {
        start(i);
        try {
            co_await async::orTimeout(m_loop, settle(i), JoinLimit);
        } catch (const async::Timeout &) { // it is paused, or this machine is busy
        }
    }
}

// Returns once it holds, or waits, or has offered its items, or has ended.
async::Task<void> LabStage::settle(int participant)
{
    for (;;) {
        m_moved.reset();
        const LabParticipant &now = m_snapshot.participants[participant];
        const QList<CodeLine> &code = Lesson::all()[m_snapshot.lesson].groups[now.group].code;
        const bool waits = now.phase == Phase::Asking && now.line >= 0 && code[now.line].isWait();
        if (!now.runs() || now.phase == Phase::Holding || now.phase == Phase::Idle || waits)
            co_return;
        co_await async::untilSet(m_moved);
    }
}

void LabStage::start(int participant)
{
    if (!isOpen(participant) || !m_server.serving().isSet())
        return;
    Actor &actor = *m_actors[std::size_t(participant)];
    if (!actor.runs())
        run(participant);
    else if (LabParticipant &row = m_snapshot.participants[participant]; row.phase == Phase::Idle) {
        actor.process->tell("acquire");
        row.phase = Phase::Asking;
        row.line = -1; // until it says more
    }
    notify();
}

void LabStage::run(int participant)
{
    LabParticipant &row = m_snapshot.participants[participant];
    const LessonGroup &group = Lesson::all()[m_snapshot.lesson].groups[row.group];
    const auto isOfGroup = [&](const LabParticipant &each) { return each.group < row.group; };
    const qsizetype before = std::count_if(m_snapshot.participants.begin(), m_snapshot.participants.end(), isOfGroup);
    const LessonParticipant &part = group.participants[participant - before];
    QStringList arguments{QStringLiteral("--lab-participant"),
                          part.recipe,
                          QStringLiteral("--port"),
                          QString::number(m_server.port()),
                          QStringLiteral("--directory"),
                          directoryOf(row.group).toString(),
                          QStringLiteral("--name"),
                          part.name,
                          QStringLiteral("--session-timeout"),
                          QStringLiteral("%1ms").arg(m_settings.sessionTimeout.count())};
    if (group.writes)
        arguments << QStringLiteral("--file") << fileOf(row.group);
    if (group.isFenced)
        arguments << QStringLiteral("--fence");
    arguments << part.options;
    Actor &actor = *m_actors[std::size_t(participant)];
    actor.tracker = StepTracker(group.code);
    actor.process =
        std::make_unique<LabProcess>([this, participant](const QByteArray &line) { read(participant, line); },
                                     [this, participant] { ended(participant); });
    row.life = Life::Running;
    row.phase = Phase::Connecting;
    row.line = -1;
    row.attempt = 0;
    row.isConnected = row.isCut = false;
    if (const QString trouble = actor.process->start(m_settings.program, arguments); !trouble.isEmpty()) {
        row.life = Life::Absent;
        fail(tr("Cannot start %1: %2").arg(m_settings.program, trouble));
    }
}

void LabStage::read(int participant, const QByteArray &line)
{
    LabParticipant &row = m_snapshot.participants[participant];
    LabGroup &group = m_snapshot.groups[row.group];
    switch (m_actors[std::size_t(participant)]->tracker.read(line, row)) {
    case StepTracker::News::None:
        break;
    case StepTracker::News::Request:
        ++group.requests;
        break;
    case StepTracker::News::Woken:
        ++group.wakeUps;
        ++group.wokenByLast;
        break;
    case StepTracker::News::Refused:
        ++group.refused;
        break;
    }
    notify();
}

void LabStage::ended(int participant)
{
    LabParticipant &row = m_snapshot.participants[participant];
    row.life = Life::Ended;
    row.isConnected = false;
    row.listed.clear();
    row.line = -1;
    row.attempt = 0;
    notify();
}

void LabStage::pause(int participant)
{
    if (!isOpen(participant) || m_snapshot.participants[participant].life != Life::Running)
        return;
    m_actors[std::size_t(participant)]->process->signal(SIGSTOP);
    m_snapshot.participants[participant].life = Life::Paused;
    notify();
}

void LabStage::resume(int participant)
{
    if (!isOpen(participant) || m_snapshot.participants[participant].life != Life::Paused)
        return;
    m_actors[std::size_t(participant)]->process->signal(SIGCONT);
    m_snapshot.participants[participant].life = Life::Running;
    notify();
}

void LabStage::kill(int participant)
{
    if (!isOpen(participant) || !m_snapshot.participants[participant].runs())
        return;
    m_snapshot.groups[m_snapshot.participants[participant].group].wokenByLast = 0;
    m_actors[std::size_t(participant)]->process->signal(SIGKILL);
}

void LabStage::disconnect(int participant)
{
    if (!isOpen(participant) || !m_snapshot.participants[participant].runs())
        return;
    m_actors[std::size_t(participant)]->process->tell("disconnect");
    m_snapshot.participants[participant].isCut = true;
    notify();
}

void LabStage::reconnect(int participant)
{
    if (!isOpen(participant) || !m_snapshot.participants[participant].isCut)
        return;
    m_actors[std::size_t(participant)]->process->tell("reconnect");
    m_snapshot.participants[participant].isCut = false;
    notify();
}

void LabStage::release(int participant)
{
    if (!isOpen(participant) || m_snapshot.participants[participant].phase != Phase::Holding
        || !m_snapshot.participants[participant].runs())
        return;
    LabGroup &group = m_snapshot.groups[m_snapshot.participants[participant].group];
    ++group.releases;
    group.wokenByLast = 0;
    m_actors[std::size_t(participant)]->process->tell("release");
    notify();
}

void LabStage::releaseAll()
{
    QList<int> done; // groups
    for (int i = 0; i < m_snapshot.participants.size(); ++i) {
        const LabParticipant &each = m_snapshot.participants[i];
        if (each.phase != Phase::Holding || each.life != Life::Running || done.contains(each.group))
            continue;
        done.append(each.group);
        release(i);
    }
}

void LabStage::notify()
{
    if (!m_sending.isActive())
        m_sending.start(SendPause);
}

void LabStage::send()
{
    m_moved.set();
    m_snapshot.server = m_server.state();
    QList<zk::Path> directories;
    for (int group = 0; group < m_snapshot.groups.size(); ++group)
        directories.append(directoryOf(group));
    m_snapshot.nodes = m_tree ? nodesIn(*m_tree, directories, m_snapshot.participants) : QList<LabNode>();
    if (m_snapshot.lesson >= 0)
        markDeposed(m_snapshot.participants, m_snapshot.nodes, Lesson::all()[m_snapshot.lesson].groups);
    if (m_snapshot == m_sent)
        return;
    m_sent = m_snapshot;
    Q_EMIT changed(m_snapshot);
}

} // namespace drover::gui
