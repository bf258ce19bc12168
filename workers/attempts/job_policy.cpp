#include "workers/attempts/job_policy.h"

#include "workers/attempts/secrets.h"

#include <algorithm>

#include <grp.h>
#include <pwd.h>
#include <unistd.h>

namespace drover::workers {

namespace {

constexpr uid_t LeastUid = 1000;
constexpr int MostGroups = 1024;

} // namespace

std::optional<RunAsUser> RunAsUser::find(const QString &name, QString &why)
{
    const QByteArray bytes = name.toLocal8Bit();
    passwd entry{};
    passwd *found = nullptr;
    std::vector<char> texts(64 * 1024);
    if (::getpwnam_r(bytes.constData(), &entry, texts.data(), texts.size(), &found) != 0 || !found) {
        why = QStringLiteral("there is no user %1 on this machine").arg(name);
        return std::nullopt;
    }
    if (entry.pw_uid < LeastUid || entry.pw_gid == 0) {
        why = QStringLiteral("no job may run as %1: root, its group, and users below uid %2 are for the machine")
                  .arg(name)
                  .arg(LeastUid);
        return std::nullopt;
    }
    RunAsUser user{.name = name, .home = entry.pw_dir, .uid = entry.pw_uid, .gid = entry.pw_gid};
    int count = MostGroups;
    user.groups.resize(MostGroups);
    if (::getgrouplist(bytes.constData(), entry.pw_gid, user.groups.data(), &count) < 0) {
        why = QStringLiteral("user %1 has more than %2 groups").arg(name).arg(MostGroups);
        return std::nullopt;
    }
    user.groups.resize(static_cast<std::size_t>(count));
    std::sort(user.groups.begin(), user.groups.end());
    return user;
}

QString JobPolicy::refusal(const jobs::JobSpec &spec) const
{
    if (spec.runAs.isEmpty() && !mayRunAsWorker)
        return QStringLiteral("this worker runs jobs only as users that they name with --run-as");
    if (!spec.runAs.isEmpty() && !userOf(spec))
        return QStringLiteral("this worker does not allow jobs of user %1 (run_as in its policy file)").arg(spec.runAs);
    if (!spec.runAs.isEmpty() && !spec.appendTo.isEmpty())
        return QStringLiteral("a job with --run-as cannot append its output to a shared file");
    const auto isAbove = [&spec](const QString &folder) { return spec.appendTo.startsWith(folder + u'/'); };
    if (!spec.appendTo.isEmpty() && !outputFolders.isEmpty()
        && std::none_of(outputFolders.begin(), outputFolders.end(), isAbove))
        return QStringLiteral("this worker does not allow the file '%1'").arg(spec.appendTo);
    for (const auto &[name, reference] : spec.secrets) {
        if (!isSecretAllowed(secrets, reference))
            return QStringLiteral("this worker does not allow the secret %1=%2 (secrets in its policy file)")
                .arg(name, reference);
    }
    const auto isPreload = [](const auto &variable) { return variable.first.startsWith(u"LD_"); };
    if (!programs.isEmpty()
        && (std::any_of(spec.environment.begin(), spec.environment.end(), isPreload)
            || std::any_of(spec.secrets.begin(), spec.secrets.end(), isPreload)))
        return QStringLiteral("this worker allows only some programs, and the job's LD_ variables may load others");
    return {};
}

const RunAsUser *JobPolicy::userOf(const jobs::JobSpec &spec) const
{
    const auto user =
        std::find_if(users.begin(), users.end(), [&spec](const RunAsUser &one) { return one.name == spec.runAs; });
    return user == users.end() ? nullptr : &*user;
}

} // namespace drover::workers
