#include "app/trust/new_root.h"

#include "app/cli/failure.h"
#include "app/trust/administrator.h"
#include "app/trust/key_files.h"
#include "jobs/cluster/close_tree.h"
#include "jobs/cluster/cluster_trust.h"
#include "jobs/cluster/root_rotation.h"
#include "jobs/model/errors.h"
#include "trust/renewal.h"

#include <QFile>

#include <algorithm>

namespace drover::app {

using namespace std::chrono_literals;

namespace {

constexpr async::Duration PatienceWithWorkers = 30s; // they follow the node, so a moment is enough
constexpr async::Duration BetweenLooks = 100ms;

bool believes(const trust::Credentials &credentials, const trust::PublicKey &root)
{
    const std::vector<trust::PublicKey> &roots = credentials.anchors.roots;
    return std::find(roots.begin(), roots.end(), root) != roots.end();
}

// The file of the new root key, which is made unless it is there.
class NewRootFile
{
public:
    explicit NewRootFile(const QString &oldFile, const trust::RootKey &old)
        : m_path(oldFile + QStringLiteral(".new")), m_key(readOrMake(old))
    {
    }

    const QString &path() const { return m_path; }
    const trust::RootKey &key() const { return m_key; }
    void removeIfMade() const
    {
        if (m_isMade)
            QFile::remove(m_path);
    }

private:
    trust::RootKey readOrMake(const trust::RootKey &old)
    {
        if (QFile::exists(m_path)) {
            trust::RootKey key = readRootKey(m_path);
            if (key.key.publicKey() != old.key.publicKey()) // else an earlier end was interrupted before its last step
                return key;
            QFile::remove(m_path);
        }
        m_isMade = true;
        trust::RootKey made{.cluster = old.cluster, .clusterId = old.clusterId};
        writeNew(m_path, made);
        return made;
    }

    QString m_path;
    bool m_isMade = false;
    trust::RootKey m_key;
};

// Each name once, sorted.
QStringList namesOf(const std::vector<trust::Certificate> &holders)
{
    QStringList names;
    for (const trust::Certificate &holder : holders)
        names.append(holder.name);
    names.removeDuplicates();
    names.sort();
    return names;
}

async::Task<jobs::RootRotation> claim(jobs::Cluster cluster, const trust::Credentials &administrator,
                                      const NewRootFile &next)
{
    jobs::RootRotation wanted{.newRoot = next.key().key.publicKey(),
                              .formerIdentities = administrator.identities,
                              .by = administrator.ownCertificate().name};
    try {
        co_return co_await jobs::claimRotation(cluster, std::move(wanted));
    } catch (const jobs::WrongState &) {
        next.removeIfMade();
        throw;
    }
}

trust::Issuer issuerOf(const trust::RootKey &root, const trust::Credentials &administrator)
{
    return {trust::RootKey{root.cluster, root.clusterId, trust::SigningKey::parse(root.key.toSecretText()).value()},
            administrator};
}

// Looks until all workers have taken that step, and returns those that have not in time.
async::Task<QStringList> awaitWorkers(jobs::Cluster cluster, qint64 number)
{
    const async::TimePoint deadline = cluster.zk.loop().now() + PatienceWithWorkers;
    for (;;) {
        const QStringList behind = co_await jobs::workersBehind(cluster, number);
        if (behind.isEmpty() || cluster.zk.loop().now() > deadline)
            co_return behind;
        co_await async::sleepFor(cluster.zk.loop(), BetweenLooks);
    }
}

// The administrator's credentials after the end. They have them already if an earlier call was interrupted late.
trust::Credentials finalOf(const trust::Credentials &present, const trust::RootKey &next)
{
    trust::Credentials last = present.copy();
    if (last.anchors.roots.size() > 1)
        trust::dropFormerSecrets(last, next.key);
    return last;
}

// Another administrator may have abandoned it meanwhile. Then ACLs must not name the new identities. Where that is over
// already, the second line of these credentials tells an abandonment from an end.
async::Task<void> requireStillOpen(Context &context, jobs::Cluster cluster, jobs::RootRotation claimed)
{
    const std::shared_ptr<const trust::Credentials> mine = context.credentials();
    const std::optional<jobs::RootRotation> present = co_await jobs::presentRotation(cluster);
    const bool isOpen = present && present->newRoot == claimed.newRoot && present->end == jobs::RootRotation::End::Open;
    if (isOpen)
        co_return;
    co_await context.renewCredentials(cluster.zk);
    const bool isAbandoned = present && present->end == jobs::RootRotation::End::Abandoned;
    if (isAbandoned || !believes(*context.credentials(), claimed.newRoot))
        co_await jobs::replaceIdentities(cluster, mine->formerIdentities, mine->identities);
    throw CommandError(ExitWrongState,
                       QStringLiteral("another administrator has ended this change of the root key meanwhile"));
}

jobs::RootRotation abandoned(jobs::RootRotation rotation, const trust::Credentials &mine)
{
    const bool hasNew = believes(mine, rotation.newRoot);
    rotation.end = jobs::RootRotation::End::Abandoned;
    rotation.lastStep = mine.renewal + (hasNew ? 1 : 2); // others may have taken the first step
    rotation.newIdentities = hasNew ? mine.identities : trust::Identities();
    return rotation;
}

// The administrator's credentials after it. They have them already if an earlier call was interrupted late.
trust::Credentials restored(const trust::Credentials &present, const trust::RootKey &old,
                            const jobs::RootRotation &rotation)
{
    trust::Credentials last = present.copy();
    if (believes(last, rotation.newRoot))
        trust::dropNewSecrets(last, old.key);
    last.renewal = rotation.lastStep;
    return last;
}

void requireOldRoot(const jobs::RootRotation &rotation, const trust::RootKey &root, const trust::Credentials &mine,
                    const QString &rootFile)
{
    if (root.key.publicKey() == rotation.newRoot)
        throw CommandError(
            ExitWrongState,
            QStringLiteral("%1 is the new root key; name the file of the old one with --root-key").arg(rootFile));
    if (!believes(mine, root.key.publicKey()))
        throw CommandError(ExitDenied,
                           QStringLiteral("the root key in %1 is not that of these credentials").arg(rootFile));
}

// Not that of another rotation. One that is damaged, or that others can read, belongs to none: no command takes it.
bool mayBeOf(const QString &path, const trust::PublicKey &key)
{
    try {
        return trust::RootKey::read(path).key.publicKey() == key;
    } catch (const trust::BadCredentials &) {
        return true;
    }
}

} // namespace

async::Task<RootBegun> beginNewRoot(Context &context)
{
    const Administrator administrator = co_await Administrator::of(context);
    const jobs::Cluster cluster = administrator.cluster;
    const trust::RootKey old = readRootKey(context.arguments());
    // Before anything is made: without the present list revoked people would get the new secrets.
    co_await jobs::presentHolders(cluster, administrator.known());
    const NewRootFile next(rootKeyFile(context.arguments()), old);
    std::shared_ptr<const trust::Credentials> mine = context.credentials();
    const jobs::RootRotation claimed = co_await claim(cluster, *mine, next);
    if (!believes(*mine, next.key().key.publicKey())) {
        auto both = std::make_shared<trust::Credentials>(mine->copy());
        trust::addNewSecrets(*both, next.key().key.publicKey());
        both->write(context.credentialsFile());
        mine = both;
        context.takeCredentials(mine, cluster.zk);
    }
    const trust::Issuer issuer = issuerOf(old, *mine);
    co_await jobs::publishCertificate(cluster, *mine);
    const trust::TrustStore known = administrator.revocations.known(mine->anchors);
    const std::vector<trust::Certificate> holders = co_await jobs::presentHolders(cluster, known);
    co_await jobs::publishRenewals(cluster, issuer, holders, mine->renewal);
    RootBegun begun{.holders = namesOf(holders), .newFile = next.path()};
    const int nodes = co_await jobs::addIdentities(cluster, mine->identities, mine->formerIdentities);
    co_await requireStillOpen(context, cluster, claimed);
    const QStringList behind = co_await awaitWorkers(cluster, mine->renewal);
    begun.nodes = nodes;
    begun.workersBehind = behind;
    co_return begun;
}

async::Task<RootEnded> endNewRoot(Context &context, bool insists)
{
    const QString rootFile = rootKeyFile(context.arguments());
    const trust::RootKey next = readRootKey(rootFile + QStringLiteral(".new"));
    requireCredentials(context);
    const jobs::Cluster cluster = co_await context.openCluster();
    co_await requireRightClock(context.loop(), cluster);
    const std::shared_ptr<const trust::Credentials> mine = context.credentials();
    const std::optional<jobs::RootRotation> rotation = co_await jobs::presentRotation(cluster);
    const bool isOther = !rotation || rotation->newRoot != next.key.publicKey();
    if (isOther && readRootKey(rootFile).key.publicKey() == next.key.publicKey()) {
        QFile::remove(rootFile + QStringLiteral(".new")); // an earlier end was interrupted before its last step
        co_return RootEnded{};
    }
    if (isOther)
        throw CommandError(ExitWrongState,
                           QStringLiteral("no root key is being replaced with that of %1.new; drover key rotate --root "
                                          "begins it")
                               .arg(rootFile));
    if (!believes(*mine, next.key.publicKey()))
        throw CommandError(ExitDenied,
                           QStringLiteral("%1 does not believe the root key in %2.new; run drover key rotate --root "
                                          "with the old one first")
                               .arg(mine->ownCertificate().name, rootFile));
    const trust::Credentials last = finalOf(*mine, next);
    const QStringList behind = co_await jobs::workersBehind(cluster, last.renewal - 1);
    if (!behind.isEmpty() && !insists)
        throw CommandError(ExitWrongState,
                           QStringLiteral("workers have not taken the new root key yet: %1; update and start them, or "
                                          "leave them behind with --yes")
                               .arg(behind.join(QStringLiteral(", "))));
    const RevocationList list(rootFile, next.clusterId);
    const trust::TrustStore known = list.known(mine->anchors);
    const std::vector<trust::Certificate> holders = co_await jobs::presentHolders(cluster, known);
    jobs::RootRotation finished = *rotation;
    finished.end = jobs::RootRotation::End::Finished;
    finished = co_await jobs::chooseEnd(cluster, finished);
    const trust::Issuer reissuer = issuerOf(next, *mine);
    for (const trust::Certificate &holder : holders)
        co_await jobs::publishAnew(cluster, holder, reissuer);
    const std::set<QByteArray> none;
    co_await list.add(cluster, reissuer, none);
    const trust::Issuer issuer = issuerOf(next, last);
    // Again: another administrator may have revoked a holder since, who must not get the new passwords.
    const trust::TrustStore latest = list.known(mine->anchors);
    const std::vector<trust::Certificate> present = co_await jobs::presentHolders(cluster, latest);
    co_await jobs::publishRenewals(cluster, issuer, present, last.renewal);
    RootEnded ended;
    const QStringList left = co_await awaitWorkers(cluster, last.renewal);
    const int nodes = co_await jobs::replaceIdentities(cluster, last.identities, finished.formerIdentities);
    ended.leftBehind = left;
    ended.nodes = nodes;
    next.write(rootFile);
    last.write(context.credentialsFile());
    co_await jobs::releaseRotation(cluster, finished);
    QFile::remove(rootFile + QStringLiteral(".new"));
    co_return ended;
}

async::Task<RootAbandoned> abandonNewRoot(Context &context)
{
    const QString rootFile = rootKeyFile(context.arguments());
    const trust::RootKey old = readRootKey(rootFile);
    requireCredentials(context);
    const jobs::Cluster cluster = co_await context.openCluster();
    co_await requireRightClock(context.loop(), cluster);
    const std::shared_ptr<const trust::Credentials> mine = context.credentials();
    const std::optional<jobs::RootRotation> present = co_await jobs::presentRotation(cluster);
    if (!present)
        throw CommandError(ExitWrongState, QStringLiteral("no root key is being replaced"));
    if (present->end != jobs::RootRotation::End::Finished) // else chooseEnd() refuses it, whatever the key
        requireOldRoot(*present, old, *mine, rootFile);
    const RevocationList list(rootFile, old.clusterId);
    const trust::TrustStore before = list.known(mine->anchors);
    co_await jobs::presentHolders(cluster, before); // the list is to be there, and the present one
    const jobs::RootRotation rotation = co_await jobs::chooseEnd(cluster, abandoned(*present, *mine));
    if (const QString newFile = rootFile + QStringLiteral(".new"); mayBeOf(newFile, rotation.newRoot))
        QFile::remove(newFile);
    const trust::Credentials last = restored(*mine, old, rotation);
    const trust::Issuer both = issuerOf(old, *mine);
    const std::set<QByteArray> none;
    co_await list.add(cluster, both, none);
    const trust::TrustStore known = list.known(last.anchors);
    const std::vector<trust::Certificate> holders = co_await jobs::presentHolders(cluster, known);
    const trust::Issuer issuer = issuerOf(old, last);
    co_await jobs::publishRenewals(cluster, issuer, holders, last.renewal);
    const QStringList behind = co_await awaitWorkers(cluster, last.renewal);
    const int nodes = co_await jobs::replaceIdentities(cluster, last.identities, rotation.newIdentities);
    last.write(context.credentialsFile());
    co_await jobs::releaseRotation(cluster, rotation);
    co_return RootAbandoned{nodes, behind};
}

} // namespace drover::app
