#include "app/environment/settings.h"

#include "app/cli/failure.h"
#include "app/cli/nearest.h"
#include "app/cli/toml_fault.h"
#include "app/cli/units.h"
#include "app/environment/credentials_file.h"
#include "app/environment/directories.h"
#include "app/environment/up_state.h"
#include "history/location.h"
#include "jobs/model/job_id.h"
#include "text/name.h"
#include "zk/client/connect_string.h"

#include <QFile>
#include <QHash>
#include <QHostAddress>

#include <algorithm>
#include <functional>

#include <toml++/toml.h>

namespace drover::app {

namespace {

struct Text {
    QString text;
    toml::source_index line;
};
using Texts = QList<Text>;

// A string, or a list of them.
std::optional<Texts> textsOf(const toml::node &value)
{
    Texts texts;
    const auto add = [&texts](const toml::node &node) {
        if (const toml::value<std::string> *const text = node.as_string())
            texts.append({QString::fromStdString(text->get()), node.source().begin.line});
        return node.is_string();
    };
    if (const toml::array *const list = value.as_array())
        return std::all_of(list->cbegin(), list->cend(), add) ? std::optional(texts) : std::nullopt;
    return add(value) ? std::optional(texts) : std::nullopt;
}

// The configuration file's string fields, with where each stands. Their names may be written with hyphens, as options
// are.
class ConfigFile
{
public:
    explicit ConfigFile(const QString &path) : m_path(path)
    {
        QFile file(path);
        if (!file.open(QIODevice::ReadOnly))
            throw UsageError(QStringLiteral("cannot read the configuration file %1: %2").arg(path, file.errorString()));
        const QByteArray text = file.readAll();
        toml::table table;
        try {
            table = toml::parse(std::string_view(text.constData(), static_cast<std::size_t>(text.size())));
        } catch (const toml::parse_error &error) {
            throw bad(error.source().begin.line, tomlFault(error.description()));
        }
        for (const auto &[key, value] : table)
            add(QString::fromUtf8(key.data(), static_cast<qsizetype>(key.length())), key.source().begin.line, value);
    }

    QString value(const char *key) const { return values(key).value(0); }
    QStringList values(const char *key) const
    {
        QStringList values;
        for (const Text &one : m_settings.value(QLatin1String(key)).texts)
            values.append(one.text);
        return values;
    }
    // For messages: "file:line".
    QString where(const char *key) const { return place(m_settings.value(QLatin1String(key)).line); }

    // `check` throws what is derived from std::invalid_argument or std::runtime_error for a bad value. Throws
    // UsageError.
    void require(const char *key, const std::function<void(const QString &)> &check) const
    {
        for (const Text &one : m_settings.value(QLatin1String(key)).texts) {
            try {
                check(one.text);
            } catch (const std::exception &error) {
                throw bad(one.line, QStringLiteral("%1: %2").arg(QLatin1String(key), QString::fromUtf8(error.what())));
            }
        }
    }

private:
    struct Setting {
        Texts texts;
        toml::source_index line = 0;
    };

    void add(const QString &typed, toml::source_index line, const toml::node &value)
    {
        static const QStringList Known{
            QStringLiteral("connect"),       QStringLiteral("cluster"),     QStringLiteral("connect_timeout"),
            QStringLiteral("history"),       QStringLiteral("listen"),      QStringLiteral("advertise"),
            QStringLiteral("history_allow"), QStringLiteral("credentials"),
        };
        const QString key = QString(typed).replace(u'-', u'_');
        if (!Known.contains(key)) {
            const QStringList meant = nearest(key, Known);
            throw bad(
                line,
                QStringLiteral("unknown setting \"%1\"; %2 %3")
                    .arg(typed,
                         meant.isEmpty()
                             ? QStringLiteral("a worker's keys belong into /etc/drover/worker.toml; known are")
                             : QStringLiteral("did you mean"),
                         meant.isEmpty() ? Known.join(QStringLiteral(", ")) : meant.join(QStringLiteral(", ")) + u'?'));
        }
        const bool mayBeList = key == u"history_allow";
        const std::optional<Texts> texts = textsOf(value);
        if (!texts || (value.is_array() && !mayBeList))
            throw bad(line,
                      mayBeList ? QStringLiteral("%1 has to be a list of strings: [\"...\"]").arg(typed)
                                : QStringLiteral("%1 has to be a string in quotes").arg(typed));
        if (m_settings.contains(key))
            throw bad(line, QStringLiteral("%1 is there twice: hyphens and underscores mean the same").arg(typed));
        m_settings.insert(key, {*texts, line});
    }

    QString place(toml::source_index line) const { return QStringLiteral("%1:%2").arg(m_path, QString::number(line)); }
    UsageError bad(toml::source_index line, const QString &why) const
    {
        return UsageError(QStringLiteral("%1: %2").arg(place(line), why));
    }

    QString m_path;
    QHash<QString, Setting> m_settings; // by the names with underscores
};

std::optional<ConfigFile> configFile(const Arguments &arguments)
{
    if (arguments.has("config"))
        return ConfigFile(arguments.value("config"));
    for (const QString &path : {userConfigFile(), systemConfigFile()}) {
        if (QFile::exists(path))
            return ConfigFile(path);
    }
    return std::nullopt;
}

struct Found {
    QString value;
    QString source;
};

Found find(const Arguments &arguments, const std::optional<ConfigFile> &file, const char *option, const char *variable,
           const char *key)
{
    if (option && arguments.has(option))
        return {arguments.value(option), QStringLiteral("--") + QLatin1String(option)};
    if (variable && !qEnvironmentVariableIsEmpty(variable))
        return {qEnvironmentVariable(variable), QLatin1String(variable)};
    if (file && !file->value(key).isEmpty())
        return {file->value(key), file->where(key)};
    return {};
}

// Whatever the command needs of them: one who has mistyped a setting learns it at once.
void requireValid(const ConfigFile &file)
{
    const auto isPlace = [](const QString &text) {
        if (text != u"none")
            history::Location::parse(text);
    };
    const auto isHost = [](const QString &text) {
        if (QHostAddress(text).isNull() && (text.contains(u'/') || zk::parseConnectString(text).size() != 1))
            throw zk::InvalidConnectString(QStringLiteral("\"%1\" is not one HOST[:PORT]").arg(text));
    };
    file.require("history", isPlace);
    file.require("history_allow", isPlace);
    file.require("advertise", isHost);
}

Format formatOf(const Arguments &arguments)
{
    const QString text = arguments.has("output") ? arguments.value("output") : QStringLiteral("table");
    if (text == u"table")
        return Format::Table;
    if (text == u"json")
        return Format::Json;
    if (text == u"jsonl")
        return Format::JsonLines;
    if (text == u"csv")
        return Format::Table; // the command line lets only history export have it, which writes its rows by itself
    throw UsageError(QStringLiteral("--output: \"%1\" must be table, json or jsonl").arg(text));
}

// A setting without a value comes from the running `drover up`. Its history can be read when it does not run, too.
void takeFromUp(Settings &settings)
{
    const std::optional<UpState> up = UpState::running();
    if (up) {
        settings.connect = up->connect;
        settings.connectSource = QStringLiteral("drover up");
    }
    if (!settings.historySource.isEmpty())
        return;
    if (up)
        settings.history = up->history;
    else if (QFile::exists(defaultHistoryFile()))
        settings.history = defaultHistoryFile();
}

// Credentials name the servers of their cluster. A file that cannot be used is reported when it is needed.
void takeFromCredentials(Settings &settings)
{
    try {
        const std::shared_ptr<const trust::Credentials> credentials = findCredentials(settings).credentials;
        if (!credentials || credentials->servers.isEmpty())
            return;
        settings.connect = credentials->servers;
        settings.connectSource = QStringLiteral("your credentials");
    } catch (const CommandError &) {
    }
}

} // namespace

Settings Settings::collect(const Arguments &arguments, bool takesInput)
{
    Settings settings;
    settings.format = formatOf(arguments);
    const std::optional<ConfigFile> file = configFile(arguments);
    if (file)
        requireValid(*file);

    const Found connect = find(arguments, file, "connect", "DROVER_CONNECT", "connect");
    if (!connect.source.isEmpty() && connect.value.trimmed().isEmpty())
        throw UsageError(QStringLiteral("%1: \"%2\" names no server").arg(connect.source, connect.value));
    settings.connect = connect.value;
    settings.connectSource = connect.source;
    const Found history = find(arguments, file, "history", "DROVER_HISTORY", "history");
    settings.history = history.value == u"none" ? QString() : history.value;
    settings.historySource = history.source;
    settings.historyAllow = file ? file->values("history_allow") : QStringList();
    if (connect.source.isEmpty())
        takeFromUp(settings);

    const Found cluster = find(arguments, file, "cluster", "DROVER_CLUSTER", "cluster");
    const QString name = cluster.source.isEmpty() ? QStringLiteral("default") : cluster.value;
    if (!text::isName(name))
        throw UsageError(QStringLiteral("%1: \"%2\" is not a valid cluster name; use 1 to 32 of a-z, 0-9 and -, "
                                        "beginning with a letter or a digit")
                             .arg(cluster.source, name));
    settings.cluster = name.toLatin1();

    const Found credentials = find(arguments, file, "credentials", "DROVER_CREDENTIALS", "credentials");
    if (credentials.value == CredentialsOfInput && !(takesInput && credentials.source == u"--credentials"))
        throw UsageError(QStringLiteral("%1: only drover worker --credentials - takes credentials from standard input")
                             .arg(credentials.source));
    settings.credentials = credentials.value;
    if (file && credentials.source == file->where("credentials"))
        settings.credentialsPlace = credentials.source;

    if (settings.connect.isEmpty())
        takeFromCredentials(settings);

    const Found listen = find(arguments, file, nullptr, "DROVER_LISTEN", "listen");
    settings.listen = listen.value;
    settings.listenSource = listen.source;
    settings.advertise = find(arguments, file, nullptr, nullptr, "advertise").value;

    const Found timeout = find(arguments, file, "connect-timeout", nullptr, "connect_timeout");
    if (!timeout.source.isEmpty())
        settings.connectTimeout = parseDuration(timeout.value, timeout.source);
    if (settings.connectTimeout.count() == 0)
        throw UsageError(QStringLiteral("%1: no server answers in no time; give at least 1ms").arg(timeout.source));
    return settings;
}

} // namespace drover::app
