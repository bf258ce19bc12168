#include "app/output_form.h"

#include "app/failure.h"

namespace drover::app {

void requireNoForm(const Arguments &arguments, const char *prints)
{
    if (arguments.has("output") && arguments.value("output") != u"table")
        throw UsageError(QStringLiteral("-o %1 means nothing here: what is printed is %2")
                             .arg(arguments.value("output"), QString::fromUtf8(prints)));
}

} // namespace drover::app
