#pragma once

#include "gui/data/entity.h"
#include "gui/data/job_graph.h"

#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>

class QLabel;

namespace drover::gui {

class GraphView;
class JobModel;

// The jobs that a job depends on, to the left of it, and those that depend on it, to the right. In a high panel they
// are above and below it. Each leads there. While it is seen, it asks for them when the jobs change. It asks once at a
// time, and rests ten times as long as the answer took.
class DependencyGraph final : public QWidget
{
    Q_OBJECT

public:
    // The model outlives it.
    DependencyGraph(const jobs::JobId &id, const JobModel &jobs, QWidget *parent = nullptr);

    // Both answer wanted().
    void show(const JobGraph &graph);
    void fail(const QString &why); // what is shown stays, and it asks again
    void setStale(bool stale);
    GraphView &view() const { return *m_view; }

Q_SIGNALS:
    void wanted();
    void entityWanted(const drover::gui::EntityRef &entity);

protected:
    void showEvent(QShowEvent *event) override;

private:
    void ask();
    void askLater();
    void answered();
    void remark();
    void open(int node);

    const jobs::JobId m_id;
    GraphView *m_view;
    QLabel *m_remark;
    QLabel *m_trouble;
    JobGraph m_graph;
    bool m_isAsked = false; // there is no answer yet
    bool m_isOld = false; // the jobs have changed since it has asked
    QElapsedTimer m_since; // it has asked
    QTimer m_rest;
};

} // namespace drover::gui
