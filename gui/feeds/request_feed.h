#pragma once

#include "gui/feeds/feed.h"

#include <set>

namespace drover::gui {

// A feed that carries out what the user asks for. Exactly one signal answers each request, and carries the number of
// the request: one of the subclass, or failed(). The end of the session answers all that are under way.
class RequestFeed : public Feed
{
    Q_OBJECT

public:
    int watches() const override { return 0; }

Q_SIGNALS:
    void failed(int request, const QString &why);

protected:
    void begin() override { }
    void end() override;
    // `task` emits the answer; what it throws is the answer, too.
    void start(int request, async::Task<void> task);

private:
    async::Task<void> guard(int request, async::Task<void> task);

    std::set<int> m_underWay;
};

// A number that no request has had yet. For several askers of one feed; call it on the GUI thread.
int newRequest();

} // namespace drover::gui
