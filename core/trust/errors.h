#pragma once

#include <QString>

#include <stdexcept>

namespace drover::trust {

// A text is not trusted: its signature, its certificate, or what the certificate allows does not fit. The message says
// why, in a few words that follow "refused: ".
class Untrusted : public std::runtime_error
{
public:
    explicit Untrusted(const QString &why) : std::runtime_error(why.toStdString()) { }
};

// A revocation list that is older than one that was seen before.
class Outdated : public Untrusted
{
public:
    using Untrusted::Untrusted;
};

// A credentials file or a key cannot be used: damaged, or readable by other users. The message is one line that names
// the file and what to do, and holds no secret.
class BadCredentials : public std::runtime_error
{
public:
    explicit BadCredentials(const QString &why) : std::runtime_error(why.toStdString()) { }
};

// Throws BadCredentials unless a part of a file is as it must be; `what` names the part.
inline void requireIntact(bool isMet, const char *what)
{
    if (!isMet)
        throw BadCredentials(QStringLiteral("damaged: %1").arg(QLatin1StringView(what)));
}

} // namespace drover::trust
