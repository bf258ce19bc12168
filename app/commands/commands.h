#pragma once

#include "app/command.h"

namespace drover::app {

// One function a command: the description of the command, which leads to its code.
Command cronAdd();
Command cronLs();
Command cronShow();
Command cronRm();
Command cronPause();
Command cronResume();
Command cronRun();
Command up();
Command down();
Command worker();
Command submit();
Command run();
Command ls();
Command show();
Command logs();
Command wait();
Command cancel();
Command hold();
Command release();
Command requeue();
Command signal();
Command priority();
Command move();
Command workerLs();
Command queueLs();
Command masterShow();
Command lock();
Command history();
Command historyExport();
Command historyKeep();
Command semaphore();
Command elect();
Command barrier();
Command doubleBarrier();
Command group();
Command configGet();
Command configSet();
Command configWatch();
Command counter();
Command queue();
Command append();
Command filesLs();
Command filesShow();
Command filesVerify();
Command filesForget();
Command tree();
Command demo();
Command demoCount();
Command doctor();
Command events();
Command top();
Command why();
Command benchLock();
Command benchJobs();
Command benchLatency();
Command benchAppend();
Command benchRecipes();
Command labLocks();
Command labElection();
Command labBarrier();
Command labQueue();
Command labCompare();

} // namespace drover::app
