#include "zk/client/server_names.h"

#include <QStringList>

#include <algorithm>

namespace drover::zk {

void ServerNames::set(ServerList names)
{
    m_names = std::move(names);
    lookUp();
}

void ServerNames::refresh(async::Duration pause)
{
    if (m_addresses != m_names && m_loop.now() - m_lookedUpAt > pause)
        lookUp();
}

QString ServerNames::trouble(const QString &failure) const
{
    QStringList tried;
    for (const ServerAddress &server : m_addresses)
        tried.append(server.toString());
    QStringList parts;
    if (m_addresses == m_names && !failure.isEmpty())
        parts.append(failure);
    else if (!tried.isEmpty() && !failure.isEmpty())
        parts.append(QStringLiteral("tried %1; %2").arg(tried.join(u", "), failure));
    if (!m_lastLookup.trouble.isEmpty())
        parts.append(m_lastLookup.trouble);
    return parts.join(u"; ");
}

void ServerNames::lookUp()
{
    m_lookedUpAt = m_loop.now();
    if (std::all_of(m_names.begin(), m_names.end(), [](const ServerAddress &name) { return name.isNumeric(); })) {
        finish({m_names, {}, {}});
        return;
    }
    if (std::exchange(m_lookingUp, true))
        return;
    const auto lookup = std::make_shared<Resolved>();
    m_loop.offload([names = m_names, last = m_lastLookup, lookup] { *lookup = resolve(names, last); },
                   m_guard.wrap([this, names = m_names, lookup] {
                       m_lookingUp = false;
                       if (m_names == names)
                           finish(std::move(*lookup));
                       else
                           lookUp(); // set() has been called meanwhile
                   }));
}

void ServerNames::finish(Resolved lookup)
{
    m_lastLookup = std::move(lookup);
    const ServerList &found = m_lastLookup.servers;
    // Many name servers give the addresses in another order each time; that is no reason to leave a server.
    if (found.empty() || std::is_permutation(m_addresses.begin(), m_addresses.end(), found.begin(), found.end()))
        return;
    m_addresses = found;
    m_changed(found);
}

} // namespace drover::zk
