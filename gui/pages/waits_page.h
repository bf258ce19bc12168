#pragma once

#include "gui/models/wait_graph.h"
#include "gui/shell/page.h"

class QLabel;

namespace drover::gui {

class GraphView;
class Notice;
class WaitModel;

// The waits of jobs and programs and the holders of what they wait for, as a graph. A deadlock is outlined, and named
// above it. The badge counts the waits, or the deadlocks.
class WaitsPage final : public Page
{
    Q_OBJECT

public:
    explicit WaitsPage(const WaitModel &model);

    void showState(const ConnectionState &state) override;

protected:
    QWidget *mainPart() const override;
    void activate() override { draw(); }

private:
    void update();
    void draw();
    void open(int node);

    const WaitModel &m_model;
    Notice *m_notice;
    GraphView *m_view;
    QLabel *m_remark;
    WaitGraph m_graph;
};

} // namespace drover::gui
