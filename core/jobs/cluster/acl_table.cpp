#include "jobs/cluster/acl_table.h"

#include "zk/permissions.h"

#include <array>
#include <iterator>
#include <utility>

namespace drover::jobs {

namespace {

constexpr AclRow Table[] = {
    // node             viewer submit operate worker
    {"", "r", "r", "r", "cr"}, // workers make the first nodes; who deletes here, deletes the list of the revoked
    {"config", "r", "r", "rw", "r"},
    {"certificates", "r", "r", "r", "r"},
    {"certificates/*", "r", "r", "r", "r"},
    {"revocations", "r", "r", "r", "r"},
    {"renewals", "r", "r", "r", "r"},
    {"renewals/*", "r", "r", "r", "r"},
    {"members", "r", "r", "r", "cdr"},
    {"members/*", "r", "r", "r", "rw"},
    {"outputs", "r", "r", "r", "cr"}, // who deletes here takes the place of another worker
    {"outputs/*", "r", "r", "r", ""}, // the keys of other workers are none of a worker's business
    {"master", "r", "r", "dr", "cdr"}, // "d" deposes a master
    {"master/*", "r", "r", "r", "rw"},
    {"stats", "r", "r", "r", "rw"},

    // Who may submit creates jobs, and changes none: a job is cancelled by a "d" at its queue.
    {"queues", "r", "r", "cdr", "cdr"},
    {"queues/*", "r", "cr", "cdrw", "cdrw"},
    {"queues/*/*", "r", "r", "rw", "rw"},
    {"waiting", "r", "cr", "cr", "cdr"},
    {"waiting/*", "r", "rw", "rw", "rw"},
    {"dedupe", "r", "cr", "cr", "cdr"},
    {"dedupe/*", "r", "cr", "cr", "cdr"},
    {"dedupe/*/*", "r", "rw", "rw", "rw"},
    {"submitters", "r", "cdr", "cdr", "cdr"},
    {"submitters/*", "r", "rw", "rw", "rw"},

    {"claims", "r", "r", "cdr", "cdr"},
    {"claims/*", "r", "r", "rw", "rw"},
    {"cancels", "r", "r", "cr", "cdr"},
    {"cancels/*", "r", "r", "r", "r"},
    {"done", "r", "r", "cr", "cdr"},
    {"done/*", "r", "r", "r", "rw"},
    {"audit", "r", "cr", "cr", "cdr"}, // an entry never changes
    {"audit/*", "r", "r", "r", "r"},
    {"cordons", "r", "r", "cdr", "r"},
    {"cordons/*", "r", "r", "rw", "r"},
    {"idle", "r", "r", "r", "cdr"},
    {"idle/*", "r", "r", "r", "cdr"},
    {"idle/*/*", "r", "r", "r", "rw"},
    {"schedules", "r", "r", "cdr", "r"},
    {"schedules/*", "r", "r", "rw", "rw"},
    {"gangs", "r", "r", "r", "cdr"},
    {"gangs/*", "r", "r", "r", "cdr"},
    {"gangs/*/*", "r", "r", "r", "rw"},

    // What jobs and scripts share.
    {"locks/**", "r", "cdrw", "cdrw", "cdrw"},
    {"limits/**", "r", "cdrw", "cdrw", "cdrw"},
    {"elections/**", "r", "cdrw", "cdrw", "cdrw"},
    {"barriers/**", "r", "cdrw", "cdrw", "cdrw"},
    {"double-barriers/**", "r", "cdrw", "cdrw", "cdrw"},
    {"groups/**", "r", "cdrw", "cdrw", "cdrw"},
    {"settings/**", "r", "cdrw", "cdrw", "cdrw"},
    {"counters/**", "r", "cdrw", "cdrw", "cdrw"},
    {"items/**", "r", "cdrw", "cdrw", "cdrw"},

    {"files/**", "r", "r", "cdrw", "cdrw"},
    {"history/**", "r", "r", "cdrw", "cdrw"},
    {"throttle", "r", "r", "r", "cdr"},
    {"throttle/*", "r", "r", "r", "rw"},
};

// The first name of a path, which is taken away from it.
QByteArrayView takeName(QByteArrayView &path)
{
    const qsizetype slash = path.indexOf('/');
    const QByteArrayView name = slash < 0 ? path : path.first(slash);
    path = slash < 0 ? QByteArrayView() : path.sliced(slash + 1);
    return name;
}

bool fits(QByteArrayView pattern, QByteArrayView path)
{
    if (!pattern.isEmpty() && !path.isEmpty() && pattern.front() != path.front())
        return false; // most rows end here
    while (!pattern.isEmpty()) {
        const QByteArrayView wanted = takeName(pattern);
        if (wanted == "**")
            return true;
        const QByteArrayView name = takeName(path);
        if (name.isEmpty() || (wanted != "*" && wanted != name))
            return false;
    }
    return path.isEmpty();
}

zk::AclList listOf(const AclRow *row, const trust::Identities &identities, const trust::Identities &former)
{
    zk::AclList list;
    for (const trust::Identities *const some : {&identities, &former}) {
        for (const auto &[role, identity] : *some) {
            const bool isAdmin = role == trust::Role::Admin;
            if (isAdmin || row)
                list.push_back(
                    {isAdmin ? zk::AllPermissions : row->permissionsOf(role), QByteArrayLiteral("digest"), identity});
        }
    }
    return list;
}

} // namespace

const char *AclRow::rightsOf(trust::Role role) const
{
    switch (role) {
    case trust::Role::Viewer:
        return viewer;
    case trust::Role::Submit:
        return submit;
    case trust::Role::Operate:
        return operate;
    case trust::Role::Worker:
        return worker;
    case trust::Role::Admin:
        break;
    }
    return "cdrw";
}

qint32 AclRow::permissionsOf(trust::Role role) const
{
    return *zk::permissionsOf(rightsOf(role));
}

std::span<const AclRow> aclTable()
{
    return Table;
}

bool isWithin(const Layout &layout, const zk::Path &path)
{
    const QByteArray &root = layout.root().bytes();
    return path.bytes().startsWith(root) && (path.bytes().size() == root.size() || path.bytes()[root.size()] == '/');
}

const AclRow *aclRowOf(const Layout &layout, const zk::Path &path)
{
    if (!isWithin(layout, path))
        return nullptr;
    const qsizetype size = layout.root().bytes().size();
    const QByteArrayView below = QByteArrayView(path.bytes()).sliced(std::min(size + 1, path.bytes().size()));
    for (const AclRow &row : Table) {
        if (fits(row.node, below))
            return &row;
    }
    return nullptr;
}

zk::AclList aclOf(const Layout &layout, const zk::Path &path, const trust::Identities &identities,
                  const trust::Identities &former)
{
    return listOf(aclRowOf(layout, path), identities, former);
}

zk::AclOfPath aclOfNewNodes(Layout layout, const trust::Identities &identities, const trust::Identities &former,
                            zk::AclOfPath outside)
{
    std::array<zk::AclList, std::size(Table) + 1> lists; // the last is that of nodes without a row
    for (std::size_t i = 0; i < std::size(Table); ++i)
        lists[i] = listOf(&Table[i], identities, former);
    lists.back() = listOf(nullptr, identities, former);
    return [layout = std::move(layout), lists = std::move(lists), outside = std::move(outside)](const zk::Path &path) {
        if (!isWithin(layout, path))
            return outside(path);
        const AclRow *const row = aclRowOf(layout, path);
        return row ? lists[static_cast<std::size_t>(row - Table)] : lists.back();
    };
}

} // namespace drover::jobs
