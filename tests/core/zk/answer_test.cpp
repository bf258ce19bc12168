#include "async/task_group.h"
#include "support/co_check.h"
#include "zk/answer.h"

#include <QTest>

using namespace drover;
using namespace drover::zk;

namespace {

const Path node("/a/b");

Reply<QByteArray> replyTo(const async::Promise<Response> &promise)
{
    return {promise.future(), "get", node, [](Response &&response) { return std::move(response.data); }};
}

template <typename E>
async::Task<void> expectThrown(Reply<QByteArray> reply, QByteArray &what)
{
    try {
        const Answer<QByteArray> answer = co_await reply;
        answer.require();
    } catch (const E &error) {
        what = error.what();
    }
}

async::Task<void> expectValue(Reply<QByteArray> reply, bool &done)
{
    const Answer<QByteArray> answer = co_await reply;
    CO_VERIFY(answer.ok());
    CO_COMPARE(answer.value(), QByteArray("data"));
    CO_COMPARE(answer->size(), 4);
    done = true;
}

template <typename E>
QByteArray thrownFor(Code code)
{
    async::Promise<Response> promise;
    async::TaskGroup group;
    QByteArray what;
    group.spawn(expectThrown<E>(replyTo(promise), what));
    Response response;
    response.code = code;
    promise.set(response);
    return what;
}

} // namespace

class AnswerTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aValue()
    {
        async::Promise<Response> promise;
        async::TaskGroup group;
        bool done = false;
        Response response;
        response.data = "data";
        group.spawn(expectValue(replyTo(promise), done));
        QVERIFY(!done);
        promise.set(response);
        QVERIFY(done);
    }

    void failuresAreThrownAndSayWhatFailed()
    {
        QCOMPARE(thrownFor<ConnectionLoss>(Code::ConnectionLoss), "get /a/b: connection lost, outcome unknown");
        QCOMPARE(thrownFor<ConnectionLoss>(Code::SessionMoved), "get /a/b: session moved to another server");
        QCOMPARE(thrownFor<ConnectionLoss>(Code::Throttled), "get /a/b: not carried out: the server is overloaded");
        QCOMPARE(thrownFor<SessionLost>(Code::SessionExpired),
                 "the ZooKeeper session has ended: its servers were not reached in time");
        QCOMPARE(thrownFor<SessionLost>(Code::Closing), "get /a/b: session closing");
        QCOMPARE(thrownFor<AccessDenied>(Code::NoAuth), "get /a/b: permission denied");
        QCOMPARE(thrownFor<AccessDenied>(Code::AuthFailed), "get /a/b: authentication failed");
        QCOMPARE(thrownFor<Error>(Code::InvalidAcl), "get /a/b: invalid ACL");
    }

    void answersAreThrownOnlyWhenAValueIsAsked()
    {
        for (const Code code : {Code::NoNode, Code::BadVersion, Code::NodeExists, Code::NotEmpty,
                                Code::NoChildrenForEphemerals, Code::NoWatcher})
            QCOMPARE(thrownFor<UnexpectedAnswer>(code), "get /a/b: " + QByteArray(name(code)));
    }

    void aDroppedReplyForgetsTheResult()
    {
        async::Promise<Response> promise;
        {
            const Reply<QByteArray> dropped = replyTo(promise);
            QVERIFY(!dropped.ready());
        }
        promise.set({});
        QVERIFY(promise.settled());
    }

    void aTransactionSaysWhichOperationFailed()
    {
        Committed committed;
        QVERIFY(!committed.refusedAt());
        committed.results = {{Code::Ok, {}, {}}, {Code::BadVersion, {}, {}}, {Code::RuntimeInconsistency, {}, {}}};
        QVERIFY(committed.refusedAt() == 1u);
    }
};

QTEST_GUILESS_MAIN(AnswerTest)
#include "answer_test.moc"
