#pragma once

#include "gui/pages/table_page.h"

namespace drover::gui {

class WorkerModel;

// The workers, as a table. The badge counts them, or those in trouble.
class WorkersPage final : public TablePage
{
    Q_OBJECT

public:
    WorkersPage(WorkerModel &model, ActionRegistry &actions);

protected:
    QString whenEmpty(const ConnectionState &state) const override;

private:
    void count();

    WorkerModel &m_model;
};

} // namespace drover::gui
