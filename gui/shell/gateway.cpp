#include "gui/shell/gateway.h"

#include "text/printable.h"

namespace drover::gui {

void Gateway::showState(const ConnectionState &state)
{
    if (state.session == m_session)
        return;
    m_session = state.session;
    Q_EMIT changed();
}

void Gateway::setEditing(bool editing)
{
    if (editing == std::exchange(m_editing, editing))
        return;
    Q_EMIT changed();
}

QString Gateway::refusal(const trust::Need &need) const
{
    if (!m_editing)
        return tr("The console is read-only here: switch editing on first (Ctrl+E).");
    return roleRefusal(need);
}

QString Gateway::roleRefusal(const trust::Need &need) const
{
    if (m_session.user.isEmpty())
        return need.role ? refusalToNobody() : QString();
    if (need.isMetBy(m_session.roles))
        return {};
    const QString why = text::printable(need.refusalOf(m_session.user, m_session.roles));
    return why.first(1).toUpper() + why.mid(1) + u'.';
}

// Without credentials of the cluster. An open one asks for none.
QString Gateway::refusalToNobody() const
{
    const bool isClosed = m_session.access == ClusterAccess::Closed || m_session.access == ClusterAccess::Refused;
    if (!isClosed && !m_session.isPasswordGiven)
        return {};
    if (m_session.passwordUser.isEmpty())
        return tr("This cluster is closed to those without credentials: the console is read-only there.");
    if (m_session.access == ClusterAccess::Open)
        return tr("The password of the ZooKeeper user “%1” is for other znodes. The cluster is open: connect without "
                  "the password to change it.")
            .arg(text::printable(m_session.passwordUser));
    return tr("The ZooKeeper user “%1” has no credentials of the cluster: the console is read-only there.")
        .arg(text::printable(m_session.passwordUser));
}

bool Gateway::allows(const trust::Need &need) const
{
    const QString why = refusal(need);
    if (!why.isEmpty())
        Q_EMIT refused(why);
    return why.isEmpty();
}

} // namespace drover::gui
