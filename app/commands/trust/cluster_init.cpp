#include "app/cli/failure.h"
#include "app/cli/input_lines.h"
#include "app/cli/sentence.h"
#include "app/commands/commands.h"
#include "app/trust/administrator.h"
#include "app/trust/closed_cluster.h"
#include "app/trust/waiting_work.h"
#include "jobs/cluster/close_tree.h"
#include "jobs/cluster/cluster_trust.h"
#include "jobs/cluster/members.h"

#include <unistd.h>

namespace drover::app {

namespace {

QString nameOf(const jobs::Cluster &cluster)
{
    return QString::fromLatin1(cluster.layout.clusterName());
}

CommandError alreadyThere(const jobs::Cluster &cluster)
{
    return CommandError(
        ExitWrongState,
        QStringLiteral("there is a cluster %1 already; drover cluster secure closes an open one, and gives the nodes "
                       "of a closed one their access rights again, and --cluster names another")
            .arg(nameOf(cluster)));
}

// ZooKeeper asks for the right to create before it looks whether the node is there.
async::Task<zk::Answer<zk::Created>> createRoot(jobs::Cluster cluster)
{
    try {
        const zk::Answer<zk::Created> created = co_await cluster.zk.create(cluster.layout.root(), QByteArray());
        co_return created;
    } catch (const zk::AccessDenied &) {
    }
    const zk::Answer<zk::Stat> present = co_await cluster.zk.exists(cluster.layout.root());
    if (present.ok())
        throw alreadyThere(cluster);
    throw CommandError(ExitDenied,
                       QStringLiteral("only the administrators of another cluster on these servers may make nodes in "
                                      "%1; they open it by drover cluster secure --shared")
                           .arg(jobs::Layout::clusters().toString()));
}

// The root is created first, with its ACL. So others can make nothing below it.
async::Task<void> makeRoot(async::Loop &loop, jobs::Cluster cluster)
{
    co_await cluster.zk.ensurePath(jobs::Layout::clusters());
    const std::chrono::milliseconds sent = loop.wallClock();
    const zk::Answer<zk::Created> created = co_await createRoot(cluster);
    if (created.is(zk::Code::NodeExists))
        throw alreadyThere(cluster);
    created.require();
    const QString trouble = clockTrouble(loop, sent, std::chrono::milliseconds(created->stat.ctime));
    if (trouble.isEmpty())
        co_return;
    const zk::Answer<zk::Nothing> removed = co_await cluster.zk.remove(cluster.layout.root());
    removed.requireUnless(zk::Code::NoNode);
    throw CommandError(ExitWrongState, trouble);
}

async::Task<int> init(Context &context)
{
    const ClosedCluster closed(context, ClosedCluster::Files::New);
    context.useCredentials(closed.administrator());
    zk::Client *const zk = co_await context.connect();
    const jobs::Cluster cluster(*zk, context.layout());
    co_await makeRoot(context.loop(), cluster);
    closed.writeFiles();
    const QByteArrayList queues{"default"};
    co_await jobs::ensureCluster(cluster, queues);
    co_await closed.close(context, cluster);
    closed.tell(context);
    co_return ExitOk;
}

// A person at a terminal has to agree: all that runs without credentials loses the cluster.
async::Task<void> ask(Context &context, jobs::Cluster cluster)
{
    const std::vector<jobs::StoredMember> workers = co_await jobs::readMembers(cluster);
    const int count = int(workers.size());
    if (context.arguments().has("yes"))
        co_return;
    if (!::isatty(STDIN_FILENO) || !::isatty(STDERR_FILENO))
        throw UsageError(QStringLiteral("--yes is missing: %1 and all programs without credentials lose the cluster")
                             .arg(count == 1 ? QStringLiteral("1 worker") : QStringLiteral("%1 workers").arg(count)));
    std::fprintf(stderr, "drover: %d workers, and all programs without credentials, lose the cluster; go on? [y/N] ",
                 count);
    InputLines input(100);
    const std::optional<InputLines::Line> answer = co_await input.next();
    const QByteArray word = answer ? answer->text.trimmed().toLower() : QByteArray();
    if (word != "y" && word != "yes")
        throw CommandError(ExitError, QStringLiteral("nothing was changed; --yes does not ask"));
}

// An administrator of a closed cluster gives each node its rights again. False: the cluster is not closed, or these are
// no administrator's credentials.
async::Task<bool> applyTableAgain(Context &context)
{
    const std::shared_ptr<const trust::Credentials> mine = context.credentials();
    if (!mine || !mine->ownCertificate().roles.contains(trust::Role::Admin))
        co_return false;
    zk::Client *const zk = co_await context.connect();
    co_await context.renewCredentials(*zk);
    const jobs::Cluster cluster(*zk, context.layout());
    const std::optional<bool> isOpen = co_await jobs::isOpen(cluster);
    if (!isOpen || *isOpen)
        co_return false;
    const std::shared_ptr<const trust::Credentials> renewed = context.credentials();
    const int nodes = co_await jobs::applyAclTable(cluster, renewed->identities, renewed->formerIdentities);
    co_await closeAbove(context, cluster, renewed);
    if (context.out().isTable())
        printSentence(context.out(),
                      QStringLiteral("cluster %1 is closed already; %2 nodes had other access rights, and have those "
                                     "of this version now")
                          .arg(nameOf(cluster))
                          .arg(nodes));
    else
        context.out().object({}, {{QStringLiteral("cluster"), nameOf(cluster)}, {QStringLiteral("nodes"), nodes}});
    co_return true;
}

async::Task<int> secure(Context &context)
{
    const bool isApplied = co_await applyTableAgain(context);
    if (isApplied)
        co_return ExitOk;
    const ClosedCluster closed(context, ClosedCluster::Files::OrOfBefore);
    context.useCredentials(closed.administrator());
    zk::Client *const zk = co_await context.connect();
    const jobs::Cluster cluster(*zk, context.layout());
    const std::optional<bool> isOpen = co_await jobs::isOpen(cluster);
    if (!isOpen)
        throw jobs::NotFound(
            QStringLiteral("there is no cluster %1; drover cluster init makes a closed one").arg(nameOf(cluster)));
    if (!*isOpen)
        throw CommandError(ExitWrongState,
                           QStringLiteral("cluster %1 is closed already; an administrator of it can give its "
                                          "nodes their access rights again")
                               .arg(nameOf(cluster)));
    co_await closed.requireOwn(cluster);
    co_await ask(context, cluster);
    const jobs::Cluster ours(*zk, context.layout(), closed.administrator());
    WaitingWork waiting = co_await WaitingWork::agreedOn(context, ours);
    co_await requireRightClock(context.loop(), cluster);
    closed.writeFiles();
    co_await jobs::publishCertificate(ours, *closed.administrator()); // requireOwn() looks for it
    co_await waiting.sign(ours);
    co_await closed.close(context, ours);
    co_await waiting.resume(ours);
    closed.tell(context);
    waiting.tell(context);
    co_return ExitOk;
}

} // namespace

Command clusterInit()
{
    return {.name = "cluster init",
            .synopsis = "--connect SERVERS [OPTIONS]",
            .summary = "Make a new cluster that is closed from its first node on",
            .details =
                "It makes root.key, which signs certificates, and admin.drover, the administrator's credentials, "
                "and logs you in with those. Keep root.key offline: who has it is the cluster. A cluster that "
                "exists is refused. If it is alone on the servers, other clients can make no nodes in / and /drover "
                "from then on. Further clusters there need --shared at the first one.",
            .options = {directoryOption(), sharedOption()},
            .check = "drover user ls",
            .examples = {"drover cluster init --connect zk1,zk2,zk3",
                         "drover cluster init --connect zk1 --cluster lab --dir keys"},
            .exits = {{"3", "there is no such directory"},
                      {"4", "the cluster or one of the files exists already, or this machine's clock is wrong"}},
            .run = init};
}

Command clusterSecure()
{
    return {
        .name = "cluster secure",
        .synopsis = "--connect SERVERS [OPTIONS]",
        .summary = "Close a cluster that all clients of ZooKeeper may change",
        .details =
            "It makes what drover cluster init makes, and gives each node its access rights. Workers and "
            "programs without credentials lose the cluster, and such workers end (exit code 5): give them "
            "theirs (drover worker add, drover user add), and start them again. Jobs and schedules that wait "
            "are signed as yours, if you "
            "agree: the queues are paused meanwhile, and running jobs end first. Otherwise workers refuse "
            "them, and running jobs go on. If it is interrupted, run it again beside the files that it has "
            "made. In a closed cluster an administrator gives each node the access rights of this version "
            "with it, once all workers have been updated. Rights that others were given are taken away. If it is "
            "alone on the servers, other clients can make no nodes in / and /drover from then on.",
        .options = QList{directoryOption(), sharedOption()} + waitingWorkOptions(),
        .check = "drover whoami",
        .examples = {"drover cluster secure --connect zk1,zk2,zk3"},
        .exits = {{"3", "there is no such cluster or directory"},
                  {"4", "the cluster is closed, a file of another cluster exists, or this machine's clock is wrong"}},
        .run = secure};
}

} // namespace drover::app
