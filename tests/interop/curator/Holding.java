package drover.interop;

import java.util.function.Supplier;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreMutex;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreV2;
import org.apache.curator.framework.recipes.locks.Lease;
import org.apache.zookeeper.data.Stat;

/** Something that one thread acquires, holds and releases. */
interface Holding {
    /** Returns the path of the znode that stands for it. */
    String acquire() throws Exception;

    void release() throws Exception;

    interface Maker {
        Holding make(CuratorFramework curator, Command command) throws Exception;
    }

    static Holding mutex(CuratorFramework curator, String path) {
        class Mutex extends InterProcessMutex {
            Mutex() {
                super(curator, path);
            }

            String node() { // Curator tells it to subclasses only
                return getLockPath();
            }
        }
        Mutex mutex = new Mutex();
        return new Lock(mutex, mutex::node);
    }

    static Holding writing(CuratorFramework curator, String path) {
        class Writing extends InterProcessReadWriteLock.WriteLock {
            Writing() {
                super(curator, path, null);
            }

            String node() {
                return getLockPath();
            }
        }
        Writing lock = new Writing();
        return new Lock(lock, lock::node);
    }

    static Holding reading(CuratorFramework curator, String path) {
        class Reading extends InterProcessReadWriteLock.ReadLock {
            Reading() {
                super(curator, path, null, new InterProcessReadWriteLock.WriteLock(curator, path, null));
            }

            String node() {
                return getLockPath();
            }
        }
        Reading lock = new Reading();
        return new Lock(lock, lock::node);
    }

    static Holding lease(CuratorFramework curator, String path, int permits) {
        InterProcessSemaphoreV2 semaphore = new InterProcessSemaphoreV2(curator, path, permits);
        return new Holding() {
            private Lease lease;

            @Override
            public String acquire() throws Exception {
                lease = semaphore.acquire();
                return path + "/leases/" + lease.getNodeName();
            }

            @Override
            public void release() {
                semaphore.returnLease(lease);
            }
        };
    }

    /** A semaphore of one lease. */
    static Holding semaphoreMutex(CuratorFramework curator, String path) {
        InterProcessSemaphoreMutex mutex = new InterProcessSemaphoreMutex(curator, path);
        return new Holding() {
            @Override
            public String acquire() throws Exception {
                mutex.acquire();
                long session = curator.getZookeeperClient().getZooKeeper().getSessionId();
                for (String name : curator.getChildren().forPath(path + "/leases")) { // it does not tell which is its
                    Stat stat = curator.checkExists().forPath(path + "/leases/" + name);
                    if (stat != null && stat.getEphemeralOwner() == session) {
                        return path + "/leases/" + name;
                    }
                }
                throw new IllegalStateException("no lease is ours");
            }

            @Override
            public void release() throws Exception {
                mutex.release();
            }
        };
    }

    record Lock(InterProcessMutex lock, Supplier<String> node) implements Holding {
        @Override
        public String acquire() throws Exception {
            lock.acquire();
            return node.get();
        }

        @Override
        public void release() throws Exception {
            lock.release();
        }
    }
}
