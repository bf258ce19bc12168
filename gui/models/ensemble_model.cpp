#include "gui/models/ensemble_model.h"

#include "gui/text/format.h"
#include "text/printable.h"
#include "text/quantity.h"

#include <iterator>

namespace drover::gui {

namespace {

using Report = zk::ServerReport;

struct RoleLook {
    const char *text;
    Tone tone;
};

// In the order of Report::Role.
constexpr RoleLook Roles[]{
    {QT_TRANSLATE_NOOP("drover::gui::EnsembleModel", "Leader"), Tone::Busy},
    {QT_TRANSLATE_NOOP("drover::gui::EnsembleModel", "Follower"), Tone::Good},
    {QT_TRANSLATE_NOOP("drover::gui::EnsembleModel", "Observer, no vote"), Tone::Muted},
    {QT_TRANSLATE_NOOP("drover::gui::EnsembleModel", "Alone"), Tone::Good},
    {QT_TRANSLATE_NOOP("drover::gui::EnsembleModel", "No majority"), Tone::Bad},
    {QT_TRANSLATE_NOOP("drover::gui::EnsembleModel", "May not be asked"), Tone::Waiting},
    {QT_TRANSLATE_NOOP("drover::gui::EnsembleModel", "No ZooKeeper"), Tone::Bad},
    {QT_TRANSLATE_NOOP("drover::gui::EnsembleModel", "No answer"), Tone::Bad},
};
static_assert(std::size(Roles) == std::size_t(Report::Role::Silent) + 1);

std::optional<qint64> numberIn(const Report &server, int column, quint64 newest)
{
    switch (column) {
    case EnsembleModel::Connections:
        return server.number("srvr", "Connections");
    case EnsembleModel::Watches:
        return server.number("mntr", "zk_watch_count");
    case EnsembleModel::Znodes:
        return server.number("srvr", "Node count");
    case EnsembleModel::Outstanding:
        return server.number("srvr", "Outstanding");
    case EnsembleModel::Lag:
        return server.lagBehind(newest);
    default:
        return std::nullopt;
    }
}

} // namespace

// In the order of Column.
EnsembleModel::EnsembleModel(QObject *parent)
    : SnapshotModel({{tr("Server")},
                     {tr("Role")},
                     {tr("Version")},
                     {tr("Latency", "of a server"), Qt::AlignRight},
                     {tr("Connections"), Qt::AlignRight},
                     {tr("Watches"), Qt::AlignRight},
                     {tr("Znodes"), Qt::AlignRight},
                     {tr("Outstanding"), Qt::AlignRight},
                     {tr("Behind", "transactions that a server lacks"), Qt::AlignRight},
                     {tr("Zxid")},
                     {tr("Trouble")}},
                    parent)
{
}

void EnsembleModel::show(const EnsembleSnapshot &ensemble)
{
    m_now = ensemble;
    const quint64 newest = zk::newestZxid(ensemble.servers);
    const bool isNewer = newest != std::exchange(m_newest, newest);
    apply(QList<Report>(ensemble.servers.begin(), ensemble.servers.end()));
    if (isNewer)
        touchColumn(Lag);
    Q_EMIT shown();
}

QString EnsembleModel::summary() const
{
    const zk::Majority &majority = m_now.majority;
    if (m_now.servers.empty())
        return {};
    if (majority.voters == 1 && majority.isServed)
        return tr("One server alone: nothing works while it is down.");
    if (majority.voters == 1)
        return tr("The only voting server is down.");
    return tr("%1 of %2 voting servers are up; %3 are needed.")
        .arg(majority.serving)
        .arg(majority.voters)
        .arg(majority.needed());
}

QStringList EnsembleModel::namesOfAway() const
{
    QStringList names;
    for (const Report &server : m_now.servers) {
        if (!server.serves() && server.role != Report::Role::Unknown)
            names << server.address.toString();
    }
    return names;
}

QString EnsembleModel::warning() const
{
    const zk::Majority &majority = m_now.majority;
    const QStringList names = namesOfAway();
    const QString away = names.isEmpty() ? QString() : tr(" Away: %1.").arg(text::printable(names.join(u", ")));
    if (m_now.servers.empty())
        return {};
    const bool mayNotAsk = std::any_of(m_now.servers.begin(), m_now.servers.end(),
                                       [](const Report &server) { return server.role == Report::Role::Unknown; });
    if (!majority.isServed && mayNotAsk && names.isEmpty())
        return tr("The servers forbid to ask how they are: nothing is known of the quorum. Let "
                  "4lw.commands.whitelist have srvr, mntr and conf.");
    if (!majority.isServed && majority.voters == 1)
        return summary() + tr(" Start it.") + away;
    if (!majority.isServed)
        return tr("The quorum is lost: %1 Start the others.").arg(summary()) + away;
    if (majority.serving >= majority.voters)
        return {};
    if (majority.mayFail() == 0)
        return tr("One more loss ends the quorum: %1").arg(summary()) + away;
    return summary() + tr(" %1 more may fail.").arg(majority.mayFail()) + away;
}

Tone EnsembleModel::health() const
{
    if (warning().isEmpty())
        return Tone::Good;
    return m_now.majority.isServed || namesOfAway().isEmpty() ? Tone::Waiting : Tone::Bad;
}

QString EnsembleModel::roleText(const Report &server)
{
    return tr(Roles[std::size_t(server.role)].text);
}

Tone EnsembleModel::roleTone(const Report &server)
{
    return Roles[std::size_t(server.role)].tone;
}

QString EnsembleModel::troubleOf(const Report &server) const
{
    QStringList parts;
    if (!server.trouble.isEmpty())
        parts << text::printable(server.trouble);
    if (server.serves() && !server.forbidden.isEmpty())
        parts << tr("its whitelist forbids %1").arg(QString::fromLatin1(server.forbidden.join(", ")));
    const auto well = server.answers.find("ruok");
    if (server.serves() && well != server.answers.end() && well->second.trimmed() != "imok")
        parts << tr("it does not say that it is well");
    return parts.join(u"; ");
}

QVariant EnsembleModel::text(const Report &server, int column) const
{
    switch (column) {
    case Server:
        return text::printable(server.address.toString());
    case Role:
        return roleText(server);
    case Version:
        return text::printable(server.version());
    case Latency:
        return server.latency() ? tr("%1 ms").arg(*server.latency(), 0, 'f', 1) : QString();
    case Zxid:
        return server.zxid() ? formatHex(qint64(*server.zxid())) : QString();
    case Trouble:
        return troubleOf(server);
    default:
        const std::optional<qint64> number = numberIn(server, column, m_newest);
        return number ? text::formatCount(*number) : QString();
    }
}

QVariant EnsembleModel::cell(const Report &server, int column, int role) const
{
    switch (role) {
    case Qt::DisplayRole:
        return text(server, column);
    case Qt::ToolTipRole:
        return column == Trouble ? plainToolTip(troubleOf(server)) : QString();
    case MonospaceRole:
        return column == Zxid;
    case ToneRole:
        if (column == Role || column == Trouble)
            return int(column == Trouble && server.serves() ? Tone::Waiting : roleTone(server));
        return {};
    case EntitiesRole:
        return QVariant::fromValue(QList<EntityRef>{{EntityRef::Kind::Server, server.address.toString().toUtf8()}});
    case SortRole:
        if (column == Latency)
            return server.latency().value_or(-1);
        if (column >= Connections && column <= Lag)
            return numberIn(server, column, m_newest).value_or(-1);
        return text(server, column);
    }
    return {};
}

} // namespace drover::gui
