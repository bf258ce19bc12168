#pragma once

#include "gui/data/ensemble_snapshot.h"
#include "gui/feeds/feed.h"

#include <functional>

namespace drover::gui {

// Asks each server of the connection every few seconds how it is, by four-letter words. It needs no connection of the
// session: an ensemble without a majority is shown, too. A server that does not answer delays the others by two seconds
// at most. Nothing is watched.
class EnsembleFeed final : public Feed
{
    Q_OBJECT

public:
    using Ask = std::function<async::Task<std::vector<zk::ServerReport>>(async::Loop &loop, zk::ServerList servers,
                                                                         QByteArrayList words)>;
    explicit EnsembleFeed(Ask ask = zk::askServers) : m_ask(std::move(ask)) { }

    void setAsk(Ask ask) { m_ask = std::move(ask); } // before it is attached
    int watches() const override { return 0; }
    void clear() override;

Q_SIGNALS:
    void changed(const drover::gui::EnsembleSnapshot &ensemble);

protected:
    void begin() override;
    void end() override { }

private:
    async::Task<void> keepAsking();
    async::Task<QByteArray> readConfig();

    Ask m_ask;
    std::optional<zk::Membership> m_membership; // the last that is known: without a majority no server tells it
};

} // namespace drover::gui
