#include "app/program/command_line.h"

#include "app/cli/failure.h"
#include "app/completion/expected_word.h"
#include "fuzz/harness/target.h"

using namespace drover;

// A command line, a word a line: as it is run, and as a shell completes it.
DROVER_FUZZ_TARGET(command_line, Form::Bytes)
{
    const QStringList words = QString::fromUtf8(input).split(u'\n');
    const app::ExpectedWord expected = app::expectedWord(words);
    require(expected.program < words.size(), "the program is behind the last word");
    require(expected.program >= 0 || (expected.fixed + expected.begun) == words.last(),
            "the word at the cursor is another");
    (void)unlessRefused<app::UsageError>(
        [&] { return app::CommandLine::parse(QStringList{QStringLiteral("drover")} + words); });
}
