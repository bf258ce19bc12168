#include "gui/lab/observed.h"

#include "recipes/blocks/receipts.h"
#include "zk/node_life.h"

#include <algorithm>
#include <tuple>

namespace drover::gui {

namespace {

// -1: it belongs to another session.
int participantOf(const QByteArray &session, const QList<LabParticipant> &participants)
{
    for (int i = 0; i < participants.size(); ++i) {
        if (participants[i].session == session)
            return i;
    }
    return -1;
}

// Whether it only serves a queue's takers and writers.
bool isLeftOut(const QByteArray &name)
{
    return recipes::Receipts::isReceipt(name) || name.endsWith("-taker") || name == "drover"
        || name.endsWith(".drover");
}

} // namespace

QList<LabWatch> watchesIn(const QByteArray &answer, const zk::Path &root, const QList<LabParticipant> &participants)
{
    QList<LabWatch> watches;
    QByteArray path; // its sessions follow, each behind a tab
    for (const QByteArray &line : answer.split('\n')) {
        if (!line.startsWith('\t')) {
            path = line.trimmed();
            continue;
        }
        const int participant = participantOf(line.trimmed(), participants);
        if (participant >= 0 && path.startsWith(root.bytes() + '/'))
            watches.append({participant, path});
    }
    std::sort(watches.begin(), watches.end(), [](const LabWatch &a, const LabWatch &b) {
        return std::tie(a.participant, a.path) < std::tie(b.participant, b.path);
    });
    return watches;
}

QList<LabNode> nodesIn(const recipes::TreeWatch &tree, const QList<zk::Path> &directories,
                       const QList<LabParticipant> &participants)
{
    std::vector<std::pair<zk::Zxid, LabNode>> found;
    for (int group = 0; group < directories.size(); ++group) {
        const zk::Path &top = directories[group];
        QList<zk::Path> left{top};
        while (!left.isEmpty()) {
            const zk::Path directory = left.takeLast();
            for (const QByteArray &name : tree.children(directory)) {
                const zk::Path path = directory / name;
                const zk::Node *const node = tree.find(path);
                if (!node)
                    continue;
                left.append(path);
                if (isLeftOut(name))
                    continue;
                LabNode shown{path.bytes(), QString::fromUtf8(path.bytes().mid(top.bytes().size() + 1)), group};
                const zk::SessionId session = zk::sessionOf(node->stat);
                shown.isEphemeral = session != 0;
                if (shown.isEphemeral)
                    shown.owner = participantOf("0x" + QByteArray::number(quint64(session), 16), participants);
                found.emplace_back(node->stat.czxid, shown);
            }
        }
    }
    std::stable_sort(found.begin(), found.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
    QList<LabNode> nodes;
    for (const auto &[czxid, node] : found)
        nodes.append(node);
    return nodes;
}

void markDeposed(QList<LabParticipant> &participants, const QList<LabNode> &nodes, const QList<LessonGroup> &groups)
{
    const auto holds = [&](int participant, int group) {
        const LabParticipant &each = participants[participant];
        return each.group == group && each.phase == LabParticipant::Phase::Holding;
    };
    const auto owns = [&](int participant) {
        return std::any_of(nodes.begin(), nodes.end(), [=](const LabNode &node) { return node.owner == participant; });
    };
    for (int i = 0; i < participants.size(); ++i) {
        bool isHeldByOther = false;
        for (int other = 0; other < participants.size(); ++other)
            isHeldByOther = isHeldByOther || (other != i && holds(other, participants[i].group) && owns(other));
        const int group = participants[i].group;
        participants[i].isDeposed = groups[group].holdsByNode && holds(i, group) && !owns(i) && isHeldByOther;
    }
}

} // namespace drover::gui
