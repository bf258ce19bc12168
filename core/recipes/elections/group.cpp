#include "recipes/elections/group.h"

#include "async/first_of.h"
#include "async/task_group.h"
#include "recipes/blocks/child_nodes.h"
#include "recipes/blocks/follow.h"
#include "recipes/blocks/persistent.h"

#include <algorithm>
#include <map>

namespace drover::recipes {

using zk::Answer;

namespace {

const QByteArray PartyMark = QByteArrayLiteral("__party__");

bool isMember(Group::Layout layout, const QByteArray &name)
{
    return layout == Group::Layout::GroupMember || name.contains(PartyMark);
}

Member memberOf(Group::Layout layout, const zk::Path &path, const QByteArray &data)
{
    if (layout == Group::Layout::Party)
        return {data, {}, path};
    return {path.name(), data, path};
}

async::Task<bool> setDataOf(zk::Client &zk, Fence fence, QByteArray data)
{
    for (;;) {
        const Answer<zk::Node> node = co_await Persistent(zk).get(fence.path);
        if (!node.ok() || node->stat.czxid != fence.czxid)
            co_return false;
        if (node->data == data)
            co_return true;
        const Answer<zk::Stat> written = co_await Persistent(zk).set(fence.path, data, node->stat.version);
        if (written.ok())
            co_return written->czxid == fence.czxid;
    }
}

// A member that is followed: what the caller knows of it, and the task that follows its data.
struct Follower {
    explicit Follower(async::FirstFailure &failure)
        : task([&failure](const std::exception_ptr &error) { failure.note(error); })
    {
    }

    std::optional<Member> told;
    zk::Zxid czxid = 0;
    async::TaskGroup task;
};

} // namespace

QByteArrayList idsOf(const std::vector<Member> &members)
{
    QByteArrayList ids;
    for (const Member &member : members)
        ids.append(member.id);
    return ids;
}

async::Task<bool> Membership::setData(QByteArray data)
{
    if (m_data == Data::IsTheId)
        throw std::logic_error("a member of a kazoo Party has no data besides its id");
    return setDataOf(*client(), fence(), std::move(data));
}

bool Group::accepts(const QByteArray &name)
{
    const NodeKind kind = kindOf(name);
    return kind == NodeKind::Other || kind == NodeKind::KazooSemaphore; // a machine's id has 32 such digits, too
}

void Group::requireId(const QByteArray &id) const
{
    if (m_layout == Layout::Party)
        return;
    if (id.isEmpty() || id.contains('/')) // the node of its first part would be a member for ever
        throw std::invalid_argument("a member's id names its znode; choose one without a slash, and not empty");
    if (!accepts(id))
        throw std::invalid_argument("another recipe calls its nodes so; choose another id");
}

async::Task<Membership> Group::join(QByteArray id, QByteArray data)
{
    requireId(id);
    if (m_layout == Layout::Party) {
        if (!data.isEmpty())
            throw std::invalid_argument("a member of a kazoo Party has no data besides its id");
        const QByteArray name = m_zk.loop().makeUuid().toByteArray(QUuid::Id128) + PartyMark;
        NamedNode node = co_await NamedNode::take(m_zk, m_directory / name, id);
        co_return Membership(std::move(node), Membership::Data::IsTheId);
    }
    NamedNode node = co_await NamedNode::take(m_zk, m_directory / id, data);
    co_return Membership(std::move(node));
}

async::Task<void> Group::stay(QByteArray id, QByteArray data)
{
    for (;;) {
        const Membership membership = co_await join(id, data);
        const Membership::End end = co_await membership.ended();
        if (end != Membership::End::Deleted)
            co_await m_zk.connected(); // throws SessionLost
    }
}

async::Task<std::vector<Member>> Group::members()
{
    std::vector<ChildNode> nodes = co_await childNodes(m_zk, m_directory);
    std::vector<Member> present;
    for (const auto &[name, node] : nodes) {
        if (isMember(m_layout, name))
            present.push_back(memberOf(m_layout, m_directory / name, node.data));
    }
    std::sort(present.begin(), present.end(), [](const Member &a, const Member &b) { return a.id < b.id; });
    co_return present;
}

async::Task<void> Group::follow(std::function<void(const GroupEvent &)> onEvent)
{
    using Type = GroupEvent::Type;
    async::FirstFailure failure(m_zk.loop());
    std::map<QByteArray, Follower> followers;
    const auto leave = [&](Follower &follower) {
        if (const std::optional<Member> gone = std::exchange(follower.told, std::nullopt))
            onEvent({Type::Left, *gone});
    };
    const auto show = [&](const QByteArray &name, const zk::Node &node) {
        Follower &follower = followers.at(name);
        if (follower.told && follower.czxid != node.stat.czxid)
            leave(follower);
        const Member member = memberOf(m_layout, m_directory / name, node.data);
        const bool isNew = !follower.told;
        const bool changed = follower.told && (follower.told->data != member.data || follower.told->id != member.id);
        follower.told = member;
        follower.czxid = node.stat.czxid;
        if (isNew || changed)
            onEvent({isNew ? Type::Joined : Type::DataChanged, member});
    };
    const auto onChange = [&](const zk::Children &children) {
        for (auto it = followers.begin(); it != followers.end();) {
            const bool stays = children.names.contains(it->first);
            if (!stays)
                leave(it->second);
            it = stays ? std::next(it) : followers.erase(it);
        }
        for (const QByteArray &name : children.names) {
            if (!isMember(m_layout, name) || followers.contains(name))
                continue;
            const auto onData = [&show, name](const zk::Node *node) {
                if (node) // else the list will tell
                    show(name, *node);
            };
            Follower &follower = followers.try_emplace(name, failure).first->second;
            follower.task.spawn(followData(m_zk, m_directory / name, onData));
        }
    };
    co_await async::firstOf(m_zk.loop(), followChildren(m_zk, m_directory, onChange), failure.thrown());
}

} // namespace drover::recipes
