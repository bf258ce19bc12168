#include "gui/data/line_name.h"
#include "gui/data/lock_node.h"
#include "gui/inspector/entity_facts.h"
#include "gui/models/deadlocks.h"
#include "gui/models/job_model.h"
#include "gui/models/wait_model.h"
#include "gui/shell/gateway.h"
#include "gui/text/format.h"
#include "text/printable.h"
#include "text/quantity.h"

#include <QCoreApplication>

namespace drover::gui {

namespace {

struct LockFacts {
    Q_DECLARE_TR_FUNCTIONS(Facts)
};

constexpr int MostShown = 30; // holders, and waiters

QList<LockRow> contendersFor(const WaitModel &waits, const QByteArray &lock)
{
    QList<LockRow> rows;
    for (const LockRow &row : waits.rows()) {
        if (row.lock == lock)
            rows.append(row);
    }
    return rows;
}

QString ownWords(const LockRow &contender)
{
    if (wasAsked(contender))
        return LockFacts::tr("(was asked to let go)");
    return contender.about.isEmpty() ? LockFacts::tr("(does not say who it is)")
                                     : text::printable(contender.about.left(400));
}

// Who it is: the job, and the session; a ticket without a session stays until it is deleted.
QList<EntityRef> linksOf(const LockRow &contender)
{
    QList<EntityRef> links{jobOf(contender), sessionEntity(contender.session)};
    links.removeAll(EntityRef());
    return links;
}

// The workers that run these jobs.
QList<EntityRef> workersOf(const Sources &sources, const QList<EntityRef> &theJobs)
{
    QList<EntityRef> workers;
    for (const EntityRef &job : theJobs) {
        const std::optional<jobs::JobId> id = jobs::JobId::parse(QString::fromUtf8(job.name));
        const JobRow *const row = id ? sources.jobs.find(*id) : nullptr;
        const EntityRef worker{EntityRef::Kind::Worker, row ? row->worker.toUtf8() : QByteArray()};
        if (!worker.name.isEmpty() && !workers.contains(worker))
            workers.append(worker);
    }
    return workers;
}

// Of a recording the directory is not known.
QList<EntityRef> nodeLink(const LockRow &contender)
{
    if (contender.directory.isEmpty())
        return {};
    return {{EntityRef::Kind::Znode, (zk::Path(contender.directory) / contender.ticket).bytes()}};
}

void addHolder(Facts &facts, const Sources &sources, const LockRow &holder)
{
    const bool isLeaked = holder.session == 0;
    facts.add(isMember(holder) ? LockFacts::tr("Inside") : LockFacts::tr("Held by"),
              jobOf(holder).isNull() ? ownWords(holder) : QString(), linksOf(holder));
    facts.add(LockFacts::tr("Leaked"),
              isLeaked ? LockFacts::tr("no session owns its znode: it stays until it is deleted") : QString(), {},
              Tone::Bad);
    facts.addInstant(LockFacts::tr("Ticket of"), holder.since);
    facts.add(LockFacts::tr("Fencing token"),
              holder.czxid > 0 && !isMember(holder) ? QString::number(holder.czxid) : QString());
    facts.add(LockFacts::tr("Of the worker"), {}, workersOf(sources, {jobOf(holder)}));
    facts.add(LockFacts::tr("Znode"), holder.directory.isEmpty() ? text::printable(holder.ticket) : QString(),
              nodeLink(holder));
}

// What the user may ask of the one who holds it. Of several holders the page of the locks has a row each.
QList<Offer> offersTo(const LockRow &holder)
{
    QList<Offer> offers;
    if (canBeAsked(holder))
        offers << Offer{"ask", LockFacts::tr("Ask to let go…"), Gateway::toShare()};
    if (isCertainPlace(holder))
        offers << Offer{"break", isMember(holder) ? LockFacts::tr("Take out…") : LockFacts::tr("Break…"),
                        Gateway::toShare()};
    return offers;
}

QList<LockRow> firstOf(const QList<LockRow> &contenders)
{
    return contenders.mid(0, MostShown);
}

// How many of them firstOf() leaves out.
void addMore(Facts &facts, const QList<LockRow> &contenders)
{
    if (contenders.size() > MostShown)
        facts.add(QStringLiteral("…"), LockFacts::tr("%1 more").arg(text::formatCount(contenders.size() - MostShown)));
}

QString stateText(const QByteArray &lock, bool isOfMembers, qsizetype holders, qsizetype waiters)
{
    if (kindOfLine(lock) == LineKind::Barrier)
        return LockFacts::tr("closed");
    if (isOfMembers)
        return holders > 0 ? LockFacts::tr("entered") : LockFacts::tr("waits for more members");
    return holders == 0 ? LockFacts::tr("free")
        : waiters == 0  ? LockFacts::tr("held")
                        : LockFacts::tr("held, %1 behind").arg(waiters);
}

} // namespace

std::optional<LockRow> onlyHolderOf(const WaitModel &waits, const QByteArray &lock)
{
    std::optional<LockRow> holder;
    for (const LockRow &row : contendersFor(waits, lock)) {
        if (row.place != 0)
            continue;
        if (holder)
            return {};
        holder = row;
    }
    return holder;
}

std::optional<LockRow> limitRowOf(const WaitModel &waits, const QByteArray &limit)
{
    const QList<LockRow> rows = contendersFor(waits, limit);
    return rows.isEmpty() || nameOfLimit(rows.front()).isEmpty() ? std::nullopt : std::optional(rows.front());
}

EntityRef sessionEntity(zk::SessionId session)
{
    return session == 0 ? EntityRef() : EntityRef{EntityRef::Kind::Session, formatHex(session).toLatin1()};
}

EntityRef jobOf(const LockRow &contender)
{
    const bool isJob = jobs::JobId::parse(QString::fromUtf8(contender.about)).has_value();
    return isJob ? EntityRef{EntityRef::Kind::Job, contender.about} : EntityRef();
}

void addLocksOf(Facts &facts, const Sources &sources, const std::function<bool(const LockRow &)> &isItsOwn)
{
    QList<LockRow> held;
    QList<LockRow> awaited;
    for (const LockRow &row : sources.waits.rows()) {
        if (row.place >= 0 && isItsOwn(row))
            (row.place == 0 ? held : awaited).append(row);
    }
    if (held.isEmpty() && awaited.isEmpty())
        return;
    facts.begin(LockFacts::tr("Locks"));
    for (const LockRow &row : std::as_const(held))
        facts.add(LockFacts::tr("Holds"), LockFacts::tr("since %1").arg(formatSince(row.since)),
                  {{EntityRef::Kind::Lock, row.lock}}, Tone::Good);
    for (const LockRow &row : std::as_const(awaited)) {
        QList<EntityRef> links{{EntityRef::Kind::Lock, row.lock}};
        for (const LockRow &other : contendersFor(sources.waits, row.lock)) {
            if (other.place == 0 && !jobOf(other).isNull())
                links.append(jobOf(other)); // who has it
        }
        facts.add(LockFacts::tr("Waits for"),
                  LockFacts::tr("%1 in line, since %2").arg(row.place).arg(formatSince(row.since)), links,
                  Tone::Waiting);
    }
}

Facts lockFacts(const Sources &sources, const QByteArray &lock)
{
    const QList<LockRow> rows = contendersFor(sources.waits, lock);
    Facts facts{LockFacts::tr("not known"), Tone::Muted};
    if (rows.isEmpty())
        return facts;
    QList<LockRow> holders;
    QList<LockRow> waiters;
    for (const LockRow &row : rows) {
        if (row.place >= 0)
            (row.place == 0 ? holders : waiters).append(row);
    }
    const bool isOfMembers = isMember(rows.front());
    facts.state = stateText(lock, isOfMembers, holders.size(), waiters.size());
    facts.tone = holders.isEmpty() ? Tone::Muted : waiters.isEmpty() ? Tone::Good : Tone::Waiting;
    for (const Deadlock &deadlock : sources.waits.deadlocks()) {
        for (const LockRow &row : deadlock.waiting) {
            if (row.lock != lock)
                continue;
            facts.tone = Tone::Bad;
            facts.begin({});
            facts.add(LockFacts::tr("Deadlock"), deadlock.path() + u' ' + WaitModel::describe(deadlock), {}, Tone::Bad);
            break;
        }
    }
    if (holders.size() == 1 && !holders.front().directory.isEmpty())
        facts.offers = offersTo(holders.front());
    if (const std::optional<LockRow> limit = limitRowOf(sources.waits, lock)) {
        facts.begin({});
        facts.add(LockFacts::tr("Limit"), LockFacts::tr("%1 at a time").arg(text::formatCount(limit->permits)));
        facts.offers << Offer{"limit", LockFacts::tr("Set the limit…"), Gateway::toShare()};
    }
    for (const LockRow &holder : firstOf(holders)) {
        facts.begin({});
        addHolder(facts, sources, holder);
    }
    if (holders.size() > MostShown)
        facts.begin({});
    addMore(facts, holders);
    if (!waiters.isEmpty())
        facts.begin(isOfMembers ? LockFacts::tr("Have come, in this order")
                                : LockFacts::tr("Behind it, in this order"));
    for (const LockRow &waiter : firstOf(waiters))
        facts.add(QString::number(waiter.place),
                  jobOf(waiter).isNull()
                      ? LockFacts::tr("%1, since %2", "who, when").arg(ownWords(waiter), formatSince(waiter.since))
                      : LockFacts::tr("since %1").arg(formatSince(waiter.since)),
                  linksOf(waiter));
    addMore(facts, waiters);
    return facts;
}

Facts sessionFacts(const Sources &sources, const QByteArray &session)
{
    const auto isItsOwn = [&](const LockRow &row) { return sessionEntity(row.session).name == session; };
    const bool isOurs = sessionEntity(sources.session.sessionId).name == session;
    Facts facts{isOurs ? LockFacts::tr("of this console") : LockFacts::tr("holds and awaits nothing here"),
                Tone::Muted};
    addLocksOf(facts, sources, isItsOwn);
    QList<EntityRef> theirs;
    QStringList names;
    for (const LockRow &row : sources.waits.rows()) {
        if (row.place < 0 || !isItsOwn(row))
            continue;
        const EntityRef job = jobOf(row);
        const QString name = ownWords(row);
        if (!job.isNull() && !theirs.contains(job))
            theirs.append(job);
        if (job.isNull() && !names.contains(name))
            names << name;
    }
    const bool isKnown = !theirs.isEmpty() || !names.isEmpty();
    if (isKnown && !isOurs)
        facts.state = LockFacts::tr("has tickets");
    facts.tone = isKnown || isOurs ? Tone::Good : Tone::Muted;
    facts.begin(LockFacts::tr("Whose it is"));
    facts.add(LockFacts::tr("Says it is"), names.join(u'\n'));
    facts.add(LockFacts::tr("For the jobs"), {}, theirs);
    facts.add(LockFacts::tr("Of the worker"), {}, workersOf(sources, theirs));
    if (isOurs)
        facts.add(LockFacts::tr("Connected to"), {},
                  sources.session.server.isEmpty()
                      ? QList<EntityRef>()
                      : QList<EntityRef>{{EntityRef::Kind::Server, sources.session.server.toUtf8()}});
    facts.add(LockFacts::tr("Ends without heartbeats after"),
              isOurs ? text::formatDuration(sources.session.timeout) : QString());
    return facts;
}

} // namespace drover::gui
