#pragma once

#include "gui/lab/lesson.h"

#include <QWidget>

namespace drover::gui {

// The pseudo-code of each group of a lesson, with a mark for each participant at its step.
class CodeView final : public QWidget
{
    Q_OBJECT

public:
    explicit CodeView(QWidget *parent = nullptr);

    void show(const LabSnapshot &snapshot, const Lesson &lesson);
    int heightForWidth(int width) const override { return lay(nullptr, width); }
    bool hasHeightForWidth() const override { return true; }
    QSize sizeHint() const override { return {280, lay(nullptr, 280)}; }

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    // Returns the height. Without a painter it only measures.
    int lay(QPainter *painter, int width) const;
    void paintMarks(QPainter &painter, const QRectF &row, int group, int line) const;

    LabSnapshot m_snapshot;
    Lesson m_lesson;
};

} // namespace drover::gui
