#include "gui/private_bus.h"
#include "gui/window/tray.h"

#include <QApplication>
#include <QDBusConnection>
#include <QDBusInterface>
#include <QDBusMessage>
#include <QDBusVirtualObject>
#include <QMutex>
#include <QTest>
#include <QThread>

using namespace drover;
using namespace drover::gui;

namespace {

constexpr int Patience = 30'000; // ms

// What a desktop has on its bus: a place for icons, and notifications. It answers on a thread of its own, because who
// asks waits.
class Desktop final : public QDBusVirtualObject
{
public:
    explicit Desktop(const QString &address) : m_address(address)
    {
        m_thread.start();
        moveToThread(&m_thread);
        onThread([this] {
            QDBusConnection bus = QDBusConnection::connectToBus(m_address, QStringLiteral("desktop"));
            const bool isThere = bus.registerVirtualObject(QStringLiteral("/"), this, QDBusConnection::SubPath)
                && bus.registerService(Watcher) && bus.registerService(QStringLiteral("org.freedesktop.Notifications"));
            if (!isThere)
                qFatal("the desktop is not on its bus: %s", qPrintable(bus.lastError().message()));
        });
    }
    ~Desktop() override
    {
        onThread([] { QDBusConnection::disconnectFromBus(QStringLiteral("desktop")); });
        m_thread.quit();
        m_thread.wait();
    }

    QStringList items() const // that were registered
    {
        const QMutexLocker lock(&m_mutex);
        return m_items;
    }
    QStringList messages() const // as "title: text"
    {
        const QMutexLocker lock(&m_mutex);
        return m_messages;
    }

    // The user does that.
    void click(const QString &item)
    {
        onThread([&] {
            QDBusMessage call = QDBusMessage::createMethodCall(item, QStringLiteral("/StatusNotifierItem"),
                                                               QStringLiteral("org.kde.StatusNotifierItem"),
                                                               QStringLiteral("Activate"));
            call.setArguments({0, 0});
            QDBusConnection(QStringLiteral("desktop")).send(call);
        });
    }
    void clickOnTheLastMessage()
    {
        onThread([this] {
            QDBusMessage signal = QDBusMessage::createSignal(QStringLiteral("/org/freedesktop/Notifications"),
                                                             QStringLiteral("org.freedesktop.Notifications"),
                                                             QStringLiteral("ActionInvoked"));
            signal.setArguments({m_last, QStringLiteral("default")});
            QDBusConnection(QStringLiteral("desktop")).send(signal);
        });
    }
    // The place for icons ends, as when its program is started again, and comes back.
    void restart()
    {
        onThread([] {
            QDBusConnection bus(QStringLiteral("desktop"));
            bus.unregisterService(Watcher);
            bus.registerService(Watcher);
        });
    }

    QString introspect(const QString &) const override
    {
        return QStringLiteral("<interface name=\"org.kde.StatusNotifierWatcher\"><method "
                              "name=\"RegisterStatusNotifierItem\"><arg type=\"s\" direction=\"in\"/></method>"
                              "<property name=\"IsStatusNotifierHostRegistered\" type=\"b\" access=\"read\"/>"
                              "</interface>");
    }
    bool handleMessage(const QDBusMessage &message, const QDBusConnection &connection) override
    {
        const QMutexLocker lock(&m_mutex);
        QVariantList answer;
        if (message.member() == u"RegisterStatusNotifierItem") {
            m_items << message.arguments().value(0).toString();
        } else if (message.member() == u"Get") {
            answer << QVariant::fromValue(QDBusVariant(true));
        } else if (message.member() == u"GetCapabilities") {
            answer << QStringList{QStringLiteral("actions"), QStringLiteral("body")};
        } else if (message.member() == u"Notify") {
            m_messages << message.arguments().value(3).toString() + QStringLiteral(": ")
                    + message.arguments().value(4).toString();
            answer << ++m_last;
        } else {
            return false;
        }
        connection.send(message.createReply(answer));
        return true;
    }

private:
    inline static const QString Watcher = QStringLiteral("org.kde.StatusNotifierWatcher");

    template <typename Act>
    void onThread(const Act &act)
    {
        QMetaObject::invokeMethod(this, act, Qt::BlockingQueuedConnection);
    }

    const QString m_address;
    QThread m_thread;
    mutable QMutex m_mutex;
    QStringList m_items;
    QStringList m_messages;
    quint32 m_last = 0;
};

} // namespace

// The icon in the tray, on a bus that has a place for it.
class TrayTest : public QObject
{
    Q_OBJECT

    Desktop m_desktop{QString::fromUtf8(qgetenv("DBUS_SESSION_BUS_ADDRESS"))};
    QObject m_day; // two workspaces
    QObject m_night;
    QStringList m_opened;

    Notifier::Message message(const QString &title)
    {
        return {title, QStringLiteral("a job has failed"), [this, title] { m_opened << title; }};
    }

    // Its icon, once the desktop knows it.
    QString shownBy(Tray &tray, const QObject *workspace, const QString &title)
    {
        const qsizetype before = m_desktop.items().size();
        tray.show(workspace, message(title));
        [&] { QTRY_COMPARE_WITH_TIMEOUT(m_desktop.items().size(), before + 1, Patience); }();
        return m_desktop.items().last();
    }

private Q_SLOTS:
    void init() { m_opened.clear(); }

    void theIconAppearsWithTheFirstMessage()
    {
        Tray tray(nullptr);
        const qsizetype before = m_desktop.items().size();
        QVERIFY(m_desktop.messages().isEmpty());
        tray.show(&m_day, message(QStringLiteral("day")));
        QTRY_COMPARE_WITH_TIMEOUT(m_desktop.items().size(), before + 1, Patience);
        QTRY_COMPARE_WITH_TIMEOUT(m_desktop.messages(), QStringList{QStringLiteral("day: a job has failed")}, Patience);
        tray.show(&m_night, message(QStringLiteral("night")));
        QTRY_COMPARE_WITH_TIMEOUT(m_desktop.messages().size(), 2, Patience);
        QCOMPARE(m_desktop.items().size(), before + 1);
        QVERIFY(m_opened.isEmpty());
    }

    void leadsToTheLastMessage()
    {
        Tray tray(nullptr);
        const QString item = shownBy(tray, &m_day, QStringLiteral("day"));
        tray.show(&m_night, message(QStringLiteral("night")));
        m_desktop.click(item);
        QTRY_COMPARE_WITH_TIMEOUT(m_opened, QStringList{QStringLiteral("night")}, Patience);
        const qsizetype shown = m_desktop.messages().size();
        tray.show(&m_day, message(QStringLiteral("day again")));
        QTRY_COMPARE_WITH_TIMEOUT(m_desktop.messages().size(), shown + 1, Patience);
        m_desktop.clickOnTheLastMessage();
        QTRY_COMPARE_WITH_TIMEOUT(m_opened.value(1), QStringLiteral("day again"), Patience);
    }

    // Its tab was closed: what a click did is gone with it.
    void opensNothingOfAWorkspaceThatHasGone()
    {
        Tray tray(nullptr);
        const QString item = shownBy(tray, &m_day, QStringLiteral("day"));
        tray.forget(&m_night);
        m_desktop.click(item);
        QTRY_COMPARE_WITH_TIMEOUT(m_opened.size(), 1, Patience);
        tray.forget(&m_day);
        m_desktop.click(item);
        tray.show(&m_night, message(QStringLiteral("night")));
        m_desktop.click(item); // after the other click
        QTRY_COMPARE_WITH_TIMEOUT(m_opened.value(1), QStringLiteral("night"), Patience);
    }

    void theMenuListsWhatOneSubscribesTo()
    {
        Tray tray(nullptr);
        QStringList unwanted;
        int shown = 0;
        connect(&tray, &Tray::ruleUnwanted, &tray, [&](const QString &rule) {
            unwanted << rule;
            tray.listRules({QStringLiteral("state:failed")});
        });
        connect(&tray, &Tray::eventsWanted, &tray, [&] { ++shown; });
        const qsizetype before = m_desktop.items().size();
        tray.listRules({});
        QCOMPARE(tray.menu().actions().size(), 1);
        tray.listRules({QStringLiteral("state:failed"), QStringLiteral("job:default-7")});
        QTRY_COMPARE_WITH_TIMEOUT(m_desktop.items().size(), before + 1, Patience); // without any message
        const QList<QAction *> actions = tray.menu().actions();
        QCOMPARE(actions.size(), 5); // with a heading and a line
        QVERIFY(!actions[0]->isEnabled());
        QCOMPARE(actions[1]->text(), QStringLiteral("state:failed"));
        QVERIFY(actions[2]->isChecked());
        actions[2]->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(unwanted, QStringList{QStringLiteral("job:default-7")}, Patience);
        QCOMPARE(tray.menu().actions().size(), 4);
        tray.menu().actions().last()->trigger();
        QCOMPARE(shown, 1);
    }

    void theIconReturnsWhenTheTrayRestarts()
    {
        Tray tray(nullptr);
        const qsizetype before = m_desktop.items().size() + 1;
        shownBy(tray, &m_day, QStringLiteral("day"));
        m_desktop.restart();
        QTRY_COMPARE_WITH_TIMEOUT(m_desktop.items().size(), before + 1, Patience);
        m_desktop.click(m_desktop.items().last());
        QTRY_COMPARE_WITH_TIMEOUT(m_opened.size(), 1, Patience);
    }
};

int main(int argc, char **argv)
{
    const test::PrivateBus bus;
    bus.beginDisplay(); // the offscreen platform has no tray at all
    QApplication application(argc, argv);
    TrayTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "tray_test.moc"
