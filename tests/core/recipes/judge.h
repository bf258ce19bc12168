#pragma once

#include "recipes/blocks/fence.h"
#include "support/fake/fake_zookeeper.h"

#include <QStringList>

namespace drover::test {

// Looks at the server's tree after each accepted write, where no client can deceive it, and says what no client may
// see either. Outlives the holds.
class Judge
{
public:
    explicit Judge(const FakeTree &tree) : m_tree(tree) { }

    // A player believes that it holds `what`, for as long as this object lives. The judge counts the holders whose
    // fence the server would accept at that moment. There may be as many as the largest number that one of them knows.
    class Hold
    {
    public:
        struct Share {
            int weight = 1;
            int room = 1;
        };
        Hold(Judge &judge, QByteArray what, recipes::Fence fence, Share share = {1, 1});
        Hold(const Hold &) = delete;
        Hold &operator=(const Hold &) = delete;
        ~Hold();

    private:
        friend class Judge;
        Judge &m_judge;
        QByteArray m_what;
        recipes::Fence m_fence;
        Share m_share;
    };

    // What holders write into their fenced resources, /resource/<name>: numbers that never fall.
    static zk::Path resource(const QByteArray &name) { return zk::Path("/resource") / name; }

    void committed();
    void require(bool holds, const QString &otherwise);

    const QStringList &violations() const { return m_violations; }
    bool accepts(const recipes::Fence &fence) const;

private:
    void count(const QByteArray &what);

    const FakeTree &m_tree;
    std::vector<const Hold *> m_holds;
    std::map<QByteArray, zk::Zxid> m_tokens; // the newest of each resource
    QStringList m_violations;
};

} // namespace drover::test
