#pragma once

#include "gui/feeds/feed.h"

namespace drover::gui {

// What the master says of the history while it cannot be written. One watch, on the cluster's statistics.
class HistoryFeed final : public Feed
{
    Q_OBJECT

public:
    int watches() const override { return attached() ? 1 : 0; }

Q_SIGNALS:
    // One line for people; empty: all is well, or nothing is known.
    void troubleChanged(const QString &trouble);

protected:
    void begin() override;
    void end() override;

private:
    void show(const QString &trouble);

    QString m_trouble;
};

} // namespace drover::gui
