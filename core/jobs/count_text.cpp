#include "jobs/count_text.h"

#include <QLocale>

namespace drover::jobs {

QString formatCount(qint64 count)
{
    return QLocale(QLocale::English).toString(count);
}

QString formatCount(qint64 count, const char *one, const char *many)
{
    return formatCount(count) + u' ' + QLatin1String(count == 1 ? one : many);
}

} // namespace drover::jobs
