#pragma once

#include "core/history/sample_entries.h"
#include "history/history.h"

#include <QObject>

namespace drover::test {

// What every engine has to do. A test of an engine derives from this and says where its histories are.
class HistorySuite : public QObject
{
    Q_OBJECT

protected:
    // An empty place for a history. It changes with the test function.
    virtual history::Location place() = 0;

    // Runs one statement there, behind the history's back.
    void execRaw(const QString &sql);
    // A rule of the operator's: `column` never contains `text`.
    void forbid(const char *column, const char *text);
    // Schema 2, as it was before its successor.
    void undoLatestSchema();

private Q_SLOTS:
    void eachJobIsThereOnceHoweverOftenItIsArchived();
    void manyMayBeginAndArchiveAtTheSameTime();
    void aLaterMasterShutsOutAnEarlierOne();
    void anEarlierMasterRemovesNothing();
    void mastersOfManyEpochsArchiveAtTheSameTime();
    void everythingOfARecordComesBack();
    void aRecordThatHoldsNothingIsARecord();
    void aClusterMadeAnewHasOtherJobs();
    void filters_data();
    void filters();
    void wordsOfNamesAndCommandsAreFound_data();
    void wordsOfNamesAndCommandsAreFound();
    void whatAJobContainsIsFound_data();
    void whatAJobContainsIsFound();
    void stretchesHoldEachJobOnce();
    void ofManyThatFitTheNewestAreFound();
    void pagesHoldEachJobOnceNewestFirst();
    void pagesOfEachOrderAreTheWholeSorted_data();
    void pagesOfEachOrderAreTheWholeSorted();
    void whatComesAndGoesMeanwhileDoublesNoJob_data();
    void whatComesAndGoesMeanwhileDoublesNoJob();
    void stretchesOfEachOrderHoldEachJobOnce_data();
    void stretchesOfEachOrderHoldEachJobOnce();
    void anOrderReadsItsIndex_data();
    void anOrderReadsItsIndex();
    void anIndexComesWithoutANewSchema();
    void jobsAreAddedUp();
    void timesAreGrouped();
    void recordsOverTheAgeLimitAreRemoved();
    void recordsOverTheCountLimitAreRemoved();
    void deletedRowsAreNotCounted();
    void aLongNameOfManyCharactersIsArchivedAndFound();
    void aRecordThatIsRefusedStopsNoOther_data();
    void aRecordThatIsRefusedStopsNoOther();
    void aRecordThatIsRefusedWithoutItsTextsStopsNoOther();
    void itSaysWhatItCovers();
    void whatItCoversIsFoundInFewRows();
    void nothingIsReadWhereNothingIs();
    void aNewerSchemaIsRefused();
    void aReaderLeavesAnOlderSchemaAsItIs();
    void aMalformedRecordIsShownAsSuch();
    void theLoopGoesOnWhileTheDatabaseIsBusy();
};

} // namespace drover::test
