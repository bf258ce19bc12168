#pragma once

#include "gui/pages/table_page.h"

namespace drover::gui {

class EnsembleHistory;
class EnsembleModel;
class Notice;
class QuorumPicture;
class ServerChart;

// The ZooKeeper servers: the quorum, what each server says of itself, and how that was. It does not depend on the
// session, so it says most when no majority is left. The badge warns before that.
class EnsemblePage final : public TablePage
{
    Q_OBJECT

public:
    EnsemblePage(EnsembleModel &model, const EnsembleHistory &history, ActionRegistry &actions);

    void showState(const ConnectionState &state) override;

protected:
    QString whenEmpty(const ConnectionState &state) const override;

private:
    void warn();

    EnsembleModel &m_model;
    Notice *m_notice;
    QuorumPicture *m_picture;
    std::vector<ServerChart *> m_charts;
};

} // namespace drover::gui
