#pragma once

#include "app/command.h"

namespace drover::app {

// One function a command: the description of the command, which leads to its code.
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
Command workerLs();
Command workerShow();
Command workerCordon();
Command workerUncordon();
Command workerDrain();
Command queueLs();
Command queuePause();
Command queueResume();
Command queueLimit();
Command limitSet();
Command limitLs();
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
