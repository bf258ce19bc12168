#include "workers/attempts/job_policy.h"

#include <QFileInfo>

#include <algorithm>

#include <grp.h>
#include <pwd.h>
#include <unistd.h>

namespace drover::workers {

namespace {

constexpr uid_t LeastUid = 1000;
constexpr int MostGroups = 1024;

// By these the dynamic linker, the C library, shells and interpreters run code that the command line does not name. A
// shell script among the programs reads BASH_ENV before its first line.
constexpr QStringView LoadingBegins[] = {u"LD_", u"BASH_FUNC_", u"PYTHON", u"PERL", u"RUBY", u"LUA_", u"NODE_"};
constexpr QStringView Loading[] = {u"BASH_ENV",   u"ENV",       u"ZDOTDIR",           u"SHELLOPTS",
                                   u"BASHOPTS",   u"PS4",       u"JAVA_TOOL_OPTIONS", u"_JAVA_OPTIONS",
                                   u"GCONV_PATH", u"CLASSPATH", u"JDK_JAVA_OPTIONS"};
// Common ones that begin so and load nothing.
constexpr QStringView Harmless[] = {u"PYTHONUNBUFFERED", u"PYTHONIOENCODING", u"PYTHONUTF8", u"PYTHONHASHSEED",
                                    u"NODE_ENV"};

bool loadsCode(const QString &variable)
{
    if (std::find(std::begin(Harmless), std::end(Harmless), variable) != std::end(Harmless))
        return false;
    return std::any_of(std::begin(LoadingBegins), std::end(LoadingBegins),
                       [&](QStringView begin) { return variable.startsWith(begin); })
        || std::find(std::begin(Loading), std::end(Loading), variable) != std::end(Loading);
}

bool isSecretAllowed(const QStringList &rules, const QString &reference)
{
    return std::any_of(rules.begin(), rules.end(), [&reference](const QString &rule) {
        if (!rule.endsWith(u'*'))
            return rule == reference;
        const QString rest = reference.mid(rule.size() - 1);
        return reference.startsWith(rule.chopped(1)) && !rest.isEmpty() && !rest.contains(u'/');
    });
}

} // namespace

QString objectionToSecretRule(const QString &rule)
{
    const QString reference = rule.endsWith(u'*') ? rule.chopped(1) + u'x' : rule; // of a secret that it allows
    if (!jobs::objectionToSecret(QStringLiteral("NAME"), reference).isEmpty())
        return QStringLiteral("is neither file:/absolute/path nor env:VARIABLE; a * may be at its end");
    if (reference.startsWith(jobs::SecretInVariable))
        return {};
    const QString folder = QFileInfo(reference.mid(jobs::SecretInFile.size())).path();
    if (folder == u"/" || !QFileInfo(folder).isDir())
        return QStringLiteral("has to name files of a directory that is there");
    return {};
}

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
    const RunAsUser *const user = userOf(spec);
    if (spec.runAs.isEmpty() && !user && !mayRunAsWorker)
        return QStringLiteral("this worker runs jobs only as users that they name with --run-as");
    if (!spec.runAs.isEmpty() && !user)
        return QStringLiteral("this worker does not allow jobs of user %1 (run_as in its policy file)").arg(spec.runAs);
    if (!spec.runAs.isEmpty() && !spec.appendTo.isEmpty())
        return QStringLiteral("a job with --run-as cannot append its output to a shared file");
    if (user && !spec.appendTo.isEmpty())
        return QStringLiteral("this worker runs the job as user %1, and appends for its own user alone")
            .arg(user->name);
    const auto isAbove = [&spec](const QString &folder) { return spec.appendTo.startsWith(folder + u'/'); };
    if (!spec.appendTo.isEmpty() && !outputFolders.isEmpty()
        && std::none_of(outputFolders.begin(), outputFolders.end(), isAbove))
        return QStringLiteral("this worker does not allow the file '%1'").arg(spec.appendTo);
    for (const auto &[name, reference] : spec.secrets) {
        if (!isSecretAllowed(secrets, reference))
            return QStringLiteral("this worker does not allow the secret %1=%2 (secrets in its policy file)")
                .arg(name, reference);
    }
    for (const jobs::Environment *const variables : {&spec.environment, &spec.secrets}) {
        const auto loader = std::find_if(variables->begin(), variables->end(),
                                         [](const auto &variable) { return loadsCode(variable.first); });
        if (!programs.isEmpty() && loader != variables->end())
            return QStringLiteral("this worker allows only some programs, and the job's variable %1 may load others")
                .arg(loader->first);
    }
    return {};
}

const RunAsUser *JobPolicy::userOf(const jobs::JobSpec &spec) const
{
    if (spec.runAs.isEmpty())
        return defaultUser ? &*defaultUser : nullptr;
    const auto user =
        std::find_if(users.begin(), users.end(), [&spec](const RunAsUser &one) { return one.name == spec.runAs; });
    return user == users.end() ? nullptr : &*user;
}

} // namespace drover::workers
