#include "app/worker/worker_policy.h"

#include "app/cli/failure.h"
#include "app/cli/nearest.h"
#include "app/cli/toml_fault.h"
#include "app/cli/units.h"
#include "app/worker/worker_keys.h"
#include "text/name.h"

#include <QFile>

#include <algorithm>
#include <map>
#include <sstream>

#include <sys/stat.h>
#include <unistd.h>

namespace drover::app {

using namespace std::chrono_literals;

namespace {

UsageError bad(const QString &where, const QString &why)
{
    return UsageError(QStringLiteral("%1: %2").arg(where, why));
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

QString placeIn(const QString &file, toml::source_index line)
{
    return QStringLiteral("%1:%2").arg(file, QString::number(line));
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
        throw bad(placeIn(path, error.source().begin.line), tomlFault(error.description()));
    }
}

// Settings that every command on the machine has, and not its workers alone.
bool isSetting(const QString &key)
{
    static const QStringList Settings{QStringLiteral("connect"), QStringLiteral("cluster"),
                                      QStringLiteral("credentials"), QStringLiteral("connect_timeout"),
                                      QStringLiteral("history_allow")};
    return Settings.contains(key);
}

UsageError unknownKey(const QString &where, const QString &typed, const QString &key)
{
    if (isSetting(key))
        return bad(where,
                   QStringLiteral("%1 is for all commands of this machine; it belongs into /etc/drover/config.toml")
                       .arg(typed));
    const QStringList known = workerKeyNames();
    const QStringList meant = nearest(key, known);
    return bad(where,
               QStringLiteral("unknown key \"%1\"; %2 %3")
                   .arg(typed, meant.isEmpty() ? QStringLiteral("known are") : QStringLiteral("did you mean"),
                        (meant.isEmpty() ? known : meant).join(QStringLiteral(", "))));
}

QString textOf(const toml::node &node)
{
    std::ostringstream text;
    node.visit([&text](const auto &value) { text << value; });
    return QString::fromStdString(text.str());
}

// "grace=30s", of --default, as a table of that key. Throws UsageError.
toml::table tableOf(const QString &text)
{
    const QString key = text.section(u'=', 0, 0).trimmed();
    const QString value = text.section(u'=', 1);
    if (!text.contains(u'=') || key.isEmpty())
        throw bad(QStringLiteral("--default"), QStringLiteral("\"%1\" is not KEY=VALUE").arg(text));
    try {
        toml::table table = toml::parse(QStringLiteral("%1 = %2").arg(key, value).toStdString());
        if (table.size() > 1)
            throw bad(QStringLiteral("--default"), QStringLiteral("%1 has more than one line").arg(key));
        return table;
    } catch (const toml::parse_error &) { // a text without quotation marks
        toml::table table;
        table.insert_or_assign(key.toStdString(), value.toStdString());
        return table;
    }
}

// One key of the file into `checked`. Throws UsageError.
void take(WorkerPolicy::Checked &checked, const QString &typed, const QString &where, const toml::node &node)
{
    const QString key = QString(typed).replace(u'-', u'_');
    const WorkerKey *const known = findWorkerKey(key);
    if (!known)
        throw unknownKey(where, typed, key);
    if (checked.said.contains(key))
        throw bad(where, QStringLiteral("%1 is there twice: hyphens and underscores mean the same").arg(typed));
    checked.said.insert(key, {textOf(node), where});
    known->take(checked.policy, WorkerEntry(typed, where, node));
}

} // namespace

QString usualPolicyFile()
{
    return QStringLiteral("/etc/drover/worker.toml");
}

WorkerPolicy::Checked WorkerPolicy::check(const QString &file)
{
    Checked checked;
    checked.policy.file = file;
    const toml::table table = parse(file);
    std::multimap<toml::source_index, std::pair<QString, const toml::node *>> byLine; // the table has them by name
    for (const auto &[key, node] : table)
        byLine.insert(
            {key.source().begin.line, {QString::fromUtf8(key.data(), static_cast<qsizetype>(key.length())), &node}});
    for (const auto &[line, entry] : byLine) {
        try {
            take(checked, entry.first, placeIn(file, line), *entry.second);
        } catch (const UsageError &error) {
            checked.wrong.append(QString::fromUtf8(error.what()));
        }
    }
    return checked;
}

void WorkerPolicy::Checked::addDefaults(QStringList defaults)
{
    const qsizetype place = wrong.size(); // it gets what is wrong in the order given
    std::reverse(defaults.begin(), defaults.end()); // the last of equal keys wins
    for (const QString &text : std::as_const(defaults)) {
        try {
            const toml::table table = tableOf(text);
            for (const auto &[name, node] : table) {
                const QString key = QString::fromUtf8(name.data(), static_cast<qsizetype>(name.length()));
                if (!said.contains(QString(key).replace(u'-', u'_')))
                    take(*this, key, QStringLiteral("--default"), node);
            }
        } catch (const UsageError &error) {
            wrong.insert(place, QString::fromUtf8(error.what()));
        }
    }
}

WorkerPolicy WorkerPolicy::read(const Arguments &arguments)
{
    const QString file = arguments.has("policy") ? arguments.value("policy") : usualPolicyFile();
    const bool hasFile = file != u"none" && (arguments.has("policy") || QFile::exists(file));
    Checked checked = hasFile ? check(file) : Checked();
    checked.addDefaults(arguments.values("default"));
    if (!checked.wrong.isEmpty())
        throw UsageError(checked.wrong.first());
    return checked.policy;
}

QStringList parseLabels(const QString &text, const QString &what)
{
    QStringList labels;
    for (const QString &label : text.split(u',')) {
        if (!text::isLockName(label))
            throw UsageError(
                QStringLiteral("%1: \"%2\" is not a valid label; use 1 to 64 letters, digits and . _ -, not "
                               "beginning with a dot, with commas between them")
                    .arg(what, label));
        labels.append(label);
    }
    return labels;
}

mode_t parseUmask(const QString &text, const QString &what)
{
    bool isOctal = false;
    const uint mask = text.toUInt(&isOctal, 8);
    if (!isOctal || mask > 0777)
        throw UsageError(
            QStringLiteral("%1: \"%2\" is not a valid mask; give up to three octal digits, e.g. 027").arg(what, text));
    return mask;
}

// In less than that a thread may stand still on a busy machine, and the worker would end its jobs each time.
std::chrono::milliseconds parseSessionTimeout(const QString &text, const QString &what)
{
    const std::chrono::milliseconds timeout = parseDuration(text, what);
    if (timeout < 1s)
        throw UsageError(QStringLiteral("%1: \"%2\" is too short; give at least 1s").arg(what, text));
    return timeout;
}

} // namespace drover::app
