#include "jobs/model/resource_limit.h"

#include <algorithm>
#include <array>

#include <sys/resource.h>

namespace drover::jobs {

namespace {

struct Resource {
    const char *name;
    int number;
    bool size;
};

constexpr std::array<Resource, 9> Resources{{{"as", RLIMIT_AS, true},
                                             {"core", RLIMIT_CORE, true},
                                             {"cpu", RLIMIT_CPU, false},
                                             {"data", RLIMIT_DATA, true},
                                             {"fsize", RLIMIT_FSIZE, true},
                                             {"memlock", RLIMIT_MEMLOCK, true},
                                             {"nofile", RLIMIT_NOFILE, false},
                                             {"nproc", RLIMIT_NPROC, false},
                                             {"stack", RLIMIT_STACK, true}}};

const Resource *find(const QString &name)
{
    const auto *const found = std::find_if(Resources.begin(), Resources.end(), [&](const Resource &resource) {
        return name == QLatin1String(resource.name);
    });
    return found == Resources.end() ? nullptr : found;
}

} // namespace

std::optional<ResourceLimit> ResourceLimit::parse(const QString &text)
{
    const Resource *const resource = find(text.section(u'=', 0, 0));
    const QString value = text.section(u'=', 1);
    if (!resource)
        return std::nullopt;
    if (value == u"unlimited")
        return ResourceLimit{resource->number, Unlimited};
    bool isNumber = false;
    const qint64 number = value.toLongLong(&isNumber);
    if (!isNumber || number < 0)
        return std::nullopt;
    return ResourceLimit{resource->number, number};
}

QStringList resourceNames()
{
    QStringList names;
    for (const Resource &resource : Resources)
        names.append(QLatin1String(resource.name));
    return names;
}

bool isSize(const QString &resourceName)
{
    const Resource *const resource = find(resourceName);
    return resource && resource->size;
}

} // namespace drover::jobs
