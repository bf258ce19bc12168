#include "app/participant/participant_program.h"

#include "app/cli/arguments.h"
#include "app/cli/failure.h"
#include "app/cli/input_lines.h"
#include "app/participant/participant.h"
#include "async/qt_loop.h"

#include <QCoreApplication>
#include <QJsonDocument>
#include <QLoggingCategory>

#include <cstdio>
#include <cstring>

namespace drover::app {

namespace {

constexpr qsizetype LongestCommand = 64;

ParticipantOptions parse(const QStringList &words)
{
    const auto parser = std::make_shared<QCommandLineParser>();
    parser->addOptions({option("lab-participant", "", "RECIPE"), option("port", "", "PORT"),
                        option("directory", "", "ZNODE"), option("name", "", "NAME"),
                        option("session-timeout", "", "DURATION"), option("file", "", "FILE"), option("fence", ""),
                        option("last", "", "N"), option("replicas", "", "N")});
    if (!parser->parse(words))
        throw UsageError(parser->errorText());
    const Arguments given(parser);
    ParticipantOptions options;
    options.recipe = given.value("lab-participant");
    if (!Participant::knownRecipes().contains(options.recipe))
        throw UsageError(QStringLiteral("--lab-participant: \"%1\" must be one of %2")
                             .arg(options.recipe, Participant::knownRecipes().join(QStringLiteral(", "))));
    options.port = static_cast<quint16>(given.integer("port", 1, 65535, 2181));
    options.directory = zk::Path(given.has("directory") ? given.value("directory").toUtf8() : QByteArray("/lab"));
    options.name = given.value("name").toUtf8();
    options.sessionTimeout = given.duration("session-timeout", options.sessionTimeout);
    options.file = given.value("file");
    options.isFenced = given.has("fence");
    options.last = given.integer("last", 0, 1'000'000, 0);
    options.replicas = static_cast<int>(given.integer("replicas", 1, 100, 3));
    return options;
}

void say(const QJsonObject &event)
{
    const QByteArray line = QJsonDocument(event).toJson(QJsonDocument::Compact) + '\n';
    std::fputs(line.constData(), stdout);
    std::fflush(stdout);
}

async::Task<void> takePart(Participant &participant)
{
    co_await participant.run();
    QCoreApplication::exit(ExitOk);
}

async::Task<void> obeyCommands(Participant &participant)
{
    InputLines lines(LongestCommand);
    for (;;) {
        const std::optional<InputLines::Line> line = co_await lines.next();
        if (!line)
            break;
        participant.obey(line->text);
    }
    QCoreApplication::exit(ExitOk); // the console has ended
}

} // namespace

bool isParticipant(int argc, char **argv)
{
    return argc > 1
        && (std::strcmp(argv[1], "--lab-participant") == 0 || std::strncmp(argv[1], "--lab-participant=", 18) == 0);
}

int runParticipant(int argc, char **argv)
{
    const QCoreApplication application(argc, argv);
    QLoggingCategory::setFilterRules(QStringLiteral("drover.zk.*=false")); // what breaks is what is shown
    try {
        async::QtLoop loop;
        Participant participant(loop, parse(QCoreApplication::arguments()), say);
        async::TaskGroup tasks([](const std::exception_ptr &error) {
            std::fprintf(stderr, "drover-console: %s\n", qPrintable(explain(error).message));
            QCoreApplication::exit(ExitError);
        });
        tasks.spawn(obeyCommands(participant));
        tasks.spawn(takePart(participant));
        return QCoreApplication::exec();
    } catch (...) {
        const Failure failure = explain(std::current_exception());
        std::fprintf(stderr, "drover-console: %s\n", qPrintable(failure.message));
        return failure.code;
    }
}

} // namespace drover::app
