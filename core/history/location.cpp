#include "history/location.h"

#include "history/error.h"

#include <QFileInfo>
#include <QSysInfo>
#include <QUrl>
#include <QUrlQuery>

#include <algorithm>

namespace drover::history {

namespace {

const QString SharedPrefix = QStringLiteral("shared:");

QString quoted(QString value)
{
    value.replace(u'\\', QStringLiteral("\\\\")).replace(u'\'', QStringLiteral("\\'"));
    return u'\'' + value + u'\'';
}

[[noreturn]] void refuse(const QString &text, const QString &why)
{
    throw InvalidLocation(QStringLiteral("\"%1\" is not a place for a history: %2; give a file, shared:/FILE, or "
                                         "postgresql://user@host:port/database")
                              .arg(text, why));
}

bool isParameterName(const QString &key)
{
    return !key.isEmpty() && std::all_of(key.begin(), key.end(), [](QChar c) {
        return (c >= u'a' && c <= u'z') || (c >= u'0' && c <= u'9') || c == u'_';
    });
}

Location postgres(const QUrl &url, const QString &shown)
{
    Location location;
    location.engine = Location::Engine::Postgres;
    location.host = url.host();
    location.port = url.port();
    location.user = url.userName(QUrl::FullyDecoded);
    location.password = url.password(QUrl::FullyDecoded);
    location.database = url.path(QUrl::FullyDecoded).mid(1);
    for (const auto &[key, value] : QUrlQuery(url).queryItems(QUrl::FullyDecoded)) {
        if (!isParameterName(key))
            refuse(shown, QStringLiteral("a parameter's name has other characters than a-z, 0-9 and _"));
        if (value.contains(u';'))
            refuse(shown, QStringLiteral("a parameter holds a semicolon"));
        if (key == u"host")
            location.host = value;
        else
            location.parameters += key + u'=' + quoted(value) + u' ';
    }
    if (location.database.isEmpty() || location.database.contains(u'/'))
        refuse(shown, QStringLiteral("it names no database"));
    return location;
}

// What a place may bring along that this machine's settings do not name: nothing that names a file, a service, another
// address or a secret.
const QStringList HarmlessParameters{QStringLiteral("application_name"), QStringLiteral("connect_timeout"),
                                     QStringLiteral("host"), QStringLiteral("sslmode"),
                                     QStringLiteral("target_session_attrs")};

// libpq asks its environment and the files in ~/.postgresql and ~/.pgpass for what is not set here.
const QString NoCredentials =
    QStringLiteral("password='' passfile='/dev/null/none' sslcert='/dev/null/none' gssencmode='disable' ");

// By a Unix socket the server sees which user asks, and may need no password for that. Without a host libpq takes one.
bool mayBeUnixSocket(const Location &location)
{
    const QStringList hosts = location.host.split(u',');
    return std::any_of(hosts.begin(), hosts.end(), [](const QString &host) {
        return host.trimmed().isEmpty() || host.startsWith(u'/') || host.startsWith(u'@');
    });
}

void requireRemote(const Location &location)
{
    const bool file = location.engine == Location::Engine::Sqlite;
    if (!file && !mayBeUnixSocket(location))
        return;
    throw LocationNotListed(
        QStringLiteral("only the cluster's settings name the history %1, so this machine does not open %2: to have it "
                       "do so, add history_allow = [\"%1\"] to its configuration file")
            .arg(location.setting(), file ? QStringLiteral("that file") : QStringLiteral("a socket of its own")));
}

void requireHarmless(const QString &text, const Location &location)
{
    for (const auto &[key, value] : QUrlQuery(QUrl(text, QUrl::StrictMode)).queryItems(QUrl::FullyDecoded)) {
        if (!HarmlessParameters.contains(key))
            refuse(location.display(),
                   QStringLiteral("of parameters the cluster's settings may hold %1, and \"%2\" only the "
                                  "settings of a machine")
                       .arg(HarmlessParameters.join(QStringLiteral(", ")), key));
    }
}

} // namespace

Location Location::fromCluster(const QString &text, const QStringList &allowed)
{
    Location location = parse(text);
    for (const QString &own : allowed) {
        const Location named = parse(own);
        if (named.display() == location.display())
            return named;
    }
    requireHarmless(text, location);
    requireRemote(location);
    location.password.clear();
    location.parameters += NoCredentials;
    location.unnamedHere = true;
    return location;
}

Location Location::parse(const QString &text)
{
    if (text.startsWith(u"postgresql://") || text.startsWith(u"postgres://")) {
        const QUrl url(text, QUrl::StrictMode);
        const QString shown = url.isValid() ? url.toString(QUrl::RemovePassword) : QStringLiteral("postgresql://...");
        if (!url.isValid())
            refuse(shown, url.errorString().section(u';', 0, 0));
        return postgres(url, shown);
    }
    if (text.trimmed().isEmpty())
        refuse(text, QStringLiteral("it is empty"));
    if (text.startsWith(SharedPrefix)) {
        Location location;
        location.file = text.mid(SharedPrefix.size());
        location.shared = true;
        if (!location.file.startsWith(u'/'))
            refuse(text, QStringLiteral("the path of a shared file is the same on every machine, and absolute"));
        return location;
    }
    if (text.contains(u"://"))
        refuse(QUrl(text).toString(QUrl::RemovePassword), QStringLiteral("only PostgreSQL has a URL here"));
    Location location;
    location.file = QFileInfo(text).absoluteFilePath();
    return location;
}

QString Location::display() const
{
    if (shared)
        return SharedPrefix + file;
    if (engine == Engine::Sqlite)
        return QSysInfo::machineHostName() + u':' + file;
    QString where = QStringLiteral("postgresql://");
    if (!user.isEmpty())
        where += user + u'@';
    const bool asParameter = host.startsWith(u'/') || host.startsWith(u'@') || host.contains(u',');
    if (!asParameter)
        where += host.contains(u':') ? u'[' + host + u']' : host;
    if (port >= 0)
        where += u':' + QString::number(port);
    where += u'/' + database;
    return asParameter ? where + QStringLiteral("?host=") + host : where;
}

QString Location::setting() const
{
    return engine == Engine::Sqlite && !shared ? file : display();
}

} // namespace drover::history
