#include "app/launch/launcher.h"

#include "app/cli/failure.h"
#include "async/first_of.h"
#include "async/offload.h"
#include "text/quantity.h"

namespace drover::app {

using Contents = ProgramsArchive::Contents;
using Programs = LaunchHost::Programs;

namespace {

QStringList namesOf(const HostsFile &file)
{
    QStringList names;
    for (const LaunchHost &host : file.hosts)
        names.append(host.name);
    return names;
}

bool isFor(const HostsFile &file, Programs programs)
{
    return std::any_of(file.hosts.begin(), file.hosts.end(),
                       [programs](const LaunchHost &host) { return host.programs == programs; });
}

// The troubles that are not empty go behind it.
QJsonObject aboutWorker(const QByteArrayList &words, QStringList troubles)
{
    troubles.removeAll(QString());
    const QString trouble = troubles.join(QStringLiteral("; "));
    const QString pid = QString::fromUtf8(words.value(1));
    const QString release = QString::fromUtf8(words.value(2));
    const QString text = QStringLiteral("process %1, %2").arg(pid, release);
    QJsonObject about{{QStringLiteral("pid"), pid.toLongLong()}, {QStringLiteral("drover_version"), release}};
    if (!trouble.isEmpty())
        about.insert(QStringLiteral("trouble"), trouble);
    about.insert(QStringLiteral("text"), trouble.isEmpty() ? text : QStringLiteral("%1; %2").arg(text, trouble));
    return about;
}

// A closed cluster that a worker without credentials does not enter: Context::whyDenied() has said so there, with
// advice for one that people start.
QString whyItFails(const HostFailed &error, const LaunchHost &host, const Context &context)
{
    const QString why = QString::fromUtf8(error.what());
    if (!host.credentials.isEmpty() || !why.contains(u"is closed, and there are no credentials"))
        return why;
    return QStringLiteral("cluster %1 at %2 is closed: make credentials for it with drover worker add NAME, and name "
                          "their file by the key credentials in %3")
        .arg(QString::fromLatin1(context.settings().cluster), host.connect, context.arguments().at(0));
}

} // namespace

Launcher::Launcher(Context &context, HostsFile file, Limits limits)
    : m_context(context), m_file(std::move(file)), m_limits(limits), m_ssh(m_file.sshConfig), m_workers(context),
      m_rows(context.out(), namesOf(m_file))
{
}

async::Task<int> Launcher::run(QString verb)
{
    const bool copies = verb != u"status" && verb != u"stop";
    const auto packer = [copies](Contents contents, bool isForSome) -> std::function<ProgramsArchive()> {
        return [contents, isNeeded = copies && isForSome] { return ProgramsArchive::make(contents, isNeeded); };
    };
    const bool asksForPrograms = verb != u"stop";
    const std::function<ProgramsArchive()> pack = packer(Contents::Programs, isFor(m_file, Programs::Copied));
    if (asksForPrograms) {
        const ProgramsArchive programs = co_await async::offload(m_context.loop(), pack);
        m_archives.programs = programs;
    }
    const std::function<ProgramsArchive()> packTree = packer(Contents::Tree, true);
    if (asksForPrograms && isFor(m_file, Programs::Tree)) {
        const ProgramsArchive tree = co_await async::offload(m_context.loop(), packTree);
        m_archives.tree = tree;
    }
    if (verb == u"upgrade")
        m_guard.emplace(m_context.unixSignals(), [this](int signal) { onSignal(signal); });
    const int tasks = verb == u"upgrade" ? 1 : std::min(m_file.parallel, static_cast<int>(m_file.hosts.size()));
    for (int i = 0; i < tasks; ++i)
        m_tasks.spawn(takeHosts(verb));
    co_await m_tasks.drained();
    co_return m_rows.finish();
}

HostScript Launcher::scriptFor(const LaunchHost &host) const
{
    return HostScript(host, m_archives.of(host).release, m_context.settings().cluster);
}

async::Task<void> Launcher::takeHosts(QString verb)
{
    while (m_next < m_file.hosts.size() && m_signal == 0) {
        const qsizetype index = m_next++;
        co_await attempt(index, verb);
    }
}

async::Task<void> Launcher::attempt(qsizetype index, QString verb)
{
    try {
        co_await carryOut(index, verb);
    } catch (const HostFailed &error) {
        m_rows.failed(index, QString::fromUtf8(error.what()));
    } catch (const std::exception &) {
        m_rows.failed(index, explain(std::current_exception()).message);
    }
}

async::Task<void> Launcher::carryOut(qsizetype index, QString verb)
{
    const QString &address = m_file.hosts[index].address;
    m_rows.working(index,
                   address.isEmpty() ? QStringLiteral("looking") : QStringLiteral("connecting to %1").arg(address));
    if (verb == u"stop") { // whatever programs are there
        const QString whatever;
        co_await stop(index, whatever);
        m_rows.done(index, QStringLiteral("stopped"));
        co_return;
    }
    const Look found = co_await look(index, verb != u"status");
    if (verb == u"status") {
        const QByteArrayList words{"running", found.pid.toUtf8(), found.runs.toUtf8()};
        if (found.runs.isEmpty())
            m_rows.done(index, QStringLiteral("stopped"));
        else
            m_rows.done(index, QStringLiteral("running"), aboutWorker(words, differences(found)));
        co_return;
    }
    const bool runsAlready = !found.runs.isEmpty() && verb == u"start";
    if (!found.hasPrograms && !runsAlready)
        co_await install(index);
    if (verb == u"restart" && !found.runs.isEmpty()) {
        co_await prepare(index);
        co_await stop(index, found.pid);
    }
    const QStringList known = runsAlready ? differences(found) : QStringList();
    QJsonObject about;
    if (verb == u"upgrade")
        about = co_await upgrade(index, found);
    else
        about = co_await start(index, known);
    m_rows.done(index, QStringLiteral("running"), about);
}

// The cordon is lifted whatever happens, also that of an upgrade that was killed.
async::Task<QJsonObject> Launcher::upgrade(qsizetype index, Look found)
{
    QJsonObject about;
    std::exception_ptr error;
    try {
        co_await async::firstOf(m_context.loop(), replace(index, found, about), interrupted());
    } catch (...) {
        error = std::current_exception();
    }
    co_await m_workers.liftCordon(m_file.hosts[index].name.toUtf8());
    if (error)
        std::rethrow_exception(error);
    co_return about;
}

// `about` outlives it. One that runs the release already is left as it is.
async::Task<void> Launcher::replace(qsizetype index, Look found, QJsonObject &about)
{
    const QString name = m_file.hosts[index].name;
    const bool hasOther = !found.runs.isEmpty() && found.runs != found.release;
    if (hasOther) {
        requireNoneDown();
        co_await prepare(index);
        m_rows.working(index, QStringLiteral("waiting for the end of its jobs"));
        co_await m_workers.drain(name.toUtf8(), m_limits.drain);
    }
    const QString downBefore = std::exchange(m_downHost, name); // until it has started
    if (hasOther)
        co_await stop(index, found.pid);
    const QStringList known = hasOther ? QStringList() : differences(found);
    const QJsonObject started = co_await start(index, known);
    about = started;
    m_downHost = downBefore;
}

async::Task<void> Launcher::interrupted()
{
    co_await m_interrupted.wait();
    throw HostFailed(QStringLiteral("interrupted; to go on, run drover launch upgrade again"));
}

void Launcher::onSignal(int signal)
{
    if (std::exchange(m_signal, signal) != 0) {
        m_guard->passOn(signal);
        return;
    }
    Output::hint(QStringLiteral("stopping; press Ctrl-C again to stop at once"));
    m_interrupted.set();
}

// Programs that do not work on one host cost no other its worker.
void Launcher::requireNoneDown() const
{
    if (!m_downHost.isEmpty())
        throw HostFailed(
            QStringLiteral("it is left as it is, because the worker of %1 does not start").arg(m_downHost));
}

async::Task<Launcher::Look> Launcher::look(qsizetype index, bool requiresRoom)
{
    const LaunchHost &host = m_file.hosts[index];
    const QByteArrayList words = co_await m_ssh.run(host.address, scriptFor(host).look());
    if (words.size() != 8 || words[0] != "state")
        throw HostFailed(QStringLiteral("its answer is not understood: %1").arg(QString::fromUtf8(words.join(' '))));
    const QString system = QString::fromUtf8(words[5]);
    if (host.programs != Programs::Installed && system != m_archives.programs.system)
        throw HostFailed(QStringLiteral("it is %1, and the programs here are for %2; install the package there, and "
                                        "say programs = \"installed\"")
                             .arg(system, m_archives.programs.system));
    const qint64 free = words[6].toLongLong() * 1024;
    if (requiresRoom && free < host.minFree)
        throw HostFailed(QStringLiteral("the disk of %1 has %2 left, and min_free is %3")
                             .arg(host.prefix, text::formatSize(free), text::formatSize(host.minFree)));
    const bool runs = words[3] != "-";
    Look found;
    found.release = QString::fromUtf8(words[1]);
    found.hasPrograms = words[2] == "yes";
    found.runs = runs ? QString::fromUtf8(words[3]) : QString();
    found.pid = QString::fromUtf8(words[4]);
    found.hasOtherSettings = words[7] == "other";
    co_return found;
}

// A worker that runs keeps the programs and the settings with which it was started.
QStringList Launcher::differences(const Look &found) const
{
    QStringList texts;
    if (!found.runs.isEmpty() && found.runs != found.release)
        texts.append(QStringLiteral("its programs are not those of %1: upgrade").arg(found.release));
    if (!found.runs.isEmpty() && found.hasOtherSettings)
        texts.append(QStringLiteral("its settings differ from %1: restart").arg(m_context.arguments().at(0)));
    return texts;
}

async::Task<void> Launcher::install(qsizetype index)
{
    const LaunchHost &host = m_file.hosts[index];
    if (host.programs == Programs::Installed)
        co_return;
    m_rows.working(index,
                   host.programs == Programs::Tree ? QStringLiteral("copying the programs and their libraries")
                                                   : QStringLiteral("copying the programs"));
    co_await m_ssh.run(host.address, scriptFor(host).install(), m_archives.of(host).bytes);
}

// `known`: how the worker differs, if it runs already.
async::Task<QJsonObject> Launcher::start(qsizetype index, QStringList known)
{
    const LaunchHost &host = m_file.hosts[index];
    m_rows.working(index, QStringLiteral("starting the worker"));
    const int limit = static_cast<int>(m_limits.start.count());
    QByteArrayList words;
    QString trouble;
    try {
        const QByteArrayList answered = co_await m_ssh.run(host.address, scriptFor(host).start(limit));
        words = answered;
        m_rows.working(index, QStringLiteral("comparing its clock"));
        const QString ofClock = co_await m_workers.clockTrouble(host.name.toUtf8());
        trouble = ofClock;
    } catch (const HostFailed &error) { // how it differs may be why
        const QString why = whyItFails(error, host, m_context);
        throw HostFailed((QStringList(why) + known).join(QStringLiteral("; ")));
    }
    co_return aboutWorker(words, known << trouble);
}

// A worker is not stopped that could not start again.
async::Task<void> Launcher::prepare(qsizetype index)
{
    const LaunchHost &host = m_file.hosts[index];
    m_rows.working(index, QStringLiteral("checking the worker's file and its way to ZooKeeper"));
    co_await m_ssh.run(host.address, scriptFor(host).prepare());
}

async::Task<void> Launcher::stop(qsizetype index, QString pid)
{
    const LaunchHost &host = m_file.hosts[index];
    m_rows.working(index, QStringLiteral("stopping the worker"));
    co_await m_ssh.run(host.address, scriptFor(host).stop(static_cast<int>(m_limits.stop.count()), pid));
}

} // namespace drover::app
