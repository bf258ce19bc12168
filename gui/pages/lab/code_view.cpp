#include "gui/pages/lab/code_view.h"

#include "gui/pages/lab/lab_words.h"
#include "gui/widgets/theme.h"

#include <QPainter>

namespace drover::gui {

namespace {

constexpr int Padding = 12;
constexpr int Number = 20; // width of a line's number
constexpr int Above = 4; // a line's text
constexpr int MarkGap = 3;
constexpr int GroupGap = 14;

} // namespace

CodeView::CodeView(QWidget *parent) : QWidget(parent)
{
    setAccessibleName(tr("Pseudo-code"));
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

void CodeView::show(const LabSnapshot &snapshot, const Lesson &lesson)
{
    const bool isOther = lesson.name != m_lesson.name;
    m_snapshot = snapshot;
    m_lesson = lesson;
    QStringList lines;
    for (int group = 0; group < lesson.groups.size(); ++group) {
        lines << lesson.groups[group].title;
        for (int line = 0; line < lesson.groups[group].code.size(); ++line) {
            QStringList here;
            for (const LabParticipant &each : snapshot.participants) {
                if (each.group == group && each.line == line)
                    here << each.name;
            }
            const QString text = lesson.groups[group].code[line].text;
            lines << (here.isEmpty() ? text : tr("%1 (%2)", "step, who is there").arg(text, here.join(u' ')));
        }
    }
    setAccessibleDescription(lines.join(u'\n'));
    if (isOther)
        updateGeometry();
    update();
}

void CodeView::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    lay(&painter, width());
}

int CodeView::lay(QPainter *painter, int width) const
{
    const int line = fontMetrics().height();
    qreal y = Padding;
    for (int group = 0; group < m_lesson.groups.size(); ++group) {
        const LessonGroup &shown = m_lesson.groups[group];
        QFont bold = font();
        bold.setBold(true);
        const QRectF title(Padding, y, width - 2 * Padding, line);
        if (painter) {
            painter->setFont(bold);
            painter->setPen(palette().color(QPalette::Text));
            painter->drawText(title, Qt::AlignVCenter,
                              QFontMetrics(bold).elidedText(shown.title, Qt::ElideRight, int(title.width())));
            painter->setFont(font());
        }
        y += line + Above;
        for (int i = 0; i < shown.code.size(); ++i) {
            const QRectF room(Padding + Number, y + Above, width - 2 * Padding - Number, 10'000);
            const QRectF text =
                fontMetrics().boundingRect(room.toRect(), Qt::TextWordWrap | Qt::AlignTop, shown.code[i].text);
            const QRectF marks(room.left(), text.bottom() + 2, room.width(), line + 2);
            const qreal height = marks.bottom() + Above - y;
            if (painter) {
                painter->setPen(gridColor(palette()));
                painter->drawLine(QPointF(Padding, y), QPointF(width - Padding, y));
                painter->setPen(mutedText(palette()));
                painter->drawText(QRectF(Padding, y + Above, Number, line), Qt::AlignLeft, QString::number(i + 1));
                painter->setPen(palette().color(QPalette::Text));
                painter->drawText(room, Qt::TextWordWrap | Qt::AlignTop, shown.code[i].text);
                paintMarks(*painter, marks, group, i);
            }
            y += height;
        }
        y += GroupGap;
    }
    return int(y);
}

// A disc with the letter of each participant that is there.
void CodeView::paintMarks(QPainter &painter, const QRectF &row, int group, int line) const
{
    QRectF disc(row.left(), row.top(), row.height(), row.height());
    QFont small = font();
    small.setPointSizeF(small.pointSizeF() * 0.85);
    small.setBold(true);
    painter.save();
    painter.setFont(small);
    for (const LabParticipant &each : m_snapshot.participants) {
        if (each.group != group || each.line != line)
            continue;
        const QColor color = toneColor(stateTone(each, m_lesson.groups[group].code), palette());
        painter.setPen(Qt::NoPen);
        painter.setBrush(color);
        painter.drawEllipse(disc);
        painter.setPen(palette().color(QPalette::Base));
        painter.drawText(disc, Qt::AlignCenter, each.name);
        disc.translate(disc.width() + MarkGap, 0);
    }
    painter.restore();
}

} // namespace drover::gui
