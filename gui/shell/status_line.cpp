#include "gui/shell/status_line.h"

#include "gui/text/format.h"
#include "gui/widgets/announce.h"
#include "gui/widgets/plain_text.h"
#include "gui/widgets/theme.h"
#include "text/printable.h"
#include "text/quantity.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>

#include <iterator>

namespace drover::gui {

using Phase = SessionStatus::Phase;

namespace {

struct PhaseLook {
    const char *text;
    Tone tone;
};

// In the order of SessionStatus::Phase.
constexpr PhaseLook Phases[]{
    {QT_TRANSLATE_NOOP("drover::gui::StatusLine", "Disconnected"), Tone::Muted},
    {QT_TRANSLATE_NOOP("drover::gui::StatusLine", "Connecting…"), Tone::Busy},
    {QT_TRANSLATE_NOOP("drover::gui::StatusLine", "Connected"), Tone::Good},
    {QT_TRANSLATE_NOOP("drover::gui::StatusLine", "Suspended"), Tone::Waiting},
    {QT_TRANSLATE_NOOP("drover::gui::StatusLine", "Session lost"), Tone::Bad},
    {QT_TRANSLATE_NOOP("drover::gui::StatusLine", "Failed"), Tone::Bad},
};
static_assert(std::size(Phases) == std::size_t(Phase::Failed) + 1);

// "alice: submit and viewer"; "open cluster".
QStringList identity(const ConnectionState &state)
{
    const SessionStatus &status = state.session;
    QStringList parts;
    if (!status.user.isEmpty())
        parts << StatusLine::tr("%1: %2", "user, roles").arg(status.user, trust::rolesText(status.roles));
    else if (!status.passwordUser.isEmpty())
        parts << StatusLine::tr("ZooKeeper user %1").arg(text::printable(status.passwordUser));
    if (state.isOpen())
        parts << StatusLine::tr("open cluster");
    if (parts.isEmpty() && status.access != ClusterAccess::Unknown)
        parts << StatusLine::tr("no credentials");
    return parts;
}

// "alice: submit, session 0x…, 10 s time-out, server …", as far as it is known.
QString details(const ConnectionState &state)
{
    const SessionStatus &status = state.session;
    QStringList parts;
    if (status.phase == Phase::Connected)
        parts << identity(state);
    if (status.sessionId != 0 && status.phase != Phase::Disconnected) {
        parts << StatusLine::tr("session %1").arg(formatHex(status.sessionId));
        parts << StatusLine::tr("time-out %1").arg(text::formatDuration(status.timeout));
    }
    if (!status.server.isEmpty() && status.phase == Phase::Connected)
        parts << StatusLine::tr("server %1").arg(status.server);
    return parts.join(QStringLiteral("  ·  "));
}

// "0.4 ms", "85 ms"
QString latencyText(std::chrono::microseconds latency)
{
    const double ms = double(latency.count()) / 1000;
    return StatusLine::tr("%1 ms").arg(ms, 0, 'f', ms < 10 ? 1 : 0);
}

} // namespace

StatusLine::StatusLine(QWidget *parent)
    : QWidget(parent), m_dot(plainLabel()), m_phase(plainLabel()), m_details(elidingLabel()), m_asOf(plainLabel()),
      m_latency(plainLabel()), m_watches(plainLabel()), m_news(elidingLabel())
{
    QFont bold = m_phase->font();
    bold.setBold(true);
    m_phase->setFont(bold);
    m_details->setForegroundRole(QPalette::PlaceholderText);
    m_details->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_latency->setToolTip(tr("How long the server took for the last answer, and the way there and back"));
    m_watches->setToolTip(tr("ZooKeeper tells the console about each change of this many nodes."));

    auto *const row = new QHBoxLayout(this);
    row->setContentsMargins(10, 4, 12, 4);
    row->setSpacing(7);
    row->addWidget(m_dot);
    row->addWidget(m_phase);
    row->addWidget(m_asOf);
    row->addSpacing(6);
    row->addWidget(m_details);
    row->addStretch(1);
    row->addWidget(m_news);
    row->addSpacing(10);
    row->addWidget(m_latency);
    row->addSpacing(10);
    row->addWidget(m_watches);
    m_newsEnd.setSingleShot(true);
    connect(&m_newsEnd, &QTimer::timeout, m_news, &QLabel::clear);
    showState({});
}

QString StatusLine::phaseText(Phase phase)
{
    return tr(Phases[std::size_t(phase)].text);
}

Tone StatusLine::phaseTone(Phase phase)
{
    return Phases[std::size_t(phase)].tone;
}

void StatusLine::showState(const ConnectionState &state)
{
    m_state = state;
    const QString phase = phaseText(state.session.phase);
    const bool isNews = !m_phase->text().isEmpty() && phase != m_phase->text();
    m_phase->setText(phase);
    m_dot->setAccessibleName(phase);
    m_asOf->setText(state.isStale() ? tr("as of %1").arg(state.asOf) : QString());
    m_details->setText(details(state));
    m_details->setToolTip(plainToolTip(details(state)));
    m_watches->setVisible(state.isConnected());
    m_latency->setVisible(state.isConnected());
    if (!state.isConnected())
        m_latency->clear(); // another server answers next
    paintDot();
    if (isNews)
        announce(*m_phase);
}

void StatusLine::addPart(QWidget *part)
{
    auto *const row = static_cast<QHBoxLayout *>(layout());
    row->addSpacing(10);
    row->addWidget(part);
}

void StatusLine::say(const QString &text, std::chrono::milliseconds duration)
{
    m_news->setText(text);
    m_news->setToolTip(plainToolTip(text));
    m_newsEnd.start(duration);
    if (!text.endsWith(u'…')) // progress comes many times a second
        announce(*m_news);
}

void StatusLine::showWatches(int watches, int budget)
{
    m_watches->setText(tr("Watches: %1 of %2").arg(text::formatCount(watches), text::formatCount(budget)));
}

void StatusLine::showLatency(std::chrono::microseconds latency)
{
    m_latency->setText(latencyText(latency));
}

void StatusLine::paintDot()
{
    m_dot->setPixmap(dot(toneColor(phaseTone(m_state.session.phase), palette()), devicePixelRatioF()));
}

void StatusLine::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::PaletteChange)
        paintDot();
    QWidget::changeEvent(event);
}

void StatusLine::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setPen(gridColor(palette()));
    painter.drawLine(0, 0, width(), 0);
}

} // namespace drover::gui
