#include "app/cli/failure.h"
#include "app/cli/sentence.h"
#include "app/commands/commands.h"
#include "app/trust/administrator.h"
#include "app/trust/grant_options.h"
#include "app/trust/key_files.h"
#include "app/trust/new_key.h"
#include "app/trust/new_root.h"

#include <QFileInfo>

namespace drover::app {

namespace {

// An administrator with the root key needs no other person.
bool hasRootKey(const Context &context)
{
    const bool isAdministrator = requireCredentials(context)->ownCertificate().roles.contains(trust::Role::Admin);
    return context.arguments().has("root-key")
        || (isAdministrator && QFileInfo::exists(rootKeyFile(context.arguments())));
}

void tellRequest(const Context &context, const QByteArray &request)
{
    if (context.out().isTable())
        context.out().line(QString::fromLatin1(request));
    else
        context.out().object({}, {{QStringLiteral("request"), QString::fromLatin1(request)}});
    Output::message(QStringLiteral("an administrator signs this request with drover key sign; run drover key rotate "
                                   "again then"));
}

void tellNewKey(const Context &context, const trust::Certificate &old, bool isRevoked)
{
    const trust::Certificate certificate = context.credentials()->ownCertificate();
    if (!context.out().isTable()) {
        QJsonObject about = certificateJson(certificate);
        about[QStringLiteral("file")] = context.credentialsFile();
        context.out().object({}, about);
        return;
    }
    printSentence(context.out(),
                  QStringLiteral("%1 has a new key, %2, in %3; the old one is %4")
                      .arg(certificate.name, endText(certificate), context.credentialsFile(),
                           isRevoked ? QStringLiteral("revoked") : u"valid "_qs + endText(old)));
}

// Returns the cluster as the holder of the new key.
jobs::Cluster useNewKey(Context &context, jobs::Cluster cluster, NewKey &next, const QByteArray &certificate)
{
    next.use(*context.credentials(), certificate);
    context.takeCredentials(std::make_shared<const trust::Credentials>(readCredentials(context.credentialsFile())),
                            cluster.zk);
    return {cluster.zk, cluster.layout, context.credentials()};
}

async::Task<int> rotateByRootKey(Context &context)
{
    const Administrator administrator = co_await Administrator::of(context);
    const trust::Certificate present = context.credentials()->ownCertificate();
    NewKey next(*context.credentials(), context.credentialsFile());
    const KeyRequest wish{present, next.publicKey()};
    const QByteArray certificate = co_await certify(administrator, wish);
    const jobs::Cluster renewed = useNewKey(context, administrator.cluster, next, certificate);
    const bool revokes = context.arguments().has("revoke-old");
    if (revokes)
        co_await revokeOld(renewed, administrator, present);
    tellNewKey(context, present, revokes);
    co_return ExitOk;
}

async::Task<int> rotateByRequest(Context &context)
{
    if (context.arguments().has("revoke-old"))
        throw UsageError(QStringLiteral("--revoke-old needs the root key: an administrator gives it to drover key "
                                        "sign"));
    const jobs::Cluster cluster = co_await context.openCluster();
    const std::shared_ptr<const trust::Credentials> old = context.credentials();
    const trust::Certificate present = old->ownCertificate();
    NewKey next(*old, context.credentialsFile());
    const KeyRequest wish{present, next.publicKey()};
    const QByteArray certificate = co_await publishedFor(cluster, trust::TrustStore(old->anchors), wish);
    if (certificate.isEmpty()) {
        tellRequest(context, KeyRequestText::sign(*old, next.publicKey()).word());
    } else {
        useNewKey(context, cluster, next, certificate);
        tellNewKey(context, present, false);
    }
    co_return ExitOk;
}

// It asks no cluster, so it does not need one that works.
int abandonOwn(const Context &context)
{
    const std::shared_ptr<const trust::Credentials> present = requireCredentials(context);
    const QString file = context.credentialsFile();
    if (!NewKey::abandon(*present, file))
        throw CommandError(ExitWrongState, QStringLiteral("there is no new key beside %1").arg(file));
    const QString name = present->ownCertificate().name;
    if (context.out().isTable())
        printSentence(context.out(),
                      QStringLiteral("the new key beside %1 is deleted; %2 keeps the present one").arg(file, name));
    else
        context.out().object({}, {{QStringLiteral("file"), file}});
    Output::message(QStringLiteral("if an administrator has signed it already, they end its certificate: drover user "
                                   "ls, drover user rm %1 --serial SERIAL")
                        .arg(name));
    return ExitOk;
}

async::Task<int> beginRoot(Context &context)
{
    const RootBegun begun = co_await beginNewRoot(context);
    if (context.out().isTable())
        printSentence(
            context.out(),
            QStringLiteral("the new root key is in %1; %2 take it and the new passwords when they next "
                           "use the cluster, workers at once")
                .arg(begun.newFile, begun.holders.join(QStringLiteral(", "))),
            QStringLiteral("if one of them should not have them: drover key rotate --root --abandon, drover user rm "
                           "NAME, and begin again"));
    else
        context.out().object({},
                             {{QStringLiteral("root_key"), begun.newFile},
                              {QStringLiteral("holders"), QJsonArray::fromStringList(begun.holders)},
                              {QStringLiteral("nodes"), begun.nodes},
                              {QStringLiteral("workers_behind"), QJsonArray::fromStringList(begun.workersBehind)}});
    if (!begun.workersBehind.isEmpty())
        Output::message(QStringLiteral("workers that have not taken it: %1; update and start them again")
                            .arg(begun.workersBehind.join(QStringLiteral(", "))));
    Output::message(QStringLiteral("both root keys are valid now; end it with drover key rotate --root --finish"));
    co_return ExitOk;
}

async::Task<int> endRoot(Context &context)
{
    const RootEnded ended = co_await endNewRoot(context, context.arguments().has("yes"));
    if (context.out().isTable())
        printSentence(context.out(),
                      QStringLiteral("%1 is the new root key; the old one and the old passwords are worth "
                                     "nothing")
                          .arg(rootKeyFile(context.arguments())));
    else
        context.out().object({},
                             {{QStringLiteral("root_key"), rootKeyFile(context.arguments())},
                              {QStringLiteral("nodes"), ended.nodes},
                              {QStringLiteral("workers_behind"), QJsonArray::fromStringList(ended.leftBehind)}});
    if (!ended.leftBehind.isEmpty())
        Output::message(QStringLiteral("workers that lose the cluster until they are started again: %1")
                            .arg(ended.leftBehind.join(QStringLiteral(", "))));
    co_return ExitOk;
}

async::Task<int> abandonRoot(Context &context)
{
    const RootAbandoned abandoned = co_await abandonNewRoot(context);
    if (context.out().isTable())
        printSentence(context.out(),
                      QStringLiteral("%1 stays the root key; the new one and the new passwords are worth nothing")
                          .arg(rootKeyFile(context.arguments())));
    else
        context.out().object({},
                             {{QStringLiteral("root_key"), rootKeyFile(context.arguments())},
                              {QStringLiteral("nodes"), abandoned.nodes},
                              {QStringLiteral("workers_behind"), QJsonArray::fromStringList(abandoned.workersBehind)}});
    if (!abandoned.workersBehind.isEmpty())
        Output::message(QStringLiteral("workers that believe the new root key until they are started again: %1")
                            .arg(abandoned.workersBehind.join(QStringLiteral(", "))));
    co_return ExitOk;
}

void requireSense(const Arguments &arguments)
{
    const bool isRoot = arguments.has("root");
    if (!isRoot && (arguments.has("finish") || arguments.has("yes")))
        throw UsageError(QStringLiteral("--finish and --yes mean nothing without --root"));
    if (isRoot && arguments.has("revoke-old"))
        throw UsageError(QStringLiteral("--revoke-old means nothing with --root: --finish ends the old root key"));
    if (arguments.has("abandon") && (arguments.has("finish") || arguments.has("revoke-old")))
        throw UsageError(QStringLiteral("--abandon keeps the old key, so it excludes --finish and --revoke-old"));
}

async::Task<int> rotate(Context &context)
{
    const Arguments &arguments = context.arguments();
    requireSense(arguments);
    const bool abandons = arguments.has("abandon");
    if (arguments.has("root")) {
        if (abandons)
            co_return co_await abandonRoot(context);
        if (arguments.has("finish"))
            co_return co_await endRoot(context);
        co_return co_await beginRoot(context);
    }
    if (abandons)
        co_return abandonOwn(context);
    if (hasRootKey(context))
        co_return co_await rotateByRootKey(context);
    co_return co_await rotateByRequest(context);
}

} // namespace

Command keyRotate()
{
    return {.name = "key rotate",
            .synopsis = "[--root] [--revoke-old | --finish | --abandon] [OPTIONS]",
            .summary = "Replace your own key, or the cluster's root key and passwords",
            .details =
                "Your own: with the root key at hand at once. Without it, it prints a request, which an administrator "
                "signs (drover key sign), and is run again then. The credentials file is replaced in one step; the old "
                "key stays valid until its end. --root: a new root key, beside the old one as FILE.new, and new "
                "passwords of all roles; both are valid until --finish. Jobs that wait are run as before. People "
                "and workers that are away take both steps when they come back; programs that run since before, other "
                "than workers, are started again before --finish. --abandon: the old key stays, and the new one is "
                "deleted; "
                "with --root the old root key and passwords stay, also if FILE.new is lost, but not once --finish has "
                "begun.",
            .options = {option("revoke-old", "the old key ends at once, and jobs that wait with its signature"),
                        option("root", "the root key and the passwords of all roles"),
                        option("finish", "with --root: the old ones end"),
                        option("abandon", "give the new key up, and keep the old one"),
                        option("yes", "with --finish: also if workers have not taken the new ones"), rootKeyOption()},
            .needs = {{trust::Role::Admin, QStringLiteral("--root")}, {trust::Role::Viewer}},
            .check = "drover user ls",
            .examples = {"drover key rotate", "drover key rotate --root --root-key /media/usb/root.key",
                         "drover key rotate --root --finish --root-key /media/usb/root.key"},
            .exits = {{"3", "there is no root key file"},
                      {"4",
                       "the cluster is open, another root key is being replaced, workers are behind, or there is "
                       "nothing to abandon"},
                      {"5", "the root key or the credentials are not an administrator's, or are not safe"}},
            .run = rotate};
}

} // namespace drover::app
