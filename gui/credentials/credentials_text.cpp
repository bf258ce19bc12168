#include "gui/credentials/credentials_text.h"

#include "text/printable.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QLocale>

#include <algorithm>

namespace drover::gui {

namespace {

constexpr qsizetype LargestText = 1024 * 1024; // bytes

struct Texts {
    Q_DECLARE_TR_FUNCTIONS(CredentialsText)
};

trust::BadCredentials bad(const QString &why)
{
    return trust::BadCredentials(why);
}

GivenCredentials digestFrom(const QByteArray &text)
{
    try {
        const zk::AuthInfo auth = zk::parseAuthInfo(text);
        if (auth.scheme == "digest" && auth.secret.indexOf(':') > 0 && !auth.secret.endsWith(':'))
            return {{}, auth.secret};
    } catch (const zk::InvalidAccess &) { // its words name a variable of the environment
    }
    throw bad(Texts::tr("This is neither the text of a credentials file nor “digest:user:password”."));
}

} // namespace

QByteArray encodeCredentials(const GivenCredentials &given)
{
    return given.ofCluster ? given.ofCluster->encode() : "digest:" + given.digest;
}

GivenCredentials decodeCredentials(const QByteArray &text, const Target &target)
{
    if (text.size() > LargestText)
        throw bad(Texts::tr("This is too long for credentials."));
    const QByteArray trimmed = text.trimmed();
    if (!trimmed.startsWith('{'))
        return digestFrom(text); // whose password may end in a blank
    const auto credentials = std::make_shared<const trust::Credentials>(trust::Credentials::decode(trimmed));
    if (credentials->cluster != target.cluster)
        throw bad(
            Texts::tr("These credentials are of the cluster %1, not of %2.")
                .arg(text::printable(QString::fromUtf8(credentials->cluster)), QString::fromUtf8(target.cluster)));
    return {credentials, {}};
}

QString aboutCredentials(const GivenCredentials &given)
{
    if (!given.digest.isEmpty())
        return Texts::tr("The user %1 of ZooKeeper")
            .arg(text::printable(QString::fromUtf8(given.digest.left(given.digest.indexOf(':')))));
    if (!given.ofCluster)
        return {};
    const trust::Certificate own = given.ofCluster->ownCertificate();
    const QString whose =
        Texts::tr("%1: %2", "user, roles").arg(text::printable(own.name), trust::rolesText(own.roles));
    if (own.notAfter.count() == 0)
        return whose;
    const QDateTime end = QDateTime::fromSecsSinceEpoch(own.notAfter.count());
    const QString date = QLocale().toString(end.date(), QLocale::ShortFormat);
    return end < QDateTime::currentDateTime() ? Texts::tr("%1, ended on %2").arg(whose, date)
                                              : Texts::tr("%1, valid until %2").arg(whose, date);
}

QString passwordUser(const zk::Access &access)
{
    const auto last = std::find_if(access.auth.rbegin(), access.auth.rend(),
                                   [](const zk::AuthInfo &auth) { return auth.scheme == "digest"; });
    return last == access.auth.rend() ? QString() : QString::fromUtf8(last->secret.left(last->secret.indexOf(':')));
}

} // namespace drover::gui
