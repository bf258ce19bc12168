#include "gui/widgets/notice.h"

#include "gui/widgets/announce.h"
#include "gui/widgets/plain_text.h"
#include "gui/widgets/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>

namespace drover::gui {

Notice::Notice(QWidget *parent, Tone tone) : QFrame(parent), m_text(plainLabel()), m_tone(tone)
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
    const bool isNews = !text.isEmpty() && text != m_text->text();
    m_text->setText(text);
    setVisible(!text.isEmpty());
    if (isNews && isVisible()) // a page that is hidden does not speak
        announce(*m_text);
}

void Notice::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    QColor color = toneColor(m_tone, palette());
    painter.fillRect(QRect(0, 0, 4, height()), color);
    color.setAlpha(32);
    painter.fillRect(rect(), color);
}

} // namespace drover::gui
