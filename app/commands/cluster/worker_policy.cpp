#include "app/commands/cluster/worker_policy.h"

#include "app/cli/failure.h"
#include "app/cli/nearest.h"
#include "app/cli/units.h"
#include "workers/attempts/secrets.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <functional>

#include <sys/stat.h>
#include <toml++/toml.h>
#include <unistd.h>

namespace drover::app {

namespace {

constexpr const char *UsualFile = "/etc/drover/worker.toml";

// One key of the file, with the place that messages begin with.
class Entry
{
public:
    Entry(QString key, QString where, const toml::node &node)
        : m_key(std::move(key)), m_where(std::move(where)), m_node(node)
    {
    }

    QString what() const { return QStringLiteral("%1: %2").arg(m_where, m_key); }
    [[noreturn]] void refuse(const QString &why) const { throw UsageError(QStringLiteral("%1 %2").arg(what(), why)); }

    QString text() const
    {
        if (!m_node.is_string())
            refuse(QStringLiteral("has to be a string in quotes"));
        return QString::fromStdString(m_node.as_string()->get());
    }

    QStringList texts() const
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

    qint64 integer(qint64 least, qint64 most) const
    {
        const toml::value<std::int64_t> *const number = m_node.as_integer();
        if (!number || number->get() < least || number->get() > most)
            refuse(QStringLiteral("has to be a whole number from %1 to %2").arg(least).arg(most));
        return number->get();
    }

    bool flag() const
    {
        if (!m_node.is_boolean())
            refuse(QStringLiteral("has to be true or false"));
        return m_node.as_boolean()->get();
    }

    // Absolute, of what is there.
    QStringList paths() const
    {
        const QStringList list = texts();
        for (const QString &path : list) {
            if (!QDir::isAbsolutePath(path) || QDir::cleanPath(path) == u"/" || !QFileInfo::exists(path))
                refuse(QStringLiteral("names \"%1\", which has to be an absolute path of something that is there")
                           .arg(path));
        }
        return list;
    }

private:
    QString m_key;
    QString m_where;
    const toml::node &m_node;
};

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

std::vector<workers::RunAsUser> users(const Entry &entry)
{
    std::vector<workers::RunAsUser> list;
    for (const QString &name : entry.texts()) {
        if (::geteuid() != 0)
            continue; // it cannot become another user

        QString why;
        std::optional<workers::RunAsUser> user = workers::RunAsUser::find(name, why);
        if (!user)
            entry.refuse(QStringLiteral("is refused: %1").arg(why));
        list.push_back(std::move(*user));
    }
    return list;
}

QStringList secretRules(const Entry &entry)
{
    for (const QString &rule : entry.texts()) {
        if (const QString objection = workers::objectionToSecretRule(rule); !objection.isEmpty())
            entry.refuse(QStringLiteral("names \"%1\", which %2").arg(rule, objection));
    }
    return entry.texts();
}

using Take = std::function<void(WorkerPolicy &, const Entry &)>;

const QMap<QString, Take> &keys()
{
    static const QMap<QString, Take> Known{
        {QStringLiteral("queues"),
         [](WorkerPolicy &policy, const Entry &entry) {
             for (const QString &queue : entry.texts())
                 policy.queues.append(parseName(queue, entry.what()));
         }},
        {QStringLiteral("slots"),
         [](WorkerPolicy &policy, const Entry &entry) {
             policy.slotCount = static_cast<int>(entry.integer(1, MostSlots));
         }},
        {QStringLiteral("memory"),
         [](WorkerPolicy &policy, const Entry &entry) {
             policy.memory = parseSize(entry.text(), entry.what(), LeastMemory);
         }},
        {QStringLiteral("max_output"),
         [](WorkerPolicy &policy, const Entry &entry) {
             policy.bounds.output = parseSize(entry.text(), entry.what());
         }},
        {QStringLiteral("max_grace"),
         [](WorkerPolicy &policy, const Entry &entry) {
             policy.bounds.grace = parseDuration(entry.text(), entry.what());
         }},
        {QStringLiteral("max_processes"),
         [](WorkerPolicy &policy, const Entry &entry) { policy.maxProcesses = entry.integer(0, MostProcesses); }},
        {QStringLiteral("programs"),
         [](WorkerPolicy &policy, const Entry &entry) { policy.jobs.programs = canonical(entry); }},
        {QStringLiteral("output_directories"),
         [](WorkerPolicy &policy, const Entry &entry) { policy.jobs.outputFolders = folders(entry); }},
        {QStringLiteral("run_as"), [](WorkerPolicy &policy, const Entry &entry) { policy.jobs.users = users(entry); }},
        {QStringLiteral("secrets"),
         [](WorkerPolicy &policy, const Entry &entry) { policy.jobs.secrets = secretRules(entry); }},
        {QStringLiteral("allow_root"),
         [](WorkerPolicy &policy, const Entry &entry) { policy.allowRoot = entry.flag(); }},
        {QStringLiteral("allow_setuid"),
         [](WorkerPolicy &policy, const Entry &entry) { policy.allowSetuid = entry.flag(); }},
    };
    return Known;
}

UsageError bad(const QString &file, toml::source_index line, const QString &why)
{
    return UsageError(QStringLiteral("%1:%2: %3").arg(file).arg(line).arg(why));
}

// A user who may write it decides what runs here.
void requireSafe(const QFile &file)
{
    struct ::stat status {
    };
    const bool known = ::fstat(file.handle(), &status) == 0;
    if (known && (status.st_uid == 0 || status.st_uid == ::geteuid()) && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0)
        return;
    throw UsageError(
        QStringLiteral("%1: others may write this policy; let it belong to root, with mode 0644").arg(file.fileName()));
}

toml::table parse(const QString &path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        throw UsageError(QStringLiteral("cannot read the worker's policy %1: %2").arg(path, file.errorString()));
    requireSafe(file);
    const QByteArray text = file.readAll();
    try {
        return toml::parse(std::string_view(text.constData(), static_cast<std::size_t>(text.size())));
    } catch (const toml::parse_error &error) {
        throw bad(path, error.source().begin.line, QString::fromUtf8(error.description().data()));
    }
}

} // namespace

WorkerPolicy WorkerPolicy::read(const Arguments &arguments)
{
    WorkerPolicy policy;
    if (arguments.value("policy") == u"none")
        return policy;
    if (arguments.has("policy"))
        policy.file = arguments.value("policy");
    else if (QFile::exists(QLatin1String(UsualFile)))
        policy.file = QLatin1String(UsualFile);
    else
        return policy;
    const toml::table table = parse(policy.file);
    for (const auto &[tomlKey, node] : table) {
        const QString key = QString::fromUtf8(tomlKey.data(), static_cast<qsizetype>(tomlKey.length()));
        const toml::source_index line = tomlKey.source().begin.line;
        if (!keys().contains(key)) {
            const QStringList meant = nearest(key, keys().keys());
            throw bad(policy.file, line,
                      QStringLiteral("unknown key \"%1\"; %2 %3")
                          .arg(key, meant.isEmpty() ? QStringLiteral("known are") : QStringLiteral("did you mean"),
                               (meant.isEmpty() ? keys().keys() : meant).join(QStringLiteral(", "))));
        }
        keys()[key](policy, Entry(key, QStringLiteral("%1:%2").arg(policy.file).arg(line), node));
    }
    return policy;
}

} // namespace drover::app
