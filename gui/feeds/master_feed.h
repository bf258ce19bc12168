#pragma once

#include "gui/feeds/feed.h"

namespace drover::gui {

// Follows the troubles that the master reports in the cluster's statistics, such as a history that cannot be written.
// It needs one watch.
class MasterFeed final : public Feed
{
    Q_OBJECT

public:
    int watches() const override { return attached() ? 1 : 0; }

Q_SIGNALS:
    // One line for people; empty if all is well or nothing is known.
    void troubleChanged(const QString &trouble);

protected:
    void begin() override;
    void end() override;

private:
    void show(const QString &trouble);

    QString m_trouble;
};

} // namespace drover::gui
