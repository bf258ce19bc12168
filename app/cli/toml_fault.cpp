#include "app/cli/toml_fault.h"

namespace drover::app {

QString tomlFault(std::string_view description)
{
    const QString fault = QString::fromUtf8(description.data(), qsizetype(description.size()));
    if (fault.contains(u"could not determine value type"))
        return fault + QStringLiteral("; a text stands in quotes: key = \"text\"");
    if (fault.contains(u"expected '='"))
        return fault + QStringLiteral("; a line of TOML is key = value, and a heading is [name]");
    return fault;
}

} // namespace drover::app
