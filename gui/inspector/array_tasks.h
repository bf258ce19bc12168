#pragma once

#include "gui/models/array_model.h"

#include <QWidget>

class QComboBox;
class QLabel;

namespace drover::gui {

class TaskGrid;

// The tasks of an array as a grid of cells, what its signs mean, with a count each, and the order of the cells.
class ArrayTasks final : public QWidget
{
    Q_OBJECT

public:
    explicit ArrayTasks(const jobs::JobId &array, QWidget *parent = nullptr);

    ArrayModel &model() { return m_model; }
    TaskGrid &grid() const { return *m_grid; }
    void showEnded(const QList<JobRow> &tasks); // all that have failed or were cancelled
    void fail(const QString &why); // why these are not known

Q_SIGNALS:
    void taskWanted(const drover::jobs::JobId &task);

private:
    class Legend;

    void tell();

    ArrayModel m_model;
    Legend *m_legend;
    QComboBox *m_order;
    QLabel *m_notAll;
    QLabel *m_trouble;
    TaskGrid *m_grid;
};

} // namespace drover::gui
