#pragma once

#include "gui/pages/table_page.h"

namespace drover::gui {

class AttemptLog;
class WorkerModel;
class WorkerTimeline;

// The workers, as a table. The badge counts the workers in trouble; if there are none, it counts all workers.
class WorkersPage final : public TablePage
{
    Q_OBJECT

public:
    WorkersPage(WorkerModel &model, const AttemptLog &attempts, ActionRegistry &actions);

    void showState(const ConnectionState &state) override;

Q_SIGNALS:
    void cordonWanted(const QByteArrayList &workers, bool drain);
    void uncordonWanted(const QByteArrayList &workers);
    void stepDownWanted();
    void launchWanted();

protected:
    QString whenEmpty(const ConnectionState &state) const override;

private:
    void count();
    void addVerbs();
    void updateVerbs();
    QByteArrayList selected(bool cordoned) const; // the workers of the selected rows that are so

    WorkerModel &m_model;
    WorkerTimeline *m_timeline;
    QHBoxLayout *m_bar = nullptr;
    QAction *m_cordon;
    QAction *m_uncordon;
    QAction *m_drain;
    QAction *m_stepDown;
};

} // namespace drover::gui
