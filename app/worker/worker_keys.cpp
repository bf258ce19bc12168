#include "app/worker/worker_keys.h"

#include "app/cli/failure.h"
#include "app/cli/units.h"
#include "history/location.h"
#include "net/endpoint.h"
#include "workers/attempts/job_policy.h"

#include <QDir>
#include <QFileInfo>

#include <algorithm>

#include <unistd.h>

namespace drover::app {

void WorkerEntry::refuse(const QString &why) const
{
    throw UsageError(QStringLiteral("%1 %2").arg(what(), why));
}

QString WorkerEntry::text() const
{
    if (!m_node.is_string())
        refuse(QStringLiteral("has to be a string in quotes"));
    return QString::fromStdString(m_node.as_string()->get());
}

QStringList WorkerEntry::texts() const
{
    QStringList list;
    const toml::array *const array = m_node.as_array();
    for (std::size_t i = 0; array && i < array->size(); ++i) {
        if (const toml::value<std::string> *const one = array->get(i)->as_string())
            list.append(QString::fromStdString(one->get()));
    }
    if (!array || list.size() != static_cast<qsizetype>(array->size()) || list.isEmpty())
        refuse(QStringLiteral("has to be a list of strings: [\"...\"]"));
    return list;
}

qint64 WorkerEntry::integer(qint64 least, qint64 most) const
{
    const toml::value<std::int64_t> *const number = m_node.as_integer();
    if (!number || number->get() < least || number->get() > most)
        refuse(QStringLiteral("has to be a whole number from %1 to %2").arg(least).arg(most));
    return number->get();
}

bool WorkerEntry::flag() const
{
    if (!m_node.is_boolean())
        refuse(QStringLiteral("has to be true or false"));
    return m_node.as_boolean()->get();
}

QString WorkerEntry::absolutePath() const
{
    const QString path = text();
    if (!QDir::isAbsolutePath(path) || QDir::cleanPath(path) == u"/")
        refuse(QStringLiteral("is \"%1\", which has to be an absolute path").arg(path));
    return QDir::cleanPath(path);
}

QStringList WorkerEntry::paths() const
{
    const QStringList list = texts();
    for (const QString &path : list) {
        if (!QDir::isAbsolutePath(path) || QDir::cleanPath(path) == u"/" || !QFileInfo::exists(path))
            refuse(
                QStringLiteral("names \"%1\", which has to be an absolute path of something that is there").arg(path));
    }
    return list;
}

namespace {

using Entry = WorkerEntry;

QStringList canonical(const Entry &entry)
{
    QStringList paths;
    for (const QString &path : entry.paths())
        paths.append(QFileInfo(path).canonicalFilePath());
    return paths;
}

QStringList folders(const Entry &entry)
{
    QStringList paths;
    for (const QString &path : entry.paths()) {
        if (!QFileInfo(path).isDir())
            entry.refuse(QStringLiteral("names \"%1\", which is not a directory").arg(path));
        paths.append(QDir::cleanPath(path));
    }
    return paths;
}

workers::RunAsUser findUser(const Entry &entry, const QString &name)
{
    QString why;
    std::optional<workers::RunAsUser> user = workers::RunAsUser::find(name, why);
    if (!user)
        entry.refuse(QStringLiteral("is refused: %1").arg(why));
    return std::move(*user);
}

std::vector<workers::RunAsUser> users(const Entry &entry)
{
    std::vector<workers::RunAsUser> list;
    for (const QString &name : entry.texts()) {
        if (::geteuid() == 0) // else it cannot become another user
            list.push_back(findUser(entry, name));
    }
    return list;
}

// Jobs must not run as the worker instead.
workers::RunAsUser defaultUser(const Entry &entry)
{
    const QString name = entry.text();
    if (::geteuid() != 0)
        entry.refuse(QStringLiteral("is \"%1\", and only a worker of root runs jobs as another user").arg(name));
    return findUser(entry, name);
}

QStringList secretRules(const Entry &entry)
{
    for (const QString &rule : entry.texts()) {
        if (const QString objection = workers::objectionToSecretRule(rule); !objection.isEmpty())
            entry.refuse(QStringLiteral("names \"%1\", which %2").arg(rule, objection));
    }
    return entry.texts();
}

QByteArrayList queueNames(const Entry &entry)
{
    QByteArrayList queues;
    for (const QString &queue : entry.texts())
        queues.append(parseName(queue, entry.what()));
    return queues;
}

QStringList labelNames(const Entry &entry)
{
    QStringList labels;
    for (const QString &label : entry.texts())
        labels += parseLabels(label, entry.what());
    labels.removeDuplicates();
    return labels;
}

QString listenText(const Entry &entry)
{
    ListenAddress::parse(entry.text(), entry.what());
    return entry.text();
}

QString historyPlace(const Entry &entry)
{
    const QString place = entry.text();
    try {
        if (place != u"none")
            history::Location::parse(place);
    } catch (const std::exception &error) {
        entry.refuse(QStringLiteral("cannot be used: %1").arg(QString::fromUtf8(error.what())));
    }
    return place;
}

QString hostText(const Entry &entry)
{
    const QString text = entry.text();
    const bool isOneWord = !text.isEmpty() && !text.contains(u' ') && !text.contains(u',') && !text.contains(u'/');
    const bool isEndpoint = net::Endpoint::parse(text).has_value();
    if (!isOneWord || (text.count(u':') == 1 && !isEndpoint))
        entry.refuse(QStringLiteral("is \"%1\", which is not HOST[:PORT]").arg(text));
    return text;
}

QString presentFile(const Entry &entry)
{
    const QString path = entry.absolutePath();
    if (!QFileInfo(path).isFile())
        entry.refuse(QStringLiteral("is \"%1\", which has to be an existing file").arg(path));
    return path;
}

using P = WorkerPolicy;
using E = WorkerEntry;

} // namespace

const QList<WorkerKey> &workerKeys()
{
    static const QList<WorkerKey> Known{
        {"id", "the host and a number, kept in the spool",
         [](P &p, const E &e) { p.id = QString::fromLatin1(parseName(e.text(), e.what())); }},
        {"queues", "default", [](P &p, const E &e) { p.queues = queueNames(e); }},
        {"slots", "the number of processors",
         [](P &p, const E &e) { p.slotCount = static_cast<int>(e.integer(1, MostSlots)); }},
        {"memory", "all that this machine has",
         [](P &p, const E &e) { p.memory = parseSize(e.text(), e.what(), LeastMemory); }},
        {"labels", "none", [](P &p, const E &e) { p.labels = labelNames(e); }},
        {"spool", "drover/spool/CLUSTER in the state directory", [](P &p, const E &e) { p.spool = e.absolutePath(); }},
        {"spool_keep", "7d", [](P &p, const E &e) { p.spoolLimits.age = parseAge(e.text(), e.what()); }},
        {"spool_size", "1G", [](P &p, const E &e) { p.spoolLimits.bytes = parseSize(e.text(), e.what()); }},
        {"spool_reserve", "5 % of the disk, 1G at most",
         [](P &p, const E &e) { p.spoolLimits.reserve = parseSize(e.text(), e.what()); }},
        {"log_size", "no limit", [](P &p, const E &e) { p.logSize = parseSize(e.text(), e.what(), LeastLog); }},
        {"listen", "the address towards ZooKeeper, a free port", [](P &p, const E &e) { p.listen = listenText(e); }},
        {"advertise", "the address that ZooKeeper sees", [](P &p, const E &e) { p.advertise = hostText(e); }},
        {"history", "what the configuration file or the cluster says",
         [](P &p, const E &e) { p.history = historyPlace(e); }},
        {"session_timeout", "10s",
         [](P &p, const E &e) { p.sessionTimeout = parseSessionTimeout(e.text(), e.what()); }},
        {"grace", "10s", [](P &p, const E &e) { p.grace = parseDuration(e.text(), e.what()); }},
        {"umask", "022", [](P &p, const E &e) { p.umask = parseUmask(e.text(), e.what()); }},
        {"job_credentials", "none", [](P &p, const E &e) { p.jobCredentials = presentFile(e); }},
        {"host_pids", "false", [](P &p, const E &e) { p.hostPids = e.flag(); }},
        {"max_output", "1G", [](P &p, const E &e) { p.bounds.output = parseSize(e.text(), e.what()); }},
        {"max_grace", "1h", [](P &p, const E &e) { p.bounds.grace = parseDuration(e.text(), e.what()); }},
        {"max_memory", "what the job asks for",
         [](P &p, const E &e) { p.bounds.memory = parseSize(e.text(), e.what(), LeastMemory); }},
        {"max_processes", "1000 a slot, at least 4000",
         [](P &p, const E &e) { p.maxProcesses = e.integer(0, MostProcesses); }},
        {"programs", "all", [](P &p, const E &e) { p.jobs.programs = canonical(e); }},
        {"output_directories", "all", [](P &p, const E &e) { p.jobs.outputFolders = folders(e); }},
        {"secrets", "none", [](P &p, const E &e) { p.jobs.secrets = secretRules(e); }},
        {"run_as", "none", [](P &p, const E &e) { p.jobs.users = users(e); }},
        {"default_user", "none", [](P &p, const E &e) { p.jobs.defaultUser = defaultUser(e); }},
        {"allow_root", "false", [](P &p, const E &e) { p.allowRoot = e.flag(); }},
        {"allow_setuid", "false", [](P &p, const E &e) { p.allowSetuid = e.flag(); }},
    };
    return Known;
}

const WorkerKey *findWorkerKey(const QString &name)
{
    const QList<WorkerKey> &all = workerKeys();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const WorkerKey &key) { return name == QLatin1String(key.name); });
    return found == all.end() ? nullptr : &*found;
}

QStringList workerKeyNames()
{
    QStringList names;
    for (const WorkerKey &key : workerKeys())
        names.append(QLatin1String(key.name));
    return names;
}

} // namespace drover::app
