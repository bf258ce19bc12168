#include "app/launch/hosts_file.h"

#include "app/cli/failure.h"
#include "app/cli/nearest.h"
#include "app/cli/toml_fault.h"
#include "app/cli/units.h"
#include "app/environment/directories.h"
#include "app/worker/worker_keys.h"
#include "text/name.h"
#include "trust/private_file.h"
#include "zk/client/connect_string.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QMultiMap>

#include <sstream>

#include <toml++/toml.h>

namespace drover::app {

namespace {

constexpr int MostAtATime = 256;

const QStringList &keysForAll()
{
    static const QStringList Keys{QStringLiteral("prefix"),      QStringLiteral("programs"), QStringLiteral("connect"),
                                  QStringLiteral("credentials"), QStringLiteral("min_free"), QStringLiteral("worker")};
    return Keys;
}

const QStringList &keysOfAHost()
{
    static const QStringList Keys{QStringLiteral("name"), QStringLiteral("address"), QStringLiteral("ssh")};
    return Keys;
}

enum class Hyphens { AreUnderscores, AreOthers };
using UnknownKeys = QMultiMap<int, QString>; // what is said of each, by its line

// Refuses keys that no hosts file has.
class KnownKeys
{
public:
    explicit KnownKeys(const QString &path) : m_path(path) { }

    // All that are unknown are named at once, by their lines: who has misspelt two of them mends the file once.
    void require(const toml::table &table) const
    {
        UnknownKeys unknown;
        const QStringList forAll{QStringLiteral("ssh_config"), QStringLiteral("parallel"), QStringLiteral("host")};
        // Keys of a host are known here, too: take() says where they belong.
        findUnknown(table, keysForAll() + forAll + keysOfAHost(), Hyphens::AreOthers, unknown);
        if (const toml::array *const hosts = table["host"].as_array()) {
            for (const toml::node &node : *hosts) {
                if (const toml::table *const host = node.as_table())
                    findUnknown(*host, keysForAll() + keysOfAHost(), Hyphens::AreOthers, unknown);
            }
        }
        if (!unknown.isEmpty())
            throw UsageError(unknown.values().join(QStringLiteral("; ")));
    }

private:
    // In `table`, and in the keys of a worker that it has, where hyphens mean underscores.
    void findUnknown(const toml::table &table, const QStringList &known, Hyphens hyphens, UnknownKeys &unknown) const
    {
        for (const auto &[key, node] : table) {
            const QString word = QString::fromUtf8(key.data(), qsizetype(key.length()));
            const QString meant = hyphens == Hyphens::AreUnderscores ? QString(word).replace(u'-', u'_') : word;
            if (!known.contains(meant))
                unknown.insert(int(key.source().begin.line), unknownKey(key, word, known));
            else if (const toml::table *const worker = node.as_table(); worker && word == u"worker")
                findUnknown(*worker, workerKeyNames(), Hyphens::AreUnderscores, unknown);
        }
    }

    QString unknownKey(const toml::key &key, const QString &word, const QStringList &known) const
    {
        const QStringList meant = nearest(word, known);
        return QStringLiteral("%1:%2: %3 is an unknown key; %4 %5")
            .arg(m_path, QString::number(key.source().begin.line), word,
                 meant.isEmpty() ? QStringLiteral("known are") : QStringLiteral("did you mean"),
                 (meant.isEmpty() ? known : meant).join(QStringLiteral(", ")));
    }

    const QString &m_path;
};

class HostsReader
{
public:
    explicit HostsReader(const QString &path) : m_path(path) { }

    HostsFile read(const QString &connect)
    {
        const toml::table table = parse();
        KnownKeys(m_path).require(table);
        HostsFile file;
        LaunchHost usual;
        usual.prefix = QStringLiteral(".local/share/drover/worker");
        usual.connect = connect;
        usual.minFree = qint64(200) << 20;
        toml::table usualWorker;
        for (const auto &[key, node] : table) {
            const std::string_view name = key.str();
            if (name == "ssh_config")
                file.sshConfig = below(text(name, node));
            else if (name == "parallel")
                file.parallel = parallel(node);
            else if (name != "host")
                take(usual, usualWorker, name, node, false);
        }
        const toml::array *const hosts = table["host"].as_array();
        if (!hosts || !hosts->is_array_of_tables())
            throw UsageError(QStringLiteral("%1: it names no host; each is a table [[host]]").arg(m_path));
        for (const toml::node &node : *hosts)
            file.hosts.append(host(usual, usualWorker, *node.as_table()));
        requireDifferent(file.hosts);
        return file;
    }

private:
    static int lineOf(const toml::node &node) { return static_cast<int>(node.source().begin.line); }

    [[noreturn]] void refuse(const toml::node &node, std::string_view key, const QString &why) const
    {
        throw UsageError(
            QStringLiteral("%1:%2: %3 %4")
                .arg(m_path, QString::number(lineOf(node)), QString::fromUtf8(key.data(), qsizetype(key.size())), why));
    }

    toml::table parse() const
    {
        QFile file(m_path);
        if (!file.open(QIODevice::ReadOnly))
            throw UsageError(QStringLiteral("cannot read %1: %2").arg(m_path, file.errorString()));
        const QByteArray bytes = file.readAll();
        try {
            return toml::parse(std::string_view(bytes.constData(), std::size_t(bytes.size())));
        } catch (const toml::parse_error &error) {
            throw UsageError(
                QStringLiteral("%1:%2: %3")
                    .arg(m_path, QString::number(error.source().begin.line), tomlFault(error.description())));
        }
    }

    QString text(std::string_view key, const toml::node &node) const
    {
        const toml::value<std::string> *const value = node.as_string();
        if (!value || value->get().empty())
            refuse(node, key, QStringLiteral("has to be a string in quotes"));
        return QString::fromStdString(value->get());
    }

    QString below(const QString &path) const
    {
        if (path.startsWith(u"~/"))
            return homeDirectory() + path.mid(1);
        return QDir(QFileInfo(m_path).absolutePath()).absoluteFilePath(path);
    }

    int parallel(const toml::node &node) const
    {
        const toml::value<std::int64_t> *const number = node.as_integer();
        if (!number || number->get() < 1 || number->get() > MostAtATime)
            refuse(node, "parallel", QStringLiteral("has to be a whole number from 1 to %1").arg(MostAtATime));
        return int(number->get());
    }

    // What follows an option is not one: an address may not begin with a hyphen.
    QString oneWord(std::string_view key, const toml::node &node) const
    {
        const QString word = text(key, node);
        if (word.startsWith(u'-') || word.contains(u' '))
            refuse(node, key, QStringLiteral("is \"%1\", which ssh cannot connect to").arg(word));
        return word;
    }

    bool yesOrNo(std::string_view key, const toml::node &node) const
    {
        const toml::value<bool> *const value = node.as_boolean();
        if (!value)
            refuse(node, key, QStringLiteral("has to be true or false"));
        return value->get();
    }

    QByteArray secret(std::string_view key, const toml::node &node) const
    {
        try {
            return trust::readPrivateFile(below(text(key, node)));
        } catch (const trust::BadCredentials &error) {
            refuse(node, key, QStringLiteral("cannot be taken: %1").arg(QString::fromUtf8(error.what())));
        }
    }

    QString servers(std::string_view key, const toml::node &node) const
    {
        const QString connect = text(key, node);
        try {
            static_cast<void>(zk::parseConnectString(connect));
        } catch (const zk::InvalidConnectString &error) {
            refuse(node, key, QStringLiteral("cannot be used: %1").arg(QString::fromUtf8(error.what())));
        }
        return connect;
    }

    LaunchHost::Programs programs(const toml::node &node) const
    {
        const QStringList values{QStringLiteral("copy"), QStringLiteral("tree"), QStringLiteral("installed")};
        const QString value = text("programs", node);
        if (!values.contains(value))
            refuse(node, "programs",
                   QStringLiteral("is \"%1\", which has to be \"copy\", \"tree\" or \"installed\"").arg(value));
        return static_cast<LaunchHost::Programs>(values.indexOf(value));
    }

    void take(LaunchHost &host, toml::table &worker, std::string_view key, const toml::node &node, bool isOfHost) const
    {
        if (key == "name" && isOfHost)
            host.name = text(key, node);
        else if (key == "address" && isOfHost)
            host.address = oneWord(key, node);
        else if (key == "prefix")
            host.prefix = text(key, node);
        else if (key == "programs")
            host.programs = programs(node);
        else if (key == "connect")
            host.connect = servers(key, node);
        else if (key == "credentials")
            host.credentials = secret(key, node);
        else if (key == "min_free")
            host.minFree = parseSize(text(key, node), QStringLiteral("%1:%2: min_free").arg(m_path).arg(lineOf(node)));
        else if (key == "worker")
            mergeWorker(worker, node);
        else if (!isOfHost)
            refuse(node, key, QStringLiteral("belongs below a [[host]]"));
    }

    void mergeWorker(toml::table &worker, const toml::node &node) const
    {
        const toml::table *const table = node.as_table();
        if (!table)
            refuse(node, "worker", QStringLiteral("has to be a table: the keys of worker.toml"));
        if (const toml::node *const id = table->get("id"))
            refuse(*id, "id", QStringLiteral("is the name of the host; leave it out"));
        for (const auto &[key, value] : *table)
            worker.insert_or_assign(key, value);
    }

    LaunchHost host(const LaunchHost &usual, const toml::table &usualWorker, const toml::table &table) const
    {
        LaunchHost one = usual;
        toml::table worker = usualWorker;
        bool usesSsh = true;
        for (const auto &[key, node] : table) {
            if (key.str() == "ssh")
                usesSsh = yesOrNo("ssh", node);
            else
                take(one, worker, key.str(), node, true);
        }
        if (!text::isName(one.name))
            refuse(table, "name",
                   QStringLiteral("is \"%1\"; %2; what ssh connects to may be another name: address")
                       .arg(one.name, QLatin1String(text::NameRule)));
        if (!usesSsh && !one.address.isEmpty())
            refuse(table, "address", QStringLiteral("means nothing with ssh = false, which is this machine"));
        if (usesSsh && one.address.isEmpty())
            one.address = one.name;
        if (one.prefix.startsWith(u"~/"))
            one.prefix.remove(0, 2);
        const QString folder = QDir::cleanPath(one.prefix);
        if (folder == u"/" || folder == u"." || folder.startsWith(u"..") || one.prefix.isEmpty()
            || one.prefix.startsWith(u'~'))
            refuse(table, "prefix",
                   QStringLiteral("has to be a folder of its own, absolute or below the home directory"));
        if (one.connect.isEmpty())
            refuse(table, "connect", QStringLiteral("is missing: where is ZooKeeper? Say it here, or with --connect"));
        one.namesSpool = worker.contains("spool");
        worker.insert_or_assign("id", one.name.toStdString());
        std::ostringstream text;
        text << worker << '\n';
        one.workerFile = QByteArray::fromStdString(text.str());
        return one;
    }

    void requireDifferent(const QList<LaunchHost> &hosts) const
    {
        QStringList names;
        for (const LaunchHost &one : hosts) {
            if (names.contains(one.name))
                throw UsageError(QStringLiteral("%1: two hosts are called %2").arg(m_path, one.name));
            names.append(one.name);
        }
    }

    QString m_path;
};

} // namespace

HostsFile HostsFile::read(const QString &path, const QString &connect)
{
    return HostsReader(path).read(connect);
}

} // namespace drover::app
