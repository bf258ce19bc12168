#include "app/cli/failure.h"
#include "app/environment/settings.h"
#include "fuzz/harness/target.h"
#include "posix/file_descriptor.h"

#include <sys/mman.h>
#include <unistd.h>

using namespace drover;

namespace {

app::Arguments withConfig(const QString &path)
{
    const auto parser = std::make_shared<QCommandLineParser>();
    parser->addOptions(app::globalOptions());
    parser->parse({QStringLiteral("drover"), QStringLiteral("--config"), path});
    return app::Arguments(parser);
}

} // namespace

// The user's configuration file.
DROVER_FUZZ_TARGET(config_file, Form::Bytes)
{
    const posix::FileDescriptor file(::memfd_create("config", MFD_CLOEXEC));
    require(::write(file.get(), input.constData(), static_cast<std::size_t>(input.size())) == input.size(), "memfd");
    const app::Arguments arguments = withConfig(QStringLiteral("/proc/self/fd/%1").arg(file.get()));
    const auto settings = unlessRefused<app::UsageError>([&] { return app::Settings::collect(arguments); });
    require(!settings || settings->connectTimeout.count() > 0, "the time to connect is none");
}
