#pragma once

#include "gui/pages/table_page.h"
#include "gui/widgets/job_pane.h"

namespace drover::gui {

class JobModel;
class SavedViews;
class ViewButton;

// The jobs, as a table with its filter and saved views. The badge counts those that have not ended.
class JobsPage final : public TablePage
{
    Q_OBJECT

public:
    // All outlive it.
    JobsPage(JobModel &model, ActionRegistry &actions, SavedViews &views)
        : JobsPage(model, new JobPane(model), actions, views)
    {
    }

    JobPane &pane() const { return *m_pane; }
    void select(const EntityRef &entity) override;
    void showState(const ConnectionState &state) override;
    void saveTo(QSettings &settings) const override;
    void restoreFilter(const QSettings &settings) override;

protected:
    QString whenEmpty(const ConnectionState &state) const override;
    void sayWhenEmpty(const QString &text) override { m_pane->sayWhenEmpty(text); }

private:
    JobsPage(JobModel &model, JobPane *pane, ActionRegistry &actions, SavedViews &views);
    void addViews(ActionRegistry &actions);
    void count();

    JobModel &m_model;
    JobPane *m_pane;
    ViewButton *m_views;
};

} // namespace drover::gui
