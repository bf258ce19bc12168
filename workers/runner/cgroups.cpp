#include "workers/runner/cgroups.h"

#include "posix/files.h"
#include "posix/held_process.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

namespace drover::runner {

using namespace posix;

namespace {

const std::string prefix = "drover-";

bool put(const std::string &path, const std::string &text)
{
    const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    return file && ::write(file.get(), text.data(), text.size()) == ssize_t(text.size());
}

bool hasWord(const std::string &text, const std::string &word, const char *separators)
{
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find_first_of(separators, at), text.size());
        if (text.compare(at, end - at, word) == 0)
            return true;
        at = end + 1;
    }
    return false;
}

struct Mount {
    std::string root; // which group is mounted there
    std::string point;
};

// Of the hierarchy of a controller, or of the one for all (""): proc_pid_mountinfo(5).
std::optional<Mount> findMount(const std::string &self, const std::string &controller)
{
    std::istringstream lines(contents(self + "/mountinfo"));
    for (std::string line; std::getline(lines, line);) {
        std::string id;
        std::string parent;
        std::string device;
        std::string optional;
        std::string type;
        std::string source;
        std::string options;
        Mount mount;
        std::istringstream fields(line);
        fields >> id >> parent >> device >> mount.root >> mount.point;
        while (fields >> optional && optional != "-") { }
        fields >> type >> source >> options;
        if (controller.empty() ? type == "cgroup2" : type == "cgroup" && hasWord(options, controller, ","))
            return mount;
    }
    return std::nullopt;
}

// The directory of our own group: proc_pid_cgroup(5), "4:memory:/a/b" or "0::/a/b".
std::optional<std::string> ownGroup(const std::string &self, const std::string &controller)
{
    const std::optional<Mount> mount = findMount(self, controller);
    if (!mount)
        return std::nullopt;
    std::istringstream lines(contents(self + "/cgroup"));
    for (std::string line; std::getline(lines, line);) {
        const std::size_t controllers = line.find(':') + 1;
        const std::size_t path = line.find(':', controllers) + 1;
        const std::string names = line.substr(controllers, path - controllers - 1);
        if (controller.empty() ? !names.empty() : !hasWord(names, controller, ","))
            continue;
        const std::string root = mount->root == "/" ? std::string() : mount->root;
        if (line.compare(path, root.size(), root) != 0)
            return std::nullopt;
        const std::string below = line.substr(path + root.size());
        return below == "/" ? mount->point : mount->point + below;
    }
    return std::nullopt;
}

std::string randomName()
{
    std::uint64_t number = 0;
    [[maybe_unused]] const ssize_t size = ::getrandom(&number, sizeof number, 0);
    return std::to_string(number);
}

// Only what is older than any group that is just about to get its job.
void removeLeftovers(const std::string &parent)
{
    constexpr time_t age = 60;
    DIR *const folder = ::opendir(parent.c_str());
    if (!folder)
        return;
    while (const dirent *const entry = ::readdir(folder)) {
        const std::string path = parent + "/" + entry->d_name;
        struct stat info {
        };
        if (std::string(entry->d_name).starts_with(prefix) && ::stat(path.c_str(), &info) == 0
            && info.st_mtime + age < ::time(nullptr))
            ::rmdir(path.c_str()); // refused while there is a process
    }
    ::closedir(folder);
}

} // namespace

Cgroup::~Cgroup()
{
    ::rmdir(m_path.c_str());
}

bool Cgroup::limit(std::int64_t memory) const
{
    const std::string bytes = std::to_string(memory);
    if (!put(m_path + (m_unified ? "/memory.max" : "/memory.limit_in_bytes"), bytes))
        return false;
    // Memory and swap together; a machine without swap accounting has no such file.
    put(m_path + (m_unified ? "/memory.swap.max" : "/memory.memsw.limit_in_bytes"), m_unified ? "0" : bytes);
    if (m_unified)
        put(m_path + "/memory.oom.group", "1"); // the whole job, not some process of it
    return true;
}

std::vector<pid_t> Cgroup::processes() const
{
    return numbersIn(contents(entrance()));
}

// Linux 5.14 kills all processes of a v2 group at once, so that none can fork meanwhile.
bool Cgroup::kill() const
{
    if (m_unified && put(m_path + "/cgroup.kill", "1"))
        return hasWord(contents(m_path + "/cgroup.events"), "populated 1", "\n");
    return killListed([this] { return processes(); });
}

bool killListed(const std::function<std::vector<pid_t>()> &list)
{
    std::vector<std::pair<pid_t, HeldProcess>> held;
    for (const pid_t pid : list()) {
        if (pid > 0) // 0: of another pid namespace
            held.emplace_back(pid, HeldProcess(pid));
    }
    if (held.empty())
        return false;
    const std::vector<pid_t> still = list();
    bool any = false;
    for (const auto &[pid, process] : held) {
        const bool isListed = std::find(still.begin(), still.end(), pid) != still.end();
        any |= !process || !isListed || process.signal(SIGKILL) || errno != EPERM;
    }
    return any;
}

bool Cgroup::ranOutOfMemory() const
{
    const std::string events = contents(m_path + (m_unified ? "/memory.events" : "/memory.oom_control"));
    const std::size_t kills = events.find("oom_kill ");
    return kills != events.npos && std::strtoll(events.c_str() + kills + 9, nullptr, 10) > 0;
}

CgroupPlace CgroupPlace::find(const std::string &controller, const std::string &self)
{
    CgroupPlace place;
    std::optional<std::string> group = ownGroup(self, controller);
    if (group) {
        place.own = *group;
    } else {
        place.unified = true;
        group = ownGroup(self, "");
        place.own = group.value_or("");
        if (group)
            group->erase(group->rfind('/'));
        if (!group || !hasWord(contents(*group + "/cgroup.subtree_control"), controller, " \n"))
            return place;
    }
    if (::access(group->c_str(), W_OK) != 0)
        return place;
    place.parent = *group;
    removeLeftovers(place.parent);
    return place;
}

ProcessLimit::ProcessLimit(std::int64_t most, const CgroupPlace &place) : m_before(place.own)
{
    const std::string path = place.parent + "/" + prefix + "runner-" + randomName();
    if (most <= 0 || place.parent.empty() || ::mkdir(path.c_str(), 0755) != 0)
        return;
    if (put(path + "/pids.max", std::to_string(most)) && put(path + "/cgroup.procs", "0"))
        m_path = path;
    else
        ::rmdir(path.c_str());
}

ProcessLimit::~ProcessLimit()
{
    if (m_path.empty())
        return;
    put(m_before + "/cgroup.procs", "0");
    ::rmdir(m_path.c_str()); // refused while there is a process
}

Cgroups::Cgroups(const std::string &self) : m_place(CgroupPlace::find("memory", self))
{
    if (m_place.unified)
        m_processes = contents(m_place.own + "/pids.max");
}

std::unique_ptr<Cgroup> Cgroups::make(const std::string &name, std::int64_t memory) const
{
    const std::string path = m_place.parent + "/" + prefix + name;
    if (m_place.parent.empty() || ::mkdir(path.c_str(), 0755) != 0)
        return nullptr;
    auto group = std::make_unique<Cgroup>(path, m_place.unified);
    if (!m_processes.empty())
        put(path + "/pids.max", m_processes);
    return group->limit(memory) ? std::move(group) : nullptr;
}

} // namespace drover::runner
