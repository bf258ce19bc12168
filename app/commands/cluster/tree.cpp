#include "app/cli/units.h"
#include "app/cluster/tree_sign.h"
#include "app/commands/commands.h"
#include "app/environment/context.h"
#include "jobs/cluster/acl_table.h"
#include "recipes/blocks/persistent.h"
#include "text/printable.h"

#include <QDateTime>

#include <algorithm>

namespace drover::app {

namespace {

constexpr int DefaultDepth = 100;

struct TreeNode {
    zk::Path path;
    zk::Stat stat;
    std::vector<TreeNode> children;
    int hidden = 0; // children below the depth asked for
};

async::Task<std::optional<TreeNode>> readTree(zk::Client &zk, zk::Path path, int depth)
{
    const zk::Answer<zk::Stat> stat = co_await recipes::Persistent(zk).exists(path);
    if (!stat.ok())
        co_return std::nullopt;
    TreeNode node{path, *stat, {}, 0};
    if (depth == 0) {
        node.hidden = stat->numChildren;
        co_return node;
    }
    if (stat->numChildren > 0) {
        const zk::Answer<zk::Children> children = co_await recipes::Persistent(zk).children(path);
        QByteArrayList names = children->names;
        std::sort(names.begin(), names.end());
        for (const QByteArray &name : names) {
            std::optional<TreeNode> child = co_await readTree(zk, path / name, depth - 1);
            if (child)
                node.children.push_back(std::move(*child));
        }
    }
    co_return node;
}

QString sessionName(zk::SessionId id)
{
    return QStringLiteral("0x%1").arg(static_cast<quint64>(id), 0, 16);
}

QString remarks(const TreeNode &node)
{
    QStringList parts;
    if (node.stat.dataLength > 0)
        parts.append(node.stat.dataLength == 1 ? QStringLiteral("1 byte")
                                               : QStringLiteral("%1 bytes").arg(node.stat.dataLength));
    if (node.stat.ephemeralOwner)
        parts.append(QStringLiteral("ephemeral"));
    if (node.hidden > 0)
        parts.append(QStringLiteral("%1 below").arg(node.hidden));
    return parts.isEmpty() ? QString() : QStringLiteral("  (%1)").arg(parts.join(QStringLiteral(", ")));
}

void print(const Output &out, const TreeNode &node, const QString &name, const QString &indent, const QString &below)
{
    out.line(indent + text::printable(name) + remarks(node));
    for (std::size_t i = 0; i < node.children.size(); ++i) {
        const bool last = i + 1 == node.children.size();
        print(out, node.children[i], QString::fromUtf8(node.children[i].path.name()),
              below + (last ? QStringLiteral("└─ ") : QStringLiteral("├─ ")),
              below + (last ? QStringLiteral("   ") : QStringLiteral("│  ")));
    }
}

QJsonObject json(const zk::Path &path, const zk::Stat &stat)
{
    QJsonObject object{{QStringLiteral("znode"), path.toString()},
                       {QStringLiteral("bytes"), stat.dataLength},
                       {QStringLiteral("children"), stat.numChildren},
                       {QStringLiteral("version"), stat.version},
                       {QStringLiteral("created_at"), formatTime(std::chrono::milliseconds(stat.ctime))},
                       {QStringLiteral("changed_at"), formatTime(std::chrono::milliseconds(stat.mtime))},
                       {QStringLiteral("czxid"), QString::number(stat.czxid)}};
    if (stat.ephemeralOwner)
        object.insert(QStringLiteral("ephemeral_owner"), sessionName(stat.ephemeralOwner));
    return object;
}

void collect(QList<QJsonObject> &rows, const TreeNode &node)
{
    rows.append(json(node.path, node.stat));
    for (const TreeNode &child : node.children)
        collect(rows, child);
}

using Change = recipes::TreeWatch::Change;

const char *eventName(Change::Kind kind)
{
    return kind == Change::Kind::Added ? "added" : kind == Change::Kind::Removed ? "removed" : "changed";
}

void printChange(const Output &out, const Change &change)
{
    if (out.isTable()) {
        out.line(QStringLiteral("%1 %2").arg(signOf(change.kind)).arg(text::printable(change.path.toString())));
        return;
    }
    QJsonObject object{{QStringLiteral("znode"), change.path.toString()}};
    if (change.kind != Change::Kind::Removed)
        object = json(change.path, change.node.stat);
    object.insert(QStringLiteral("event"), QLatin1String(eventName(change.kind)));
    object.insert(QStringLiteral("at"), formatTime(std::chrono::milliseconds(QDateTime::currentMSecsSinceEpoch())));
    out.event(object);
}

// Until the session ends.
async::Task<void> watchTree(const Output &out, zk::Client &zk, zk::Path root, int depth)
{
    std::optional<recipes::TreeWatch> watch;
    const auto onChange = [&out, &watch](const Change &change) {
        if (change.kind == Change::Kind::Initialized)
            Output::message(QStringLiteral("watching %1 znodes; Ctrl-C ends").arg(watch->size()));
        else if (watch->initialized())
            printChange(out, change);
    };
    watch.emplace(root, depth, onChange);
    co_await watch->run(zk);
}

async::Task<int> execute(Context &context)
{
    const QString text = context.arguments().at(0);
    const int depth = static_cast<int>(context.arguments().integer("depth", 0, 1000, DefaultDepth));
    const zk::Path root = text.isEmpty() ? context.layout().root()
        : text.startsWith(u'/')          ? zk::Path(text.toUtf8())
                                         : context.layout().root() / text.toUtf8();
    if (!jobs::isWithin(context.layout(), root))
        context.leaveCluster();
    zk::Client *const zk = co_await context.connect();
    if (!text.startsWith(u'/'))
        co_await jobs::readClusterConfig(
            jobs::Cluster(*zk, context.layout())); // names the clusters if there is no such one
    const int read = context.arguments().has("watch") ? 0 : depth;
    const std::optional<TreeNode> tree = co_await readTree(*zk, root, read);
    if (!tree && root.isRoot())
        throw jobs::NotFound(QStringLiteral("the path after the servers names no znode: %1; what first writes below it "
                                            "makes it")
                                 .arg(context.settings().connect));
    if (!tree)
        throw jobs::NotFound(
            QStringLiteral("there is no znode %1; drover tree / shows what there is").arg(root.toString()));
    if (!context.arguments().has("watch")) {
        if (context.out().isTable()) {
            print(context.out(), *tree, root.toString(), {}, {});
        } else {
            QList<QJsonObject> rows;
            collect(rows, *tree);
            context.out().list("znodes", {}, rows);
        }
        co_return ExitOk;
    }
    co_await watchTree(context.out(), *zk, root, depth);
    co_return ExitOk;
}

} // namespace

Command tree()
{
    return {.name = "tree",
            .synopsis = "[OPTIONS] [PATH]",
            .summary = "Show znodes, or their changes as they happen",
            .details = "PATH is absolute, or relative to the cluster's root (the default). With --watch: + a znode "
                       "came, - it went, ~ its data changed.",
            .options = {option("watch", "print changes until interrupted"),
                        option("depth", "levels below PATH (default: 100)", "N")},
            .takes = {{CompletionKind::Znode}},
            .argumentCount = {0, 1},
            .needs = {{trust::Role::Viewer}},
            .examples = {"drover tree --depth 2", "drover tree --watch /drover/default/queues"},
            .exits = {{"3", "there is no such znode"}},
            .run = execute};
}

} // namespace drover::app
