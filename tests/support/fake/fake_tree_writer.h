#pragma once

#include "support/fake/fake_acl.h"
#include "support/fake/fake_tree.h"

#include <functional>

namespace drover::test {

// One transaction on a FakeTree. The rules, and their order, are those of PrepRequestProcessor.pRequest2Txn(): the
// first that is broken names the error.
class FakeTree::Writer
{
public:
    Writer(FakeTree &tree, Context context) : m_tree(tree), m_context(std::move(context)) { }

    Outcome write(const zk::Request &request);
    // Deletes a node without looking at versions or children.
    void erase(const zk::Path &path);
    Outcome takeOutcome();

private:
    zk::Response operator()(const zk::CreateRequest &request);
    zk::Response operator()(const zk::RemoveRequest &request);
    zk::Response operator()(const zk::SetRequest &request);
    zk::Response operator()(const zk::SetAclRequest &request);
    zk::Response operator()(const zk::MultiRequest &request);

    zk::Response carryOut(const zk::Transaction::Operation &operation);
    void insert(const zk::Path &path, Znode node);
    // Keeps what this transaction is about to change, for servers that lag.
    void remember(const zk::Path &path, const QByteArray &child = {}, bool hadChild = false);
    void rollBack();
    bool may(Permission wanted, const Znode &node) const;
    Znode *find(const zk::Path &path);
    void event(zk::WatchEvent::Type type, const zk::Path &path) { m_events.push_back({type, path}); }
    void forgetOwner(const QByteArray &path, qint64 owner);
    void rememberOwner(const QByteArray &path, qint64 owner);

    FakeTree &m_tree;
    Context m_context;
    zk::Response m_response;
    std::vector<zk::WatchEvent> m_events;
    std::vector<std::function<void()>> m_undo; // of a transaction that fails half way, last first
    std::vector<QByteArray> m_remembered;
};

} // namespace drover::test
