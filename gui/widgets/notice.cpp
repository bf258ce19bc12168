#include "gui/widgets/notice.h"

#include "gui/widgets/plain_text.h"
#include "gui/widgets/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>

namespace drover::gui {

Notice::Notice(QWidget *parent) : QFrame(parent), m_text(plainLabel())
{
    m_text->setWordWrap(true);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(16, 7, 12, 7);
    row->addWidget(m_text);
    hide();
}

void Notice::say(const QString &text)
{
    m_text->setText(text);
    setVisible(!text.isEmpty());
}

void Notice::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    QColor color = toneColor(Tone::Waiting, palette());
    painter.fillRect(QRect(0, 0, 4, height()), color);
    color.setAlpha(32);
    painter.fillRect(rect(), color);
}

} // namespace drover::gui
