package drover.interop;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.recipes.lock.WriteLock;

/** The lock recipe that comes with ZooKeeper itself. */
final class ZooKeepersLock implements Holding {
    private final WriteLock lock;

    ZooKeepersLock(CuratorFramework curator, String path) throws Exception {
        lock = new WriteLock(
                curator.getZookeeperClient().getZooKeeper(), path, ZooDefs.Ids.OPEN_ACL_UNSAFE);
    }

    /** Asks again and again: a lock whose predecessor goes between its listing and its watch never hears of it. */
    @Override
    public String acquire() throws Exception {
        lock.lock();
        while (!lock.isOwner()) {
            Thread.sleep(2);
            lock.lock();
        }
        return lock.getId();
    }

    @Override
    public void release() {
        lock.unlock();
    }
}
