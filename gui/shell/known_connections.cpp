#include "gui/shell/known_connections.h"

#include <QSettings>

#include <algorithm>

namespace drover::gui {

Connection &KnownConnections::use(const Target &target)
{
    const auto known = std::ranges::find_if(m_all, [&](const Connection &one) { return one.target == target; });
    if (known != m_all.end())
        std::rotate(m_all.begin(), known, known + 1);
    else
        m_all.prepend({target});
    forgetOldest();
    return m_all.front();
}

void KnownConnections::forgetOldest()
{
    for (qsizetype i = m_all.size(); i-- > 1 && m_all.size() > Most;) {
        if (!m_all[i].isInKeyring)
            m_all.removeAt(i);
    }
}

bool KnownConnections::isInKeyring(const Target &target) const
{
    return std::ranges::any_of(m_all, [&](const Connection &one) { return one.target == target && one.isInKeyring; });
}

void KnownConnections::setInKeyring(const Target &target, bool isThere)
{
    if (!m_decided.contains(target))
        m_decided.append(target);
    for (Connection &one : m_all) {
        if (one.target == target)
            one.isInKeyring = isThere;
    }
}

void KnownConnections::takeOver(const KnownConnections &stored)
{
    for (const Connection &one : stored.m_all) {
        const auto known =
            std::ranges::find_if(m_all, [&](const Connection &ours) { return ours.target == one.target; });
        if (known == m_all.end())
            m_all.append(one);
        else if (!m_decided.contains(one.target))
            known->isInKeyring = one.isInKeyring;
    }
    forgetOldest();
}

void KnownConnections::saveTo(QSettings &settings) const
{
    settings.sync();
    KnownConnections stored;
    stored.restoreFrom(settings);
    KnownConnections all = *this;
    all.takeOver(stored);
    all.writeTo(settings);
    settings.sync(); // at once: the program may be killed
}

void KnownConnections::writeTo(QSettings &settings) const
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
    const int count = settings.beginReadArray(QStringLiteral("connections"));
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
    forgetOldest();
}

} // namespace drover::gui
