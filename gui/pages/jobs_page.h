#pragma once

#include "gui/shell/page.h"

namespace drover::gui {

class ActionRegistry;
class JobModel;
class JobPane;

// The jobs, as a table with its filter. The badge counts those that have not ended.
class JobsPage final : public Page
{
    Q_OBJECT

public:
    JobsPage(JobModel &model, ActionRegistry &actions);

    JobPane &pane() const { return *m_pane; }
    void showState(const ConnectionState &state) override;
    void saveTo(QSettings &settings) const override;
    void restoreFrom(const QSettings &settings) override;

protected:
    QWidget *mainPart() const override;
    void activate() override;
    void deactivate() override;

private:
    void count();

    JobModel &m_model;
    JobPane *m_pane;
};

} // namespace drover::gui
