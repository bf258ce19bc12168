#include "app/support/drover_on_server.h"
#include "gui/private_bus.h"

#include <QCoreApplication>
#include <QDBusArgument>
#include <QDBusConnection>
#include <QDBusMessage>
#include <QDir>
#include <QTest>

using namespace drover::test;
using namespace Qt::StringLiterals;

namespace {

constexpr int Patience = 60'000; // ms

// AtspiRole
constexpr uint Combo = 11;
constexpr uint Table = 65; // a tree, of which most have one level

const QString Accessible = u"org.a11y.atspi.Accessible"_s;

// An object of a program, by which a screen reader asks for it.
struct Heard {
    QString program; // its name on the bus
    QString path;

    bool isThere() const { return !path.isEmpty(); }
};

// What a screen reader has: the bus of accessibility, and what the programs on it say.
class Reader : public QObject
{
    Q_OBJECT

public:
    QStringList said; // the names of what was announced

    void listen()
    {
        const QDBusMessage answer = QDBusConnection::sessionBus().call(
            QDBusMessage::createMethodCall(u"org.a11y.Bus"_s, u"/org/a11y/bus"_s, u"org.a11y.Bus"_s, u"GetAddress"_s));
        QDBusConnection::connectToBus(answer.arguments().value(0).toString(), u"reader"_s);
        QVERIFY2(bus().isConnected(), qPrintable(answer.errorMessage()));
        QVERIFY(
            bus().connect({}, {}, u"org.a11y.atspi.Event.Object"_s, u"StateChanged"_s, this, SLOT(hear(QDBusMessage))));
        for (const char *const event : {"Object:StateChanged:Showing", "Object:"})
            call({Registry, u"/org/a11y/atspi/registry"_s}, Registry, u"RegisterEvent"_s, {QLatin1String(event)});
    }

    QString name(const Heard &object) const { return property(object, u"Name"_s).toString(); }
    uint role(const Heard &object) const { return call(object, Accessible, u"GetRole"_s).value(0).toUInt(); }
    bool isShowing(const Heard &object) const
    {
        const QVariantList answer = call(object, Accessible, u"GetState"_s);
        QList<uint> bits;
        if (!answer.isEmpty())
            answer.front().value<QDBusArgument>() >> bits;
        constexpr uint Showing = 25; // AtspiStateType
        return !bits.isEmpty() && (bits.front() & (1U << Showing));
    }
    QList<Heard> children(const Heard &object) const
    {
        QList<Heard> all;
        const QVariantList answer = call(object, Accessible, u"GetChildren"_s);
        if (answer.isEmpty())
            return all;
        const auto list = answer.front().value<QDBusArgument>();
        list.beginArray();
        while (!list.atEnd()) {
            Heard child;
            QDBusObjectPath path;
            list.beginStructure();
            list >> child.program >> path;
            list.endStructure();
            child.path = path.path();
            all << child;
        }
        list.endArray();
        return all;
    }
    Heard program(const QString &name) const
    {
        const QList<Heard> all = children({Registry, u"/org/a11y/atspi/accessible/root"_s});
        const auto its =
            std::find_if(all.begin(), all.end(), [&](const Heard &one) { return this->name(one) == name; });
        return its == all.end() ? Heard() : *its;
    }
    // The first below it whose name begins so. A role of 0 is any.
    Heard find(const Heard &below, const QString &name, uint role = 0) const
    {
        const QList<Heard> all = children(below);
        for (const Heard &child : all) {
            if (this->name(child).startsWith(name) && (role == 0 || this->role(child) == role))
                return child;
            if (this->role(child) == Table)
                continue; // its cells are asked for by their place
            if (const Heard found = find(child, name, role); found.isThere())
                return found;
        }
        return {};
    }
    Heard cell(const Heard &table, int row, int column) const
    {
        const QVariantList answer = call(table, u"org.a11y.atspi.Table"_s, u"GetAccessibleAt"_s, {row, column});
        Heard cell;
        QDBusObjectPath path;
        if (answer.isEmpty())
            return cell;
        const auto pair = answer.front().value<QDBusArgument>();
        pair.beginStructure();
        pair >> cell.program >> path;
        pair.endStructure();
        cell.path = path.path();
        return cell;
    }
    int rows(const Heard &table) const
    {
        return call(table, u"org.freedesktop.DBus.Properties"_s, u"Get"_s, {u"org.a11y.atspi.Table"_s, u"NRows"_s})
            .value(0)
            .value<QDBusVariant>()
            .variant()
            .toInt();
    }
    void press(const Heard &object) const { call(object, u"org.a11y.atspi.Action"_s, u"DoAction"_s, {0}); }

private Q_SLOTS:
    void hear(const QDBusMessage &signal)
    {
        if (signal.arguments().value(0).toString() != u"showing" || signal.arguments().value(1).toInt() != 1)
            return;
        const Heard object{signal.service(), signal.path()};
        if (role(object) == Notification)
            said << name(object);
    }

private:
    static constexpr uint Notification = 101; // AtspiRole
    inline static const QString Registry = u"org.a11y.atspi.Registry"_s;

    static QDBusConnection bus() { return QDBusConnection(u"reader"_s); }
    static QVariantList call(const Heard &object, const QString &interface, const QString &method,
                             const QVariantList &arguments = {})
    {
        QDBusMessage call = QDBusMessage::createMethodCall(object.program, object.path, interface, method);
        call.setArguments(arguments);
        return bus().call(call).arguments();
    }
    static QVariant property(const Heard &object, const QString &name)
    {
        return call(object, u"org.freedesktop.DBus.Properties"_s, u"Get"_s, {Accessible, name})
            .value(0)
            .value<QDBusVariant>()
            .variant();
    }
};

} // namespace

// The real console as a screen reader hears it: over AT-SPI, on a bus and a display of this test alone.
class AtSpiTest : public QObject
{
    Q_OBJECT

    DroverOnServer m_cluster;
    QProcess m_console;
    Reader m_reader;
    Heard m_window;

    Heard find(const char *name, uint role = 0) const { return m_reader.find(m_window, QLatin1String(name), role); }

private Q_SLOTS:
    void initTestCase()
    {
        m_cluster.start({QByteArrayLiteral("default")});
        for (const char *const job : {"first", "second"}) {
            const Finished submitted = m_cluster.drover.run({u"submit"_s, u"--name"_s, QLatin1String(job), u"true"_s});
            QVERIFY2(submitted.exitCode == 0, submitted.err);
        }
        m_reader.listen();
        QProcessEnvironment environment = m_cluster.drover.environment();
        for (const char *const name : {"DISPLAY", "QT_QPA_PLATFORM", "DBUS_SESSION_BUS_ADDRESS"})
            environment.insert(QLatin1String(name), qEnvironmentVariable(name));
        environment.insert(u"QT_LINUX_ACCESSIBILITY_ALWAYS_ON"_s, u"1"_s);
        environment.insert(u"LANGUAGE"_s, u"en"_s);
        m_console.setProcessEnvironment(environment);
        m_console.start(qEnvironmentVariable("DROVER_BIN_DIR") + u"/drover-console"_s,
                        {u"--connect"_s, m_cluster.server.connectString(), u"--page"_s, u"jobs"_s});
        QTRY_VERIFY_WITH_TIMEOUT((m_window = m_reader.program(u"drover-console"_s)).isThere(), Patience);
    }
    void cleanupTestCase()
    {
        m_console.terminate();
        const Finished finished = DroverProgram::finish(m_console);
        QVERIFY2(finished.exitCode == 0, finished.err);
    }

    void theRailNamesItsPagesWithTheirBadges()
    {
        QTRY_VERIFY_WITH_TIMEOUT(find("Jobs: 2 unfinished").isThere(), Patience);
        QVERIFY(find("Overview").isThere());
        QVERIFY(find("Znodes").isThere());
    }

    void theTableAndItsCellsAreRead()
    {
        const Heard table = find("Jobs", Table);
        QVERIFY(table.isThere());
        QTRY_COMPARE_WITH_TIMEOUT(m_reader.rows(table), 2, Patience);
        QStringList jobs;
        QStringList names;
        for (int row = 0; row < 2; ++row) {
            jobs << m_reader.name(m_reader.cell(table, row, 1));
            names << m_reader.name(m_reader.cell(table, row, 2));
        }
        jobs.sort();
        names.sort();
        QCOMPARE(jobs, (QStringList{u"default-0"_s, u"default-1"_s}));
        QCOMPARE(names, (QStringList{u"first"_s, u"second"_s}));
    }

    // Not by their values.
    void theFieldsAboveItAreNamed()
    {
        QVERIFY(find("States to show", Combo).isThere());
        QVERIFY(find("Filter jobs").isThere());
    }

    void aPageIsOpenedByItsEntry()
    {
        const Heard table = find("Workers", Table);
        QVERIFY(table.isThere() && !m_reader.isShowing(table));
        m_reader.press(find("Workers"));
        QTRY_VERIFY_WITH_TIMEOUT(m_reader.isShowing(table), Patience);
    }

    void anOutageIsAnnounced()
    {
        m_reader.said.clear();
        m_cluster.server.stop();
        QTRY_VERIFY2_WITH_TIMEOUT(m_reader.said.contains(u"Suspended"_s), qPrintable(m_reader.said.join(u'\n')),
                                  Patience);
        m_cluster.server.restart();
        QTRY_VERIFY2_WITH_TIMEOUT(m_reader.said.contains(u"Connected"_s), qPrintable(m_reader.said.join(u'\n')),
                                  Patience);
    }
};

int main(int argc, char **argv)
{
    const PrivateBus bus;
    bus.beginDisplay();
    QDir().mkpath(bus.path(u"run"_s)); // where the bus of accessibility has its socket
    bus.begin(PrivateBus::newProcess(), u"/usr/libexec/at-spi-bus-launcher"_s, {u"--launch-immediately"_s});
    QCoreApplication application(argc, argv);
    AtSpiTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "at_spi_test.moc"
