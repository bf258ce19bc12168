#pragma once

#include "jobs/model/job_id.h"

#include <QObject>
#include <QPersistentModelIndex>

namespace drover::gui {

class JobModel;
class JobPane;
class TableView;

// Scrolls a table of jobs through a history that is longer than the table. The model has a window of it: what was read
// before is asked for again when its place comes into sight. The jobs in sight keep their places when others come or
// go, and selected ones stay in the table. The Home key leads back to the first.
class JobScroll final : public QObject
{
    Q_OBJECT

public:
    // Both outlive it.
    JobScroll(JobPane &pane, JobModel &model, QObject *parent);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void updateOrder();
    void hold();
    void restore();
    void look();
    void goToFirst();
    QModelIndex indexOf(const jobs::JobId &id) const; // of the table; invalid: it has no row there
    QModelIndex lastWalked() const;

    JobModel &m_model;
    JobPane &m_pane;
    TableView &m_table;
    QPersistentModelIndex m_held; // the first job in sight that keeps its place; invalid: none does
    int m_below = 0; // how far it is below the top, in steps of the scroll bar
    bool m_isChanging = false; // the rows of the model
    bool m_awaitsFirst = false;
};

} // namespace drover::gui
