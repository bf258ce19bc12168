#pragma once

#include <QWidget>

namespace drover::gui {

class WorkerModel;

// A line for each worker with a square for each of its slots: filled if a job takes it. As many workers as there is
// room for, those with the most jobs first; a line below counts the others.
class SlotMap final : public QWidget
{
    Q_OBJECT

public:
    explicit SlotMap(const WorkerModel &workers, QWidget *parent = nullptr);

    void setStale(bool stale);
    QSize minimumSizeHint() const override { return {200, 80}; }

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    void paintWorker(QPainter &painter, const QRect &line, int row) const;

    const WorkerModel &m_workers;
    bool m_stale = false;
};

} // namespace drover::gui
