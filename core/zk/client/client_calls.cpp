#include "zk/client/client_calls.h"

#include "zk/client/client_library.h"

namespace drover::zk {

namespace {

Path pathOf(const char *text) noexcept
{
    try {
        return text ? Path(text) : Path();
    } catch (const InvalidPath &) {
        return {};
    }
}

int flagsOf(CreateMode mode)
{
    switch (mode) {
    case CreateMode::Persistent:
        return ZOO_PERSISTENT;
    case CreateMode::PersistentSequential:
        return ZOO_PERSISTENT_SEQUENTIAL;
    case CreateMode::Ephemeral:
        return ZOO_EPHEMERAL;
    case CreateMode::EphemeralSequential:
        return ZOO_EPHEMERAL_SEQUENTIAL;
    case CreateMode::Container:
        return ZOO_CONTAINER;
    case CreateMode::Ttl:
        return ZOO_PERSISTENT_WITH_TTL;
    case CreateMode::TtlSequential:
        return ZOO_PERSISTENT_SEQUENTIAL_WITH_TTL;
    }
    return ZOO_PERSISTENT;
}

int sizeOf(const QByteArray &data)
{
    return static_cast<int>(data.size());
}

// An ACL as the C client reads it, during a call.
class AclVector
{
public:
    explicit AclVector(const AclList &acl)
    {
        for (const Acl &entry : acl)
            m_entries.push_back(
                {entry.permissions,
                 {const_cast<char *>(entry.scheme.constData()), const_cast<char *>(entry.id.constData())}});
        m_vector = {static_cast<int32_t>(m_entries.size()), m_entries.data()};
    }
    const ACL_vector *get() const { return &m_vector; }

private:
    std::vector<ACL> m_entries;
    ACL_vector m_vector{};
};

// Where the C client writes what became of a transaction's operations.
struct MultiResults {
    explicit MultiResults(std::size_t size) : results(size), paths(size), stats(size), acls(size) { }
    std::vector<zoo_op_result_t> results;
    std::vector<QByteArray> paths;
    std::vector<::Stat> stats;
    std::vector<std::optional<AclVector>> acls;
};

// The context of a removal of watches.
struct Removal {
    ClientCalls *owner;
    WatchRegistry::Place place;
};

// What the C client reports for an operation that a broken connection, not a server, has ended.
Code outcomeOf(int rc)
{
    switch (static_cast<Code>(rc)) {
    case Code::OperationTimeout:
    case Code::RuntimeInconsistency:
        return Code::ConnectionLoss;
    default:
        return static_cast<Code>(rc);
    }
}

// What the C client calls with the outcome of each kind of request.
struct Callbacks {
    static Call &callOf(const void *context) { return *static_cast<Call *>(const_cast<void *>(context)); }
    static void answer(Call &call, int rc) { call.owner->answer(call, rc); }

    static void done(int rc, const void *context) { answer(callOf(context), rc); }

    static void created(int rc, const char *path, const ::Stat *stat, const void *context)
    {
        Call &call = callOf(context);
        if (rc == ZOK) {
            call.response.path = pathOf(path);
            call.response.stat = fromC(*stat);
        }
        answer(call, rc);
    }

    static void found(int rc, const ::Stat *stat, const void *context)
    {
        Call &call = callOf(context);
        if (rc == ZOK)
            call.response.stat = fromC(*stat);
        answer(call, rc);
    }

    static void read(int rc, const char *data, int size, const ::Stat *stat, const void *context)
    {
        Call &call = callOf(context);
        if (rc == ZOK) {
            call.response.data = QByteArray(data, std::max(size, 0)); // -1: the node has no data
            call.response.stat = fromC(*stat);
        }
        answer(call, rc);
    }

    static void listed(int rc, const String_vector *names, const ::Stat *stat, const void *context)
    {
        Call &call = callOf(context);
        if (rc == ZOK) {
            for (int i = 0; i < names->count; ++i)
                call.response.children.append(QByteArray(names->data[i]));
            call.response.stat = fromC(*stat);
        }
        answer(call, rc);
    }

    static void synced(int rc, const char *, const void *context) { answer(callOf(context), rc); }

    static void aclRead(int rc, ACL_vector *acl, ::Stat *stat, const void *context)
    {
        Call &call = callOf(context);
        if (rc == ZOK) {
            for (int i = 0; i < acl->count; ++i) {
                const ACL &entry = acl->data[i];
                call.response.acl.push_back({entry.perms, QByteArray(entry.id.scheme), QByteArray(entry.id.id)});
            }
            call.response.stat = fromC(*stat);
        }
        answer(call, rc);
    }

    static void committed(int rc, const void *context)
    {
        Call &call = callOf(context);
        for (const zoo_op_result_t &from : static_cast<MultiResults *>(call.results.get())->results) {
            OperationResult &result = call.response.results.emplace_back();
            result.code = static_cast<Code>(from.err);
            if (from.value && from.err == ZOK)
                result.path = pathOf(from.value);
            if (from.stat && from.err == ZOK)
                result.stat = fromC(*from.stat);
        }
        answer(call, rc);
    }

    static void watchesRemoved(int rc, const void *context)
    {
        const std::unique_ptr<Removal> removal(static_cast<Removal *>(const_cast<void *>(context)));
        removal->owner->report(ClientCalls::WatchesRemoved{removal->place, isGone(rc)});
    }
    static bool isGone(int rc) { return rc == ZOK || rc == ZNOWATCHER; }
};

// Gives each operation a place for its result, and describes it to the C client.
class MultiBuilder
{
public:
    MultiBuilder(MultiResults &into, std::vector<zoo_op_t> &ops) : m_into(into), m_ops(ops) { }

    void operator()(const Transaction::Create &create)
    {
        constexpr qsizetype Sequence = 11; // "%010d" of a number that may be negative
        const std::size_t i = m_ops.size();
        QByteArray &path = m_into.paths[i];
        path = QByteArray(create.path.bytes().size() + Sequence + 1, '\0');
        m_into.acls[i].emplace(create.acl);
        zoo_create_op_init(&m_ops.emplace_back(), create.path.c_str(), create.data.constData(), sizeOf(create.data),
                           m_into.acls[i]->get(), flagsOf(create.mode), path.data(), sizeOf(path));
    }
    void operator()(const Transaction::Remove &remove)
    {
        zoo_delete_op_init(&m_ops.emplace_back(), remove.path.c_str(), remove.version);
    }
    void operator()(const Transaction::Set &set)
    {
        const std::size_t i = m_ops.size();
        zoo_set_op_init(&m_ops.emplace_back(), set.path.c_str(), set.data.constData(), sizeOf(set.data), set.version,
                        &m_into.stats[i]);
    }
    void operator()(const Transaction::Check &check)
    {
        zoo_check_op_init(&m_ops.emplace_back(), check.path.c_str(), check.version);
    }

private:
    MultiResults &m_into;
    std::vector<zoo_op_t> &m_ops;
};

// Calls the C client's function for a request; returns its error, if it did not take the request.
class Submission
{
public:
    Submission(zhandle_t *zk, Call &call)
        : m_zk(zk), m_call(call), m_watcher(call.watch ? &ClientCalls::watcher : nullptr)
    {
    }

    int operator()(const CreateRequest &r) const
    {
        const AclVector acl(r.acl);
        return zoo_acreate2_ttl(m_zk, r.path.c_str(), r.data.constData(), sizeOf(r.data), acl.get(), flagsOf(r.mode),
                                hasTtl(r.mode) ? r.ttl.count() : -1, &Callbacks::created, &m_call);
    }
    int operator()(const RemoveRequest &r) const
    {
        return zoo_adelete(m_zk, r.path.c_str(), r.version, &Callbacks::done, &m_call);
    }
    int operator()(const ExistsRequest &r) const
    {
        return zoo_awexists(m_zk, r.path.c_str(), m_watcher, m_call.owner, &Callbacks::found, &m_call);
    }
    int operator()(const GetRequest &r) const
    {
        return zoo_awget(m_zk, r.path.c_str(), m_watcher, m_call.owner, &Callbacks::read, &m_call);
    }
    int operator()(const SetRequest &r) const
    {
        return zoo_aset(m_zk, r.path.c_str(), r.data.constData(), sizeOf(r.data), r.version, &Callbacks::found,
                        &m_call);
    }
    int operator()(const ChildrenRequest &r) const
    {
        return zoo_awget_children2(m_zk, r.path.c_str(), m_watcher, m_call.owner, &Callbacks::listed, &m_call);
    }
    int operator()(const SyncRequest &r) const { return zoo_async(m_zk, r.path.c_str(), &Callbacks::synced, &m_call); }
    int operator()(const MultiRequest &r) const
    {
        const std::size_t size = r.transaction.size();
        const auto results = std::make_shared<MultiResults>(size);
        m_call.results = results;
        std::vector<zoo_op_t> ops;
        ops.reserve(size);
        MultiBuilder builder(*results, ops);
        for (const Transaction::Operation &operation : r.transaction.operations())
            std::visit(builder, operation);
        return zoo_amulti(m_zk, static_cast<int>(size), ops.data(), results->results.data(), &Callbacks::committed,
                          &m_call);
    }
    int operator()(const GetAclRequest &r) const
    {
        return zoo_aget_acl(m_zk, r.path.c_str(), &Callbacks::aclRead, &m_call);
    }
    int operator()(const SetAclRequest &r) const
    {
        AclVector acl(r.acl);
        return zoo_aset_acl(m_zk, r.path.c_str(), r.aversion, const_cast<ACL_vector *>(acl.get()), &Callbacks::done,
                            &m_call);
    }
    int operator()(const AddAuthRequest &r) const
    {
        return zoo_add_auth(m_zk, r.scheme.constData(), r.credentials.constData(), sizeOf(r.credentials),
                            &Callbacks::done, &m_call);
    }

private:
    zhandle_t *m_zk;
    Call &m_call;
    watcher_fn m_watcher;
};

} // namespace

bool ClientCalls::send(zhandle_t *zk, std::unique_ptr<Call> call)
{
    call->owner = this;
    call->number = ++m_lastNumber;
    Call &sent = *call;
    m_inFlight.emplace(sent.number, std::move(call));
    m_authenticating += std::holds_alternative<AddAuthRequest>(sent.request);
    const int rc = zk ? submit(zk, sent) : ZSESSIONEXPIRED;
    if (rc != ZOK)
        answer(sent, rc);
    return rc == ZOK;
}

int ClientCalls::submit(zhandle_t *zk, Call &call)
{
    return isSendable(call.request) ? std::visit(Submission(zk, call), call.request) : ZBADARGUMENTS;
}

void ClientCalls::removeWatches(zhandle_t *zk, const WatchRegistry::Place &place, bool local)
{
    const auto &[table, path] = place;
    // Only the "all" form makes the server forget them; the other one merely asks whether there are any.
    auto removal = std::make_unique<Removal>(Removal{this, place});
    const int rc = zoo_aremove_all_watches(
        zk, path.c_str(), table == WatchRegistry::Table::Children ? ZWATCHTYPE_CHILD : ZWATCHTYPE_DATA, local,
        reinterpret_cast<void_completion_t *>(&Callbacks::watchesRemoved), removal.get());
    if (rc == ZOK && !local)
        std::ignore = removal.release(); // the callback's
    else
        report(WatchesRemoved{place, Callbacks::isGone(rc)});
}

std::vector<std::unique_ptr<Call>> ClientCalls::detach()
{
    m_detached = true;
    m_events.clear();
    std::vector<std::unique_ptr<Call>> calls;
    for (auto &[number, context] : m_inFlight) {
        // The C client keeps the context; what belongs to others leaves it.
        auto call = std::make_unique<Call>();
        call->request = context->request;
        call->watch = std::exchange(context->watch, nullptr);
        call->promise = std::move(context->promise);
        calls.push_back(std::move(call));
    }
    return calls;
}

void ClientCalls::report(Event event)
{
    if (!m_detached)
        m_events.push_back(std::move(event));
}

void ClientCalls::answer(Call &call, int rc)
{
    call.response.code = outcomeOf(rc);
    m_authenticating -= std::holds_alternative<AddAuthRequest>(call.request);
    auto node = m_inFlight.extract(call.number);
    report(Answered{std::move(node.mapped())});
}

void ClientCalls::watcher(zhandle_t *, int type, int state, const char *path, void *context)
{
    auto &calls = *static_cast<ClientCalls *>(context);
    if (type == ZOO_SESSION_EVENT) // delivered to every armed watch, too; not a watch event
        calls.linkChanged(state);
    else if (type == ZOO_CREATED_EVENT)
        calls.report(WatchEvent{WatchEvent::Type::Created, pathOf(path)});
    else if (type == ZOO_DELETED_EVENT)
        calls.report(WatchEvent{WatchEvent::Type::Deleted, pathOf(path)});
    else if (type == ZOO_CHANGED_EVENT)
        calls.report(WatchEvent{WatchEvent::Type::DataChanged, pathOf(path)});
    else if (type == ZOO_CHILD_EVENT)
        calls.report(WatchEvent{WatchEvent::Type::ChildrenChanged, pathOf(path)});
}

void ClientCalls::linkChanged(int state)
{
    const Link link = state == ZOO_CONNECTED_STATE ? Link::Up
        : state == ZOO_EXPIRED_SESSION_STATE       ? Link::Expired
        : state == ZOO_AUTH_FAILED_STATE           ? Link::AuthFailed
                                                   : Link::Down;
    report(LinkChange{link, m_handshakeSent});
}

} // namespace drover::zk
