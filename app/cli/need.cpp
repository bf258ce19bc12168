#include "app/cli/need.h"

#include "app/cli/arguments.h"

#include <algorithm>
#include <utility>

namespace drover::app {

namespace {

bool applies(const Need &need, const Arguments &arguments)
{
    if (need.when.startsWith(u"--"))
        return arguments.has(need.when.mid(2).toLatin1().constData());
    return need.when.isEmpty() || need.when == arguments.at(1);
}

} // namespace

std::optional<Need> needOf(const QList<Need> &needs, const Arguments &arguments)
{
    const auto found =
        std::find_if(needs.begin(), needs.end(), [&](const Need &need) { return applies(need, arguments); });
    return found == needs.end() ? std::nullopt : std::optional(*found);
}

QString needsText(const QList<Need> &needs)
{
    QStringList always;
    QStringList sometimes; // "viewer with --dry-run", "submit for put, take"
    QString last; // role of the last of these
    for (const Need &need : needs) {
        const QString text = need.text();
        if (need.when.isEmpty()) {
            always << text;
        } else if (text == std::exchange(last, text)) {
            sometimes.last() += QStringLiteral(", ") + need.when;
        } else {
            const bool isOption = need.when.startsWith(u"--");
            sometimes << text + (isOption ? QStringLiteral(" with ") : QStringLiteral(" for ")) + need.when;
        }
    }
    const QStringList all = always + sometimes;
    return all.isEmpty() ? QStringLiteral("none") : all.join(QStringLiteral("; "));
}

} // namespace drover::app
