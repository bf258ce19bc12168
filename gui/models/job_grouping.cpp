#include "gui/models/job_grouping.h"

#include "text/printable.h"

#include <QCoreApplication>

#include <array>

namespace drover::gui {

namespace {

struct Groups {
    Q_DECLARE_TR_FUNCTIONS(Groups)
};

constexpr std::array<std::pair<Grouping, const char *>, 5> Names{{{Grouping::None, "none"},
                                                                  {Grouping::Queue, "queue"},
                                                                  {Grouping::Name, "name"},
                                                                  {Grouping::Tag, "tag"},
                                                                  {Grouping::User, "user"}}};

} // namespace

QString groupOf(const JobRow &job, Grouping by)
{
    switch (by) {
    case Grouping::Queue:
        return QString::fromUtf8(job.id.queue);
    case Grouping::Name:
        return job.name;
    case Grouping::Tag:
        return job.tags.value(0);
    case Grouping::User:
        return job.submitter.section(u'@', 0, 0);
    case Grouping::None:
        break;
    }
    return {};
}

bool isGroupBefore(const QString &group, const QString &other)
{
    if (group.isEmpty() || other.isEmpty())
        return other.isEmpty() && !group.isEmpty();
    const int order = group.compare(other, Qt::CaseInsensitive);
    return order != 0 ? order < 0 : group < other;
}

QString groupTitle(const QString &group, Grouping by)
{
    if (!group.isEmpty())
        return text::printable(group);
    switch (by) {
    case Grouping::Name:
        return Groups::tr("no name");
    case Grouping::Tag:
        return Groups::tr("no tag");
    case Grouping::User:
        return Groups::tr("no known user");
    case Grouping::Queue: // each job has one
    case Grouping::None:
        break;
    }
    return {};
}

QString groupingName(Grouping by)
{
    return QLatin1String(Names[std::size_t(by)].second);
}

Grouping groupingNamed(const QString &name)
{
    for (const auto &[by, its] : Names) {
        if (name == QLatin1String(its))
            return by;
    }
    return Grouping::None;
}

} // namespace drover::gui
