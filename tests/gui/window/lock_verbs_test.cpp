#include "gui/models/lock_model.h"
#include "gui/pages/locks_page.h"
#include "gui/pictures.h"
#include "gui/shell/action_registry.h"
#include "gui/widgets/change_dialog.h"
#include "gui/widgets/table_view.h"
#include "gui/window_fixture.h"
#include "jobs/cluster/limits.h"
#include "jobs/events/audit_log.h"

#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTest>

using namespace drover;
using namespace drover::gui;
using namespace std::chrono_literals;

namespace {

async::Task<zk::Answer<zk::Created>> create(zk::Client &zk, zk::Path path, QByteArray about, zk::CreateMode mode)
{
    co_await zk.ensurePath(path.parent());
    const auto made = co_await zk.create(path, about, mode);
    co_return made;
}

struct Fixture : test::WindowFixture {
    LocksPage *page = window.findChild<LocksPage *>();

    Fixture() { window.showPage(u"locks"_qs); }
    QAction *action(const char *name)
    {
        return window.shown().findChild<ActionRegistry *>()->find(QLatin1String(name));
    }
    ChangeDialog *dialog() { return window.findChild<ChangeDialog *>(); }
    zk::Path take(const zk::Path &directory, const char *about, zk::CreateMode mode)
    {
        const auto made = run(create(*writer, directory / "_c_x-lock-", about, mode));
        world.runFor(2s);
        return made->path;
    }
    // The row of who is there.
    void select(const QString &about)
    {
        for (int row = 0; row < page->table().model()->rowCount(); ++row) {
            for (int column = 0; column < page->table().model()->columnCount(); ++column) {
                const QModelIndex index = page->table().model()->index(row, column);
                if (index.data().toString() == about)
                    page->table().setCurrentIndex(index);
            }
        }
    }
    QString place() { return page->table().currentIndex().siblingAtColumn(LockModel::Place).data().toString(); }
    QPushButton *button(const QString &text)
    {
        const QList<QPushButton *> buttons = dialog()->findChildren<QPushButton *>();
        const auto found = std::find_if(buttons.begin(), buttons.end(),
                                        [&](const QPushButton *one) { return one->text().remove(u'&') == text; });
        return found == buttons.end() ? nullptr : *found;
    }
    void press(const QString &text)
    {
        QVERIFY(button(text));
        button(text)->click();
        world.runFor(3s);
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    }
    bool exists(const zk::Path &path) const { return server.tree().find(path) != nullptr; }
    QStringList audited()
    {
        QStringList actions;
        for (const jobs::AuditRecord &record : run(jobs::readAudit({*writer, cluster.layout()})))
            actions << record.entry.action + u' ' + record.entry.target;
        return actions;
    }
};

} // namespace

// What the user does to those who stand in the line of a lock.
class LockVerbsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void asksAHolderToLetGo()
    {
        Fixture f;
        const zk::Path holder =
            f.take(f.cluster.layout().lock("db"), "ada@host process 7: make", zk::CreateMode::EphemeralSequential);
        f.select(u"ada@host process 7: make"_qs);
        QVERIFY(f.action("lock.ask")->isEnabled());
        f.action("lock.ask")->trigger();
        test::pictureOf(*f.dialog(), u"lock-ask"_qs);
        f.press(u"Ask it"_qs);
        QCOMPARE(f.server.tree().find(holder)->data, QByteArray("__REVOKE__"));
        QVERIFY(f.says(u"Asked “ada@host process 7: make” to let go of db."_qs));
        QCOMPARE(f.audited(), QStringList(u"lock-asked "_qs + holder.toString()));
        f.window.connectTo({test::Nowhere, "default"}); // and reads it anew
        f.world.runFor(3s);
        f.select(u"(was asked to let go)"_qs);
        QCOMPARE(f.place(), u"Holds"_qs);
    }

    // A request would overwrite what the programs of these need.
    void onlyLocksCanBeAskedToRelease()
    {
        Fixture f;
        const zk::Path elections = f.cluster.layout().elections();
        f.run(create(*f.writer, elections / "importer" / "_c_x-latch-", "leader", zk::CreateMode::EphemeralSequential));
        f.take(f.cluster.layout().limit("gpu") / "leases", "a lease", zk::CreateMode::EphemeralSequential);
        f.take(f.cluster.layout().lock("db"), "a lock", zk::CreateMode::EphemeralSequential);
        for (const char *const about : {"leader", "a lease"}) {
            f.select(QLatin1String(about));
            QVERIFY(f.action("lock.break")->isEnabled());
            QVERIFY2(!f.action("lock.ask")->isEnabled(), about);
        }
        f.select(u"a lock"_qs);
        QVERIFY(f.action("lock.ask")->isEnabled());
    }

    void breaksALockOnceItsNameIsTyped()
    {
        Fixture f;
        const zk::Path lock = f.cluster.layout().lock("db");
        const zk::Path leaked = f.take(lock, "died long ago", zk::CreateMode::PersistentSequential);
        f.take(lock, "the next", zk::CreateMode::EphemeralSequential);
        f.select(u"died long ago"_qs);
        QCOMPARE(f.place(), u"Leaked"_qs);
        QVERIFY(!f.action("lock.ask")->isEnabled()); // there is no program
        f.action("lock.break")->trigger();
        QVERIFY(!f.button(u"Break db"_qs)->isEnabled());
        auto *const typed = f.dialog()->findChild<QLineEdit *>();
        typed->setText(u"dB"_qs);
        QVERIFY(!f.button(u"Break db"_qs)->isEnabled());
        typed->setText(u"db"_qs);
        test::pictureOf(*f.dialog(), u"lock-break"_qs);
        f.press(u"Break db"_qs);
        QVERIFY(!f.exists(leaked));
        QCOMPARE(f.audited(), QStringList(u"lock-broken "_qs + leaked.toString()));
        f.select(u"the next"_qs);
        QCOMPARE(f.place(), u"Holds"_qs);
        test::pictureOf(f.window, u"locks"_qs);
    }

    void setsALimitAsTheCommandDoes()
    {
        Fixture f;
        const jobs::Cluster cluster(*f.writer, f.cluster.layout());
        f.run(jobs::setLimit(cluster, "licences", 2));
        f.take(f.cluster.layout().lock("db"), "a lock", zk::CreateMode::EphemeralSequential);
        f.select(u"a lock"_qs);
        QVERIFY(!f.action("lock.limit")->isEnabled());
        f.select(u"limit licences"_qs); // no job has it
        QCOMPARE(f.place(), u"Free"_qs);
        const auto kind = [&f] {
            return f.page->table().currentIndex().siblingAtColumn(LockModel::Kind).data().toString();
        };
        QCOMPARE(kind(), u"Limit of 2"_qs);
        f.action("lock.limit")->trigger();
        auto *const field = f.dialog()->findChild<QSpinBox *>();
        QCOMPARE(field->value(), 2);
        QCOMPARE(field->minimum(), 1); // no limit of 0 is possible
        field->setValue(5);
        test::pictureOf(*f.dialog(), u"limit-set"_qs);
        f.press(u"Set the limit"_qs);
        QCOMPARE(f.run(jobs::permitsOfLimit(cluster, "licences")), 5);
        QVERIFY(f.says(u"At most 5 jobs with the limit licences run at a time."_qs));
        QCOMPARE(kind(), u"Limit of 5"_qs);
        QCOMPARE(f.audited().last(), u"limit-set licences"_qs);
        test::pictureOf(f.window, u"locks-limit"_qs);
        f.action("lock.limit")->trigger();
        f.dialog()->findChild<QSpinBox *>()->setValue(7);
        f.run(jobs::setLimit(cluster, "licences", 9)); // another client, while the dialog is open
        f.press(u"Set the limit"_qs);
        QCOMPARE(f.run(jobs::permitsOfLimit(cluster, "licences")), 9);
        QVERIFY(f.says(u"another client has set the limit licences to 9 meanwhile: nothing was changed"_qs));
    }

    // Its node stays behind.
    void aLimitThatIsNotSetIsNotListed()
    {
        Fixture f;
        const jobs::Cluster cluster(*f.writer, f.cluster.layout());
        f.run(jobs::setLimit(cluster, "licences", 2));
        f.world.runFor(3s);
        f.select(u"limit licences"_qs);
        QVERIFY(f.action("lock.limit")->isEnabled());
        QVERIFY(f.run(jobs::unsetLimit(cluster, "licences")));
        f.world.runFor(3s);
        QVERIFY(!f.action("lock.limit")->isEnabled());
        const QAbstractItemModel &rows = *f.page->table().model();
        QVERIFY(rows.match(rows.index(0, 0), Qt::DisplayRole, u"limit licences"_qs).isEmpty());
    }

    // An ampersand is none of the dialog's mnemonics, and no key writes a control character.
    void breaksALockWhoseNameIsHardToType()
    {
        Fixture f;
        const zk::Path joined = f.take(f.cluster.layout().lock("a&b"), "joined", zk::CreateMode::EphemeralSequential);
        f.select(u"joined"_qs);
        f.action("lock.break")->trigger();
        QLineEdit *typed = f.dialog()->findChild<QLineEdit *>();
        const QList<QLabel *> labels = f.dialog()->findChildren<QLabel *>();
        QVERIFY(std::any_of(labels.begin(), labels.end(), [&](const QLabel *label) {
            return label->buddy() == typed && label->text() == u"&Type a&&b"_qs;
        }));
        typed->setText(u"a&b"_qs);
        f.press(u"Break ab"_qs); // the helper takes all ampersands out
        QVERIFY(!f.exists(joined));
        const zk::Path marked =
            f.take(f.cluster.layout().lock("a\u202eb"), "marked", zk::CreateMode::EphemeralSequential);
        f.select(u"marked"_qs);
        f.action("lock.break")->trigger();
        typed = f.dialog()->findChild<QLineEdit *>();
        typed->setText(QString::fromLatin1(marked.name().last(10)));
        f.press(u"Break a\\u202eb"_qs);
        QVERIFY(!f.exists(marked));
    }

    // A limit and an election of the cluster are lines, too.
    void aLeaderIsDeposed()
    {
        Fixture f;
        const zk::Path election = f.cluster.layout().election("importer");
        const zk::Path leader = f.take(election, "leader", zk::CreateMode::EphemeralSequential);
        f.take(election, "second", zk::CreateMode::EphemeralSequential);
        f.take(f.cluster.layout().limit("gpu") / "leases", "a job", zk::CreateMode::EphemeralSequential);
        f.select(u"a job"_qs);
        QCOMPARE(f.page->table().currentIndex().siblingAtColumn(0).data().toString(), u"limit gpu"_qs);
        f.select(u"leader"_qs);
        QCOMPARE(f.place(), u"Holds"_qs);
        f.action("lock.break")->trigger();
        f.dialog()->findChild<QLineEdit *>()->setText(u"election importer"_qs);
        f.press(u"Break election importer"_qs);
        QVERIFY(!f.exists(leader));
        f.select(u"second"_qs);
        QCOMPARE(f.place(), u"Holds"_qs);
    }

    // It holds nothing that the next in line could get.
    void aMemberIsTakenOutOfItsBarrier()
    {
        Fixture f;
        const zk::Path stage = f.cluster.layout().doubleBarrier("stage");
        for (const char *const about : {"first", "second"})
            f.run(create(*f.writer, stage / about, about, zk::CreateMode::Ephemeral));
        f.take(f.cluster.layout().lock("db"), "a lock", zk::CreateMode::EphemeralSequential);
        f.select(u"first"_qs);
        QCOMPARE(f.place(), u"Waits, 1"_qs);
        QVERIFY(!f.action("lock.ask")->isEnabled());
        QCOMPARE(f.action("lock.break")->text(), u"Take &out…"_qs);
        f.action("lock.break")->trigger();
        const auto dialogSays = [&f](const QString &words) {
            const QList<QLabel *> labels = f.dialog()->findChildren<QLabel *>();
            return std::any_of(labels.begin(), labels.end(),
                               [&](const QLabel *label) { return label->text().contains(words); });
        };
        QVERIFY(dialogSays(u"Take “first” out of double barrier stage?"_qs));
        QVERIFY(dialogSays(u"another has to come before all begin"_qs));
        QVERIFY(!f.button(u"Take it out"_qs)->isEnabled());
        f.dialog()->findChild<QLineEdit *>()->setText(u"double barrier stage"_qs);
        test::pictureOf(*f.dialog(), u"barrier-take-out"_qs);
        f.press(u"Take it out"_qs);
        QVERIFY(!f.exists(stage / "first"));
        QVERIFY(f.says(u"Took “first” out of double barrier stage."_qs));
        f.run(create(*f.writer, stage / "ready", {}, zk::CreateMode::Persistent));
        f.world.runFor(2s);
        f.select(u"second"_qs);
        QCOMPARE(f.place(), u"Inside"_qs);
        QVERIFY(f.page->table().currentIndex().siblingAtColumn(LockModel::Fence).data().toString().isEmpty());
        f.action("lock.break")->trigger();
        QVERIFY(dialogSays(u"The others no longer wait for it to end."_qs));
        f.press(u"Leave it as it is"_qs);
        QVERIFY(f.exists(stage / "second"));
        f.select(u"a lock"_qs);
        QCOMPARE(f.action("lock.break")->text(), u"&Break…"_qs);
    }

    // Between the question and its answer the holder lets go, or editing is switched off.
    void breakingLeavesTheNextHolderAlone()
    {
        Fixture f;
        const zk::Path lock = f.cluster.layout().lock("db");
        const zk::Path first = f.take(lock, "first", zk::CreateMode::EphemeralSequential);
        const zk::Path second = f.take(lock, "second", zk::CreateMode::EphemeralSequential);
        f.select(u"first"_qs);
        f.action("lock.break")->trigger();
        f.dialog()->findChild<QLineEdit *>()->setText(u"db"_qs);
        f.writer->discard(first);
        f.world.runFor(3s);
        f.press(u"Break db"_qs);
        QVERIFY(f.exists(second));
        QVERIFY(f.says(u"has let go meanwhile"_qs));
        f.select(u"second"_qs);
        f.action("lock.break")->trigger();
        f.dialog()->findChild<QLineEdit *>()->setText(u"db"_qs);
        f.window.findChild<QAction *>(u"connection.edit"_qs)->setChecked(false);
        f.press(u"Break db"_qs);
        QVERIFY(f.exists(second));
        QVERIFY(f.says(u"The console is read-only here"_qs));
        QCOMPARE(f.audited(), QStringList());
    }
};

QTEST_MAIN(LockVerbsTest)
#include "lock_verbs_test.moc"
