#pragma once

#include <QFrame>

class QLabel;

namespace drover::gui {

// One message across the window, hidden when it no longer holds.
class Notice final : public QFrame
{
    Q_OBJECT

public:
    explicit Notice(QWidget *parent = nullptr);

    void say(const QString &text); // empty: nothing to say

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QLabel *m_text;
};

} // namespace drover::gui
