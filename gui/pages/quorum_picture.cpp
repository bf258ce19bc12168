#include "gui/pages/quorum_picture.h"

#include "gui/models/ensemble_history.h"
#include "gui/models/ensemble_model.h"
#include "gui/widgets/theme.h"
#include "text/printable.h"

#include <QPainter>

#include <algorithm>

namespace drover::gui {

namespace {

using Role = zk::ServerReport::Role;

constexpr int Radius = 13;
constexpr int Padding = 12;
constexpr int MostNodes = 12;

} // namespace

QuorumPicture::QuorumPicture(const EnsembleModel &model, const EnsembleHistory &history, QWidget *parent)
    : QWidget(parent), m_model(model), m_history(history)
{
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    connect(&model, &EnsembleModel::shown, this, &QuorumPicture::describe);
    connect(&history, &EnsembleHistory::sampled, this, qOverload<>(&QWidget::update));
    describe();
}

void QuorumPicture::setStale(bool stale)
{
    m_stale = stale;
    update();
}

QSize QuorumPicture::minimumSizeHint() const
{
    return {240, 2 * Padding + 2 * Radius + 3 * fontMetrics().height() + 14};
}

// For those who do not see it.
void QuorumPicture::describe()
{
    QStringList parts{m_model.summary()};
    for (const zk::ServerReport &server : m_model.now().servers)
        parts << tr("%1: %2", "server, role")
                     .arg(text::printable(server.address.toString()), EnsembleModel::roleText(server));
    parts.removeAll(QString());
    setAccessibleName(tr("The quorum"));
    setAccessibleDescription(parts.join(u'\n'));
    update();
}

// Evenly spaced: those that are named, and then the other voters.
std::vector<QuorumPicture::Node> QuorumPicture::nodes() const
{
    std::vector<Node> nodes;
    const std::vector<zk::ServerReport> &servers = m_model.now().servers;
    int voters = 0;
    for (std::size_t i = 0; i < servers.size() && nodes.size() < MostNodes; ++i) {
        voters += servers[i].role == Role::Observer ? 0 : 1;
        nodes.push_back({&servers[i], m_history.names().value(qsizetype(i)), {}, int(i)});
    }
    for (; voters < m_model.now().majority.voters && nodes.size() < MostNodes; ++voters)
        nodes.push_back({nullptr, tr("not named", "a server"), {}, 0});
    const qreal step = qreal(width() - 2 * Padding) / qreal(std::max<std::size_t>(nodes.size(), 1));
    for (std::size_t i = 0; i < nodes.size(); ++i)
        nodes[i].center = {Padding + step * (qreal(i) + 0.5), qreal(Padding + Radius)};
    return nodes;
}

void QuorumPicture::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const std::vector<Node> all = nodes();
    if (all.empty())
        return;
    const auto leader = std::find_if(all.begin(), all.end(),
                                     [](const Node &node) { return node.server && node.server->role == Role::Leader; });
    if (leader != all.end()) {
        painter.setPen(QPen(m_stale ? gridColor(palette()) : toneColor(Tone::Muted, palette()), 2));
        for (const Node &node : all) {
            if (node.server && (node.server->role == Role::Follower || node.server->role == Role::Observer))
                painter.drawLine(leader->center, node.center);
        }
    }
    const qreal width = qreal(this->width() - 2 * Padding) / qreal(all.size());
    for (const Node &node : all)
        paintNode(painter, node, width);
    const bool isWell = m_model.health() == Tone::Good;
    const QColor color = isWell ? palette().color(QPalette::Text) : toneColor(m_model.health(), palette());
    painter.setPen(m_stale ? mutedText(palette()) : color);
    const int line = fontMetrics().height();
    const QRectF below(Padding, this->height() - Padding - line + 4, this->width() - 2 * Padding, line);
    painter.drawText(below, Qt::AlignCenter,
                     fontMetrics().elidedText(m_model.summary(), Qt::ElideRight, int(below.width())));
}

void QuorumPicture::paintNode(QPainter &painter, const Node &node, qreal width) const
{
    const bool serves = node.server && node.server->serves();
    const Tone tone = node.server ? EnsembleModel::roleTone(*node.server) : Tone::Muted;
    const QColor color = m_stale ? mutedText(palette()) : toneColor(tone, palette());
    painter.setPen(QPen(color, 2, serves ? Qt::SolidLine : Qt::DashLine));
    painter.setBrush(serves ? color : palette().color(QPalette::Base));
    const QRectF around(node.center.x() - Radius, node.center.y() - Radius, 2 * Radius, 2 * Radius);
    if (node.server && node.server->role == Role::Observer)
        painter.drawRoundedRect(around, 4, 4);
    else
        painter.drawEllipse(around);
    const auto write = [&](const QString &text, qreal top, const QColor &pen) {
        const QRectF line(node.center.x() - width / 2 + 4, top, width - 8, fontMetrics().height());
        painter.setPen(pen);
        painter.drawText(line, Qt::AlignCenter, fontMetrics().elidedText(text, Qt::ElideMiddle, int(line.width())));
    };
    const qreal top = node.center.y() + Radius + 4;
    const QColor plain = palette().color(QPalette::Text);
    write(node.name, top, m_stale || !node.server ? mutedText(palette()) : plain);
    if (node.server)
        write(EnsembleModel::roleText(*node.server), top + fontMetrics().height(),
              m_stale ? mutedText(palette()) : color);
}

} // namespace drover::gui
