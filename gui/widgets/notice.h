#pragma once

#include "gui/models/snapshot_model.h"

#include <QFrame>

class QLabel;

namespace drover::gui {

// One message across the window, hidden when it no longer holds. What is new is announced if the page is
// seen. Its tone is that of a hint, unless it is an error.
class Notice final : public QFrame
{
    Q_OBJECT

public:
    explicit Notice(QWidget *parent = nullptr, Tone tone = Tone::Waiting);

    void say(const QString &text); // empty: nothing to say

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QLabel *m_text;
    Tone m_tone;
};

} // namespace drover::gui
