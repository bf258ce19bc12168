#include "gui/lab/record_count.h"
#include "gui/lab/step_tracker.h"

#include <QTest>

using namespace drover::gui;

// What a participant says becomes its step, and lines of a file become records.
class StepTrackerTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aStepFollowsFromTheRequests()
    {
        const QList<CodeLine> code{{u"create"_qs, {"asking/create"}},
                                   {u"watch"_qs, {"asking/get+"}},
                                   {u"wait"_qs, {"wait"}},
                                   {u"work"_qs, {"holding"}},
                                   {u"release"_qs, {"idle"}}};
        StepTracker tracker(code);
        LabParticipant row;
        const auto say = [&](const char *line) { return tracker.read(line, row); };
        using News = StepTracker::News;
        say(R"({"event": "connection", "state": "connected", "session": "0x1f"})");
        QVERIFY(row.isConnected);
        QCOMPARE(row.session, QByteArray("0x1f"));
        say(R"({"event": "phase", "phase": "asking"})");
        QCOMPARE(row.line, -1);
        QCOMPARE(say(R"({"event": "request", "op": "create", "path": "/a", "watch": false})"), News::Request);
        QCOMPARE(row.line, 0);
        say(R"({"event": "answer", "op": "create", "path": "/a", "ok": true})");
        QCOMPARE(row.line, 0); // it waits for no watch
        say(R"({"event": "request", "op": "get", "path": "/b", "watch": true})");
        say(R"({"event": "request", "op": "get", "path": "/c", "watch": true})");
        QCOMPARE(row.line, 1);
        say(R"({"event": "answer", "op": "get", "path": "/b", "ok": true})");
        QCOMPARE(row.line, 1); // the other answer is missing
        say(R"({"event": "answer", "op": "get", "path": "/c", "ok": true})");
        QCOMPARE(row.line, 2);
        QCOMPARE(say(R"({"event": "wake", "path": "/b"})"), News::Woken);
        say(R"({"event": "phase", "phase": "holding"})");
        QCOMPARE(row.line, 3);
        say(R"({"event": "phase", "phase": "idle"})");
        QCOMPARE(row.line, 4);
        QCOMPARE(row.requests, 3);
        QCOMPARE(row.wakeUps, 1);
        QCOMPARE(say(R"({"event": "write", "taken": false})"), News::Refused);
        QCOMPARE(say("no such line"), News::None);
        say(R"({"event": "phase", "phase": "lost"})");
        QCOMPARE(row.line, -1);
    }

    void aListingWithAWatchIsOneOnChildren()
    {
        StepTracker tracker({});
        LabParticipant row;
        const auto say = [&](const char *line) { tracker.read(line, row); };
        say(R"({"event": "phase", "phase": "asking"})");
        say(R"({"event": "request", "op": "list", "path": "/q", "watch": false})");
        say(R"({"event": "request", "op": "get", "path": "/q/a", "watch": true})");
        QVERIFY(row.listed.isEmpty());
        for (const char *const request : {R"({"event": "request", "op": "list", "path": "/q", "watch": true})",
                                          R"({"event": "request", "op": "list", "path": "/r", "watch": true})",
                                          R"({"event": "request", "op": "list", "path": "/none", "watch": true})"})
            say(request);
        say(R"({"event": "answer", "op": "list", "path": "/q", "ok": true})");
        say(R"({"event": "answer", "op": "list", "path": "/none", "ok": false})");
        QCOMPARE(row.listed, (QByteArrayList{"/q", "/r"}));
        say(R"({"event": "wake", "path": "/q"})");
        QCOMPARE(row.listed, QByteArrayList{"/r"});
        say(R"({"event": "phase", "phase": "holding"})");
        QVERIFY(row.listed.isEmpty()); // it does not wait for that any more
    }

    void recordsAreWholeTornOrCutShort()
    {
        QCOMPARE(countRecords({}), RecordCount());
        QCOMPARE(countRecords("1 A 1 1\n1 A 1 2\n", 2), (RecordCount{1, 0, 0}));
        QCOMPARE(countRecords("1 A 1 1\n", 2), RecordCount()); // it is being written
        QCOMPARE(countRecords("1 A 1 1\n2 B 1 1\n2 B 1 2\n", 2), (RecordCount{1, 0, 1}));
        QCOMPARE(countRecords("1 A 1 1\n2 B 1 1\n1 A 1 2\n2 B 1 2\n", 2), (RecordCount{0, 2, 0}));
    }

    void everyLessonIsComplete()
    {
        for (const Lesson &lesson : Lesson::all()) {
            QVERIFY2(!lesson.title.isEmpty() && !lesson.about.isEmpty(), qPrintable(lesson.name));
            QVERIFY(!lesson.steps.isEmpty() && lesson.steps.size() <= Lesson::MostSteps);
            QVERIFY(lesson.groups.size() == 1 || lesson.groups.size() == 2);
            for (const LessonGroup &group : lesson.groups) {
                QByteArrayList keys;
                for (const CodeLine &line : group.code)
                    keys += line.keys;
                QCOMPARE(QSet<QByteArray>(keys.begin(), keys.end()).size(), keys.size()); // a key names one line
                QVERIFY(keys.contains("holding") && keys.contains("wait") && keys.contains("idle"));
                QVERIFY(group.participants.size() >= 3);
            }
        }
    }
};

QTEST_APPLESS_MAIN(StepTrackerTest)
#include "step_tracker_test.moc"
