#include "app/cli/failure.h"
#include "app/cli/spare_descriptors.h"
#include "app/cli/unix_signals.h"
#include "app/console_bench/console_bench.h"
#include "app/demo/demo_cluster.h"
#include "app/environment/credentials_file.h"
#include "app/environment/programs.h"
#include "app/environment/up_state.h"
#include "app/participant/participant_program.h"
#include "app/program/console_command.h"
#include "app/submission/submit_texts.h"
#include "gui/charts/load_file.h"
#include "gui/credentials/credentials_text.h"
#include "gui/feeds/feed_thread.h"
#include "gui/translations/languages.h"
#include "gui/widgets/submit_dialog.h"
#include "gui/window/look/language_menu.h"
#include "gui/window/look/theme_menu.h"
#include "gui/window/main_window.h"
#include "gui/workspace/console_models.h"
#include "gui/workspace/launch_links.h"
#include "gui/workspace/replay_links.h"
#include "jobs/client/submitter.h"
#include "zk/client/session.h"

#include <QApplication>
#include <QLocale>
#include <QSettings>
#include <QTimer>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

using namespace drover;
using namespace std::chrono_literals;

namespace {

constexpr QSize DefaultSize(1400, 900);
constexpr QSize LargestSize(16384, 16384); // pixels; a picture of more is not painted

struct Options {
    gui::Target target;
    app::Settings settings;
    QStringList programOptions; // --credentials and --config, as they were given
    std::optional<gui::ThemeChoice> theme;
    QString language;
    QSize size; // empty: as it was
    QString page; // empty: as it was
    QString screenshot; // a file; empty: none
    std::chrono::milliseconds after = 2s;
    QString bench; // what is measured; empty: nothing
    double scale = 1;
    bool json = false;
    QString jobFile; // empty: none
    std::unique_ptr<app::DemoCluster> demo; // null: a cluster of the user's
};

double scaleFrom(const app::Arguments &given)
{
    if (!given.has("scale"))
        return 1;
    if (!given.has("bench"))
        throw app::UsageError(QStringLiteral("--scale means nothing without --bench"));
    const double scale = given.value("scale").toDouble();
    if (!(scale > 0 && scale <= 1))
        throw app::UsageError(QStringLiteral("--scale: \"%1\" must be more than 0, up to 1").arg(given.value("scale")));
    return scale;
}

// `chosen`: in the menu, which means as little to a picture as other saved settings; or empty.
QString languageFrom(const app::Arguments &given, const QString &chosen)
{
    if (!given.has("language"))
        return chosen.isEmpty() || given.has("screenshot") || given.has("bench")
            ? gui::languageFor(QLocale::system().uiLanguages())
            : chosen;
    if (!gui::allLanguages().contains(given.value("language")))
        throw app::UsageError(QStringLiteral("--language: \"%1\" must be one of %2")
                                  .arg(given.value("language"), gui::allLanguages().join(QStringLiteral(", "))));
    return given.value("language");
}

// `chosenLanguage`: in the menu, or empty.
Options parse(const QStringList &arguments, const QString &chosenLanguage)
{
    const auto parser = std::make_shared<QCommandLineParser>();
    parser->addOptions(app::consoleOptions());
    // Of the commands' settings those that mean nothing to a window.
    for (const char *name : {"output", "connect-timeout", "history"}) {
        QCommandLineOption hidden = app::option(name, "", "VALUE");
        hidden.setFlags(QCommandLineOption::HiddenFromHelp);
        parser->addOption(hidden);
    }
    parser->process(arguments);
    if (parser->isSet(QStringLiteral("help"))) {
        std::fputs(app::consoleHelpText().toUtf8().constData(), stdout);
        std::exit(app::ExitOk);
    }
    if (parser->isSet(QStringLiteral("version")))
        parser->showVersion();
    const app::Arguments given(parser);
    if (given.positional().size() > 1)
        throw app::UsageError(QStringLiteral("\"%1\" is not understood; see --help").arg(given.at(1)));

    Options options;
    if (given.has("demo")) {
        for (const char *const other : {"connect", "credentials", "cluster", "config"}) {
            if (given.has(other))
                throw app::UsageError(
                    QStringLiteral("--%1 means nothing with --demo, which starts a cluster of its own")
                        .arg(QLatin1String(other)));
        }
        options.demo = std::make_unique<app::DemoCluster>();
    }
    const app::Settings settings = app::Settings::collect(given);
    app::findCredentials(settings); // a file that cannot be used is reported at once
    options.target = {settings.connect, settings.cluster};
    options.settings = settings;
    for (const char *const name : {"credentials", "config"}) {
        if (given.has(name))
            options.programOptions += {QStringLiteral("--") + QLatin1String(name), given.value(name)};
    }
    options.page = given.value("page");
    options.screenshot = given.value("screenshot");
    options.after = given.duration("after", options.after);
    options.bench = given.value("bench");
    options.json = given.has("json");
    options.jobFile = given.positional().value(0);
    for (const char *const other : {"bench", "screenshot"}) {
        if (!options.jobFile.isEmpty() && given.has(other))
            throw app::UsageError(QStringLiteral("a job file means nothing with --%1").arg(QLatin1String(other)));
    }
    options.scale = scaleFrom(given);
    if (given.has("json") && !given.has("bench"))
        throw app::UsageError(QStringLiteral("--json means nothing without --bench"));
    if (given.has("after") && !given.has("screenshot"))
        throw app::UsageError(QStringLiteral("--after means nothing without --screenshot"));
    if (given.has("theme")) {
        const qsizetype choice =
            QStringList{QStringLiteral("system"), QStringLiteral("light"), QStringLiteral("dark")}.indexOf(
                given.value("theme"));
        if (choice < 0)
            throw app::UsageError(
                QStringLiteral("--theme: \"%1\" must be system, light or dark").arg(given.value("theme")));
        options.theme = gui::ThemeChoice(choice);
    }
    options.language = languageFrom(given, chosenLanguage);
    if (given.has("size")) {
        const QStringList sides = given.value("size").split(u'x');
        options.size = QSize(sides.value(0).toInt(), sides.value(1).toInt());
        if (sides.size() != 2 || options.size.isEmpty() || options.size != options.size.boundedTo(LargestSize))
            throw app::UsageError(
                QStringLiteral("--size: \"%1\" is not a size; give WIDTHxHEIGHT, such as 1400x900, up to "
                               "16384x16384")
                    .arg(given.value("size")));
    }
    return options;
}

gui::SessionSource realSessions(const app::Settings &settings)
{
    return [settings](async::Loop &loop, const gui::Target &target, const gui::GivenCredentials &given) {
        gui::OpenedSession opened;
        opened.credentials = given.isGiven()
            ? given.ofCluster
            : app::findCredentialsOf(settings, target.connect, target.cluster).credentials;
        zk::SessionOptions options;
        options.servers = target.connect;
        const jobs::Layout layout(target.cluster);
        options.access = given.digest.isEmpty() ? app::accessWith(opened.credentials.get(), layout)
                                                : app::accessByPassword(given.digest, layout);
        if (!opened.credentials)
            opened.passwordUser = gui::passwordUser(options.access);
        auto session = std::make_unique<zk::Session>(loop, options);
        session->open();
        opened.zk = std::move(session);
        return opened;
    };
}

// The program beside this one, with what names the cluster and the credentials.
gui::LaunchPrograms launchPrograms(const Options &options)
{
    const QString refusal = // a worker would outlive it
        options.demo ? QObject::tr("The demo has workers of its own.") : QString();
    return [options = options.programOptions, refusal](const gui::Target &target) {
        return gui::LaunchProgram{app::findProgram("drover"),
                                  options
                                      + QStringList{QStringLiteral("--connect"), target.connect,
                                                    QStringLiteral("--cluster"), QString::fromUtf8(target.cluster)},
                                  refusal};
    };
}

// As for the commands. The settings of this machine name the history of the cluster that they name, and of no other.
gui::HistoryPlace historyPlace(const app::Settings &settings)
{
    return [settings](const gui::Target &target, const QString &ofCluster) -> std::optional<history::Location> {
        const bool isOurs = target == gui::Target{settings.connect, settings.cluster};
        const bool isNamedHere = !settings.history.isEmpty() || !settings.historySource.isEmpty();
        if (isOurs && isNamedHere)
            return settings.history.isEmpty() ? std::nullopt
                                              : std::optional(history::Location::parse(settings.history));
        if (ofCluster.isEmpty())
            return std::nullopt;
        return history::Location::fromCluster(ofCluster, settings.historyAllow);
    };
}

// For one tab: a session on a thread of its own, and the models that it fills.
gui::Backing backing(const app::Settings &settings)
{
    struct Owner {
        gui::FeedThread feeds;
        gui::ConsoleModels models;

        explicit Owner(const app::Settings &settings) : feeds(realSessions(settings), historyPlace(settings)) { }
    };
    auto owner = std::make_shared<Owner>(settings);
    gui::connectModels(owner->models, owner->feeds.session());
    return {&owner->models, &owner->feeds.session(), owner};
}

// Quits once the picture is taken: `after` the first jobs were shown, or an error if that takes too long.
void takeScreenshot(gui::MainWindow &window, gui::ConsoleModels &models, const Options &options)
{
    constexpr auto Patience = 15s;
    constexpr auto PatienceForTheCluster = 3s; // its first worker may be about to make it
    const auto take = [&window, file = options.screenshot] {
        const bool saved = window.grab().save(file, "PNG");
        if (!saved)
            std::fprintf(stderr, "drover-console: cannot write %s\n", qPrintable(file));
        QApplication::exit(saved ? app::ExitOk : app::ExitError);
    };
    const auto giveUp = [&window, target = options.target] {
        if (window.isConnected()) {
            std::fprintf(stderr, "drover-console: there is no cluster %s at %s; its first worker makes it\n",
                         target.cluster.constData(), qPrintable(target.connect));
            QApplication::exit(app::ExitNotFound);
            return;
        }
        std::fprintf(stderr, "drover-console: no ZooKeeper answers at %s\n", qPrintable(target.connect));
        QApplication::exit(app::ExitUnreachable);
    };
    auto *patience = new QTimer(&window);
    QObject::connect(patience, &QTimer::timeout, &window, giveUp);
    patience->start(Patience);
    QObject::connect(&models.jobs, &gui::JobModel::shown, patience, [=, &models, &window, after = options.after] {
        if (!models.jobs.snapshot().clusterExists) {
            if (window.isConnected() && patience->intervalAsDuration() != PatienceForTheCluster)
                patience->start(PatienceForTheCluster);
            return;
        }
        patience->deleteLater();
        QTimer::singleShot(after, &window, take);
    });
}

// Connects the window once the demo serves.
void show(app::DemoCluster &demo, gui::MainWindow &window, const QByteArray &cluster)
{
    QObject::connect(&demo, &app::DemoCluster::serving, &window, [&window, cluster](const QString &connect) {
        window.shown().replay().record({connect, cluster}); // into the demo's own directory
        window.connectTo({connect, cluster});
    });
    QObject::connect(&demo, &app::DemoCluster::failed, &window, [](const QString &reason) {
        std::fprintf(stderr, "drover-console: the demo did not start: %s\n", qPrintable(reason));
        QApplication::exit(app::ExitError);
    });
    demo.start();
}

// The servers that are configured come beside the tabs of the last time. A picture is of them alone.
void openTarget(gui::MainWindow &window, QSettings &settings, const Options &options)
{
    if (options.screenshot.isEmpty())
        window.restoreTabs(settings);
    window.open(options.target);
}

// Prints what was measured.
int runBench(const Options &options)
{
    const app::Figures figures = app::runConsoleBench(options.bench, options.scale);
    const app::Output out(options.json ? app::Format::JsonLines : app::Format::Table);
    if (options.json)
        out.document(figures.json());
    else
        out.bytes(figures.table(app::widthFor(out.terminal())).toUtf8());
    return app::ExitOk;
}

// Before anything is begun.
void requireJobFile(const QString &path, const app::SubmitTexts &known)
{
    jobs::JobSpec spec;
    const QString why = path.isEmpty() ? QString() : gui::SubmitDialog::readFile(path, known, spec);
    if (!why.isEmpty())
        throw app::UsageError(why);
}

int run()
{
    const app::UnixSignals signalSource([](int) { QApplication::quit(); });
    QSettings settings;
    const Options options = parse(QApplication::arguments(), gui::LanguageMenu::saved(settings));
    gui::speak(options.language);
    gui::applyTheme(gui::ThemeChoice::System);
    jobs::submitterName(); // it may block, as long as there is no session
    if (!options.bench.isEmpty())
        return runBench(options);
    const app::SubmitTexts jobOptions;
    requireJobFile(options.jobFile, jobOptions);
    const std::optional<app::UpState> up = app::UpState::running();
    const auto newBacking = [&options] { return backing(options.settings); };
    gui::MainWindow window(newBacking());
    if (!options.demo)
        window.setSource(newBacking);
    window.prepare([&](gui::Workspace &workspace) {
        workspace.setJobOptions(jobOptions);
        workspace.launch().setPrograms(launchPrograms(options));
        workspace.setLocalTarget({up ? up->connect : QStringLiteral("127.0.0.1:2181"), gui::Target().cluster});
        if (options.screenshot.isEmpty() && !options.demo)
            workspace.keepCharts(gui::LoadFile::usualPath());
    });
    if (!options.settings.credentials.isEmpty() && options.settings.credentialsPlace.isEmpty())
        window.setFileNamed(options.settings.cluster); // by an option, or in the environment
    window.resize(DefaultSize);
    if (options.screenshot.isEmpty())
        window.restoreFrom(settings);
    if (options.theme)
        window.theme().chooseOnce(*options.theme);
    if (!options.size.isEmpty())
        window.resize(options.size);
    if (!options.page.isEmpty() && !window.showPage(options.page))
        throw app::UsageError(QStringLiteral("--page: \"%1\" must be one of %2")
                                  .arg(options.page, window.pageNames().join(QStringLiteral(", "))));
    window.show();
    if (options.demo)
        show(*options.demo, window, options.target.cluster);
    else if (!options.target.connect.isEmpty())
        openTarget(window, settings, options);
    else if (!options.screenshot.isEmpty() || !window.restoreTabs(settings))
        window.shown().offerTarget({QStringLiteral("127.0.0.1:2181"), options.target.cluster});
    if (!options.jobFile.isEmpty())
        window.shown().submitFile(options.jobFile);
    if (!options.screenshot.isEmpty())
        takeScreenshot(window, window.shown().models(), options);
    const int code = QApplication::exec();
    if (options.screenshot.isEmpty() && !options.demo)
        window.saveTo(settings);
    return code;
}

// Whether there is a display, or another Qt platform is configured. Without either Qt itself would abort.
bool hasDisplay(int argc, char **argv)
{
    const auto isPlatform = [](const char *argument) { return QByteArray(argument).endsWith("-platform"); };
    return !qEnvironmentVariableIsEmpty("DISPLAY") || !qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY")
        || !qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM") || std::any_of(argv, argv + argc, isPlatform);
}

bool isGiven(int argc, char **argv, const char *option)
{
    return std::any_of(argv, argv + argc, [option](const QByteArray &one) { return one.startsWith(option); });
}

// --help, --version and --screenshot.
bool needsNoDisplay(int argc, char **argv)
{
    const auto isOne = [](const QByteArray &argument) {
        return argument == "-h" || argument == "-v" || argument == "--help" || argument == "--version"
            || argument.startsWith("--screenshot");
    };
    return std::any_of(argv, argv + argc, isOne);
}

} // namespace

int main(int argc, char **argv)
{
    app::openStandardDescriptors();
    if (!app::hasSpareDescriptors())
        return app::ExitError;
    if (app::isParticipant(argc, argv))
        return app::runParticipant(argc, argv);
    if (argc == 2 && QByteArray(argv[1]) == "--manual") { // for the build: the man page
        std::fputs(app::consoleManualPage().constData(), stdout);
        return app::ExitOk;
    }
    if (isGiven(argc, argv, "--bench"))
        qputenv("QT_QPA_PLATFORM", "offscreen"); // with a display, too
    if (!hasDisplay(argc, argv)) {
        if (!needsNoDisplay(argc, argv)) {
            std::fprintf(stderr,
                         "drover-console: there is no display: start it on a desktop or through ssh -X, or let it "
                         "write a picture with --screenshot FILE\n");
            return app::ExitError;
        }
        qputenv("QT_QPA_PLATFORM", "offscreen");
    }
    QApplication application(argc, argv);
    QCoreApplication::setApplicationName(QStringLiteral("drover-console"));
    QGuiApplication::setDesktopFileName(QStringLiteral("drover-console")); // whose icon a desktop shows
    QCoreApplication::setOrganizationName(QStringLiteral("drover"));
    QCoreApplication::setApplicationVersion(QStringLiteral(DROVER_VERSION));
    try {
        return run();
    } catch (...) {
        const app::Failure failure = app::explain(std::current_exception());
        std::fprintf(stderr, "drover-console: %s\n", qPrintable(failure.message));
        return failure.code;
    }
}
