#include "gui/shell/known_connections.h"

#include <QSettings>

#include <algorithm>

namespace drover::gui {

Connection &KnownConnections::use(const Target &target)
{
    const auto known =
        std::find_if(m_all.begin(), m_all.end(), [&](const Connection &one) { return one.target == target; });
    if (known != m_all.end())
        std::rotate(m_all.begin(), known, known + 1);
    else
        m_all.prepend({target});
    m_all.resize(std::min(m_all.size(), Most));
    return m_all.front();
}

bool KnownConnections::isInKeyring(const Target &target) const
{
    return std::any_of(m_all.begin(), m_all.end(),
                       [&](const Connection &one) { return one.target == target && one.isInKeyring; });
}

void KnownConnections::setInKeyring(const Target &target, bool isThere)
{
    for (Connection &one : m_all) {
        if (one.target == target)
            one.isInKeyring = isThere;
    }
}

void KnownConnections::saveTo(QSettings &settings) const
{
    settings.remove(QStringLiteral("connections"));
    settings.beginWriteArray(QStringLiteral("connections"), int(m_all.size()));
    for (int i = 0; i < m_all.size(); ++i) {
        settings.setArrayIndex(i);
        settings.setValue(QStringLiteral("servers"), m_all[i].target.connect);
        settings.setValue(QStringLiteral("cluster"), m_all[i].target.cluster);
        settings.setValue(QStringLiteral("editing"), m_all[i].isEditing);
        settings.setValue(QStringLiteral("color"), colorName(m_all[i].color));
        settings.setValue(QStringLiteral("keyring"), m_all[i].isInKeyring);
    }
    settings.endArray();
}

void KnownConnections::restoreFrom(QSettings &settings)
{
    m_all.clear();
    const auto count = std::min<qsizetype>(settings.beginReadArray(QStringLiteral("connections")), Most);
    for (int i = 0; i < count; ++i) {
        settings.setArrayIndex(i);
        const Target target{settings.value(QStringLiteral("servers")).toString(),
                            settings.value(QStringLiteral("cluster")).toByteArray()};
        if (!target.connect.isEmpty() && !target.cluster.isEmpty())
            m_all.append({target, settings.value(QStringLiteral("editing")).toBool(),
                          colorNamed(settings.value(QStringLiteral("color")).toString()),
                          settings.value(QStringLiteral("keyring")).toBool()});
    }
    settings.endArray();
}

} // namespace drover::gui
