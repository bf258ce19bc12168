#include "recipes/locks/outer_owners.h"

#include <algorithm>

namespace drover::recipes {

namespace {

const QByteArray Within = QByteArrayLiteral("; within ");

bool isWord(const QByteArray &about)
{
    return std::all_of(about.begin(), about.end(), [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '_'
            || c == '-';
    });
}

// Of session 0 if it is malformed.
OuterOwner parseOwner(const QByteArray &text)
{
    const qsizetype space = text.indexOf(' ');
    const QByteArray session = text.first(space < 0 ? text.size() : space);
    const QByteArray about = space < 0 ? QByteArray() : text.mid(space + 1);
    bool ok = false;
    const auto number = session.mid(2).toULongLong(&ok, 16);
    if (!ok || !session.startsWith("0x") || !isWord(about))
        return {};
    return {static_cast<zk::SessionId>(number), about};
}

qsizetype ownersAt(const QByteArray &data)
{
    const qsizetype at = data.lastIndexOf(Within);
    return at < 0 || parseOwners(data.mid(at + Within.size())).isEmpty() ? data.size() : at;
}

} // namespace

QByteArray encodeOwners(const QList<OuterOwner> &owners)
{
    QByteArrayList texts;
    for (const OuterOwner &owner : owners.mid(std::max<qsizetype>(0, owners.size() - MostOwners))) {
        const QByteArray session = "0x" + QByteArray::number(static_cast<quint64>(owner.session), 16);
        texts.append(owner.about.isEmpty() ? session : session + ' ' + owner.about);
    }
    return texts.join(',');
}

QList<OuterOwner> parseOwners(const QByteArray &text)
{
    QList<OuterOwner> owners;
    for (const QByteArray &one : text.split(',')) {
        owners.append(parseOwner(one));
        if (owners.back().session == 0 || owners.size() > MostOwners)
            return {};
    }
    return owners;
}

QByteArray aboutWithin(const QByteArray &about, const QList<OuterOwner> &owners)
{
    return owners.isEmpty() ? about : about + Within + encodeOwners(owners);
}

QList<OuterOwner> ownersIn(const QByteArray &data)
{
    const qsizetype at = data.lastIndexOf(Within);
    return at < 0 ? QList<OuterOwner>() : parseOwners(data.mid(at + Within.size()));
}

QByteArray withoutOwners(const QByteArray &data)
{
    return data.first(ownersAt(data));
}

} // namespace drover::recipes
