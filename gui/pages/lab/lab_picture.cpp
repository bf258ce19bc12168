#include "gui/pages/lab/lab_picture.h"

#include "gui/kit/arrow_head.h"
#include "gui/pages/lab/lab_words.h"
#include "gui/text/format.h"
#include "gui/widgets/theme.h"

#include <QGuiApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QPainterPath>
#include <QStyle>
#include <QToolTip>

#include <algorithm>

namespace drover::gui {

using Life = LabParticipant::Life;

namespace {

constexpr int Margin = 14;
constexpr int Halo = 900; // ms
constexpr int Tick = 40; // ms
constexpr int Between = 8; // boxes, at least
constexpr int TallestBox = 50;
constexpr int WidestStep = 72; // from box to box
constexpr qreal HeadSize = 8; // of an arrow
constexpr qreal HeadSpread = 0.4; // radians

constexpr qreal BoxInset = 7; // of the text in a box, on either side
constexpr qreal WidestBox = 190;
constexpr qreal WidestNode = 150;
constexpr qreal NarrowestGap = 30; // between them, so that lines and arrows do not touch
constexpr qreal WidestGap = 260;

void drawElided(QPainter &painter, const QRectF &place, const QString &text)
{
    const QString shown = painter.fontMetrics().elidedText(text, Qt::ElideRight, int(place.width()));
    painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter, shown);
}

// As many of the parts as there is room for; one at least.
void drawParts(QPainter &painter, const QRectF &place, QStringList parts)
{
    const auto words = [&parts] { return parts.join(QStringLiteral(", ")); };
    while (parts.size() > 1 && painter.fontMetrics().horizontalAdvance(words()) > int(place.width()))
        parts.removeLast();
    drawElided(painter, place, words());
}

} // namespace

LabPicture::LabPicture(QWidget *parent) : QWidget(parent), m_isAnimated(desktopAnimates())
{
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    setFocusPolicy(Qt::StrongFocus);
    m_clock.start();
    connect(&m_ticks, &QTimer::timeout, this, &LabPicture::tick);
}

bool LabPicture::desktopAnimates()
{
    return QGuiApplication::platformName() != u"offscreen"
        && QWidget().style()->styleHint(QStyle::SH_Widget_Animation_Duration) > 0;
}

void LabPicture::show(const LabSnapshot &snapshot, const Lesson &lesson)
{
    const bool isSame = m_lesson.name == lesson.name && snapshot.participants.size() == m_snapshot.participants.size();
    for (int i = 0; isSame && i < snapshot.participants.size(); ++i) {
        if (snapshot.participants[i].wakeUps > m_snapshot.participants[i].wakeUps)
            m_woken.insert(i, m_clock.elapsed());
    }
    if (!isSame) {
        m_woken.clear();
        m_selected = -1;
    }
    m_snapshot = snapshot;
    m_lesson = lesson;
    if (!isShown(m_selected))
        select(snapshot.participants.isEmpty() ? -1 : 0);
    if (!m_woken.isEmpty() && !m_ticks.isActive())
        m_ticks.start(m_isAnimated ? Tick : Halo);
    describe();
    updateGeometry();
    update();
}

bool LabPicture::isLit(int participant) const
{
    return m_woken.contains(participant) && m_clock.elapsed() - m_woken.value(participant) < Halo;
}

void LabPicture::tick()
{
    for (const int participant : m_woken.keys()) {
        if (!isLit(participant))
            m_woken.remove(participant);
    }
    if (m_woken.isEmpty())
        m_ticks.stop();
    update();
}

void LabPicture::select(int participant)
{
    if (!isShown(participant) || participant == m_selected)
        return;
    m_selected = participant;
    describe();
    update();
    Q_EMIT selectionChanged();
}

QString LabPicture::describe(const LabParticipant &participant) const
{
    const LessonGroup &group = m_lesson.groups[participant.group];
    QStringList parts{stateText(participant, group.code)};
    if (!participant.role.isEmpty())
        parts << participant.role;
    if (participant.line >= 0)
        parts << group.code[participant.line].text;
    parts << countParts(participant).join(QStringLiteral(", "));
    return LabPicture::tr("%1: %2", "participant").arg(participant.name, parts.join(QStringLiteral("; ")));
}

// For those who do not see it.
void LabPicture::describe()
{
    QStringList lines;
    for (int group = 0; group < m_lesson.groups.size(); ++group) {
        lines << m_lesson.groups[group].title << releaseText(m_snapshot.groups[group]);
        for (const LabParticipant &participant : std::as_const(m_snapshot.participants)) {
            if (participant.group == group)
                lines << describe(participant);
        }
    }
    const QString chosen = isShown(m_selected) ? describe(m_snapshot.participants[m_selected]) : QString();
    setAccessibleName(chosen.isEmpty() ? tr("Participants and znodes") : tr("Participants and znodes; %1").arg(chosen));
    setAccessibleDescription(lines.join(u'\n'));
}

int LabPicture::headHeight() const
{
    const bool writes = std::ranges::any_of(m_lesson.groups, [](const LessonGroup &group) { return group.writes; });
    return Margin + (writes ? 4 : 3) * fontMetrics().height() + 12;
}

QSize LabPicture::minimumSizeHint() const
{
    int most = 1;
    for (int group = 0; group < m_lesson.groups.size(); ++group) {
        const auto isIn = [&](const auto &each) { return each.group == group; };
        most = std::max(most, int(std::ranges::count_if(m_snapshot.participants, isIn)));
        most = std::max(most, int(std::ranges::count_if(m_snapshot.nodes, isIn)));
    }
    const int box = 2 * fontMetrics().height() + 2;
    const int below = fontMetrics().height() + Margin; // the key
    return {210 * std::max(1, int(m_lesson.groups.size())), headHeight() + most * (box + Between) + below};
}

LabPicture::Places LabPicture::places() const
{
    Places all;
    const int groups = std::max(1, int(m_lesson.groups.size()));
    const qreal width = qreal(this->width()) / groups;
    const qreal room = this->height() - headHeight() - fontMetrics().height() - Margin;
    all.participants.resize(m_snapshot.participants.size());
    for (int group = 0; group < m_lesson.groups.size(); ++group) {
        const qreal left = group * width + Margin;
        const qreal inner = width - 2 * Margin;
        all.heads.append(QRectF(left, Margin, inner, headHeight() - Margin));
        QList<int> here;
        for (int i = 0; i < m_snapshot.participants.size(); ++i) {
            if (m_snapshot.participants[i].group == group)
                here.append(i);
        }
        QList<const LabNode *> nodes;
        for (const LabNode &node : m_snapshot.nodes) {
            if (node.group == group)
                nodes.append(&node);
        }
        std::stable_partition(nodes.begin(), nodes.end(), [](const LabNode *node) { return node->isEphemeral; });
        const qsizetype rows = std::max<qsizetype>({1, here.size(), nodes.size()});
        const qreal least = 2 * fontMetrics().height() + 2;
        const qreal step = std::clamp<qreal>(room / qreal(rows), least + Between, WidestStep);
        const qreal box = std::min<qreal>(step - Between, TallestBox);
        const qreal nodeWidth = std::min<qreal>(inner * 0.31, WidestNode);
        const qreal boxWidth = std::min<qreal>(inner - nodeWidth - NarrowestGap, WidestBox);
        const qreal gap = std::min<qreal>(inner - boxWidth - nodeWidth, WidestGap);
        const qreal begin = left + (inner - boxWidth - nodeWidth - gap) / 2;
        for (qsizetype i = 0; i < here.size(); ++i)
            all.participants[here[i]] = QRectF(begin, headHeight() + qreal(i) * step, boxWidth, box);
        for (qsizetype i = 0; i < nodes.size(); ++i)
            all.nodes.insert(nodes[i]->path,
                             QRectF(begin + boxWidth + gap, headHeight() + qreal(i) * step, nodeWidth, box));
    }
    return all;
}

void LabPicture::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Places all = places();
    if (all.heads.size() == 2) {
        painter.setPen(gridColor(palette()));
        painter.drawLine(QPointF(width() / 2.0, Margin), QPointF(width() / 2.0, height() - Margin));
    }
    for (int group = 0; group < all.heads.size(); ++group)
        paintHead(painter, all.heads[group], group);
    paintLinks(painter, all);
    for (const LabNode &node : std::as_const(m_snapshot.nodes))
        paintNode(painter, all.nodes.value(node.path), node);
    for (int i = 0; i < all.participants.size(); ++i)
        paintParticipant(painter, all.participants[i], i);
    painter.setPen(mutedText(palette()));
    drawElided(
        painter,
        QRectF(Margin, height() - fontMetrics().height() - Margin / 2.0, width() - 2 * Margin, fontMetrics().height()),
        tr("Line: owns. Arrow: watches (its own znode: not drawn)."));
}

void LabPicture::paintHead(QPainter &painter, const QRectF &place, int group) const
{
    const LabGroup &counted = m_snapshot.groups[group];
    const int line = fontMetrics().height();
    QRectF row(place.left(), place.top(), place.width(), line);
    const auto write = [&](const QStringList &parts, const QColor &color, bool isBold) {
        QFont font = this->font();
        font.setBold(isBold);
        painter.setFont(font);
        painter.setPen(color);
        drawParts(painter, row, parts);
        row.translate(0, line + 1);
    };
    const QColor plain = palette().color(QPalette::Text);
    write({m_lesson.groups[group].title}, plain, true);
    write({releaseText(counted)}, counted.wokenByLast > 2 ? toneColor(Tone::Bad, palette()) : plain, false);
    write(sumParts(counted), mutedText(palette()), false);
    if (m_lesson.groups[group].writes)
        write(recordParts(counted), counted.records.torn > 0 ? toneColor(Tone::Bad, palette()) : plain, false);
    painter.setFont(font());
}

void LabPicture::paintParticipant(QPainter &painter, const QRectF &place, int participant) const
{
    const LabParticipant &shown = m_snapshot.participants[participant];
    const QList<CodeLine> &code = m_lesson.groups[shown.group].code;
    const QColor color = toneColor(stateTone(shown, code), palette());
    const qreal radius = 8;
    if (isLit(participant)) {
        QColor halo = toneColor(Tone::Busy, palette());
        const qreal age = m_isAnimated ? qreal(m_clock.elapsed() - m_woken.value(participant)) / Halo : 0;
        halo.setAlphaF(float(0.55 * (1 - age)));
        painter.setPen(Qt::NoPen);
        painter.setBrush(halo);
        painter.drawRoundedRect(place.adjusted(-5, -5, 5, 5), radius + 5, radius + 5);
    }
    const bool isSelected = participant == m_selected;
    QColor fill = color;
    fill.setAlphaF(shown.runs() ? 0.14F : 0.04F);
    painter.setBrush(palette().color(QPalette::Base));
    painter.setPen(Qt::NoPen);
    painter.drawRoundedRect(place, radius, radius);
    painter.setBrush(fill);
    painter.setPen(QPen(color, isSelected ? 2.5 : 1.3, shown.life == Life::Running ? Qt::SolidLine : Qt::DashLine));
    painter.drawRoundedRect(place, radius, radius);
    if (isSelected && hasFocus()) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(palette().color(QPalette::Highlight), 1.5));
        painter.drawRoundedRect(place.adjusted(-3, -3, 3, 3), radius + 3, radius + 3);
    }
    const int line = fontMetrics().height();
    QRectF row(place.left() + BoxInset, place.center().y() - line, place.width() - 2 * BoxInset, line);
    QFont bold = font();
    bold.setBold(true);
    painter.setFont(bold);
    painter.setPen(palette().color(QPalette::Text));
    painter.drawText(row, Qt::AlignVCenter, shown.name);
    const qreal after = QFontMetricsF(bold).horizontalAdvance(shown.name) + 6;
    painter.setFont(font());
    painter.setPen(color);
    const QString state = stateText(shown, code);
    drawElided(painter, row.adjusted(after, 0, 0, 0), shown.role.isEmpty() ? state : shown.role + u", "_qs + state);
    painter.setPen(mutedText(palette()));
    drawParts(painter, row.translated(0, line), countParts(shown));
}

void LabPicture::paintNode(QPainter &painter, const QRectF &place, const LabNode &node) const
{
    const bool isOwned = node.owner >= 0;
    const Tone tone =
        isOwned ? stateTone(m_snapshot.participants[node.owner], m_lesson.groups[node.group].code) : Tone::Muted;
    painter.setBrush(palette().color(QPalette::Window));
    painter.setPen(QPen(toneColor(tone, palette()), 1.3, node.isEphemeral ? Qt::SolidLine : Qt::DotLine));
    painter.drawRect(place);
    const int line = fontMetrics().height();
    const QRectF row(place.left() + BoxInset, place.center().y() - line, place.width() - 2 * BoxInset, line);
    painter.setPen(palette().color(QPalette::Text));
    drawElided(painter, row, shortNodeName(node.name));
    painter.setPen(mutedText(palette()));
    const QString about = isOwned ? tr("of %1", "a participant").arg(m_snapshot.participants[node.owner].name)
        : node.isEphemeral        ? tr("of an ended process")
                                  : tr("persistent");
    drawElided(painter, row.translated(0, line), about);
}

void LabPicture::paintLinks(QPainter &painter, const Places &all) const
{
    const auto link = [&](int participant, const QByteArray &path, qreal up, const QPen &pen, bool hasHead) {
        const QRectF to = all.nodes.value(path);
        const QRectF from = all.participants.value(participant);
        if (to.isEmpty() || from.isEmpty())
            return;
        const QPointF begin(from.right(), from.center().y() + up);
        const QPointF end(to.left() - 1, to.center().y() + up);
        const qreal bend = (end.x() - begin.x()) / 2;
        QPainterPath curve(begin);
        curve.cubicTo(begin + QPointF(bend, 0), end - QPointF(bend, 0), end);
        painter.setBrush(Qt::NoBrush);
        painter.setPen(pen);
        painter.drawPath(curve);
        if (hasHead) {
            painter.setPen(Qt::NoPen);
            painter.setBrush(pen.color());
            painter.drawPath(arrowHead(end, 0, HeadSize, HeadSpread));
        }
    };
    for (const LabNode &node : m_snapshot.nodes) {
        if (node.owner >= 0) {
            const bool holds = m_snapshot.participants[node.owner].phase == LabParticipant::Phase::Holding;
            const QColor color = toneColor(holds ? Tone::Good : Tone::Muted, palette());
            link(node.owner, node.path, -6, QPen(color, holds ? 2 : 1.2), false);
        }
    }
    QList<LabWatch> watches = m_snapshot.watches;
    for (int i = 0; i < m_snapshot.participants.size(); ++i) {
        const LabParticipant &each = m_snapshot.participants[i];
        for (const QByteArray &path : each.listed) {
            if (each.runs() && each.isConnected)
                watches.append({i, path});
        }
    }
    for (const LabWatch &watch : std::as_const(watches)) {
        const auto isOwn = [&](const LabNode &node) {
            return node.path == watch.path && node.owner == watch.participant;
        };
        if (std::ranges::any_of(m_snapshot.nodes, isOwn))
            continue;
        const Tone tone = watch.participant == m_selected ? Tone::Busy : Tone::Waiting;
        link(watch.participant, watch.path, 6, QPen(toneColor(tone, palette()), 1.4, Qt::DashLine), true);
    }
}

void LabPicture::mousePressEvent(QMouseEvent *event)
{
    const Places all = places();
    for (int i = 0; i < all.participants.size(); ++i) {
        if (all.participants[i].contains(event->position()))
            select(i);
    }
}

void LabPicture::keyPressEvent(QKeyEvent *event)
{
    int next = m_selected;
    if (event->key() == Qt::Key_Down)
        ++next;
    else if (event->key() == Qt::Key_Up)
        --next;
    else if (event->key() == Qt::Key_Left || event->key() == Qt::Key_Right) {
        const int group = event->key() == Qt::Key_Left ? 0 : 1;
        const auto first = std::ranges::find_if(m_snapshot.participants,
                                                [&](const LabParticipant &each) { return each.group == group; });
        next = int(first - m_snapshot.participants.begin());
    } else {
        QWidget::keyPressEvent(event);
        return;
    }
    select(next);
}

bool LabPicture::event(QEvent *event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto *const help = static_cast<QHelpEvent *>(event);
    const Places all = places();
    QString text;
    for (int i = 0; i < all.participants.size(); ++i) {
        if (all.participants[i].contains(help->pos()))
            text = describe(m_snapshot.participants[i]);
    }
    for (const LabNode &node : std::as_const(m_snapshot.nodes)) {
        if (all.nodes.value(node.path).contains(help->pos()))
            text = QString::fromUtf8(node.path);
    }
    QToolTip::showText(help->globalPos(), plainToolTip(text), this);
    return true;
}

} // namespace drover::gui
