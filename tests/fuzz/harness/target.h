#pragma once

#include "fuzz/harness/mutation.h"

#include <QByteArray>

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

// A fuzz target hands bytes to one decoder of foreign bytes, and says what has to be true of the result (README.md).
// Each is a source of this folder, and the only thing in it is
//
//     DROVER_FUZZ_TARGET(claim, Form::Json) // the name is that of the source and of its corpus
//     {
//         requireStable<jobs::Claim>(input);
//     }
//
// A target fails by an exception, a report of a sanitizer, too much memory or too much time. An exception of the
// decoder that its header documents is caught in the target.
namespace drover::fuzz {

struct Target {
    const char *name;
    void (*run)(const QByteArray &input);
    Form form; // how its inputs are mutated
};

// All targets of this program: one in a program for libFuzzer, all in the test.
std::vector<Target> &targets();

class Violation : public std::logic_error
{
public:
    using std::logic_error::logic_error;
};

inline void require(bool holds, const char *what)
{
    if (!holds)
        throw Violation(what);
}

inline void requireEqual(const QByteArray &actual, const QByteArray &expected, const char *what)
{
    if (actual != expected)
        throw Violation(std::string(what) + ": \"" + actual.toPercentEncoding(" {}[]\":,").toStdString()
                        + "\" is not \"" + expected.toPercentEncoding(" {}[]\":,").toStdString() + '"');
}

// What `decode()` returns; nothing if it throws Documented.
template <class Documented, class Decode>
auto unlessRefused(const Decode &decode) -> std::optional<decltype(decode())>
{
    try {
        return decode();
    } catch (const Documented &) {
        return std::nullopt;
    }
}

struct Registration {
    explicit Registration(const Target &target) { targets().push_back(target); }
};

} // namespace drover::fuzz

#define DROVER_FUZZ_TARGET(name, form) \
    namespace drover::fuzz { \
    static void name##Input(const QByteArray &input); \
    static const Registration name##Target({#name, name##Input, form}); \
    } \
    static void drover::fuzz::name##Input(const QByteArray &input)
