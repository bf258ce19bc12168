#include "app/worker/shut_out.h"

#include "app/cli/failure.h"
#include "async/event.h"
#include "async/task_group.h"
#include "jobs/cluster/close_tree.h"
#include "jobs/cluster/cluster_trust.h"
#include "recipes/blocks/follow.h"

namespace drover::app {

using namespace std::chrono_literals;

namespace {

constexpr auto BetweenLooks = 1min; // at the clock

// The file may have a new certificate by now: its owner has replaced the key (drover key rotate). It reads a small
// file.
trust::Certificate presentCertificate(const Context &context)
{
    try {
        if (!context.credentialsFile().isEmpty())
            return trust::Credentials::read(context.credentialsFile()).ownCertificate();
    } catch (const trust::BadCredentials &) { // what was read at the start counts
    }
    return context.credentials()->ownCertificate();
}

// Empty: it is valid. Its beginning does not count: this machine's clock may be behind that of the administrator.
QString troubleOfCertificate(const Context &context, const trust::TrustStore &known)
{
    const trust::Certificate own = presentCertificate(context);
    const auto now = std::chrono::duration_cast<std::chrono::seconds>(context.loop().wallClock());
    try {
        known.require(own, own.roles, std::max(now, own.notBefore)); // the command has looked at the role
    } catch (const trust::Untrusted &error) {
        const QString file = context.credentialsFile();
        const QString advice =
            QStringLiteral("%1, in %2: an administrator makes another (drover worker add), and %3")
                .arg(QString::fromUtf8(error.what()), file.isEmpty() ? QStringLiteral("standard input") : file,
                     file.isEmpty() ? QStringLiteral("who starts this worker hands it over")
                                    : QStringLiteral("drover login here takes it"));
        if (known.revocations().serials.contains(own.serial))
            return advice;
        return advice + QStringLiteral("; or set this machine's clock right, if it is wrong");
    }
    return {};
}

async::Task<QString> untilCertificateEnds(const Context &context, zk::Client &session)
{
    async::Event changed;
    QByteArray list;
    async::TaskGroup following([](const std::exception_ptr &) {}); // the end of the session is this worker's matter
    following.spawn(
        recipes::followData(session, context.layout().revocations(), [&changed, &list](const zk::Node *node) {
            if (node)
                list = node->data;
            changed.set();
        }));
    for (;;) {
        const async::Timer look = context.loop().after(BetweenLooks, [&changed] { changed.set(); });
        co_await changed.wait();
        changed.reset();
        co_await async::sleepFor(context.loop(), 0s); // the end of this task must not come out of a call by `following`
        trust::TrustStore known(context.credentials()->anchors); // they may be new
        try {
            if (!list.isEmpty())
                known.revoke(list);
        } catch (const trust::Untrusted &) { // no root key has signed it
        }
        const QString trouble = troubleOfCertificate(context, known);
        if (!trouble.isEmpty())
            co_return trouble;
    }
}

} // namespace

async::Task<void> requireAccess(const Context &context, zk::Client &session)
{
    const jobs::Cluster cluster(session, context.layout());
    const std::optional<bool> open = co_await jobs::isOpen(cluster);
    const bool hasCredentials = context.credentials() != nullptr;
    if (open == false && !hasCredentials)
        throw CommandError(ExitDenied, context.whyDenied());
    if (open == true && hasCredentials)
        throw CommandError(ExitDenied,
                           QStringLiteral("cluster %1 at %2 is open to all clients, and this worker has credentials "
                                          "for a closed one: close it, or say --credentials none")
                               .arg(QString::fromLatin1(context.settings().cluster), context.settings().connect));
    if (!hasCredentials)
        co_return;
    trust::TrustStore known(context.credentials()->anchors);
    try {
        co_await jobs::readRevocations(cluster, known);
    } catch (const trust::Untrusted &) { // it begins no job then
    } catch (const zk::AccessDenied &) { // its passwords are old, which is said where they are used
    }
    const QString trouble = troubleOfCertificate(context, known);
    if (!trouble.isEmpty())
        throw CommandError(ExitDenied, trouble);
}

async::Task<QString> untilShutOut(const Context &context, zk::Client &session)
{
    if (context.credentials()) {
        const QString trouble = co_await untilCertificateEnds(context, session);
        co_return trouble;
    }
    co_await jobs::untilClosed(jobs::Cluster(session, context.layout()));
    co_return context.whyDenied();
}

} // namespace drover::app
