#include "gui/models/submit_form.h"
#include "gui/pictures.h"
#include "gui/widgets/submit_dialog.h"

#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

using namespace drover;
using namespace drover::gui;
using Field = SubmitForm::Field;

Q_DECLARE_METATYPE(drover::gui::SubmitForm)

class SubmitTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void makesTheSpec();
    void refusesWhatCannotBe_data();
    void refusesWhatCannotBe();
    void refusesASpecOverTheCap();
    void dialogShowsArgumentsAndHints();
    void dialogSaysWhatIsWrongAndSendsNothing();
    void dialogSaysWhatBecameOfIt();
    void showsAJobWithoutChangingIt();
    void changesOnlyWhatWasChanged();
    void namesFieldsThatTheFormLacks();
    void dialogSubmitsAgain();
    void dialogKeepsEveryCharacter();
};

namespace {

SubmitForm valid()
{
    SubmitForm form;
    form.command = QStringLiteral("wc -w 'a file'");
    return form;
}

void typeCommand(const SubmitDialog &dialog, const QString &command)
{
    dialog.findChild<QPlainTextEdit *>()->setPlainText(command); // the first
}

bool shows(const QWidget &window, const QString &text)
{
    const QList<QLabel *> labels = window.findChildren<QLabel *>();
    return std::any_of(labels.begin(), labels.end(),
                       [&](const QLabel *label) { return !label->isHidden() && label->text().contains(text); });
}

QPushButton *submitButton(const QWidget &window)
{
    const QList<QPushButton *> buttons = window.findChildren<QPushButton *>();
    for (QPushButton *button : buttons) {
        if (button->text() == u"&Submit")
            return button;
    }
    return nullptr;
}

// Of all that a form shows, and of what it does not.
jobs::JobSpec elaborate()
{
    jobs::JobSpec spec;
    spec.command = QStringList{u"sh"_qs, u"-c"_qs, u"wc 'a b' | sort >\n\"$OUT\""_qs, QString()};
    spec.name = u"nightly"_qs;
    spec.comment = u"for the audit"_qs;
    spec.queue = "gpu";
    spec.priority = 2;
    spec.timeLimit = std::chrono::milliseconds(1500);
    spec.directory = u"/srv/data"_qs;
    spec.environment = {{u"A"_qs, u"1"_qs}, {u"KEY"_qs, u"-----\nseveral\nlines"_qs}, {u"PATH"_qs, u"/bin"_qs}};
    spec.array = jobs::ArrayIndices{1, 10};
    spec.needs.slots = 2;
    spec.needs.memory = 1 << 30;
    spec.locks = QStringList(u"db"_qs);
    spec.tags = QStringList(u"team=red"_qs);
    return spec;
}

} // namespace

void SubmitTest::makesTheSpec()
{
    SubmitForm form = valid();
    form.name = QStringLiteral("  count ");
    form.comment = QStringLiteral(" for the audit ");
    form.queue = QStringLiteral("gpu");
    form.priority = 2;
    form.timeLimit = QStringLiteral("15m");
    form.directory = QStringLiteral("/srv/data");
    form.environment = QStringLiteral("A=1\n\nPATH=/bin:/usr/bin\nEQ=a=b\n");
    const SubmitForm::Checked checked = form.check();
    QVERIFY(checked.ok());
    QCOMPARE(checked.spec.command, (QStringList{u"wc"_qs, u"-w"_qs, u"a file"_qs}));
    QCOMPARE(checked.spec.name, u"count"_qs);
    QCOMPARE(checked.spec.comment, u"for the audit"_qs);
    QCOMPARE(checked.spec.queue, QByteArray("gpu"));
    QCOMPARE(checked.spec.priority, 2);
    QCOMPARE(checked.spec.timeLimit, std::chrono::milliseconds(std::chrono::minutes(15)));
    QCOMPARE(checked.spec.directory, u"/srv/data"_qs);
    const jobs::Environment expected{{u"A"_qs, u"1"_qs}, {u"PATH"_qs, u"/bin:/usr/bin"_qs}, {u"EQ"_qs, u"a=b"_qs}};
    QVERIFY(checked.spec.environment == expected);
}

void SubmitTest::refusesWhatCannotBe_data()
{
    QTest::addColumn<SubmitForm>("form");
    QTest::addColumn<int>("field");
    const auto row = [](const char *name, Field field, auto change) {
        SubmitForm form = valid();
        change(form);
        QTest::newRow(name) << form << int(field);
    };
    row("no command", Field::Command, [](SubmitForm &form) { form.command = QStringLiteral("  "); });
    row("control character", Field::Comment, [](SubmitForm &form) { form.comment = QStringLiteral("a\x1b[31mb"); });
    row("long comment", Field::Comment,
        [](SubmitForm &form) { form.comment = QString(jobs::JobSpec::MaxComment + 1, u'x'); });
    row("open quote", Field::Command, [](SubmitForm &form) { form.command = QStringLiteral("echo 'a"); });
    row("empty program", Field::Command, [](SubmitForm &form) { form.command = QStringLiteral("'' a"); });
    row("queue", Field::Queue, [](SubmitForm &form) { form.queue = QStringLiteral("Big Queue"); });
    row("no queue", Field::Queue, [](SubmitForm &form) { form.queue.clear(); });
    row("priority", Field::Priority, [](SubmitForm &form) { form.priority = 10; });
    row("time limit", Field::TimeLimit, [](SubmitForm &form) { form.timeLimit = QStringLiteral("soon"); });
    row("no time at all", Field::TimeLimit, [](SubmitForm &form) { form.timeLimit = QStringLiteral("0s"); });
    row("relative directory", Field::Directory, [](SubmitForm &form) { form.directory = QStringLiteral("data"); });
    row("environment", Field::Environment, [](SubmitForm &form) { form.environment = QStringLiteral("A=1\nB"); });
    row("variable's name", Field::Environment, [](SubmitForm &form) { form.environment = QStringLiteral("1A=x"); });
}

void SubmitTest::refusesWhatCannotBe()
{
    QFETCH(SubmitForm, form);
    QFETCH(int, field);
    const SubmitForm::Checked checked = form.check();
    QCOMPARE(checked.errors.size(), std::size_t(1));
    QCOMPARE(int(checked.errors.begin()->first), field);
    QVERIFY(!checked.errors.begin()->second.isEmpty());
}

void SubmitTest::refusesASpecOverTheCap()
{
    SubmitForm form = valid();
    form.environment = u"BIG="_qs + QString(jobs::JobSpec::MaxSize, u'x');
    QVERIFY(form.check().errors.contains(Field::Command));
}

void SubmitTest::dialogShowsArgumentsAndHints()
{
    SubmitDialog dialog({u"default"_qs});
    dialog.show();
    typeCommand(dialog, u"cat 'a b' | wc"_qs);
    QVERIFY(shows(dialog, u"[1]  a b"_qs));
    QVERIFY(shows(dialog, u"[2]  |"_qs));
    QVERIFY(shows(dialog, u"No shell runs this"_qs));
    test::pictureOf(dialog, u"submit-hint"_qs);
}

void SubmitTest::dialogSaysWhatIsWrongAndSendsNothing()
{
    SubmitDialog dialog({u"default"_qs});
    QSignalSpy wanted(&dialog, &SubmitDialog::submitWanted);
    dialog.show();
    QVERIFY(!shows(dialog, u"Say what to run"_qs)); // not before it was tried
    submitButton(dialog)->click();
    QVERIFY(shows(dialog, u"Say what to run"_qs));
    test::pictureOf(dialog, u"submit-nothing"_qs);
    QCOMPARE(wanted.count(), 0);
    typeCommand(dialog, valid().command);
    QVERIFY(!shows(dialog, u"Say what to run"_qs));
    submitButton(dialog)->click();
    QCOMPARE(wanted.count(), 1);
    QCOMPARE(wanted[0][0].value<jobs::JobSpec>().command.size(), 3);
    QVERIFY(!submitButton(dialog)->isEnabled()); // one answer at a time
}

void SubmitTest::dialogSaysWhatBecameOfIt()
{
    SubmitDialog dialog({});
    typeCommand(dialog, valid().command);
    dialog.show();
    submitButton(dialog)->click();
    dialog.succeed(jobs::JobId{"default", 42});
    QVERIFY(shows(dialog, u"default-42"_qs));
    QVERIFY(submitButton(dialog)->isEnabled());
    submitButton(dialog)->click();
    dialog.fail(u"the queue is full"_qs);
    QVERIFY(shows(dialog, u"Not submitted: the queue is full"_qs));
    test::pictureOf(dialog, u"submit-refused"_qs);
}

void SubmitTest::showsAJobWithoutChangingIt()
{
    const jobs::JobSpec spec = elaborate();
    const SubmitForm::Checked checked = SubmitForm::of(spec).check();
    QVERIFY(checked.ok());
    QCOMPARE(checked.spec.encode(), spec.encode());
    QCOMPARE(checked.spec.priority, spec.priority);
    QCOMPARE(checked.spec.queue, spec.queue);
    const jobs::JobSpec plain = valid().check().spec;
    QCOMPARE(SubmitForm::of(plain).check().spec.encode(), plain.encode());
}

void SubmitTest::changesOnlyWhatWasChanged()
{
    SubmitForm form = SubmitForm::of(elaborate());
    jobs::JobSpec expected = elaborate();
    QCOMPARE(form.environment, u"A=1\nPATH=/bin"_qs);
    form.timeLimit.clear();
    form.environment += u"\nB=2"_qs;
    expected.timeLimit = {};
    expected.environment[u"B"_qs] = u"2"_qs;
    QCOMPARE(form.check().spec.encode(), expected.encode());
    form.environment.clear();
    expected.environment = {*elaborate().environment.find(u"KEY"_qs)}; // it has no line that could be taken out
    QCOMPARE(form.check().spec.encode(), expected.encode());
    form.environment = u"KEY=mine"_qs;
    expected.environment = {{u"KEY"_qs, u"mine"_qs}};
    QCOMPARE(form.check().spec.encode(), expected.encode());
}

void SubmitTest::namesFieldsThatTheFormLacks()
{
    QCOMPARE(SubmitForm::of(elaborate()).otherParts(),
             (QStringList{u"array 1-10"_qs, u"2 slots"_qs, u"1 GiB of memory"_qs, u"lock db"_qs, u"tag team=red"_qs,
                          u"variable KEY"_qs}));
    QVERIFY(valid().otherParts().isEmpty());
}

void SubmitTest::dialogSubmitsAgain()
{
    SubmitDialog dialog({u"default"_qs});
    QSignalSpy wanted(&dialog, &SubmitDialog::submitWanted);
    dialog.repeat(u"default-42"_qs, elaborate());
    dialog.show();
    QCOMPARE(dialog.windowTitle(), u"Submit default-42 again"_qs);
    QVERIFY(shows(dialog, u"lock db"_qs));
    test::pictureOf(dialog, u"submit-again"_qs);
    submitButton(dialog)->click();
    QCOMPARE(wanted.count(), 1);
    QCOMPARE(wanted[0][0].value<jobs::JobSpec>().encode(), elaborate().encode());
}

// Editors make blanks of no-break spaces and know one kind of line.
void SubmitTest::dialogKeepsEveryCharacter()
{
    jobs::JobSpec spec;
    spec.command = QStringList{u"cat"_qs, u"a\u00a0b"_qs, u"c\r\nd\u2028e"_qs};
    spec.environment = {{u"A"_qs, u"no\u00a0break"_qs}, {u"PEM"_qs, u"x\r\ny"_qs}};
    SubmitDialog dialog({u"default"_qs});
    dialog.repeat(u"default-1"_qs, spec);
    QCOMPARE(dialog.form().check().spec.encode(), spec.encode());
    typeCommand(dialog, u"cat 'f\u00a0g'"_qs);
    QCOMPARE(dialog.form().check().spec.command, (QStringList{u"cat"_qs, u"f\u00a0g"_qs}));
}

QTEST_MAIN(SubmitTest)
#include "submit_test.moc"
