#pragma once

#include <QString>

#include <functional>
#include <optional>
#include <vector>

namespace drover::test {

// The requests of clients to one object and their answers, in the order in which they happened. One thread.
//
//     const int add = history.invoke(client, "add", 1);
//     ...
//     history.ok(add, 42);        // the answer says: done, with this result
//     history.fail(add);          // the answer says: not done
//     history.unknown(add);       // no answer: done at any time since, or never. Like an operation without an end
class History
{
public:
    struct Operation {
        int client = 0;
        QByteArray name;
        qint64 argument = 0;
        std::optional<qint64> result{};
        enum class Outcome { Unknown, Ok, Failed } outcome = Outcome::Unknown;
        int invoked = 0; // place in the order of all invocations and endings
        int ended = 0;

        QString toString() const; // "client 3: add 1 -> 42"
    };

    int invoke(int client, const QByteArray &name, qint64 argument = 0);
    void ok(int operation, std::optional<qint64> result = {});
    void fail(int operation);
    void unknown(int operation);

    const std::vector<Operation> &operations() const { return m_operations; }

private:
    Operation &end(int operation, Operation::Outcome outcome);

    std::vector<Operation> m_operations;
    int m_clock = 0;
};

// An object as it would be if it were used by one client at a time: the state before and an operation in, the state
// after out, or nothing if the operation could not have had that result there. A model looks at name, argument and
// result, not at the client; of an operation whose outcome is unknown not at the result either.
using ObjectState = std::vector<qint64>; // begins empty
using Model = std::function<std::optional<ObjectState>(const ObjectState &, const History::Operation &)>;

// "acquire" and "release" with their owner as argument. A holder whose session has expired is written down as an
// unknown "release".
Model lockModel();
// "add" and "get", both with the number after it as result.
Model counterModel();
// A number, at first 0: "write" of its argument, "read" with it as result, "replace" of what is the result by the
// argument.
Model registerModel();
// "put" of its argument, "take" with the item as result, or without one: it was empty. InOrder: the oldest item is
// taken; AnyOrder: one of them.
enum class TakeOrder { InOrder, AnyOrder };
Model queueModel(TakeOrder order);

// Whether there is one order of the operations that explains all results: each takes effect at one moment between its
// invocation and its ending (Herlihy and Wing, "Linearizability: a correctness condition for concurrent objects",
// 1990). Returns nothing if there is one, else a line that says how far an explanation goes and what contradicts it.
//
// The search is that of Wing and Gong, "Testing and verifying concurrent objects" (1993), which tries what could have
// been next and goes back when a result cannot be explained, with Lowe's memory of the situations that were tried
// ("Testing for linearizability", 2017). Quick as long as few operations overlap; an unknown one overlaps all that come
// after it, which costs little if there are many like it.
std::optional<QString> violation(const History &history, const Model &model);

} // namespace drover::test
