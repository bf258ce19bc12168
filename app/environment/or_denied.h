#pragma once

#include "app/cli/failure.h"
#include "trust/errors.h"

namespace drover::app {

// What `call` returns, which works with files of keys. BadCredentials become CommandError (Denied): the words of
// core/trust are for people already, so only the exit code is added.
template <typename Call>
auto orDenied(Call call)
{
    try {
        return call();
    } catch (const trust::BadCredentials &error) {
        throw CommandError(ExitDenied, QString::fromUtf8(error.what()));
    }
}

} // namespace drover::app
