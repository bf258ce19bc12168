#include "gui/lab/lesson.h"

#include <QCoreApplication>

#include <algorithm>

namespace drover::gui {

namespace {

struct LessonTexts {
    Q_DECLARE_TR_FUNCTIONS(Lesson)
};

QList<CodeLine> oneNodeCode(const char *node, const char *work)
{
    return {{LessonTexts::tr("create %1 (ephemeral)").arg(QLatin1String(node)), {"asking/multi", "asking"}},
            {LessonTexts::tr("if it exists: watch it"), {"asking/get+", "asking/exists+"}},
            {LessonTexts::tr("wait until it is gone; begin again"), {"wait"}},
            {LessonTexts::tr(work), {"holding"}},
            {LessonTexts::tr("release: delete it"), {"holding/multi", "holding/delete", "idle"}}};
}

QList<CodeLine> lineCode(const char *create, const char *watch, const char *work)
{
    return {{LessonTexts::tr(create), {"asking", "asking/create"}},
            {LessonTexts::tr("list all; mine is first: my turn"), {"asking/list"}},
            {LessonTexts::tr(watch), {"asking/get+"}},
            {LessonTexts::tr("wait for one to go; list again if needed"), {"wait"}},
            {LessonTexts::tr(work), {"holding"}},
            {LessonTexts::tr("release: delete mine"), {"holding/delete", "idle"}}};
}

QList<CodeLine> ticketCode(const char *work)
{
    return lineCode(QT_TRANSLATE_NOOP("Lesson", "create lock-N (ephemeral, numbered)"),
                    QT_TRANSLATE_NOOP("Lesson", "watch the two just ahead, and mine"), work);
}

QList<LessonParticipant> contenders(const char *recipe, int count)
{
    QList<LessonParticipant> all;
    for (int i = 0; i < count; ++i)
        all.append({QString(QChar(u'A' + i)), QLatin1String(recipe)});
    return all;
}

LessonGroup slowLock(int count)
{
    return {LessonTexts::tr("One node, all watch it"),
            oneNodeCode("held", QT_TRANSLATE_NOOP("Lesson", "created it: work")), contenders("slow", count)};
}

LessonGroup ticketLock(int count)
{
    return {LessonTexts::tr("Ticket lock"), ticketCode(QT_TRANSLATE_NOOP("Lesson", "my turn: work")),
            contenders("ticket", count)};
}

Lesson herd()
{
    return {
        QStringLiteral("herd"),
        LessonTexts::tr("The herd effect"),
        LessonTexts::tr("Release both locks, again and again. Look at how many waiters each release wakes."),
        {LessonTexts::tr("Press Start all: six processes contend for the lock on the left, six for that on the right."),
         LessonTexts::tr("An arrow is a watch: it leads from who waits to the node that it watches."),
         LessonTexts::tr(
             "On the left all arrows lead to one node. On the right each waiter watches the two just ahead."),
         LessonTexts::tr("Press Release. Each waiter that a watch wakes flashes."),
         LessonTexts::tr("On the left five wake, four of them in vain: they ask, fail, and watch again."),
         LessonTexts::tr("On the right two wake: the next holder, and the one behind it, which looks ahead."),
         LessonTexts::tr(
             "Compare the requests: with n waiters the left lock costs n requests and more for each hand-over."),
         LessonTexts::tr("Release until all have had their turn, and compare the sums.")},
        {slowLock(6), ticketLock(6)}};
}

LessonGroup zombies(bool isFenced)
{
    const char *const work = isFenced ? QT_TRANSLATE_NOOP("Lesson", "my turn: write, each line with my token")
                                      : QT_TRANSLATE_NOOP("Lesson", "my turn: write line after line");
    LessonGroup group{isFenced ? LessonTexts::tr("File that checks the fence") : LessonTexts::tr("File without fence"),
                      ticketCode(work), contenders("ticket", 3)};
    group.writes = true;
    group.isFenced = isFenced;
    return group;
}

Lesson zombie()
{
    return {
        QStringLiteral("zombie"),
        LessonTexts::tr("The zombie holder"),
        LessonTexts::tr("Pause a holder while it writes, and continue it when another holds the lock. Look at the torn "
                        "records."),
        {LessonTexts::tr("Press Start all. Each holder writes records of eight lines into a file that all share."),
         LessonTexts::tr(
             "Select the holder on the left, and press Pause: the process stands still, as in a long pause for "
             "garbage collection."),
         LessonTexts::tr(
             "Wait. After six seconds its session ends, the server deletes its node, and the next one holds the "
             "lock and writes."),
         LessonTexts::tr(
             "Press Continue: the zombie writes the rest of its record, before it can know that it is deposed."),
         LessonTexts::tr("Its lines stand among those of the next holder: both records are torn."),
         LessonTexts::tr(
             "Do the same on the right. There the file compares tokens: a lower one than the highest is refused."),
         LessonTexts::tr(
             "The zombie's record is cut short, but none is torn. No lease and no time-out can do that; the fence "
             "can.")},
        {zombies(false), zombies(true)}};
}

Lesson handOver()
{
    return {
        QStringLiteral("two-ahead"),
        LessonTexts::tr("Looking two ahead"),
        LessonTexts::tr("Release, and kill waiters in the middle of the line. Look at the arrows, and at who wakes."),
        {LessonTexts::tr("Press Start all: seven processes stand in line, each with a numbered node."),
         LessonTexts::tr("Each waiter watches the two nodes just ahead, and its own."),
         LessonTexts::tr("Press Release: the first node goes. The second holder goes on at once, without a listing."),
         LessonTexts::tr(
             "The third woke too: it lists now, while the second works, and so is ready when its turn comes."),
         LessonTexts::tr("So a hand-over is one message to the server and one from it."),
         LessonTexts::tr("Select a waiter in the middle, and press Kill. When its session has ended, its node goes."),
         LessonTexts::tr("The two behind it wake, and watch the next ones ahead. The order stays.")},
        {ticketLock(7)}};
}

Lesson slow()
{
    return {QStringLiteral("slow"),
            LessonTexts::tr("The slow lock"),
            LessonTexts::tr("Release several times. Look at who gets the lock next: there is no order."),
            {LessonTexts::tr("Press Start all: seven processes want one node."),
             LessonTexts::tr("A creates it and works. The six others have failed, and watch it."),
             LessonTexts::tr("Press Release: all wake, and all try to create it. The first request that arrives wins."),
             LessonTexts::tr("Release again: who waited longest may wait on. With luck the same one wins each time."),
             LessonTexts::tr("Press Pause on a waiter, and release: it misses its chance, and delays no other."),
             LessonTexts::tr("Count the requests of a hand-over: two for each waiter.")},
            {slowLock(7)}};
}

Lesson elections()
{
    LessonGroup master{LessonTexts::tr("Master: one node"),
                       oneNodeCode("master", QT_TRANSLATE_NOOP("Lesson", "created it: lead")), contenders("master", 5)};
    LessonGroup latch{LessonTexts::tr("Latch: a line of candidates"),
                      lineCode(QT_TRANSLATE_NOOP("Lesson", "create latch-N (ephemeral, numbered)"),
                               QT_TRANSLATE_NOOP("Lesson", "watch the two just ahead, and mine"),
                               QT_TRANSLATE_NOOP("Lesson", "mine is first: lead")),
                      contenders("latch", 5)};
    return {
        QStringLiteral("elections"),
        LessonTexts::tr("Two elections"),
        LessonTexts::tr("Kill the leaders, and wait for their sessions to end. Look at who wakes, and who leads next."),
        {LessonTexts::tr("Press Start all: five candidates on each side; the first on each side leads."),
         LessonTexts::tr("An election is a lock that is kept. Its holder has to be found out to be dead."),
         LessonTexts::tr("Select the leader on the left, and press Kill. Its node stays until its session has ended."),
         LessonTexts::tr("Then all who stand by wake, and one of them becomes master."),
         LessonTexts::tr("Kill the leader on the right: two wake, and the next in line leads."),
         LessonTexts::tr("Disconnect a leader, and reconnect it within six seconds: it leads on."),
         LessonTexts::tr("Disconnect it for longer: it is deposed, and knows it by its own clock.")},
        {master, latch}};
}

Lesson logElection()
{
    LessonGroup group{
        LessonTexts::tr("Longest log leads"),
        {{LessonTexts::tr("wait until there is no leader"), {"asking", "asking/exists", "asking/exists+", "wait"}},
         {LessonTexts::tr("create candidates/n-N with my last number"), {"asking/create"}},
         {LessonTexts::tr("read all candidates; watch them and epoch"),
          {"asking/list", "asking/list+", "asking/get", "asking/get+"}},
         {LessonTexts::tr("no majority, or another has more: wait"), {"wait/list"}},
         {LessonTexts::tr("I have most: create leader, count epoch"), {"asking/multi"}},
         {LessonTexts::tr("lead"), {"holding"}},
         {LessonTexts::tr("resign: delete leader"), {"holding/multi", "holding/delete", "idle"}}},
        {}};
    const int last[] = {17, 42, 23};
    for (int i = 0; i < 3; ++i) {
        const QString number = QString::number(last[i]);
        group.participants.append(
            {QString(QChar(u'A' + i)),
             QStringLiteral("log"),
             LessonTexts::tr("log of %1").arg(number),
             {QStringLiteral("--last"), number, QStringLiteral("--replicas"), QStringLiteral("3")}});
    }
    return {
        QStringLiteral("log"),
        LessonTexts::tr("Election by the longest log"),
        LessonTexts::tr(
            "Start the replicas one by one. Look at when there is a majority, and at whose log is longest."),
        {LessonTexts::tr(
             "Select A and press Start. It is a candidate with 17 records, and alone: no majority, no leader."),
         LessonTexts::tr("Start C, with 23 records: two of three are a majority. C leads, though A came first."),
         LessonTexts::tr("Start B. It has 42 records, but there is a leader: it waits for the next ballot."),
         LessonTexts::tr("Select C and press Release: it resigns. In the new ballot B leads, whose log is longest."),
         LessonTexts::tr("Kill B, and wait for its session to end: A and C are a majority, and C leads."),
         LessonTexts::tr(
             "A committed record is in a majority of the logs, so a leader of a majority's longest log has it.")},
        {group}};
}

Lesson readWrite()
{
    LessonGroup group{
        LessonTexts::tr("Read-write lock"),
        lineCode(QT_TRANSLATE_NOOP("Lesson", "create READ-N or WRIT-N (ephemeral)"),
                 QT_TRANSLATE_NOOP("Lesson", "a reader watches writers ahead, a writer all: the two nearest"),
                 QT_TRANSLATE_NOOP("Lesson", "my turn: work")),
        {}};
    const char *const kinds = "rrwrrw";
    for (int i = 0; kinds[i]; ++i) {
        const bool reads = kinds[i] == 'r';
        group.participants.append({QString(QChar(u'A' + i)), reads ? QStringLiteral("read") : QStringLiteral("write"),
                                   reads ? LessonTexts::tr("reads") : LessonTexts::tr("writes")});
    }
    return {QStringLiteral("read-write"),
            LessonTexts::tr("The read-write lock"),
            LessonTexts::tr("Release the readers, then the writer. Look at who holds the lock together."),
            {LessonTexts::tr("Press Start all: A and B read at the same time; C wants to write and waits for both."),
             LessonTexts::tr("D and E want to read. They wait behind C, so that readers cannot starve a writer."),
             LessonTexts::tr("Release A: C is woken, and still waits for B."),
             LessonTexts::tr("Release B: C writes, alone."),
             LessonTexts::tr("Release C: D and E wake together, and both read. F waits for both."),
             LessonTexts::tr("Start A again: it stands behind F.")},
            {group}};
}

Lesson barrier()
{
    LessonGroup group{
        LessonTexts::tr("Barrier for four"),
        {{LessonTexts::tr("create my node (ephemeral)"), {"asking", "asking/create"}},
         {LessonTexts::tr("look at ready, watch it, and list"), {"asking/exists+", "asking/list"}},
         {LessonTexts::tr("fewer than four: wait for ready"), {"wait"}},
         {LessonTexts::tr("four: create ready"), {"asking/multi"}},
         {LessonTexts::tr("inside: work"), {"holding"}},
         {LessonTexts::tr("leave: list who is still inside"), {"leaving", "leaving/list"}},
         {LessonTexts::tr("wait for the others to leave"), {"leaving/exists+", "leaving/get+", "wait/leaving"}},
         {LessonTexts::tr("delete my node; the last one deletes ready"), {"leaving/delete", "leaving/multi", "idle"}}},
        contenders("barrier", 4)};
    return {QStringLiteral("barrier"),
            LessonTexts::tr("The double barrier"),
            LessonTexts::tr("Start the members one by one, then let them leave. Look at who waits for whose node."),
            {LessonTexts::tr("Start A, B and C. Each creates a node and waits for a node ready, which does not exist."),
             LessonTexts::tr("Start D. It is the fourth: it creates ready, all wake, and all are inside."),
             LessonTexts::tr("Release A: it wants to leave, and waits until the others leave as well."),
             LessonTexts::tr("Release B and C, and then D. All leave together."),
             LessonTexts::tr(
                 "Begin again, and kill a member that is inside. Its node goes with its session, and the others can "
                 "leave without it.")},
            {group}};
}

// The producer comes last, so all takers wait by then.
QList<LessonParticipant> takersAndProducer(const char *taker, const char *producer)
{
    QList<LessonParticipant> all = contenders(taker, 4);
    all.append({QStringLiteral("P"), QLatin1String(producer), LessonTexts::tr("offers")});
    return all;
}

LessonGroup takes()
{
    LessonGroup group{LessonTexts::tr("A take deletes the item"),
                      {{LessonTexts::tr("P: create qn-N for each item"), {"offering", "offering/multi", "offered"}},
                       {LessonTexts::tr("list the items"), {"asking", "asking/create", "asking/sync", "asking/list"}},
                       {LessonTexts::tr("none: stand in line; watch the two ahead"), {"asking/get+"}},
                       {LessonTexts::tr("first in line: watch the queue"), {"asking/list+"}},
                       {LessonTexts::tr("wait for a change; list again"), {"wait"}},
                       {LessonTexts::tr("take: read an item, and delete it"), {"asking/get", "asking/multi"}},
                       {LessonTexts::tr("work"), {"holding"}},
                       {LessonTexts::tr("done: nothing is left to delete"), {"idle"}}},
                      takersAndProducer("take", "offer")};
    group.holdsByNode = false;
    return group;
}

LessonGroup claims()
{
    return {LessonTexts::tr("A claim keeps it until it is done"),
            {{LessonTexts::tr("P: create entry-N for each item"), {"offering", "offering/multi", "offered"}},
             {LessonTexts::tr("list entries and taken"), {"asking", "asking/create", "asking/sync", "asking/list"}},
             {LessonTexts::tr("none is free: stand in line; watch the two ahead"), {"asking/get+"}},
             {LessonTexts::tr("first in line: watch entries and taken"), {"asking/list+"}},
             {LessonTexts::tr("wait for a change; list again"), {"wait"}},
             {LessonTexts::tr("claim: create taken-N (ephemeral), count entry-N"), {"asking/get", "asking/multi"}},
             {LessonTexts::tr("work"), {"holding"}},
             {LessonTexts::tr("done: delete entry-N and taken-N"), {"holding/multi", "idle"}}},
            takersAndProducer("claim", "put")};
}

Lesson queue()
{
    return {
        QStringLiteral("queue"),
        LessonTexts::tr("Queues: take or claim"),
        LessonTexts::tr("Kill a holder on each side. Look at what becomes of the item that it worked on."),
        {LessonTexts::tr("Press Start all: four takers on each side find nothing and wait; then P offers two items."),
         LessonTexts::tr("Two takers hold an item each. The others stand in line: only its first watches the queue, "
                         "so that an item wakes one of them, and not all."),
         LessonTexts::tr("On the left the items are gone: a take deletes. On the right they stay, and each has a "
                         "node taken beside it, which belongs to the holder's session."),
         LessonTexts::tr("Select a holder on the left, and press Kill. Its item was in its memory alone: it is lost "
                         "for ever."),
         LessonTexts::tr("Kill a holder on the right, and wait for its session to end. The server deletes its node "
                         "taken."),
         LessonTexts::tr("The first in line wakes, and claims the item again: it is the second attempt."),
         LessonTexts::tr("Release on the right: the work is done, and one transaction deletes the item and its "
                         "claim."),
         LessonTexts::tr("So a take delivers at most once, and a claim at least once: work may begin twice, and "
                         "must bear it."),
         LessonTexts::tr("Select P and press Start: two more items. The picture leaves out the nodes that divide "
                         "work among takers.")},
        {takes(), claims()}};
}

} // namespace

bool CodeLine::isWait() const
{
    return std::any_of(keys.begin(), keys.end(), [](const QByteArray &key) { return key.startsWith("wait"); });
}

int Lesson::find(const QString &name)
{
    for (int i = 0; i < all().size(); ++i) {
        if (all()[i].name == name)
            return i;
    }
    return -1;
}

LabSnapshot Lesson::beginning() const
{
    LabSnapshot snapshot;
    snapshot.groups.resize(groups.size());
    for (int group = 0; group < groups.size(); ++group) {
        for (const LessonParticipant &each : groups[group].participants) {
            LabParticipant participant;
            participant.name = each.name;
            participant.group = group;
            participant.role = each.role;
            snapshot.participants.append(participant);
        }
    }
    return snapshot;
}

const QList<Lesson> &Lesson::all()
{
    static const QList<Lesson> lessons{herd(),        zombie(),    handOver(), slow(), elections(),
                                       logElection(), readWrite(), barrier(),  queue()};
    return lessons;
}

} // namespace drover::gui
