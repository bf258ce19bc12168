#pragma once

#include "gui/shell/page.h"

namespace drover::gui {

class TableView;
class WorkerModel;

// The workers, as a table. The badge counts them, or those in trouble.
class WorkersPage final : public Page
{
    Q_OBJECT

public:
    explicit WorkersPage(WorkerModel &model);

    void showState(const ConnectionState &state) override;
    void saveTo(QSettings &settings) const override;
    void restoreFrom(const QSettings &settings) override;

protected:
    QWidget *mainPart() const override;
    void activate() override;
    void deactivate() override;

private:
    void count();

    WorkerModel &m_model;
    TableView *m_table;
};

} // namespace drover::gui
