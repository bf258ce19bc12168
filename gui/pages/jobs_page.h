#pragma once

#include "gui/pages/table_page.h"
#include "gui/widgets/job_pane.h"

namespace drover::gui {

class JobModel;

// The jobs, as a table with its filter. The badge counts those that have not ended.
class JobsPage final : public TablePage
{
    Q_OBJECT

public:
    JobsPage(JobModel &model, ActionRegistry &actions) : JobsPage(model, new JobPane(model), actions) { }

    JobPane &pane() const { return *m_pane; }
    void select(const EntityRef &entity) override;
    void saveTo(QSettings &settings) const override;
    void restoreFilter(const QSettings &settings) override;

protected:
    QString whenEmpty(const ConnectionState &state) const override;
    void sayWhenEmpty(const QString &text) override { m_pane->sayWhenEmpty(text); }

private:
    JobsPage(JobModel &model, JobPane *pane, ActionRegistry &actions);
    void count();

    JobModel &m_model;
    JobPane *m_pane;
};

} // namespace drover::gui
