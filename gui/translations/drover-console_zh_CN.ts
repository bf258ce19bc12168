<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name>AboutBox</name>
    <message>
        <source>About Drover Console</source>
        <translation>关于 Drover 控制台</translation>
    </message>
    <message>
        <source>Drover Console %1</source>
        <translation>Drover 控制台 %1</translation>
    </message>
    <message>
        <source>The desktop of Drover, a distributed job scheduler on ZooKeeper.

Licensed under the Apache License 2.0. Built with Qt %1.</source>
        <translation>Drover 的桌面控制台。Drover 是基于 ZooKeeper 的分布式作业调度器。

依据 Apache License 2.0 授权。使用 Qt %1 构建。</translation>
    </message>
</context>
<context>
    <name>AclWords</name>
    <message>
        <source>read</source>
        <translation>读取</translation>
    </message>
    <message>
        <source>write</source>
        <translation>写入</translation>
    </message>
    <message>
        <source>create children</source>
        <translation>创建子节点</translation>
    </message>
    <message>
        <source>delete children</source>
        <translation>删除子节点</translation>
    </message>
    <message>
        <source>change this list</source>
        <translation>更改此列表</translation>
    </message>
    <message>
        <source>everyone</source>
        <translation>所有人</translation>
    </message>
    <message>
        <source>address %1</source>
        <translation>地址 %1</translation>
    </message>
    <message>
        <source>user %1</source>
        <translation>用户 %1</translation>
    </message>
    <message>
        <source>role %1 of this cluster</source>
        <translation>此集群的角色 %1</translation>
    </message>
    <message>
        <source>everything</source>
        <translation>全部权限</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>无权限</translation>
    </message>
    <message>
        <source>%1 and %2</source>
        <translation>%1和%2</translation>
    </message>
</context>
<context>
    <name>ChangeFields</name>
    <message>
        <source>no limit</source>
        <translation>无限制</translation>
    </message>
</context>
<context>
    <name>ClusterWords</name>
    <message>
        <source>by %1 at %2</source>
        <translation>由 %1 于 %2</translation>
    </message>
    <message>
        <source>The unfinished job %1: ready, with priority %2.</source>
        <translation>未结束的作业 %1：就绪，优先级 %2。</translation>
    </message>
    <message>
        <source>The unfinished job %1: it waits for a time or for other jobs.</source>
        <translation>未结束的作业 %1：正在等待某个时刻或其他作业。</translation>
    </message>
    <message>
        <source>The unfinished job %1: held, until it is released.</source>
        <translation>未结束的作业 %1：已搁置，直到放行。</translation>
    </message>
    <message>
        <source>The unfinished array %1.</source>
        <translation>未结束的数组 %1。</translation>
    </message>
    <message>
        <source>Its command: %1</source>
        <translation>其命令：%1</translation>
    </message>
    <message>
        <source>Submitted by %1 at %2.</source>
        <translation>由 %1 于 %2 提交。</translation>
    </message>
    <message>
        <source>The worker %1 has the job %2, and %3 of its slots.</source>
        <translation>worker %1 持有作业 %2，占用其 %3 个槽位。</translation>
    </message>
    <message>
        <source>The job waits there for %1.</source>
        <translation>作业在那里等待 %1。</translation>
    </message>
    <message>
        <source>It is cancelled: the worker ends it.</source>
        <translation>作业已取消：worker 正在结束它。</translation>
    </message>
    <message>
        <source>The worker is to give it back.</source>
        <translation>worker 应当归还它。</translation>
    </message>
    <message>
        <source>The job %1 has ended: %2, exit code %3.</source>
        <translation>作业 %1 已结束：%2，退出码 %3。</translation>
    </message>
    <message>
        <source>It ran at %1, from %2 to %3.</source>
        <translation>它在 %1 上运行，从 %2 到 %3。</translation>
    </message>
    <message>
        <source>The worker %1 at %2, process %3, with %4.</source>
        <translation>worker %1，位于 %2，进程 %3，有%4。</translation>
    </message>
    <message>
        <source>It serves %1, since %2.</source>
        <translation>它服务于 %1，始于 %2。</translation>
    </message>
    <message>
        <source>The queue %1; its children are its unfinished jobs.</source>
        <translation>队列 %1；其子节点是它未结束的作业。</translation>
    </message>
    <message>
        <source>Paused %1</source>
        <translation>已暂停 %1</translation>
    </message>
    <message>
        <source>At most %1 of its jobs run at a time.</source>
        <translation>其作业最多同时运行 %1 个。</translation>
    </message>
    <message>
        <source>The worker %1 claims no jobs: cordoned %2</source>
        <translation>worker %1 不认领作业：已封锁 %2</translation>
    </message>
    <message>
        <source>%1 of %2 by %3 at %4 (the signature is not checked here).</source>
        <translation>%1：%2，由 %3 于 %4（此处不检查签名）。</translation>
    </message>
    <message>
        <source>The recurring job %1: %2.</source>
        <translation>周期作业 %1：%2。</translation>
    </message>
    <message>
        <source>It is paused.</source>
        <translation>它已暂停。</translation>
    </message>
    <message>
        <source>Its latest job is of %1.</source>
        <translation>它最近的作业属于 %1。</translation>
    </message>
    <message>
        <source>The summary of the master %1, written at %2.</source>
        <translation>master %1 的汇总，写于 %2。</translation>
    </message>
    <message>
        <source>%1, %2 claimed, %3 ended and not yet archived.</source>
        <translation>%1，%2已认领，%3 个已结束但尚未归档。</translation>
    </message>
    <message>
        <source>It should be a record of Drover and cannot be read: %1</source>
        <translation>它应当是 Drover 的记录，但无法读取：%1</translation>
    </message>
</context>
<context>
    <name>Complaint</name>
    <message>
        <source>and %1 more</source>
        <translation>以及另外 %1 个</translation>
    </message>
</context>
<context>
    <name>ConnectionColor</name>
    <message>
        <source>No colour</source>
        <translation>无颜色</translation>
    </message>
    <message>
        <source>Red</source>
        <translation>红色</translation>
    </message>
    <message>
        <source>Orange</source>
        <translation>橙色</translation>
    </message>
    <message>
        <source>Green</source>
        <translation>绿色</translation>
    </message>
    <message>
        <source>Teal</source>
        <translation>青色</translation>
    </message>
    <message>
        <source>Blue</source>
        <translation>蓝色</translation>
    </message>
    <message>
        <source>Violet</source>
        <translation>紫色</translation>
    </message>
</context>
<context>
    <name>ConnectionState</name>
    <message>
        <source>Not connected.</source>
        <translation>未连接。</translation>
    </message>
    <message>
        <source>Waiting for ZooKeeper…</source>
        <translation>正在等待 ZooKeeper…</translation>
    </message>
</context>
<context>
    <name>Counted</name>
    <message>
        <source>%1 byte</source>
        <translation>%1 字节</translation>
    </message>
    <message numerus="yes">
        <source>%1 bytes</source>
        <translation>
            <numerusform>%1 字节</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 child</source>
        <translation>%1 个子节点</translation>
    </message>
    <message numerus="yes">
        <source>%1 children</source>
        <translation>
            <numerusform>%1 个子节点</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 deadlock</source>
        <translation>%1 个死锁</translation>
    </message>
    <message numerus="yes">
        <source>%1 deadlocks</source>
        <translation>
            <numerusform>%1 个死锁</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 job</source>
        <translation>%1 个作业</translation>
    </message>
    <message numerus="yes">
        <source>%1 jobs</source>
        <translation>
            <numerusform>%1 个作业</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 line</source>
        <translation>%1 行</translation>
    </message>
    <message numerus="yes">
        <source>%1 lines</source>
        <translation>
            <numerusform>%1 行</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 lock</source>
        <translation>%1 把锁</translation>
    </message>
    <message numerus="yes">
        <source>%1 locks</source>
        <translation>
            <numerusform>%1 把锁</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 node</source>
        <translation>%1 个节点</translation>
    </message>
    <message numerus="yes">
        <source>%1 nodes</source>
        <translation>
            <numerusform>%1 个节点</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 paused queue</source>
        <translation>%1 个已暂停的队列</translation>
    </message>
    <message numerus="yes">
        <source>%1 paused queues</source>
        <translation>
            <numerusform>%1 个已暂停的队列</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 queue</source>
        <translation>%1 个队列</translation>
    </message>
    <message numerus="yes">
        <source>%1 queues</source>
        <translation>
            <numerusform>%1 个队列</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 schedule</source>
        <translation>%1 个定时计划</translation>
    </message>
    <message numerus="yes">
        <source>%1 schedules</source>
        <translation>
            <numerusform>%1 个定时计划</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 server</source>
        <translation>%1 个服务器</translation>
    </message>
    <message numerus="yes">
        <source>%1 servers</source>
        <translation>
            <numerusform>%1 个服务器</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 slot</source>
        <translation>%1 个槽位</translation>
    </message>
    <message numerus="yes">
        <source>%1 slots</source>
        <translation>
            <numerusform>%1 个槽位</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 worker</source>
        <translation>%1 个 worker</translation>
    </message>
    <message numerus="yes">
        <source>%1 workers</source>
        <translation>
            <numerusform>%1 个 worker</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 event</source>
        <translation>%1 个事件</translation>
    </message>
    <message numerus="yes">
        <source>%1 events</source>
        <translation>
            <numerusform>%1 个事件</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 release</source>
        <translation>%1 次释放</translation>
    </message>
    <message numerus="yes">
        <source>%1 releases</source>
        <translation>
            <numerusform>%1 次释放</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 request</source>
        <translation>%1 次请求</translation>
    </message>
    <message numerus="yes">
        <source>%1 requests</source>
        <translation>
            <numerusform>%1 次请求</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 wake-up</source>
        <translation>%1 次唤醒</translation>
    </message>
    <message numerus="yes">
        <source>%1 wake-ups</source>
        <translation>
            <numerusform>%1 次唤醒</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 waiter</source>
        <translation>%1 个等待者</translation>
    </message>
    <message numerus="yes">
        <source>%1 waiters</source>
        <translation>
            <numerusform>%1 个等待者</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 finding</source>
        <translation>%1 条发现</translation>
    </message>
    <message numerus="yes">
        <source>%1 findings</source>
        <translation>
            <numerusform>%1 条发现</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 problem</source>
        <translation>%1 个问题</translation>
    </message>
    <message numerus="yes">
        <source>%1 problems</source>
        <translation>
            <numerusform>%1 个问题</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 warning</source>
        <translation>%1 个警告</translation>
    </message>
    <message numerus="yes">
        <source>%1 warnings</source>
        <translation>
            <numerusform>%1 个警告</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>CredentialsText</name>
    <message>
        <source>This is neither the text of a credentials file nor “digest:user:password”.</source>
        <translation>这既不是凭据文件的内容，也不是“digest:user:password”。</translation>
    </message>
    <message>
        <source>This is too long for credentials.</source>
        <translation>这段内容太长，不会是凭据。</translation>
    </message>
    <message>
        <source>These credentials are of the cluster %1, not of %2.</source>
        <translation>这些凭据属于集群 %1，而不是 %2。</translation>
    </message>
    <message>
        <source>The user %1 of ZooKeeper</source>
        <translation>ZooKeeper 用户 %1</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>user, roles</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>%1, ended on %2</source>
        <translation>%1，已于 %2 到期</translation>
    </message>
    <message>
        <source>%1, valid until %2</source>
        <translation>%1，有效期至 %2</translation>
    </message>
</context>
<context>
    <name>EntityRef</name>
    <message>
        <source>job %1</source>
        <translation>作业 %1</translation>
    </message>
    <message>
        <source>worker %1</source>
        <translation>worker %1</translation>
    </message>
    <message>
        <source>queue %1</source>
        <translation>队列 %1</translation>
    </message>
    <message>
        <source>lock %1</source>
        <translation>锁 %1</translation>
    </message>
    <message>
        <source>znode %1</source>
        <translation>znode %1</translation>
    </message>
    <message>
        <source>schedule %1</source>
        <translation>定时计划 %1</translation>
    </message>
    <message>
        <source>server %1</source>
        <translation>服务器 %1</translation>
    </message>
    <message>
        <source>session %1</source>
        <translation>会话 %1</translation>
    </message>
    <message>
        <source>%1 on %2</source>
        <comment>cluster, server</comment>
        <translation>%2 上的 %1</translation>
    </message>
</context>
<context>
    <name>EventRows</name>
    <message>
        <source>exit code %1</source>
        <translation>退出码 %1</translation>
    </message>
    <message>
        <source>for %1</source>
        <translation>历时 %1</translation>
    </message>
    <message>
        <source>no limit</source>
        <translation>无限额</translation>
    </message>
    <message>
        <source>%1 at a time</source>
        <translation>同时 %1 个</translation>
    </message>
    <message>
        <source>by %1</source>
        <translation>由 %1</translation>
    </message>
    <message>
        <source>attempt %1</source>
        <translation>第 %1 次尝试</translation>
    </message>
    <message>
        <source>on %1</source>
        <translation>在 %1 上</translation>
    </message>
    <message>
        <source>%1 (shared)</source>
        <translation>%1（共享）</translation>
    </message>
    <message>
        <source>it was: %1</source>
        <comment>role of a server</comment>
        <translation>此前：%1</translation>
    </message>
    <message>
        <source>what happened since the event before is not known</source>
        <translation>不知道上一事件之后发生了什么</translation>
    </message>
</context>
<context>
    <name>Facts</name>
    <message>
        <source>%1, of which these are the first:</source>
        <translation>%1，最前面的是：</translation>
    </message>
    <message>
        <source>Process</source>
        <translation>进程</translation>
    </message>
    <message>
        <source>Host</source>
        <translation>主机</translation>
    </message>
    <message>
        <source>PID</source>
        <translation>PID</translation>
    </message>
    <message>
        <source>Version</source>
        <translation>版本</translation>
    </message>
    <message>
        <source>Spool</source>
        <translation>Spool</translation>
    </message>
    <message>
        <source>History</source>
        <translation>历史库</translation>
    </message>
    <message>
        <source>Output served at</source>
        <translation>输出服务地址</translation>
    </message>
    <message>
        <source>not in the cluster</source>
        <translation>不在集群中</translation>
    </message>
    <message>
        <source>malformed</source>
        <translation>格式错误</translation>
    </message>
    <message>
        <source>in trouble</source>
        <translation>有故障</translation>
    </message>
    <message>
        <source>cordoned</source>
        <translation>已封锁</translation>
    </message>
    <message>
        <source>free</source>
        <translation>空闲</translation>
    </message>
    <message>
        <source>busy</source>
        <translation>忙碌</translation>
    </message>
    <message>
        <source>Malformed</source>
        <translation>格式错误</translation>
    </message>
    <message>
        <source>Trouble</source>
        <translation>故障</translation>
    </message>
    <message>
        <source>Cordon</source>
        <translation>封锁</translation>
    </message>
    <message>
        <source>it still obeys one that has been lifted</source>
        <translation>它仍遵守已解除的封锁</translation>
    </message>
    <message>
        <source>Master</source>
        <translation>Master</translation>
    </message>
    <message>
        <source>yes, with the fencing token %1</source>
        <translation>是，防护令牌为 %1</translation>
    </message>
    <message>
        <source>Master since</source>
        <translation>成为 master 的时间</translation>
    </message>
    <message>
        <source>Joined</source>
        <translation>加入时间</translation>
    </message>
    <message>
        <source>Work</source>
        <translation>工作</translation>
    </message>
    <message>
        <source>Slots in use</source>
        <translation>使用中的槽位</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>Memory for jobs</source>
        <translation>供作业使用的内存</translation>
    </message>
    <message>
        <source>Labels</source>
        <translation>标签</translation>
    </message>
    <message>
        <source>Queues</source>
        <translation>队列</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>运行时刻</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>无权限</translation>
    </message>
    <message>
        <source>Uncordon</source>
        <translation>解除封锁</translation>
    </message>
    <message>
        <source>Cordon…</source>
        <translation>封锁…</translation>
    </message>
    <message>
        <source>Drain…</source>
        <translation>排空…</translation>
    </message>
    <message>
        <source>no such queue</source>
        <translation>没有此队列</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>open</source>
        <translation>开放</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>Unfinished</source>
        <translation>未结束</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>%1 of at most %2</source>
        <translation>%1，最多 %2</translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>就绪</translation>
    </message>
    <message>
        <source>Jobs that run</source>
        <translation>正在运行的作业</translation>
    </message>
    <message>
        <source>Workers</source>
        <translation>Worker</translation>
    </message>
    <message>
        <source>no worker serves it</source>
        <translation>没有 worker 服务于它</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>恢复</translation>
    </message>
    <message>
        <source>Pause…</source>
        <translation>暂停…</translation>
    </message>
    <message>
        <source>exited with code %1</source>
        <translation>以退出码 %1 退出</translation>
    </message>
    <message>
        <source>killed by signal %1</source>
        <translation>被信号 %1 杀死</translation>
    </message>
    <message>
        <source>ran over its time limit</source>
        <translation>超过了时限</translation>
    </message>
    <message>
        <source>could not be started (code %1)</source>
        <translation>无法启动（代码 %1）</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>已取消</translation>
    </message>
    <message>
        <source>given up: every attempt was lost with its worker</source>
        <translation>已放弃：每次尝试都随其 worker 丢失</translation>
    </message>
    <message>
        <source>refused</source>
        <translation>被拒绝</translation>
    </message>
    <message>
        <source>its specification could not be read</source>
        <translation>无法读取其描述</translation>
    </message>
    <message>
        <source>Worker</source>
        <translation>Worker</translation>
    </message>
    <message>
        <source>Waits for</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>its turn there</source>
        <translation>在那里轮到它</translation>
    </message>
    <message>
        <source>Running since</source>
        <translation>运行始于</translation>
    </message>
    <message>
        <source>There since</source>
        <translation>到达时间</translation>
    </message>
    <message>
        <source>Attempt</source>
        <translation>第几次尝试</translation>
    </message>
    <message>
        <source>Outcome</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>Reason</source>
        <translation>原因</translation>
    </message>
    <message>
        <source>Ran</source>
        <translation>运行时间</translation>
    </message>
    <message>
        <source>%1, for %2</source>
        <translation>%1，历时 %2</translation>
    </message>
    <message>
        <source>Used</source>
        <translation>用量</translation>
    </message>
    <message>
        <source>%1 of CPU time, %2 of memory at most</source>
        <translation>CPU 时间 %1，内存最多 %2</translation>
    </message>
    <message>
        <source>Moved to</source>
        <translation>移动到</translation>
    </message>
    <message>
        <source>Locks</source>
        <translation>锁</translation>
    </message>
    <message>
        <source>Needs</source>
        <translation>需要</translation>
    </message>
    <message>
        <source>Depends on</source>
        <translation>依赖于</translation>
    </message>
    <message>
        <source>Task of</source>
        <translation>所属数组</translation>
    </message>
    <message>
        <source>Singleton</source>
        <translation>单例</translation>
    </message>
    <message>
        <source>all earlier jobs of this name</source>
        <translation>所有同名的较早作业</translation>
    </message>
    <message>
        <source>After</source>
        <translation>之后</translation>
    </message>
    <message>
        <source>%1; it is %2 now</source>
        <comment>dependency, state</comment>
        <translation>%1；它现在的状态：%2</translation>
    </message>
    <message>
        <source>Submitted as</source>
        <translation>提交内容</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Comment</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>队列</translation>
    </message>
    <message>
        <source>Priority</source>
        <translation>优先级</translation>
    </message>
    <message>
        <source>Options</source>
        <translation>选项</translation>
    </message>
    <message>
        <source>Directory</source>
        <translation>目录</translation>
    </message>
    <message>
        <source>Time limit</source>
        <translation>时限</translation>
    </message>
    <message>
        <source>At</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>By</source>
        <translation>提交者</translation>
    </message>
    <message>
        <source>Environment</source>
        <translation>环境变量</translation>
    </message>
    <message>
        <source>Submit again…</source>
        <translation>再次提交…</translation>
    </message>
    <message>
        <source>Copy as a command</source>
        <translation>复制为命令</translation>
    </message>
    <message>
        <source>Read it again</source>
        <translation>重新读取</translation>
    </message>
    <message>
        <source>Waits because</source>
        <translation>等待原因</translation>
    </message>
    <message>
        <source>Tasks</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>Attempts</source>
        <translation>尝试</translation>
    </message>
    <message>
        <source>(does not say who it is)</source>
        <translation>（没有说明身份）</translation>
    </message>
    <message>
        <source>(was asked to let go)</source>
        <translation>（已被请求释放）</translation>
    </message>
    <message>
        <source>Held by</source>
        <translation>持有者</translation>
    </message>
    <message>
        <source>Leaked</source>
        <translation>已泄漏</translation>
    </message>
    <message>
        <source>no session owns its znode: it stays until it is deleted</source>
        <translation>没有会话拥有其 znode：它会一直存在，直到被删除</translation>
    </message>
    <message>
        <source>Ticket of</source>
        <translation>排号时间</translation>
    </message>
    <message>
        <source>Fencing token</source>
        <translation>防护令牌</translation>
    </message>
    <message>
        <source>Znode</source>
        <translation>Znode</translation>
    </message>
    <message>
        <source>Holds</source>
        <translation>持有</translation>
    </message>
    <message>
        <source>since %1</source>
        <translation>始于 %1</translation>
    </message>
    <message>
        <source>%1 in line, since %2</source>
        <translation>队伍中第 %1 位，始于 %2</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>held</source>
        <translation>已被持有</translation>
    </message>
    <message>
        <source>held, %1 behind</source>
        <translation>已被持有，后面 %1 个</translation>
    </message>
    <message>
        <source>Deadlock</source>
        <translation>死锁</translation>
    </message>
    <message>
        <source>Behind it, in this order</source>
        <translation>排在后面的，依次为</translation>
    </message>
    <message>
        <source>%1, since %2</source>
        <comment>who, when</comment>
        <translation>%1，始于 %2</translation>
    </message>
    <message>
        <source>%1 more</source>
        <translation>另有 %1 个</translation>
    </message>
    <message>
        <source>of this console</source>
        <translation>属于此控制台</translation>
    </message>
    <message>
        <source>holds and awaits nothing here</source>
        <translation>在此没有持有也没有等待任何东西</translation>
    </message>
    <message>
        <source>has tickets</source>
        <translation>有排号</translation>
    </message>
    <message>
        <source>Whose it is</source>
        <translation>归属</translation>
    </message>
    <message>
        <source>Says it is</source>
        <translation>自称</translation>
    </message>
    <message>
        <source>For the jobs</source>
        <translation>为了作业</translation>
    </message>
    <message>
        <source>Of the worker</source>
        <translation>属于 worker</translation>
    </message>
    <message>
        <source>Connected to</source>
        <translation>连接到</translation>
    </message>
    <message>
        <source>Ends without heartbeats after</source>
        <translation>无心跳多久后结束</translation>
    </message>
    <message>
        <source>does not exist</source>
        <translation>不存在</translation>
    </message>
    <message>
        <source>no permission to read it</source>
        <translation>没有读取它的权限</translation>
    </message>
    <message>
        <source>no watch is left for it</source>
        <translation>没有可用于它的 watch</translation>
    </message>
    <message>
        <source>not asked</source>
        <translation>未询问</translation>
    </message>
    <message>
        <source>Ensemble</source>
        <translation>ZooKeeper</translation>
    </message>
    <message>
        <source>Quorum</source>
        <translation>多数派</translation>
    </message>
    <message>
        <source>Serves this console</source>
        <translation>服务于此控制台</translation>
    </message>
    <message>
        <source>Parent</source>
        <translation>上级节点</translation>
    </message>
    <message>
        <source>Record</source>
        <translation>记录</translation>
    </message>
    <message>
        <source>Ephemeral, of</source>
        <translation>临时节点，属于</translation>
    </message>
    <message>
        <source>Owner</source>
        <translation>所有者</translation>
    </message>
    <message>
        <source>Children</source>
        <translation>子节点</translation>
    </message>
    <message>
        <source>Created</source>
        <translation>创建</translation>
    </message>
    <message>
        <source>Changed</source>
        <translation>更改</translation>
    </message>
    <message>
        <source>Versions</source>
        <translation>版本</translation>
    </message>
    <message>
        <source>Data, %1</source>
        <comment>size</comment>
        <translation>数据，%1</translation>
    </message>
    <message>
        <source>failed with code %1, and was to be tried again</source>
        <translation>失败，退出码 %1，之后将重试</translation>
    </message>
    <message>
        <source>was lost with its worker, or given back</source>
        <translation>随其 worker 丢失，或被退回</translation>
    </message>
    <message>
        <source>ended, and another followed</source>
        <translation>已结束，之后有另一次尝试</translation>
    </message>
    <message>
        <source>runs</source>
        <translation>正在运行</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>since, outcome</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>%1, for %2: %3</source>
        <comment>since, duration, outcome</comment>
        <translation>%1，历时 %2：%3</translation>
    </message>
    <message>
        <source>Attempt %1: %2</source>
        <translation>第 %1 次尝试：%2</translation>
    </message>
    <message>
        <source>Attempts %1 to %2: %3</source>
        <translation>第 %1 至 %2 次尝试：%3</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <comment>attempts</comment>
        <translation>%1 至 %2</translation>
    </message>
    <message>
        <source>Submit what has failed again…</source>
        <translation>再次提交失败的部分…</translation>
    </message>
    <message>
        <source>not seen by this console, and the cluster keeps only the last</source>
        <translation>此控制台没有看到，集群只保留最后一次</translation>
    </message>
    <message>
        <source>%1; %2 failed so far, the latest with code %3</source>
        <comment>not seen, count, code</comment>
        <translation>%1；到目前为止有 %2 次失败，最近一次的退出码是 %3</translation>
    </message>
    <message>
        <source>has not begun</source>
        <translation>尚未开始</translation>
    </message>
    <message>
        <source>Ask to let go…</source>
        <translation>请求释放…</translation>
    </message>
    <message>
        <source>Break…</source>
        <translation>强行解除…</translation>
    </message>
    <message>
        <source>Take out…</source>
        <translation>移出…</translation>
    </message>
    <message>
        <source>Limit…</source>
        <translation>限制…</translation>
    </message>
    <message>
        <source>Waiting or held</source>
        <translation>等待或已搁置</translation>
    </message>
    <message>
        <source>Limit</source>
        <translation>限额</translation>
    </message>
    <message>
        <source>%1 at a time</source>
        <translation>同时 %1 个</translation>
    </message>
    <message>
        <source>closed</source>
        <translation>已拦下</translation>
    </message>
    <message>
        <source>entered</source>
        <translation>已进入</translation>
    </message>
    <message>
        <source>waits for more members</source>
        <translation>等待更多成员</translation>
    </message>
    <message>
        <source>Have come, in this order</source>
        <translation>按到达顺序</translation>
    </message>
    <message>
        <source>Inside</source>
        <translation>已进入</translation>
    </message>
    <message>
        <source>Set the limit…</source>
        <translation>设置限额…</translation>
    </message>
</context>
<context>
    <name>Format</name>
    <message>
        <source>%1 (%2 ago)</source>
        <translation>%1（%2 前）</translation>
    </message>
    <message>
        <source>d MMM HH:mm</source>
        <comment>day, month and time, as QDateTime has them</comment>
        <translation>M月d日 HH:mm</translation>
    </message>
    <message>
        <source>d MMM</source>
        <comment>day and month, as QDate has them</comment>
        <translation>M月d日</translation>
    </message>
    <message>
        <source>%1 (in %2)</source>
        <translation>%1（%2 后）</translation>
    </message>
</context>
<context>
    <name>Groups</name>
    <message>
        <source>no name</source>
        <translation>没有名称</translation>
    </message>
    <message>
        <source>no tag</source>
        <translation>没有标签</translation>
    </message>
    <message>
        <source>no known user</source>
        <translation>用户未知</translation>
    </message>
</context>
<context>
    <name>JobSummary</name>
    <message>
        <source>searched %1 of %2 in the history so far</source>
        <translation>到目前为止已搜索历史库中的 %1 / %2</translation>
    </message>
    <message>
        <source>%1 running, %2 ready, %3 ended</source>
        <translation>%1 个运行中，%2 个就绪，%3 个已结束</translation>
    </message>
    <message>
        <source>, %1 waiting</source>
        <translation>，%1 个等待中</translation>
    </message>
    <message>
        <source>, %1 held</source>
        <translation>，%1 个已搁置</translation>
    </message>
    <message>
        <source>; %1 not searched</source>
        <translation>；%1 个未搜索</translation>
    </message>
    <message>
        <source>; %1</source>
        <translation>；%1</translation>
    </message>
    <message>
        <source>; %1 not shown</source>
        <translation>；%1 个未显示</translation>
    </message>
    <message>
        <source>; only the %1 in the table are sorted</source>
        <translation>；只对表中的 %1 个排序</translation>
    </message>
    <message>
        <source>; only the %1 in the table are grouped</source>
        <translation>；只对表中的 %1 个分组</translation>
    </message>
    <message>
        <source>; the history cannot be read now</source>
        <translation>；现在无法读取历史库</translation>
    </message>
    <message>
        <source>; older ones not shown</source>
        <translation>；更早的未显示</translation>
    </message>
    <message>
        <source>The jobs of the history are as it had them last: %1</source>
        <translation>历史库中的作业是上次读到的样子：%1</translation>
    </message>
    <message>
        <source>Older jobs are not shown: %1</source>
        <translation>没有显示更早的作业：%1</translation>
    </message>
    <message>
        <source>No job fits the filter so far; %1 were not looked at yet.</source>
        <translation>到目前为止没有作业符合筛选条件；%1 个尚未查看。</translation>
    </message>
    <message>
        <source>No job fits the filter so far; %1.</source>
        <translation>到目前为止没有作业符合筛选条件；%1。</translation>
    </message>
    <message>
        <source>No job fits the filter.</source>
        <translation>没有作业符合筛选条件。</translation>
    </message>
    <message>
        <source>No job fits the filter. Older jobs were not looked at: %1</source>
        <translation>没有作业符合筛选条件。没有查看更早的作业：%1</translation>
    </message>
    <message>
        <source>; %1 not shown: a filter finds them</source>
        <translation>；%1 个未显示：可用筛选找到</translation>
    </message>
    <message>
        <source>; %1 above (Home)</source>
        <translation>；上方 %1 个（Home）</translation>
    </message>
    <message>
        <source>Jobs that have ended a while ago come from the history: the first in the order of the table, or the first that fit the filter. More come when the table is scrolled to its end. It has some thousand at a time: those far above go, and come again when it is scrolled back. The Home key leads to the first. Selected jobs stay. The history is sorted by state, id, name, worker and time. By any other column, only the jobs in the table are sorted, and no more than some thousand come. So it is with groups. A filter finds all others.</source>
        <translation>结束已久的作业来自历史库：按表的顺序显示最前面的，或符合筛选条件的最前面的。把表滚动到末尾时会出现更多。表中一次有几千个：上方远处的会移出，往回滚动时再出现；按 Home 键回到最前。选中的作业会留下。历史库可按状态、编号、名称、worker 和时间排序；按其他列时，只对表中的作业排序，且最多只出现几千个；分组时也是如此。其他的可用筛选找到。</translation>
    </message>
</context>
<context>
    <name>LabWords</name>
    <message>
        <source>not started</source>
        <translation>未启动</translation>
    </message>
    <message>
        <source>session lost</source>
        <translation>会话已丢失</translation>
    </message>
    <message>
        <source>killed</source>
        <translation>已杀死</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>cut off</source>
        <translation>已断开</translation>
    </message>
    <message>
        <source>connects</source>
        <translation>正在连接</translation>
    </message>
    <message>
        <source>waits</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>asks</source>
        <translation>请求中</translation>
    </message>
    <message>
        <source>deposed</source>
        <translation>已失去锁</translation>
    </message>
    <message>
        <source>holds it</source>
        <translation>持有</translation>
    </message>
    <message>
        <source>Last release woke: %1</source>
        <translation>上次释放唤醒：%1</translation>
    </message>
    <message>
        <source>Records: %1 whole</source>
        <translation>记录：%1 条完整</translation>
    </message>
    <message>
        <source>%1 torn</source>
        <translation>%1 条被撕裂</translation>
    </message>
    <message>
        <source>%1 cut short</source>
        <translation>%1 条被截短</translation>
    </message>
    <message>
        <source>%1 refused</source>
        <translation>%1被拒绝</translation>
    </message>
    <message>
        <source>leaves</source>
        <translation>离开</translation>
    </message>
    <message>
        <source>done</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>%1 req</source>
        <translation>%1 次请求</translation>
    </message>
    <message>
        <source>%1 woken</source>
        <translation>%1 次唤醒</translation>
    </message>
    <message>
        <source>holds it: attempt %1</source>
        <translation>持有：第 %1 次尝试</translation>
    </message>
</context>
<context>
    <name>Lesson</name>
    <message>
        <source>create %1 (ephemeral)</source>
        <translation>创建 %1（临时节点）</translation>
    </message>
    <message>
        <source>if it exists: watch it</source>
        <translation>若已存在：监视它</translation>
    </message>
    <message>
        <source>wait until it is gone; begin again</source>
        <translation>等到它消失；从头再来</translation>
    </message>
    <message>
        <source>release: delete it</source>
        <translation>释放：删除它</translation>
    </message>
    <message>
        <source>list all; mine is first: my turn</source>
        <translation>列出全部；我的排第一：轮到我</translation>
    </message>
    <message>
        <source>wait for one to go; list again if needed</source>
        <translation>等其中一个消失；必要时再列出</translation>
    </message>
    <message>
        <source>release: delete mine</source>
        <translation>释放：删除我的节点</translation>
    </message>
    <message>
        <source>create lock-N (ephemeral, numbered)</source>
        <translation>创建 lock-N（临时、编号）</translation>
    </message>
    <message>
        <source>watch the two just ahead, and mine</source>
        <translation>监视前面紧邻的两个，以及我自己的</translation>
    </message>
    <message>
        <source>One node, all watch it</source>
        <translation>一个节点，所有人监视它</translation>
    </message>
    <message>
        <source>created it: work</source>
        <translation>创建成功：工作</translation>
    </message>
    <message>
        <source>Ticket lock</source>
        <translation>排号锁</translation>
    </message>
    <message>
        <source>my turn: work</source>
        <translation>轮到我：工作</translation>
    </message>
    <message>
        <source>The herd effect</source>
        <translation>惊群效应</translation>
    </message>
    <message>
        <source>Release both locks, again and again. Look at how many waiters each release wakes.</source>
        <translation>反复释放两把锁。请看每次释放唤醒多少个等待者。</translation>
    </message>
    <message>
        <source>Press Start all: six processes contend for the lock on the left, six for that on the right.</source>
        <translation>按“全部启动”：六个进程争用左边的锁，六个争用右边的锁。</translation>
    </message>
    <message>
        <source>An arrow is a watch: it leads from who waits to the node that it watches.</source>
        <translation>箭头是 watch：从等待者指向它监视的节点。</translation>
    </message>
    <message>
        <source>On the left all arrows lead to one node. On the right each waiter watches the two just ahead.</source>
        <translation>左边所有箭头都指向一个节点。右边每个等待者监视前面紧邻的两个。</translation>
    </message>
    <message>
        <source>Press Release. Each waiter that a watch wakes flashes.</source>
        <translation>按“释放”。被 watch 唤醒的每个等待者都会闪动。</translation>
    </message>
    <message>
        <source>On the left five wake, four of them in vain: they ask, fail, and watch again.</source>
        <translation>左边醒来五个，其中四个白忙：它们请求、失败、再次监视。</translation>
    </message>
    <message>
        <source>On the right two wake: the next holder, and the one behind it, which looks ahead.</source>
        <translation>右边醒来两个：下一个持有者，以及它后面向前看的那一个。</translation>
    </message>
    <message>
        <source>Compare the requests: with n waiters the left lock costs n requests and more for each hand-over.</source>
        <translation>比较请求数：有 n 个等待者时，左边的锁每次移交至少需要 n 个请求。</translation>
    </message>
    <message>
        <source>Release until all have had their turn, and compare the sums.</source>
        <translation>一直释放到全部轮完，再比较总数。</translation>
    </message>
    <message>
        <source>File that checks the fence</source>
        <translation>检查防护令牌的文件</translation>
    </message>
    <message>
        <source>File without fence</source>
        <translation>没有防护令牌的文件</translation>
    </message>
    <message>
        <source>The zombie holder</source>
        <translation>僵尸持有者</translation>
    </message>
    <message>
        <source>Pause a holder while it writes, and continue it when another holds the lock. Look at the torn records.</source>
        <translation>在持有者写入时暂停它，等别人持有锁之后再让它继续。请看被撕裂的记录。</translation>
    </message>
    <message>
        <source>Press Start all. Each holder writes records of eight lines into a file that all share.</source>
        <translation>按“全部启动”。每个持有者把八行一条的记录写入大家共享的文件。</translation>
    </message>
    <message>
        <source>Select the holder on the left, and press Pause: the process stands still, as in a long pause for garbage collection.</source>
        <translation>选择左边的持有者，按“暂停”：进程停住不动，如同一次漫长的垃圾回收。</translation>
    </message>
    <message>
        <source>Wait. After six seconds its session ends, the server deletes its node, and the next one holds the lock and writes.</source>
        <translation>请等待。六秒后它的会话结束，服务器删除它的节点，下一个持有锁并写入。</translation>
    </message>
    <message>
        <source>Press Continue: the zombie writes the rest of its record, before it can know that it is deposed.</source>
        <translation>按“继续”：僵尸写完记录的其余部分，此时它还不可能知道自己已失去锁。</translation>
    </message>
    <message>
        <source>Its lines stand among those of the next holder: both records are torn.</source>
        <translation>它的行混在下一个持有者的行中间：两条记录都被撕裂。</translation>
    </message>
    <message>
        <source>Do the same on the right. There the file compares tokens: a lower one than the highest is refused.</source>
        <translation>在右边重复一次。那里的文件比较令牌：小于最大值的令牌会被拒绝。</translation>
    </message>
    <message>
        <source>The zombie&apos;s record is cut short, but none is torn. No lease and no time-out can do that; the fence can.</source>
        <translation>僵尸的记录被截短，但没有一条被撕裂。租约和超时都做不到这一点，防护令牌可以。</translation>
    </message>
    <message>
        <source>Looking two ahead</source>
        <translation>向前看两个</translation>
    </message>
    <message>
        <source>Release, and kill waiters in the middle of the line. Look at the arrows, and at who wakes.</source>
        <translation>释放，并杀死队伍中间的等待者。请看箭头，以及谁会醒来。</translation>
    </message>
    <message>
        <source>Press Start all: seven processes stand in line, each with a numbered node.</source>
        <translation>按“全部启动”：七个进程排成一队，各有一个编号的节点。</translation>
    </message>
    <message>
        <source>Each waiter watches the two nodes just ahead, and its own.</source>
        <translation>每个等待者监视前面紧邻的两个节点，以及自己的节点。</translation>
    </message>
    <message>
        <source>Press Release: the first node goes. The second holder goes on at once, without a listing.</source>
        <translation>按“释放”：第一个节点消失。第二个立即成为持有者，无须列出。</translation>
    </message>
    <message>
        <source>The third woke too: it lists now, while the second works, and so is ready when its turn comes.</source>
        <translation>第三个也醒了：它趁第二个工作时列出节点，所以轮到它时已经准备好。</translation>
    </message>
    <message>
        <source>So a hand-over is one message to the server and one from it.</source>
        <translation>因此一次移交只是发往服务器的一条消息和来自它的一条消息。</translation>
    </message>
    <message>
        <source>Select a waiter in the middle, and press Kill. When its session has ended, its node goes.</source>
        <translation>选择中间的一个等待者，按“杀死”。它的会话结束后，它的节点随之消失。</translation>
    </message>
    <message>
        <source>The two behind it wake, and watch the next ones ahead. The order stays.</source>
        <translation>它后面的两个醒来，改为监视前面的下一个。顺序不变。</translation>
    </message>
    <message>
        <source>The slow lock</source>
        <translation>慢锁</translation>
    </message>
    <message>
        <source>Release several times. Look at who gets the lock next: there is no order.</source>
        <translation>多释放几次。请看下一个得到锁的是谁：没有顺序可言。</translation>
    </message>
    <message>
        <source>Press Start all: seven processes want one node.</source>
        <translation>按“全部启动”：七个进程争夺一个节点。</translation>
    </message>
    <message>
        <source>A creates it and works. The six others have failed, and watch it.</source>
        <translation>A 创建了它并开始工作。其余六个失败了，转而监视它。</translation>
    </message>
    <message>
        <source>Press Release: all wake, and all try to create it. The first request that arrives wins.</source>
        <translation>按“释放”：全部醒来，全部尝试创建它。最先到达的请求获胜。</translation>
    </message>
    <message>
        <source>Release again: who waited longest may wait on. With luck the same one wins each time.</source>
        <translation>再次释放：等得最久的可能还得等。运气好的话，同一个每次都赢。</translation>
    </message>
    <message>
        <source>Press Pause on a waiter, and release: it misses its chance, and delays no other.</source>
        <translation>对一个等待者按“暂停”，再释放：它错过机会，但不拖延别人。</translation>
    </message>
    <message>
        <source>Count the requests of a hand-over: two for each waiter.</source>
        <translation>数一数一次移交的请求：每个等待者两个。</translation>
    </message>
    <message>
        <source>Master: one node</source>
        <translation>Master：一个节点</translation>
    </message>
    <message>
        <source>created it: lead</source>
        <translation>创建成功：领导</translation>
    </message>
    <message>
        <source>Latch: a line of candidates</source>
        <translation>Latch：候选者排成一队</translation>
    </message>
    <message>
        <source>create latch-N (ephemeral, numbered)</source>
        <translation>创建 latch-N（临时、编号）</translation>
    </message>
    <message>
        <source>mine is first: lead</source>
        <translation>我的排第一：领导</translation>
    </message>
    <message>
        <source>Two elections</source>
        <translation>两种选举</translation>
    </message>
    <message>
        <source>Kill the leaders, and wait for their sessions to end. Look at who wakes, and who leads next.</source>
        <translation>杀死两边的领导者，等它们的会话结束。请看谁会醒来，下一个由谁领导。</translation>
    </message>
    <message>
        <source>Press Start all: five candidates on each side; the first on each side leads.</source>
        <translation>按“全部启动”：每边五个候选者；每边的第一个领导。</translation>
    </message>
    <message>
        <source>An election is a lock that is kept. Its holder has to be found out to be dead.</source>
        <translation>选举就是一把一直握着的锁。持有者死亡必须被发现。</translation>
    </message>
    <message>
        <source>Select the leader on the left, and press Kill. Its node stays until its session has ended.</source>
        <translation>选择左边的领导者，按“杀死”。在会话结束之前，它的节点仍然存在。</translation>
    </message>
    <message>
        <source>Then all who stand by wake, and one of them becomes master.</source>
        <translation>然后所有候补者醒来，其中一个成为 master。</translation>
    </message>
    <message>
        <source>Kill the leader on the right: two wake, and the next in line leads.</source>
        <translation>杀死右边的领导者：两个醒来，队伍中的下一个领导。</translation>
    </message>
    <message>
        <source>Disconnect a leader, and reconnect it within six seconds: it leads on.</source>
        <translation>断开一个领导者，在六秒内重新连接：它继续领导。</translation>
    </message>
    <message>
        <source>Disconnect it for longer: it is deposed, and knows it by its own clock.</source>
        <translation>断开得更久：它失去领导权，并凭自己的时钟知道这一点。</translation>
    </message>
    <message>
        <source>Longest log leads</source>
        <translation>最长的日志领导</translation>
    </message>
    <message>
        <source>wait until there is no leader</source>
        <translation>等到没有领导者</translation>
    </message>
    <message>
        <source>create candidates/n-N with my last number</source>
        <translation>以我的最后编号创建 candidates/n-N</translation>
    </message>
    <message>
        <source>read all candidates; watch them and epoch</source>
        <translation>读取所有候选者；监视它们和 epoch</translation>
    </message>
    <message>
        <source>no majority, or another has more: wait</source>
        <translation>不足多数，或别人的更长：等待</translation>
    </message>
    <message>
        <source>I have most: create leader, count epoch</source>
        <translation>我的最长：创建 leader，递增 epoch</translation>
    </message>
    <message>
        <source>lead</source>
        <translation>领导</translation>
    </message>
    <message>
        <source>resign: delete leader</source>
        <translation>辞职：删除 leader</translation>
    </message>
    <message>
        <source>log of %1</source>
        <translation>%1 的日志</translation>
    </message>
    <message>
        <source>Election by the longest log</source>
        <translation>按最长日志选举</translation>
    </message>
    <message>
        <source>Start the replicas one by one. Look at when there is a majority, and at whose log is longest.</source>
        <translation>逐个启动副本。请看何时形成多数，以及谁的日志最长。</translation>
    </message>
    <message>
        <source>Select A and press Start. It is a candidate with 17 records, and alone: no majority, no leader.</source>
        <translation>选择 A，按“启动”。它是有 17 条记录的候选者，但只有一个：没有多数，没有领导者。</translation>
    </message>
    <message>
        <source>Start C, with 23 records: two of three are a majority. C leads, though A came first.</source>
        <translation>启动有 23 条记录的 C：三个中的两个是多数。虽然 A 先来，领导的是 C。</translation>
    </message>
    <message>
        <source>Start B. It has 42 records, but there is a leader: it waits for the next ballot.</source>
        <translation>启动 B。它有 42 条记录，但已有领导者：它等待下一轮。</translation>
    </message>
    <message>
        <source>Select C and press Release: it resigns. In the new ballot B leads, whose log is longest.</source>
        <translation>选择 C，按“释放”：它辞职。在新的一轮中，日志最长的 B 领导。</translation>
    </message>
    <message>
        <source>Kill B, and wait for its session to end: A and C are a majority, and C leads.</source>
        <translation>杀死 B，等它的会话结束：A 和 C 是多数，由 C 领导。</translation>
    </message>
    <message>
        <source>A committed record is in a majority of the logs, so a leader of a majority&apos;s longest log has it.</source>
        <translation>已提交的记录存在于多数日志中，所以多数中日志最长的领导者一定有它。</translation>
    </message>
    <message>
        <source>Read-write lock</source>
        <translation>读写锁</translation>
    </message>
    <message>
        <source>create READ-N or WRIT-N (ephemeral)</source>
        <translation>创建 READ-N 或 WRIT-N（临时节点）</translation>
    </message>
    <message>
        <source>a reader watches writers ahead, a writer all: the two nearest</source>
        <translation>读者监视前面的写者，写者监视所有人：各取最近的两个</translation>
    </message>
    <message>
        <source>reads</source>
        <translation>读</translation>
    </message>
    <message>
        <source>writes</source>
        <translation>写</translation>
    </message>
    <message>
        <source>The read-write lock</source>
        <translation>读写锁</translation>
    </message>
    <message>
        <source>Release the readers, then the writer. Look at who holds the lock together.</source>
        <translation>先释放读者，再释放写者。请看谁同时持有锁。</translation>
    </message>
    <message>
        <source>Press Start all: A and B read at the same time; C wants to write and waits for both.</source>
        <translation>按“全部启动”：A 和 B 同时读；C 想写，等待它们两个。</translation>
    </message>
    <message>
        <source>D and E want to read. They wait behind C, so that readers cannot starve a writer.</source>
        <translation>D 和 E 想读。它们排在 C 后面，这样读者不会饿死写者。</translation>
    </message>
    <message>
        <source>Release A: C is woken, and still waits for B.</source>
        <translation>释放 A：C 被唤醒，仍然等待 B。</translation>
    </message>
    <message>
        <source>Release B: C writes, alone.</source>
        <translation>释放 B：C 独自写入。</translation>
    </message>
    <message>
        <source>Release C: D and E wake together, and both read. F waits for both.</source>
        <translation>释放 C：D 和 E 一起醒来，同时读。F 等待它们两个。</translation>
    </message>
    <message>
        <source>Start A again: it stands behind F.</source>
        <translation>再次启动 A：它排在 F 后面。</translation>
    </message>
    <message>
        <source>my turn: write, each line with my token</source>
        <translation>轮到我：写入，每行带上我的令牌</translation>
    </message>
    <message>
        <source>my turn: write line after line</source>
        <translation>轮到我：逐行写入</translation>
    </message>
    <message>
        <source>Barrier for four</source>
        <translation>四个成员的栅栏</translation>
    </message>
    <message>
        <source>create my node (ephemeral)</source>
        <translation>创建我的节点（临时节点）</translation>
    </message>
    <message>
        <source>look at ready, watch it, and list</source>
        <translation>查看 ready，监视它，并列出</translation>
    </message>
    <message>
        <source>fewer than four: wait for ready</source>
        <translation>不足四个：等待 ready</translation>
    </message>
    <message>
        <source>four: create ready</source>
        <translation>四个：创建 ready</translation>
    </message>
    <message>
        <source>inside: work</source>
        <translation>进入之后：工作</translation>
    </message>
    <message>
        <source>leave: list who is still inside</source>
        <translation>离开：列出谁还在里面</translation>
    </message>
    <message>
        <source>wait for the others to leave</source>
        <translation>等其他成员离开</translation>
    </message>
    <message>
        <source>delete my node; the last one deletes ready</source>
        <translation>删除我的节点；最后一个删除 ready</translation>
    </message>
    <message>
        <source>The double barrier</source>
        <translation>双重栅栏</translation>
    </message>
    <message>
        <source>Start the members one by one, then let them leave. Look at who waits for whose node.</source>
        <translation>逐个启动成员，再让它们离开。请看谁在等谁的节点。</translation>
    </message>
    <message>
        <source>Start A, B and C. Each creates a node and waits for a node ready, which does not exist.</source>
        <translation>启动 A、B 和 C。每个创建一个节点，并等待尚不存在的节点 ready。</translation>
    </message>
    <message>
        <source>Start D. It is the fourth: it creates ready, all wake, and all are inside.</source>
        <translation>启动 D。它是第四个：它创建 ready，全部醒来，全部进入。</translation>
    </message>
    <message>
        <source>Release A: it wants to leave, and waits until the others leave as well.</source>
        <translation>释放 A：它想离开，一直等到其他成员也离开。</translation>
    </message>
    <message>
        <source>Release B and C, and then D. All leave together.</source>
        <translation>释放 B 和 C，然后释放 D。全部一起离开。</translation>
    </message>
    <message>
        <source>Begin again, and kill a member that is inside. Its node goes with its session, and the others can leave without it.</source>
        <translation>重新开始，杀死一个已经进入的成员。它的节点随会话消失，其他成员没有它也能离开。</translation>
    </message>
    <message>
        <source>offers</source>
        <translation>投放</translation>
    </message>
    <message>
        <source>A take deletes the item</source>
        <translation>取走即删除</translation>
    </message>
    <message>
        <source>P: create qn-N for each item</source>
        <translation>P：为每个任务项创建 qn-N</translation>
    </message>
    <message>
        <source>list the items</source>
        <translation>列出任务项</translation>
    </message>
    <message>
        <source>none: stand in line; watch the two ahead</source>
        <translation>没有：排队；监视前面紧邻的两个</translation>
    </message>
    <message>
        <source>first in line: watch the queue</source>
        <translation>排第一：监视队列</translation>
    </message>
    <message>
        <source>wait for a change; list again</source>
        <translation>等待变化；再列出</translation>
    </message>
    <message>
        <source>take: read an item, and delete it</source>
        <translation>取走：读取一个任务项并删除它</translation>
    </message>
    <message>
        <source>work</source>
        <translation>工作</translation>
    </message>
    <message>
        <source>done: nothing is left to delete</source>
        <translation>完成：已无可删除的节点</translation>
    </message>
    <message>
        <source>A claim keeps it until it is done</source>
        <translation>认领则保留到完成</translation>
    </message>
    <message>
        <source>P: create entry-N for each item</source>
        <translation>P：为每个任务项创建 entry-N</translation>
    </message>
    <message>
        <source>list entries and taken</source>
        <translation>列出 entries 和 taken</translation>
    </message>
    <message>
        <source>none is free: stand in line; watch the two ahead</source>
        <translation>没有空闲的：排队；监视前面紧邻的两个</translation>
    </message>
    <message>
        <source>first in line: watch entries and taken</source>
        <translation>排第一：监视 entries 和 taken</translation>
    </message>
    <message>
        <source>claim: create taken-N (ephemeral), count entry-N</source>
        <translation>认领：创建 taken-N（临时节点），entry-N 的版本加一</translation>
    </message>
    <message>
        <source>done: delete entry-N and taken-N</source>
        <translation>完成：删除 entry-N 和 taken-N</translation>
    </message>
    <message>
        <source>Queues: take or claim</source>
        <translation>队列：取走还是认领</translation>
    </message>
    <message>
        <source>Kill a holder on each side. Look at what becomes of the item that it worked on.</source>
        <translation>在两边各杀死一个持有者。请看它正在处理的任务项会怎样。</translation>
    </message>
    <message>
        <source>Press Start all: four takers on each side find nothing and wait; then P offers two items.</source>
        <translation>按“全部启动”：两边各有四个取用者，没有可取的，便等待；然后 P 投放两个任务项。</translation>
    </message>
    <message>
        <source>Two takers hold an item each. The others stand in line: only its first watches the queue, so that an item wakes one of them, and not all.</source>
        <translation>两个取用者各持有一项。其余的排队：只有排第一的监视队列，因此一个任务项只唤醒一个，而不是全部。</translation>
    </message>
    <message>
        <source>On the left the items are gone: a take deletes. On the right they stay, and each has a node taken beside it, which belongs to the holder&apos;s session.</source>
        <translation>左边的任务项已经没有了：取走即删除。右边的还在，每一项另有一个 taken 节点，它属于持有者的会话。</translation>
    </message>
    <message>
        <source>Select a holder on the left, and press Kill. Its item was in its memory alone: it is lost for ever.</source>
        <translation>选择左边的一个持有者，按“杀死”。它的任务项只在它的内存里：永远丢失了。</translation>
    </message>
    <message>
        <source>Kill a holder on the right, and wait for its session to end. The server deletes its node taken.</source>
        <translation>杀死右边的一个持有者，等它的会话结束。服务器删除它的 taken 节点。</translation>
    </message>
    <message>
        <source>The first in line wakes, and claims the item again: it is the second attempt.</source>
        <translation>排第一的醒来，再次认领该任务项：这是第二次尝试。</translation>
    </message>
    <message>
        <source>Release on the right: the work is done, and one transaction deletes the item and its claim.</source>
        <translation>在右边按“释放”：工作已完成，一个事务同时删除任务项和它的认领。</translation>
    </message>
    <message>
        <source>So a take delivers at most once, and a claim at least once: work may begin twice, and must bear it.</source>
        <translation>所以取走至多交付一次，认领至少交付一次：工作可能开始两次，必须经得起重复。</translation>
    </message>
    <message>
        <source>Select P and press Start: two more items. The picture leaves out the nodes that divide work among takers.</source>
        <translation>选择 P 并按“启动”：再来两项。图中略去了用于在取用者之间分配工作的节点。</translation>
    </message>
</context>
<context>
    <name>LockWalk</name>
    <message>
        <source>Stopped.</source>
        <translation>已停止。</translation>
    </message>
    <message>
        <source>These are the first %1.</source>
        <translation>这是前 %1 个。</translation>
    </message>
</context>
<context>
    <name>Menus</name>
    <message>
        <source>&amp;Console</source>
        <translation>控制台(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>视图(&amp;V)</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>帮助(&amp;H)</translation>
    </message>
</context>
<context>
    <name>Noted</name>
    <message>
        <source>The audit has no entry of it: these credentials may not write one.</source>
        <translation>审计中没有这一条：这些凭据无权写入。</translation>
    </message>
</context>
<context>
    <name>RecordWords</name>
    <message>
        <source>Curator&apos;s service discovery: instance %1 of the service %2.</source>
        <translation>Curator 服务发现：服务 %2 的实例 %1。</translation>
    </message>
    <message>
        <source>It is reached at %1:%2.</source>
        <translation>访问地址为 %1:%2。</translation>
    </message>
    <message>
        <source>It is reached by TLS at %1:%2.</source>
        <translation>通过 TLS 访问的地址为 %1:%2。</translation>
    </message>
    <message>
        <source>Registered %1, as %2.</source>
        <translation>注册于 %1，类型 %2。</translation>
    </message>
    <message>
        <source>Number %1 in the line of %2: %3.</source>
        <translation>%2 的队伍中的第 %1 号：%3。</translation>
    </message>
    <message>
        <source>It is persistent: no end of a session takes it out of the line.</source>
        <translation>它是持久节点：任何会话的结束都不会使它离开队伍。</translation>
    </message>
    <message>
        <source>Its owner says: %1</source>
        <translation>其所有者说：%1</translation>
    </message>
</context>
<context>
    <name>RecordedEvents</name>
    <message>
        <source>limit %1</source>
        <translation>限额 %1</translation>
    </message>
    <message>
        <source>%1 children, before %2</source>
        <translation>%1 个子节点，此前 %2 个</translation>
    </message>
</context>
<context>
    <name>Rows</name>
    <message>
        <source>release, held by %1</source>
        <translation>放行；由 %1 搁置</translation>
    </message>
    <message>
        <source>earlier jobs of this name</source>
        <translation>同名的较早作业</translation>
    </message>
    <message>
        <source>paused by %1</source>
        <translation>由 %1 暂停</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>paused by X, why</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>paused queue, by %1</source>
        <translation>暂停的队列，由 %1</translation>
    </message>
    <message>
        <source>paused queue: %1 (%2)</source>
        <comment>why, who</comment>
        <translation>暂停的队列：%1（%2）</translation>
    </message>
    <message>
        <source>its turn at its worker</source>
        <translation>在其 worker 上轮到它</translation>
    </message>
    <message>
        <source>cancelled; its worker is ending it</source>
        <translation>已取消；其 worker 正在结束它</translation>
    </message>
    <message>
        <source>claimed for the next free slot</source>
        <translation>已认领，等待下一个空闲槽位</translation>
    </message>
    <message>
        <source>waits for %1</source>
        <translation>等待 %1</translation>
    </message>
    <message>
        <source>its retry at %1</source>
        <translation>%1 重试</translation>
    </message>
    <message>
        <source>its start at %1</source>
        <translation>%1 开始</translation>
    </message>
</context>
<context>
    <name>ScheduleForm</name>
    <message>
        <source>A name has 1 to 64 of a–z, A–Z, 0–9, “.”, “_” and “-”.</source>
        <translation>名称由 1 到 64 个 a–z、A–Z、0–9、“.”、“_”和“-”组成。</translation>
    </message>
    <message>
        <source>ddd d MMM yyyy HH:mm:ss t</source>
        <comment>a date and time, as QDateTime has them</comment>
        <translation>yyyy-MM-dd HH:mm:ss t</translation>
    </message>
</context>
<context>
    <name>ShellWords</name>
    <message>
        <source>The line ends with a backslash that keeps nothing.</source>
        <translation>该行以反斜杠结尾，后面没有被转义的字符。</translation>
    </message>
    <message>
        <source>A single quote (&apos;) is not closed.</source>
        <translation>单引号 (&apos;) 没有闭合。</translation>
    </message>
    <message>
        <source>A double quote (&quot;) is not closed.</source>
        <translation>双引号 (&quot;) 没有闭合。</translation>
    </message>
</context>
<context>
    <name>StatWords</name>
    <message>
        <source>%1 never changed</source>
        <translation>%1从未更改</translation>
    </message>
    <message>
        <source>%1 changed once</source>
        <translation>%1更改过一次</translation>
    </message>
    <message>
        <source>%1 changed %2 times</source>
        <translation>%1更改过 %2 次</translation>
    </message>
    <message>
        <source>epoch %1, transaction %2 (%3)</source>
        <translation>纪元 %1，事务 %2（%3）</translation>
    </message>
    <message>
        <source>at the ensemble&apos;s first start</source>
        <translation>ZooKeeper 集群首次启动时</translation>
    </message>
    <message>
        <source>%1, now</source>
        <translation>%1，刚刚</translation>
    </message>
    <message>
        <source>%1, %2 ago</source>
        <translation>%1，%2 前</translation>
    </message>
    <message>
        <source>%1, %2, %3 (versions %4, %5, %6)</source>
        <translation>%1，%2，%3（版本 %4、%5、%6）</translation>
    </message>
    <message>
        <source>data</source>
        <translation>数据</translation>
    </message>
    <message>
        <source>children</source>
        <translation>子节点</translation>
    </message>
    <message>
        <source>ACL</source>
        <translation>ACL</translation>
    </message>
    <message>
        <source>none: it is persistent</source>
        <translation>无：它是持久节点</translation>
    </message>
    <message>
        <source>session %1, with which it goes</source>
        <translation>会话 %1，节点随之消失</translation>
    </message>
    <message>
        <source>none: it is a container, and goes after its last child</source>
        <translation>无：它是容器节点，在最后一个子节点消失后消失</translation>
    </message>
    <message>
        <source>none: it goes %1 after its last change, if it has no children</source>
        <translation>无：最后一次更改 %1 后，若没有子节点，它就消失</translation>
    </message>
</context>
<context>
    <name>SubmitForm</name>
    <message>
        <source>Say what to run, for example: wc -w /etc/hosts</source>
        <translation>请说明要运行什么，例如：wc -w /etc/hosts</translation>
    </message>
    <message>
        <source>The program&apos;s name is empty.</source>
        <translation>程序的名称为空。</translation>
    </message>
    <message>
        <source>No shell runs this: “%1” is passed on as it is. For a shell, write: sh -c &apos;…&apos;</source>
        <translation>不经过 shell 运行：“%1”会原样传递。要用 shell，请写：sh -c &apos;…&apos;</translation>
    </message>
    <message>
        <source>“%1” is not NAME=value.</source>
        <translation>“%1”不是 NAME=value 的形式。</translation>
    </message>
    <message>
        <source>gang of %1</source>
        <translation>%1 个成组</translation>
    </message>
    <message>
        <source>array %1</source>
        <translation>数组 %1</translation>
    </message>
    <message>
        <source>%1 slots</source>
        <translation>%1 个槽位</translation>
    </message>
    <message>
        <source>%1 of memory</source>
        <translation>%1 内存</translation>
    </message>
    <message>
        <source>label %1</source>
        <translation>标签 %1</translation>
    </message>
    <message>
        <source>lock %1</source>
        <translation>锁 %1</translation>
    </message>
    <message>
        <source>shared lock %1</source>
        <translation>共享锁 %1</translation>
    </message>
    <message>
        <source>limit %1</source>
        <translation>限额 %1</translation>
    </message>
    <message>
        <source>up to %1 attempts</source>
        <translation>最多 %1 次尝试</translation>
    </message>
    <message>
        <source>up to %1 retries</source>
        <translation>最多 %1 次重试</translation>
    </message>
    <message>
        <source>singleton</source>
        <translation>单例</translation>
    </message>
    <message>
        <source>as user %1</source>
        <translation>以用户 %1 运行</translation>
    </message>
    <message>
        <source>secret %1 from %2</source>
        <translation>机密 %1，来自 %2</translation>
    </message>
    <message>
        <source>input from %1</source>
        <translation>输入来自 %1</translation>
    </message>
    <message>
        <source>output to %1</source>
        <translation>输出到 %1</translation>
    </message>
    <message>
        <source>errors to %1</source>
        <translation>错误输出到 %1</translation>
    </message>
    <message>
        <source>appended to %1</source>
        <translation>追加到 %1</translation>
    </message>
    <message>
        <source>ulimit %1</source>
        <translation>ulimit %1</translation>
    </message>
    <message>
        <source>killed after %1 of grace</source>
        <translation>宽限 %1 后杀死</translation>
    </message>
    <message>
        <source>output up to %1</source>
        <translation>输出最多 %1</translation>
    </message>
    <message>
        <source>tag %1</source>
        <translation>标记 %1</translation>
    </message>
    <message>
        <source>variable %1</source>
        <translation>变量 %1</translation>
    </message>
    <message>
        <source>One line of up to %1 printable characters.</source>
        <translation>一行，最多 %1 个可打印字符。</translation>
    </message>
    <message>
        <source>1 to 32 of a–z, 0–9 and -, beginning with a letter or digit.</source>
        <translation>1 到 32 个 a–z、0–9 和 -，以字母或数字开头。</translation>
    </message>
    <message>
        <source>From 0 (first) to 9.</source>
        <translation>从 0（最先）到 9。</translation>
    </message>
    <message>
        <source>A time such as 90s, 15m or 2h; empty for none.</source>
        <translation>时间，例如 90s、15m 或 2h；留空表示没有。</translation>
    </message>
    <message>
        <source>An absolute path on the workers, such as /srv/data.</source>
        <translation>worker 上的绝对路径，例如 /srv/data。</translation>
    </message>
</context>
<context>
    <name>Subtree</name>
    <message>
        <source>it has more than %1 or %2 of data: choose a lower node</source>
        <translation>它超过 %1或 %2 数据：请选择更低的节点</translation>
    </message>
    <message>
        <source>%1 exists already; nothing was written</source>
        <translation>%1 已经存在；什么也没有写入</translation>
    </message>
    <message>
        <source>%1 was created meanwhile by another client</source>
        <translation>%1 在此期间被另一个客户端创建</translation>
    </message>
    <message>
        <source>%1 was changed meanwhile by another client</source>
        <translation>%1 在此期间被另一个客户端更改</translation>
    </message>
    <message>
        <source>%1 does not exist</source>
        <translation>%1 不存在</translation>
    </message>
    <message>
        <source>%1 has changed meanwhile: it and what is above it stay</source>
        <translation>%1 在此期间有更改：它和它的上级都保留</translation>
    </message>
    <message>
        <source>there is no node %1</source>
        <translation>没有节点 %1</translation>
    </message>
    <message>
        <source>%1 is ephemeral and cannot have children</source>
        <translation>%1 是临时节点，不能有子节点</translation>
    </message>
</context>
<context>
    <name>SubtreeJson</name>
    <message>
        <source>the data of %1 are not base64</source>
        <translation>%1 的数据不是 base64</translation>
    </message>
    <message>
        <source>a node of the file has no path</source>
        <translation>文件中有一个节点没有路径</translation>
    </message>
    <message>
        <source>the file is not JSON: %1</source>
        <translation>文件不是 JSON：%1</translation>
    </message>
    <message>
        <source>the file is not an export of znodes</source>
        <translation>文件不是 znode 的导出文件</translation>
    </message>
    <message>
        <source>the file has the version %1, and this console reads version %2</source>
        <translation>文件的版本是 %1，而此控制台读取版本 %2</translation>
    </message>
    <message>
        <source>the file has no nodes</source>
        <translation>文件中没有节点</translation>
    </message>
</context>
<context>
    <name>Verbs</name>
    <message>
        <source>Hold</source>
        <translation>搁置</translation>
    </message>
    <message>
        <source>Held</source>
        <translation>已搁置</translation>
    </message>
    <message>
        <source>They do not run before they are released. Tasks that run go on.</source>
        <translation>它们在放行之前不会运行。正在运行的任务继续运行。</translation>
    </message>
    <message>
        <source>Release</source>
        <translation>放行</translation>
    </message>
    <message>
        <source>Released</source>
        <translation>已放行</translation>
    </message>
    <message>
        <source>They run as soon as a worker has room.</source>
        <translation>worker 一有空位，它们就会运行。</translation>
    </message>
    <message>
        <source>Requeue</source>
        <translation>重新排队</translation>
    </message>
    <message>
        <source>Requeued</source>
        <translation>已重新排队</translation>
    </message>
    <message>
        <source>What runs is killed and goes back into its queue. That counts neither as a failure nor as an attempt.</source>
        <translation>正在运行的会被杀死并回到队列。这既不算失败，也不算一次尝试。</translation>
    </message>
    <message>
        <source>Move</source>
        <translation>移动</translation>
    </message>
    <message>
        <source>Moved</source>
        <translation>已移动</translation>
    </message>
    <message>
        <source>Each becomes a new job in the other queue. Under its old id it has ended as cancelled.</source>
        <translation>每个作业都成为另一队列中的新作业。旧编号的作业以取消结束。</translation>
    </message>
    <message>
        <source>Change the priority of</source>
        <translation>更改优先级：</translation>
    </message>
    <message>
        <source>Priority changed</source>
        <translation>已更改优先级</translation>
    </message>
    <message>
        <source>0 is first, 9 is last.</source>
        <translation>0 最先，9 最后。</translation>
    </message>
    <message>
        <source>Send a signal to</source>
        <translation>发送信号给</translation>
    </message>
    <message>
        <source>Signalled</source>
        <translation>已发送信号</translation>
    </message>
    <message>
        <source>All processes of the jobs that run get it once.</source>
        <translation>正在运行的作业的所有进程各收到一次。</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Cancelled</source>
        <translation>已取消</translation>
    </message>
    <message>
        <source>What runs is killed; what waits never runs. This cannot be undone.</source>
        <translation>正在运行的会被杀死；正在等待的不再运行。此操作无法撤销。</translation>
    </message>
    <message>
        <source>%1 %2?</source>
        <comment>verb, jobs</comment>
        <translation>%1 %2？</translation>
    </message>
    <message>
        <source>%1: %2 of %3.</source>
        <comment>what was done, count, jobs</comment>
        <translation>%1：%2 / %3。</translation>
    </message>
    <message>
        <source>fit “%1”</source>
        <translation>符合“%1”</translation>
    </message>
    <message>
        <source>are %1</source>
        <comment>states</comment>
        <translation>状态为%1</translation>
    </message>
    <message>
        <source> or </source>
        <translation>或</translation>
    </message>
    <message>
        <source>of the cluster</source>
        <translation>集群的</translation>
    </message>
    <message>
        <source>that %1</source>
        <translation>%1的</translation>
    </message>
    <message>
        <source> and </source>
        <translation>且</translation>
    </message>
    <message>
        <source>It does not run before it is released. Tasks that run go on.</source>
        <translation>它在放行之前不会运行。正在运行的任务继续运行。</translation>
    </message>
    <message>
        <source>It runs as soon as a worker has room.</source>
        <translation>worker 一有空位，它就会运行。</translation>
    </message>
    <message>
        <source>It becomes a new job in the other queue. Under its old id it has ended as cancelled.</source>
        <translation>它成为另一队列中的新作业。旧编号的作业以取消结束。</translation>
    </message>
    <message>
        <source>All processes of the job get it once.</source>
        <translation>该作业的所有进程各收到一次。</translation>
    </message>
    <message>
        <source>Leave it as it is</source>
        <translation>保持原样</translation>
    </message>
    <message>
        <source>Leave them as they are</source>
        <translation>保持原样</translation>
    </message>
</context>
<context>
    <name>WaitGraph</name>
    <message>
        <source>no session: leaked</source>
        <translation>没有会话：已泄漏</translation>
    </message>
    <message>
        <source>session 0x%1</source>
        <translation>会话 0x%1</translation>
    </message>
    <message>
        <source>(was asked to let go)</source>
        <translation>（已被请求释放）</translation>
    </message>
    <message>
        <source>(does not say)</source>
        <translation>（未说明）</translation>
    </message>
    <message>
        <source>%1 more</source>
        <translation>另有 %1 个</translation>
    </message>
    <message>
        <source>wait</source>
        <translation>在等待</translation>
    </message>
</context>
<context>
    <name>WholeOutput</name>
    <message>
        <source>— stderr —</source>
        <translation>— stderr —</translation>
    </message>
    <message>
        <source>it is more than the console reads; in a terminal: drover logs %1</source>
        <translation>输出超过控制台读取的上限；请在终端中使用：drover logs %1</translation>
    </message>
</context>
<context>
    <name>ZnodeModel</name>
    <message>
        <source>Loading…</source>
        <translation>正在加载…</translation>
    </message>
    <message>
        <source>No permission to list it</source>
        <translation>没有列出它的权限</translation>
    </message>
    <message>
        <source>Too many watches: it is not followed at present</source>
        <translation>watch 太多：目前不跟踪它</translation>
    </message>
    <message>
        <source>It no longer exists</source>
        <translation>它已不存在</translation>
    </message>
    <message>
        <source>%1 more…</source>
        <translation>还有 %1 个…</translation>
    </message>
</context>
<context>
    <name>drover::gui::AclDialog</name>
    <message>
        <source>Access to %1</source>
        <translation>%1 的访问权限</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>更改</translation>
    </message>
    <message>
        <source>Entries of the ACL</source>
        <translation>ACL 的条目</translation>
    </message>
    <message>
        <source>One entry a line: scheme:id:permissions, of c, d, r, w and a.</source>
        <translation>每行一个条目：scheme:id:permissions，权限取自 c、d、r、w 和 a。</translation>
    </message>
</context>
<context>
    <name>drover::gui::ActionButton</name>
    <message>
        <source>%1 (%2)</source>
        <comment>action, keys</comment>
        <translation>%1（%2）</translation>
    </message>
</context>
<context>
    <name>drover::gui::ArrayModel</name>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>已取消</translation>
    </message>
    <message>
        <source>running</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>等待中</translation>
    </message>
    <message>
        <source>to come</source>
        <translation>尚未创建</translation>
    </message>
    <message>
        <source>ended</source>
        <translation>已结束</translation>
    </message>
    <message>
        <source>succeeded</source>
        <translation>成功</translation>
    </message>
    <message>
        <source>task %1, %2</source>
        <comment>index, state</comment>
        <translation>任务 %1，%2</translation>
    </message>
    <message>
        <source>Task %1: %2</source>
        <comment>index, state</comment>
        <translation>任务 %1：%2</translation>
    </message>
    <message>
        <source>exit code %1</source>
        <translation>退出码 %1</translation>
    </message>
    <message>
        <source>on %1</source>
        <comment>worker</comment>
        <translation>在 %1 上</translation>
    </message>
</context>
<context>
    <name>drover::gui::ArrayTasks</name>
    <message>
        <source>%1 %2</source>
        <comment>count, state</comment>
        <translation>%2 %1</translation>
    </message>
    <message>
        <source>Failed first</source>
        <translation>失败的在前</translation>
    </message>
    <message>
        <source>By index</source>
        <translation>按索引</translation>
    </message>
    <message>
        <source>Order of the tasks</source>
        <translation>任务的顺序</translation>
    </message>
    <message>
        <source>The first %1 of %2 tasks in this order are shown.</source>
        <translation>按此顺序只显示 %2 个任务中的前 %1 个。</translation>
    </message>
</context>
<context>
    <name>drover::gui::Chart</name>
    <message>
        <source>%1 %2</source>
        <comment>name, value</comment>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>time, values</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>now</source>
        <translation>现在</translation>
    </message>
</context>
<context>
    <name>drover::gui::ChartLinks</name>
    <message>
        <source>The charts are not kept: %1</source>
        <translation>图表没有保存：%1</translation>
    </message>
</context>
<context>
    <name>drover::gui::ClusterChanges</name>
    <message>
        <source>there is no worker %1 any more</source>
        <translation>已经没有 worker %1</translation>
    </message>
    <message>
        <source>Cancelled %1.</source>
        <translation>已取消 %1。</translation>
    </message>
    <message>
        <source>The worker of %1 is ending it.</source>
        <translation>%1 的 worker 正在结束它。</translation>
    </message>
    <message>
        <source>%1 has begun: the master ends its tasks, and then it.</source>
        <translation>%1 已经开始：master 先结束其任务，再结束它。</translation>
    </message>
    <message>
        <source>%1 ends once there is a master: start a worker.</source>
        <translation>一旦有 master，%1 就会结束：请启动一个 worker。</translation>
    </message>
    <message>
        <source>that holder has let go meanwhile: nothing was changed</source>
        <translation>该持有者在此期间已释放：未作任何更改</translation>
    </message>
    <message>
        <source>the znode has children, and a place in a line has none</source>
        <translation>该 znode 有子节点，而队列中的位置没有子节点</translation>
    </message>
    <message>
        <source>another client has lifted the limit of the queue %1 meanwhile: nothing was changed</source>
        <translation>另一客户端在此期间取消了队列 %1 的限制：未作任何更改</translation>
    </message>
    <message>
        <source>another client has set the limit of the queue %1 to %2 meanwhile: nothing was changed</source>
        <translation>另一客户端在此期间将队列 %1 的限制设为 %2：未作任何更改</translation>
    </message>
    <message>
        <source>But %1 of %2 failed: %3.</source>
        <comment>why the first of these did</comment>
        <translation>但 %2 个中有 %1 个失败：%3。</translation>
    </message>
    <message>
        <source>another client has set the limit %1 to %2 meanwhile: nothing was changed</source>
        <translation>另一客户端在此期间将限额 %1 设为 %2：未作任何更改</translation>
    </message>
    <message>
        <source>another worker has become master meanwhile: nothing was changed</source>
        <translation>另一个 worker 在此期间已成为 master：未作任何更改</translation>
    </message>
    <message>
        <source>There is no other candidate: it stands for election again.</source>
        <translation>没有其他候选者：它会重新参选。</translation>
    </message>
</context>
<context>
    <name>drover::gui::ClusterCommands</name>
    <message>
        <source>No job %1 is in a state for that.</source>
        <translation>%1作业中没有处于相应状态的。</translation>
    </message>
    <message>
        <source>%1 of %2 jobs…</source>
        <translation>%1 / %2 个作业…</translation>
    </message>
    <message>
        <source>Counting the jobs %1…</source>
        <translation>正在统计%1作业…</translation>
    </message>
    <message>
        <source>All jobs %1, as far as they are in a state for it. %2</source>
        <comment>search, consequence</comment>
        <translation>%1全部作业，只要处于相应状态。%2</translation>
    </message>
    <message>
        <source> jobs</source>
        <translation>作业</translation>
    </message>
    <message>
        <source>To the &amp;queue</source>
        <translation>到队列(&amp;Q)</translation>
    </message>
    <message>
        <source>&amp;Priority</source>
        <translation>优先级(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Signal</source>
        <translation>信号(&amp;S)</translation>
    </message>
    <message>
        <source>Leave it as it is</source>
        <translation>保持原样</translation>
    </message>
    <message>
        <source>for others to read</source>
        <translation>供他人阅读</translation>
    </message>
    <message>
        <source>&amp;Reason</source>
        <translation>原因(&amp;R)</translation>
    </message>
    <message>
        <source>Pause a queue</source>
        <translation>暂停队列</translation>
    </message>
    <message>
        <source>Pause the queue %1?</source>
        <translation>暂停队列 %1？</translation>
    </message>
    <message>
        <source>No more of its jobs begin. Those that run go on, and jobs may be submitted to it as before.</source>
        <translation>队列不再开始新的作业。正在运行的作业继续运行，仍可照常向它提交作业。</translation>
    </message>
    <message>
        <source>Pause %1</source>
        <translation>暂停 %1</translation>
    </message>
    <message>
        <source>Paused the queue %1.</source>
        <translation>已暂停队列 %1。</translation>
    </message>
    <message>
        <source>The jobs of the queue %1 begin again.</source>
        <translation>队列 %1 的作业重新开始。</translation>
    </message>
    <message>
        <source>Drain</source>
        <translation>排空</translation>
    </message>
    <message>
        <source>Cordon</source>
        <translation>封锁</translation>
    </message>
    <message>
        <source>%1 a worker</source>
        <comment>verb</comment>
        <translation>%1 worker</translation>
    </message>
    <message>
        <source>%1 the worker %2?</source>
        <comment>verb</comment>
        <translation>%1 worker %2？</translation>
    </message>
    <message>
        <source>It claims no more jobs. A message says when the last of those that it runs has ended.</source>
        <translation>它不再认领作业。它运行的最后一个作业结束时会有消息。</translation>
    </message>
    <message>
        <source>It claims no more jobs; those that it runs go on. That stays so until it is uncordoned.</source>
        <translation>它不再认领作业；正在运行的作业继续运行。解除封锁之前一直如此。</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <comment>verb, worker</comment>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>Worker %1 claims no more jobs.</source>
        <translation>worker %1 不再认领作业。</translation>
    </message>
    <message>
        <source>Worker %1 claims jobs again.</source>
        <translation>worker %1 重新认领作业。</translation>
    </message>
    <message>
        <source>Worker %1 is drained: it runs nothing any more.</source>
        <translation>worker %1 已排空：它不再运行任何作业。</translation>
    </message>
    <message>
        <source>Ask to let go</source>
        <translation>请求释放</translation>
    </message>
    <message>
        <source>Ask “%1” to let go of %2?</source>
        <comment>owner, lock</comment>
        <translation>请求“%1”释放 %2？</translation>
    </message>
    <message>
        <source>A program that heeds such requests lets go when it can: drover lock --revocable ends its command, and Curator tells the holder. Others go on as before.</source>
        <translation>响应此类请求的程序会在可以时释放：drover lock --revocable 结束其命令，Curator 通知持有者。其他程序照常继续。</translation>
    </message>
    <message>
        <source>Ask it</source>
        <translation>请求</translation>
    </message>
    <message>
        <source>Asked “%1” to let go of %2.</source>
        <comment>owner, lock</comment>
        <translation>已请求“%1”释放 %2。</translation>
    </message>
    <message>
        <source>Break a lock</source>
        <translation>强行解除锁</translation>
    </message>
    <message>
        <source>Take %2 from “%1”?</source>
        <comment>owner, lock</comment>
        <translation>从“%1”处夺走 %2？</translation>
    </message>
    <message>
        <source>It loses its place in the line.</source>
        <translation>它将失去在队列中的位置。</translation>
    </message>
    <message>
        <source>The next in line holds it at once. If this holder still works and does not notice, both work at one time: only a fence keeps its writes out. It cannot be undone.</source>
        <translation>队列中的下一个立即持有它。如果此持有者仍在工作而没有察觉，两者会同时工作：只有 fence 能挡住它的写入。此操作无法撤销。</translation>
    </message>
    <message>
        <source>Break %1</source>
        <translation>解除 %1</translation>
    </message>
    <message>
        <source>Name of the lock to break</source>
        <translation>要解除的锁的名称</translation>
    </message>
    <message>
        <source>Take a member out of a barrier</source>
        <translation>将成员移出栅栏</translation>
    </message>
    <message>
        <source>Take “%1” out of %2?</source>
        <comment>member, barrier</comment>
        <translation>将“%1”移出 %2？</translation>
    </message>
    <message>
        <source>Take it out</source>
        <translation>移出</translation>
    </message>
    <message>
        <source>Name of the barrier</source>
        <translation>栅栏的名称</translation>
    </message>
    <message>
        <source>Took “%1” out of %2.</source>
        <comment>member, barrier</comment>
        <translation>已将“%1”移出 %2。</translation>
    </message>
    <message>
        <source>The others no longer wait for it to end. If it still works, it goes on without them, and may end with an error. It cannot be undone.</source>
        <translation>其他成员不再等待它结束。如果它仍在工作，会独自继续，并可能出错退出。此操作无法撤销。</translation>
    </message>
    <message>
        <source>It does not count any more: another has to come before all begin. Its program may wait on, or end with an error. It cannot be undone.</source>
        <translation>它不再计入：需再来一个成员，大家才能开始。其程序可能继续等待，也可能出错退出。此操作无法撤销。</translation>
    </message>
    <message>
        <source>&amp;Type %1</source>
        <translation>输入 %1(&amp;T)</translation>
    </message>
    <message>
        <source>Took %2 from “%1”.</source>
        <comment>owner, lock</comment>
        <translation>已从“%1”处夺走 %2。</translation>
    </message>
    <message>
        <source>Limit a queue</source>
        <translation>限制队列</translation>
    </message>
    <message>
        <source>How many jobs of the queue %1 may run at a time?</source>
        <translation>队列 %1 的作业最多可同时运行多少个？</translation>
    </message>
    <message>
        <source>In the whole cluster. Jobs that run go on, even if they are more; the others wait. 0 lifts the limit.</source>
        <translation>指整个集群。正在运行的作业即使超出也会继续；其余的等待。0 表示取消限制。</translation>
    </message>
    <message>
        <source>Set the limit</source>
        <translation>设置限额</translation>
    </message>
    <message>
        <source>&amp;At most</source>
        <translation>最多(&amp;A)</translation>
    </message>
    <message>
        <source>The queue %1 has no limit any more.</source>
        <translation>队列 %1 不再有限制。</translation>
    </message>
    <message>
        <source>At most %2 jobs of the queue %1 run at a time.</source>
        <translation>队列 %1 的作业最多同时运行 %2 个。</translation>
    </message>
    <message>
        <source>and %1 more</source>
        <comment>queues or workers</comment>
        <translation>以及另外 %1 个</translation>
    </message>
    <message>
        <source>No more of their jobs begin. Jobs that run go on, and more may be submitted to them as before.</source>
        <translation>它们的作业不再开始。正在运行的继续运行，仍可像以前一样向它们提交作业。</translation>
    </message>
    <message>
        <source>Pause queues</source>
        <translation>暂停队列</translation>
    </message>
    <message>
        <source>Pause %1?</source>
        <comment>queues</comment>
        <translation>暂停 %1？</translation>
    </message>
    <message>
        <source>Paused %1.</source>
        <comment>queues</comment>
        <translation>已暂停 %1。</translation>
    </message>
    <message>
        <source>The jobs of %1 begin again.</source>
        <comment>queues</comment>
        <translation>%1 的作业重新开始。</translation>
    </message>
    <message>
        <source>Set a limit</source>
        <translation>设置限额</translation>
    </message>
    <message>
        <source>How many of the jobs that ask for the limit %1 may run at a time?</source>
        <translation>请求限额 %1 的作业最多可同时运行多少个？</translation>
    </message>
    <message>
        <source>In the whole cluster. Jobs that run go on, even if they are more; the others wait.</source>
        <translation>指整个集群。正在运行的作业即使超出也会继续；其余的等待。</translation>
    </message>
    <message>
        <source>At most %2 jobs with the limit %1 run at a time.</source>
        <translation>带限额 %1 的作业最多同时运行 %2 个。</translation>
    </message>
    <message>
        <source>They claim no more jobs. A message says of each when the last of its jobs has ended. One that is cordoned already keeps its reason.</source>
        <translation>它们不再认领作业。每个 worker 运行的最后一个作业结束时会有消息。已封锁的保留其原因。</translation>
    </message>
    <message>
        <source>They claim no more jobs; the jobs that they run go on. That stays so until they are uncordoned.</source>
        <translation>它们不再认领作业；正在运行的作业继续运行。解除封锁之前一直如此。</translation>
    </message>
    <message>
        <source>%1 workers</source>
        <comment>verb</comment>
        <translation>%1 worker</translation>
    </message>
    <message>
        <source>%1 %2?</source>
        <comment>verb, workers</comment>
        <translation>%1 %2？</translation>
    </message>
    <message>
        <source>%1 claim no more jobs.</source>
        <comment>workers</comment>
        <translation>%1 不再认领作业。</translation>
    </message>
    <message>
        <source>%1 claim jobs again.</source>
        <comment>workers</comment>
        <translation>%1 重新认领作业。</translation>
    </message>
    <message>
        <source>Depose the master</source>
        <translation>让 master 卸任</translation>
    </message>
    <message>
        <source>Let the next in line be master instead of %1?</source>
        <translation>让下一个候选者取代 %1 担任 master 吗？</translation>
    </message>
    <message>
        <source>%1 is deposed at once, even if it hangs, and stands again behind the others. Its jobs go on. What it had not written yet the next master does.</source>
        <translation>%1 会立即卸任，即使它已停止响应，并重新排到其他候选者之后。它的作业继续运行。它尚未写入的事由下一个 master 完成。</translation>
    </message>
    <message>
        <source>Depose %1</source>
        <translation>让 %1 卸任</translation>
    </message>
    <message>
        <source>%1 is no longer master.</source>
        <comment>worker</comment>
        <translation>%1 不再是 master。</translation>
    </message>
</context>
<context>
    <name>drover::gui::ClusterTabs</name>
    <message>
        <source>New tab</source>
        <translation>新标签页</translation>
    </message>
    <message>
        <source>editing is on</source>
        <translation>编辑已打开</translation>
    </message>
    <message>
        <source>read-only</source>
        <translation>只读</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>cluster, its state</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Clusters</source>
        <translation>集群</translation>
    </message>
    <message>
        <source>Open another cluster in a new tab</source>
        <translation>在新标签页中打开另一个集群</translation>
    </message>
    <message>
        <source>Open another cluster in a new tab (Ctrl+T)</source>
        <translation>在新标签页中打开另一个集群 (Ctrl+T)</translation>
    </message>
    <message>
        <source>%1 (%2!)</source>
        <comment>cluster, alerts</comment>
        <translation>%1（%2!）</translation>
    </message>
    <message>
        <source>Close the tab of %1</source>
        <translation>关闭 %1 的标签页</translation>
    </message>
</context>
<context>
    <name>drover::gui::CodeView</name>
    <message>
        <source>%1 (%2)</source>
        <comment>step, who is there</comment>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>Pseudo-code</source>
        <translation>伪代码</translation>
    </message>
</context>
<context>
    <name>drover::gui::CommandPalette</name>
    <message>
        <source>Commands</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>Type what to do, or a job, worker, queue, lock or /path</source>
        <translation>输入要做什么，或作业、worker、队列、锁、/path</translation>
    </message>
    <message>
        <source>Filter commands</source>
        <translation>筛选命令</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>page, what to do there</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>not allowed</source>
        <translation>不允许</translation>
    </message>
    <message>
        <source>Go to %1</source>
        <comment>a thing of the cluster</comment>
        <translation>转到%1</translation>
    </message>
    <message>
        <source>read-only: Ctrl+E</source>
        <translation>只读：Ctrl+E</translation>
    </message>
    <message>
        <source>Find or do anything  %1</source>
        <comment>keys</comment>
        <translation>查找或执行任何操作  %1</translation>
    </message>
    <message>
        <source>All that the menus have, and jobs, workers, queues, locks and znodes by name</source>
        <translation>菜单中的所有操作，以及按名称查找的作业、worker、队列、锁和 znode</translation>
    </message>
</context>
<context>
    <name>drover::gui::CompareDialog</name>
    <message>
        <source>%1: %2, version %3</source>
        <comment>path, size, version</comment>
        <translation>%1：%2，版本 %3</translation>
    </message>
    <message>
        <source>Compare two nodes</source>
        <translation>比较两个节点</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>比较</translation>
    </message>
    <message>
        <source>Node</source>
        <translation>节点</translation>
    </message>
    <message>
        <source>&amp;With</source>
        <translation>与(&amp;W)</translation>
    </message>
    <message>
        <source>There is no node %1.</source>
        <translation>没有节点 %1。</translation>
    </message>
</context>
<context>
    <name>drover::gui::ConnectionBand</name>
    <message>
        <source>Open cluster</source>
        <translation>开放的集群</translation>
    </message>
    <message>
        <source>This cluster is open: all who reach its ZooKeeper may change it.</source>
        <translation>此集群是开放的：凡是能访问其 ZooKeeper 的人都可以更改它。</translation>
    </message>
</context>
<context>
    <name>drover::gui::ConnectionBar</name>
    <message>
        <source>host:port,host:port</source>
        <translation>主机:端口,主机:端口</translation>
    </message>
    <message>
        <source>ZooKeeper servers</source>
        <translation>ZooKeeper 服务器</translation>
    </message>
    <message>
        <source>Cluster</source>
        <translation>集群</translation>
    </message>
    <message>
        <source>&amp;Servers</source>
        <translation>服务器(&amp;S)</translation>
    </message>
    <message>
        <source>C&amp;luster</source>
        <translation>集群(&amp;L)</translation>
    </message>
    <message>
        <source>The colour of this connection</source>
        <translation>此连接的颜色</translation>
    </message>
    <message>
        <source>Colour of the connection: %1</source>
        <translation>连接的颜色：%1</translation>
    </message>
    <message>
        <source>&amp;Connect</source>
        <translation>连接(&amp;C)</translation>
    </message>
    <message>
        <source>Dis&amp;connect</source>
        <translation>断开(&amp;C)</translation>
    </message>
</context>
<context>
    <name>drover::gui::ConnectionControl</name>
    <message>
        <source>&amp;Edit this cluster</source>
        <translation>编辑此集群(&amp;E)</translation>
    </message>
    <message>
        <source>Co&amp;lour of the connection</source>
        <translation>连接的颜色(&amp;L)</translation>
    </message>
    <message>
        <source>Connection: %1</source>
        <comment>its colour</comment>
        <translation>连接：%1</translation>
    </message>
</context>
<context>
    <name>drover::gui::ConsoleSession</name>
    <message>
        <source>The connection is gone. Reconnecting…</source>
        <translation>连接已断开。正在重新连接…</translation>
    </message>
    <message>
        <source>The session has ended; a new one is being made.</source>
        <translation>会话已结束；正在建立新的会话。</translation>
    </message>
    <message>
        <source>No ZooKeeper answers at %1. Start one with “drover up”, or connect to another.</source>
        <translation>%1 处没有 ZooKeeper 应答。请用“drover up”启动一个，或连接到别处。</translation>
    </message>
    <message>
        <source>The servers refuse the authentication of each session, so no other is opened. They may not know its scheme, or want another.</source>
        <translation>服务器拒绝每个会话的身份验证，因此不再打开会话。它们可能不认识其方式，或要求另一种。</translation>
    </message>
</context>
<context>
    <name>drover::gui::CopyDialog</name>
    <message>
        <source>Move a subtree</source>
        <translation>移动子树</translation>
    </message>
    <message>
        <source>Copy a subtree</source>
        <translation>复制子树</translation>
    </message>
    <message>
        <source>Move</source>
        <translation>移动</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>From</source>
        <translation>从</translation>
    </message>
    <message>
        <source>&amp;To</source>
        <translation>到(&amp;T)</translation>
    </message>
    <message>
        <source>All below it moves too. The new path must not exist. ZooKeeper cannot rename: the nodes are created anew, with their data and ACLs, and then the old ones are deleted.</source>
        <translation>它下面的全部节点一起移动。新路径必须不存在。ZooKeeper 不能重命名：先连同数据和 ACL 重新创建节点，再删除旧节点。</translation>
    </message>
    <message>
        <source>All below it is copied too, with data and ACLs. The new path must not exist. Ephemeral nodes are left out.</source>
        <translation>它下面的全部节点连同数据和 ACL 一起复制。新路径必须不存在。临时节点不复制。</translation>
    </message>
</context>
<context>
    <name>drover::gui::CreateDialog</name>
    <message>
        <source>Create a node</source>
        <translation>创建节点</translation>
    </message>
    <message>
        <source>Create</source>
        <translation>创建</translation>
    </message>
    <message>
        <source>&amp;Sequential: the server appends a number</source>
        <translation>顺序节点：服务器追加编号(&amp;S)</translation>
    </message>
    <message>
        <source>Below</source>
        <translation>上级节点</translation>
    </message>
    <message>
        <source>&amp;Name</source>
        <translation>名称(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Data</source>
        <translation>数据(&amp;D)</translation>
    </message>
</context>
<context>
    <name>drover::gui::CredentialsControl</name>
    <message>
        <source>C&amp;redentials of this connection…</source>
        <translation>此连接的凭据(&amp;R)…</translation>
    </message>
    <message>
        <source>The keyring has not answered yet. It may ask you to unlock it. Connect again to go on without it.</source>
        <translation>密钥环尚未回应，可能正要求您解锁。再次连接即可不等它而继续。</translation>
    </message>
    <message>
        <source>The keyring has no credentials for it, or was not unlocked.</source>
        <translation>密钥环中没有此连接的凭据，或密钥环未解锁。</translation>
    </message>
    <message>
        <source>There is no keyring: %1.</source>
        <translation>没有密钥环：%1。</translation>
    </message>
    <message>
        <source>What the keyring has cannot be used: %1.</source>
        <translation>密钥环中的内容无法使用：%1。</translation>
    </message>
    <message>
        <source>The cluster refuses “%1”: the password is wrong, or not valid any more.</source>
        <translation>集群拒绝“%1”：密码错误，或已失效。</translation>
    </message>
    <message>
        <source>This cluster is closed to those without credentials.</source>
        <translation>此集群不对没有凭据的人开放。</translation>
    </message>
    <message>
        <source>The keyring has not kept the credentials: you will be asked again. %1</source>
        <translation>密钥环没有保存凭据：以后会再次询问。%1</translation>
    </message>
    <message>
        <source>The keyring has not forgotten the credentials. %1</source>
        <translation>密钥环没有删除凭据。%1</translation>
    </message>
    <message>
        <source>The keyring gets the credentials once the cluster is there and takes them.</source>
        <translation>集群出现并接受凭据后，才会保存到密钥环。</translation>
    </message>
    <message>
        <source>Connected without credentials. %1</source>
        <translation>已连接，但没有凭据。%1</translation>
    </message>
    <message>
        <source>Connected as %1. %2</source>
        <translation>已以 %1 的身份连接。%2</translation>
    </message>
    <message>
        <source>“Credentials of this connection…” in the menu takes others.</source>
        <translation>可用菜单中的“此连接的凭据…”提供其他凭据。</translation>
    </message>
    <message>
        <source>The cluster refuses the credentials now.</source>
        <translation>集群现在拒绝这些凭据。</translation>
    </message>
    <message>
        <source>The servers refuse the authentication itself.</source>
        <translation>服务器拒绝身份验证本身。</translation>
    </message>
    <message>
        <source>%1: the servers refuse the authentication itself, whatever the password is.</source>
        <translation>%1：无论密码是什么，服务器都拒绝身份验证本身。</translation>
    </message>
    <message>
        <source>The cluster refuses the credentials of %1 that a command would use.</source>
        <translation>集群拒绝命令会使用的 %1 的凭据。</translation>
    </message>
    <message>
        <source>This cluster is open, and has not judged the credentials: the keyring gets them once it is closed and takes them.</source>
        <translation>此集群是开放的，没有判断这些凭据：等它关闭并接受凭据后，才会保存到密钥环。</translation>
    </message>
    <message>
        <source>The cluster is closed to those without credentials now.</source>
        <translation>集群现在不对没有凭据的人开放。</translation>
    </message>
    <message>
        <source>drover does not have the credentials that the console was given.</source>
        <translation>drover 没有控制台得到的凭据。</translation>
    </message>
</context>
<context>
    <name>drover::gui::CredentialsDialog</name>
    <message>
        <source>Credentials of the &amp;cluster</source>
        <translation>集群的凭据(&amp;C)</translation>
    </message>
    <message>
        <source>“drover user add” makes a file of them.</source>
        <translation>“drover user add”会生成凭据文件。</translation>
    </message>
    <message>
        <source>A user and a password of &amp;ZooKeeper</source>
        <translation>ZooKeeper 的用户和密码(&amp;Z)</translation>
    </message>
    <message>
        <source>&amp;Remember in the keyring</source>
        <translation>保存到密钥环(&amp;R)</translation>
    </message>
    <message>
        <source>The keyring is being asked…</source>
        <translation>正在询问密钥环…</translation>
    </message>
    <message>
        <source>F&amp;orget</source>
        <translation>忘记(&amp;O)</translation>
    </message>
    <message>
        <source>Co&amp;nnect</source>
        <translation>连接(&amp;N)</translation>
    </message>
    <message>
        <source>Credentials</source>
        <translation>凭据</translation>
    </message>
    <message>
        <source>Credentials for %1</source>
        <translation>%1 的凭据</translation>
    </message>
    <message>
        <source>From a &amp;file…</source>
        <translation>从文件(&amp;F)…</translation>
    </message>
    <message>
        <source>&amp;Paste</source>
        <translation>粘贴(&amp;P)</translation>
    </message>
    <message>
        <source>The text of such a file, from the clipboard</source>
        <translation>剪贴板中的凭据文件内容</translation>
    </message>
    <message>
        <source>&amp;User</source>
        <translation>用户(&amp;U)</translation>
    </message>
    <message>
        <source>Pass&amp;word</source>
        <translation>密码(&amp;W)</translation>
    </message>
    <message>
        <source>Those that it has were refused.</source>
        <translation>其中保存的凭据被拒绝。</translation>
    </message>
    <message>
        <source>It has some for this connection.</source>
        <translation>其中有此连接的凭据。</translation>
    </message>
    <message>
        <source>Credentials of the cluster</source>
        <translation>集群的凭据</translation>
    </message>
    <message>
        <source>They name other servers, %1: their passwords go to %2.</source>
        <translation>它们指明的是另外的服务器 %1：其密码会发往 %2。</translation>
    </message>
    <message>
        <source>The name of a user of ZooKeeper has no “:”.</source>
        <translation>ZooKeeper 的用户名中不能有“:”。</translation>
    </message>
    <message>
        <source>The keyring is asked to forget them…</source>
        <translation>正在请求密钥环删除它们…</translation>
    </message>
    <message>
        <source>The keyring refuses: %1.</source>
        <translation>密钥环拒绝：%1。</translation>
    </message>
    <message>
        <source>The keyring has not forgotten them: %1.</source>
        <translation>密钥环没有删除它们：%1。</translation>
    </message>
    <message>
        <source>The keyring has forgotten them.</source>
        <translation>密钥环已删除它们。</translation>
    </message>
    <message>
        <source>Those that a comman&amp;d finds, or none</source>
        <translation>命令会找到的凭据，或没有(&amp;D)</translation>
    </message>
    <message>
        <source>Without it, they count as long as this tab is open.</source>
        <translation>不保存则仅在此标签页打开期间有效。</translation>
    </message>
    <message>
        <source>There is no keyring here, so they count as long as this tab is open: %1.</source>
        <translation>这里没有密钥环，因此仅在此标签页打开期间有效：%1。</translation>
    </message>
</context>
<context>
    <name>drover::gui::DataDialog</name>
    <message>
        <source>Edit the data of %1</source>
        <translation>编辑 %1 的数据</translation>
    </message>
    <message>
        <source>Review…</source>
        <translation>检查…</translation>
    </message>
    <message>
        <source>&amp;Take the other data</source>
        <translation>采用对方的数据(&amp;T)</translation>
    </message>
    <message>
        <source>Write &amp;over them</source>
        <translation>覆盖对方的数据(&amp;O)</translation>
    </message>
    <message>
        <source>Data of the node</source>
        <translation>节点的数据</translation>
    </message>
    <message>
        <source>Based on version %1.</source>
        <translation>基于版本 %1。</translation>
    </message>
    <message>
        <source>The data are not text: edit their base64. Based on version %1.</source>
        <translation>数据不是文本：请编辑其 base64。基于版本 %1。</translation>
    </message>
    <message>
        <source>This is not base64.</source>
        <translation>这不是 base64。</translation>
    </message>
    <message>
        <source>Write</source>
        <translation>写入</translation>
    </message>
    <message>
        <source>Nothing was written. The other data (-) and yours (+) differ so:</source>
        <translation>什么也没有写入。对方的数据 (-) 和你的数据 (+) 有如下差异：</translation>
    </message>
    <message>
        <source>&amp;Keep editing</source>
        <translation>继续编辑(&amp;K)</translation>
    </message>
    <message>
        <source>This is written if the node still has version %1:</source>
        <translation>如果节点的版本仍是 %1，将写入：</translation>
    </message>
</context>
<context>
    <name>drover::gui::DeleteDialog</name>
    <message>
        <source>Delete %1</source>
        <translation>删除 %1</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Counting…</source>
        <translation>正在统计…</translation>
    </message>
    <message>
        <source>It belongs to Drover: jobs may be lost. To delete it, type its name, %1.</source>
        <translation>它属于 Drover：可能丢失作业。要删除它，请输入其名称 %1。</translation>
    </message>
    <message>
        <source>Name of the node to delete</source>
        <translation>要删除的节点的名称</translation>
    </message>
    <message>
        <source>It cannot be counted.</source>
        <translation>无法统计。</translation>
    </message>
    <message>
        <source>This deletes one node with %1 of data.</source>
        <translation>这将删除一个有 %1 数据的节点。</translation>
    </message>
    <message>
        <source>This deletes %1 with %2 of data: %3 and all below it.</source>
        <translation>这将删除%1，共 %2 数据：%3 及其下面的全部节点。</translation>
    </message>
    <message>
        <source>%1 of them are ephemeral, and belong to sessions that live.</source>
        <translation>其中 %1 个是临时节点，属于仍然存活的会话。</translation>
    </message>
    <message>
        <source>It cannot be undone.</source>
        <translation>此操作无法撤销。</translation>
    </message>
</context>
<context>
    <name>drover::gui::DependencyGraph</name>
    <message>
        <source>not found</source>
        <translation>未找到</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>state, name</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>%1 (and after %2 more)</source>
        <comment>state and name, count</comment>
        <translation>%1（另依赖 %2 个）</translation>
    </message>
    <message>
        <source>Dependencies of %1</source>
        <translation>%1 的依赖关系</translation>
    </message>
    <message>
        <source>loading…</source>
        <translation>正在加载…</translation>
    </message>
    <message>
        <source>%1 need not wait for %2 any more (%3)</source>
        <comment>job, job, condition</comment>
        <translation>%1 不再需要等待 %2（%3）</translation>
    </message>
    <message>
        <source>%1 waits for %2 (%3)</source>
        <comment>job, job, condition</comment>
        <translation>%1 等待 %2（%3）</translation>
    </message>
    <message>
        <source>The record of a job that has ended does not say what it waited for.</source>
        <translation>已结束作业的记录不说明它曾等待什么。</translation>
    </message>
    <message>
        <source>It waits for no job, and no job waits for it.</source>
        <translation>它不等待任何作业，也没有作业等待它。</translation>
    </message>
    <message>
        <source>Dashed: has still to wait. A click or Enter opens the job.</source>
        <translation>虚线：仍需等待。单击或按 Enter 打开作业。</translation>
    </message>
    <message>
        <source>Not drawn: %1 before these.</source>
        <translation>未画出：这些之前的 %1。</translation>
    </message>
    <message>
        <source>Not drawn: %1 after these.</source>
        <translation>未画出：这些之后的 %1。</translation>
    </message>
    <message>
        <source>%1 that wait were not read: some of them may wait for this one.</source>
        <translation>有 %1 正在等待但未读取：其中可能有等待此作业的。</translation>
    </message>
</context>
<context>
    <name>drover::gui::DepthChart</name>
    <message>
        <source>Queue depth</source>
        <translation>队列长度</translation>
    </message>
    <message>
        <source>The wheel shows less or more time, up to thirty days. Drag to move, double click to come back.</source>
        <translation>滚轮缩放时间，最长三十天。拖动可移动，双击返回。</translation>
    </message>
    <message>
        <source>%1  %2</source>
        <comment>queue, unfinished jobs</comment>
        <translation>%1  %2</translation>
    </message>
    <message>
        <source>, paused</source>
        <translation>，已暂停</translation>
    </message>
    <message>
        <source>, at most %1 at a time</source>
        <translation>，同时最多 %1 个</translation>
    </message>
    <message>
        <source>%1 others</source>
        <comment>queues</comment>
        <translation>其余 %1 个</translation>
    </message>
</context>
<context>
    <name>drover::gui::DialogTitles</name>
    <message>
        <source> — %1</source>
        <comment>at the end of a title: a cluster</comment>
        <translation> — %1</translation>
    </message>
</context>
<context>
    <name>drover::gui::DiffView</name>
    <message>
        <source>Differences</source>
        <translation>差异</translation>
    </message>
    <message>
        <source>There is no difference.</source>
        <translation>没有差异。</translation>
    </message>
    <message>
        <source>  … %1 the same …</source>
        <translation>  … %1相同 …</translation>
    </message>
</context>
<context>
    <name>drover::gui::DoctorLinks</name>
    <message>
        <source>Not checked</source>
        <translation>未检查</translation>
    </message>
    <message>
        <source>drover doctor looks in a moment.</source>
        <translation>drover doctor 稍后检查。</translation>
    </message>
    <message>
        <source>All is well</source>
        <translation>一切正常</translation>
    </message>
    <message>
        <source>All was well.</source>
        <translation>之前一切正常。</translation>
    </message>
    <message>
        <source>All is well.</source>
        <translation>一切正常。</translation>
    </message>
</context>
<context>
    <name>drover::gui::DoctorRun</name>
    <message>
        <source>drover doctor has not answered</source>
        <translation>drover doctor 没有回应</translation>
    </message>
    <message>
        <source>cannot run %1: %2</source>
        <translation>无法运行 %1：%2</translation>
    </message>
</context>
<context>
    <name>drover::gui::EditSwitch</name>
    <message>
        <source>Editing</source>
        <translation>编辑</translation>
    </message>
    <message>
        <source>Read-only</source>
        <translation>只读</translation>
    </message>
    <message>
        <source>Editing is on</source>
        <translation>编辑已打开</translation>
    </message>
    <message>
        <source>The console may change this cluster. Click for read-only (Ctrl+E).</source>
        <translation>控制台可以更改此集群。点击切换为只读 (Ctrl+E)。</translation>
    </message>
    <message>
        <source>The console changes nothing here. Click to switch editing on (Ctrl+E).</source>
        <translation>控制台在此不作任何更改。点击打开编辑 (Ctrl+E)。</translation>
    </message>
</context>
<context>
    <name>drover::gui::EnsembleModel</name>
    <message>
        <source>Server</source>
        <translation>服务器</translation>
    </message>
    <message>
        <source>Role</source>
        <translation>角色</translation>
    </message>
    <message>
        <source>Version</source>
        <translation>版本</translation>
    </message>
    <message>
        <source>Latency</source>
        <comment>of a server</comment>
        <translation>延迟</translation>
    </message>
    <message>
        <source>Connections</source>
        <translation>连接数</translation>
    </message>
    <message>
        <source>Watches</source>
        <translation>watch 数</translation>
    </message>
    <message>
        <source>Znodes</source>
        <translation>Znode</translation>
    </message>
    <message>
        <source>Outstanding</source>
        <translation>待处理</translation>
    </message>
    <message>
        <source>Behind</source>
        <comment>transactions that a server lacks</comment>
        <translation>落后</translation>
    </message>
    <message>
        <source>Zxid</source>
        <translation>Zxid</translation>
    </message>
    <message>
        <source>Trouble</source>
        <translation>故障</translation>
    </message>
    <message>
        <source>One server alone: nothing works while it is down.</source>
        <translation>只有一个服务器：它停止时一切都无法工作。</translation>
    </message>
    <message>
        <source> Away: %1.</source>
        <translation> 缺席：%1。</translation>
    </message>
    <message>
        <source>The servers forbid to ask how they are: nothing is known of the quorum. Let 4lw.commands.whitelist have srvr, mntr and conf.</source>
        <translation>服务器禁止询问其状况：多数派的情况未知。请让 4lw.commands.whitelist 包含 srvr、mntr 和 conf。</translation>
    </message>
    <message>
        <source>The quorum is lost: %1 Start the others.</source>
        <translation>已失去多数派：%1 请启动其余服务器。</translation>
    </message>
    <message>
        <source>One more loss ends the quorum: %1</source>
        <translation>再失去一个就没有多数派了：%1</translation>
    </message>
    <message>
        <source> %1 more may fail.</source>
        <translation> 还可以失去 %1 个。</translation>
    </message>
    <message>
        <source>Leader</source>
        <translation>领导者</translation>
    </message>
    <message>
        <source>Follower</source>
        <translation>跟随者</translation>
    </message>
    <message>
        <source>Observer, no vote</source>
        <translation>观察者，无投票权</translation>
    </message>
    <message>
        <source>Alone</source>
        <translation>单独</translation>
    </message>
    <message>
        <source>No majority</source>
        <translation>没有多数派</translation>
    </message>
    <message>
        <source>May not be asked</source>
        <translation>不允许询问</translation>
    </message>
    <message>
        <source>No ZooKeeper</source>
        <translation>没有 ZooKeeper</translation>
    </message>
    <message>
        <source>No answer</source>
        <translation>没有应答</translation>
    </message>
    <message>
        <source>its whitelist forbids %1</source>
        <translation>其白名单禁止 %1</translation>
    </message>
    <message>
        <source>it does not say that it is well</source>
        <translation>它没有报告自己状况良好</translation>
    </message>
    <message>
        <source>%1 ms</source>
        <translation>%1 ms</translation>
    </message>
    <message>
        <source>%1 of %2 voting servers are up; %3 are needed.</source>
        <translation>%2 个有投票权的服务器中 %1 个在服务，至少需要 %3 个。</translation>
    </message>
    <message>
        <source>The only voting server is down.</source>
        <translation>唯一有投票权的服务器已停止服务。</translation>
    </message>
    <message>
        <source> Start it.</source>
        <translation>请启动它。</translation>
    </message>
</context>
<context>
    <name>drover::gui::EnsemblePage</name>
    <message>
        <source>Ensemble</source>
        <translation>ZooKeeper</translation>
    </message>
    <message>
        <source>Time to answer</source>
        <translation>应答时间</translation>
    </message>
    <message>
        <source>Outstanding requests</source>
        <translation>待处理的请求</translation>
    </message>
    <message>
        <source>Connections</source>
        <translation>连接数</translation>
    </message>
    <message>
        <source>ZooKeeper servers</source>
        <translation>ZooKeeper 服务器</translation>
    </message>
    <message>
        <source>the quorum is lost</source>
        <translation>已失去多数派</translation>
    </message>
    <message>
        <source>one more loss ends the quorum</source>
        <translation>再失去一个就没有多数派</translation>
    </message>
    <message>
        <source>%1 away</source>
        <translation>%1 个缺席</translation>
    </message>
    <message>
        <source>Asking the servers…</source>
        <translation>正在询问服务器…</translation>
    </message>
</context>
<context>
    <name>drover::gui::EntityLink</name>
    <message>
        <source>Go to %1</source>
        <translation>转到%1</translation>
    </message>
</context>
<context>
    <name>drover::gui::EventModel</name>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Event</source>
        <translation>事件</translation>
    </message>
    <message>
        <source>About</source>
        <translation>关于</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>队列</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Detail</source>
        <translation>详情</translation>
    </message>
</context>
<context>
    <name>drover::gui::EventsPage</name>
    <message>
        <source>Events</source>
        <translation>事件</translation>
    </message>
    <message>
        <source>Foll&amp;ow</source>
        <translation>跟踪(&amp;O)</translation>
    </message>
    <message>
        <source>&amp;Go to what it is about</source>
        <translation>转到相关对象(&amp;G)</translation>
    </message>
    <message>
        <source>Filter events: state:failed queue:etl</source>
        <translation>筛选事件：state:failed queue:etl</translation>
    </message>
    <message>
        <source>Shows the newest events at the end, and stays there</source>
        <translation>在末尾显示最新的事件，并停留在那里</translation>
    </message>
    <message>
        <source>&amp;Tell me…</source>
        <translation>通知我(&amp;T)…</translation>
    </message>
    <message>
        <source>Of which events the desktop tells you</source>
        <translation>桌面通知哪些事件</translation>
    </message>
    <message>
        <source>Of what the filter fits: %1</source>
        <translation>符合筛选条件的：%1</translation>
    </message>
    <message>
        <source>Of this job: %1</source>
        <translation>此作业的：%1</translation>
    </message>
    <message>
        <source>Of failures in this queue: %1</source>
        <translation>此队列中的失败：%1</translation>
    </message>
    <message>
        <source>Of each job that fails: %1</source>
        <translation>每个失败的作业：%1</translation>
    </message>
    <message>
        <source>Of each worker that leaves: %1</source>
        <translation>每个离开的 worker：%1</translation>
    </message>
    <message>
        <source>%1 that need a look</source>
        <translation>%1 个需要查看</translation>
    </message>
    <message>
        <source>Nothing has happened since this page was opened.
What happens from now on is listed here.</source>
        <translation>打开此页以来没有发生任何事件。
从现在起发生的事件会列在这里。</translation>
    </message>
</context>
<context>
    <name>drover::gui::FactSheet</name>
    <message>
        <source>Data</source>
        <translation>数据</translation>
    </message>
</context>
<context>
    <name>drover::gui::FindingModel</name>
    <message>
        <source>Found</source>
        <translation>找到的节点</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>数据</translation>
    </message>
</context>
<context>
    <name>drover::gui::FindingsDialog</name>
    <message>
        <source>What drover doctor has found</source>
        <translation>drover doctor 的发现</translation>
    </message>
    <message>
        <source>Findings</source>
        <translation>发现</translation>
    </message>
</context>
<context>
    <name>drover::gui::FindingsModel</name>
    <message>
        <source>Level</source>
        <translation>级别</translation>
    </message>
    <message>
        <source>Subject</source>
        <translation>对象</translation>
    </message>
    <message>
        <source>Finding</source>
        <translation>发现</translation>
    </message>
    <message>
        <source>What to do</source>
        <translation>怎么办</translation>
    </message>
    <message>
        <source>Problem</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>Warning</source>
        <translation>警告</translation>
    </message>
    <message>
        <source>Unknown</source>
        <translation>未知</translation>
    </message>
</context>
<context>
    <name>drover::gui::Gateway</name>
    <message>
        <source>The console is read-only here: switch editing on first (Ctrl+E).</source>
        <translation>控制台在此为只读：请先打开编辑 (Ctrl+E)。</translation>
    </message>
    <message>
        <source>The ZooKeeper user “%1” has no credentials of the cluster: the console is read-only there.</source>
        <translation>ZooKeeper 用户“%1”没有此集群的凭据：控制台在集群中只读。</translation>
    </message>
    <message>
        <source>This cluster is closed to those without credentials: the console is read-only there.</source>
        <translation>此集群不对没有凭据的人开放：控制台在集群中只读。</translation>
    </message>
    <message>
        <source>The password of the ZooKeeper user “%1” is for other znodes. The cluster is open: connect without the password to change it.</source>
        <translation>ZooKeeper 用户“%1”的密码用于其他 znode。此集群是开放的：不带密码连接即可更改它。</translation>
    </message>
</context>
<context>
    <name>drover::gui::GraphView</name>
    <message>
        <source>%1: %2, %3</source>
        <comment>a graph, one of its nodes, what is remarked on that</comment>
        <translation>%1：%2，%3</translation>
    </message>
</context>
<context>
    <name>drover::gui::GroupMenu</name>
    <message>
        <source>&amp;Group the jobs</source>
        <translation>作业分组(&amp;G)</translation>
    </message>
    <message>
        <source>Do &amp;not group the jobs</source>
        <translation>不分组(&amp;N)</translation>
    </message>
    <message>
        <source>Group the jobs by &amp;queue</source>
        <translation>按队列分组(&amp;Q)</translation>
    </message>
    <message>
        <source>Group the jobs by n&amp;ame</source>
        <translation>按名称分组(&amp;A)</translation>
    </message>
    <message>
        <source>Group the jobs by &amp;tag</source>
        <translation>按标签分组(&amp;T)</translation>
    </message>
    <message>
        <source>A job with several tags is in the group of its first one</source>
        <translation>有多个标签的作业归入其第一个标签的组</translation>
    </message>
    <message>
        <source>Group the jobs by &amp;user</source>
        <translation>按用户分组(&amp;U)</translation>
    </message>
    <message>
        <source>The user who submitted them, on any machine</source>
        <translation>提交作业的用户，不论在哪台机器上</translation>
    </message>
</context>
<context>
    <name>drover::gui::ImportDialog</name>
    <message>
        <source>Import a subtree</source>
        <translation>导入子树</translation>
    </message>
    <message>
        <source>Import</source>
        <translation>导入</translation>
    </message>
    <message>
        <source>Make &amp;ephemeral nodes persistent (else they are left out)</source>
        <translation>把临时节点变为持久节点（否则略过）(&amp;E)</translation>
    </message>
    <message>
        <source>Write nothing if one of the nodes exists</source>
        <translation>只要有一个节点存在就什么也不写入</translation>
    </message>
    <message>
        <source>Keep the nodes that exist</source>
        <translation>保留已存在的节点</translation>
    </message>
    <message>
        <source>Overwrite the data of nodes that exist</source>
        <translation>覆盖已存在节点的数据</translation>
    </message>
    <message>
        <source>&amp;To</source>
        <translation>到(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Conflicts</source>
        <translation>冲突(&amp;C)</translation>
    </message>
</context>
<context>
    <name>drover::gui::Inspector</name>
    <message>
        <source>%1 — %2</source>
        <comment>thing, state</comment>
        <translation>%1 — %2</translation>
    </message>
    <message>
        <source>Inspector</source>
        <translation>检查器</translation>
    </message>
    <message>
        <source>Nothing is selected.
Choose a row, and all that is known of it stands here.</source>
        <translation>没有选择任何内容。
选择一行，关于它的全部已知信息会显示在这里。</translation>
    </message>
    <message>
        <source>Stay with this, whatever is selected</source>
        <translation>固定于此，不随选择改变</translation>
    </message>
    <message>
        <source>Open it in a window of its own</source>
        <translation>在单独的窗口中打开</translation>
    </message>
    <message>
        <source>Close the inspector (Alt+I)</source>
        <translation>关闭检查器 (Alt+I)</translation>
    </message>
    <message>
        <source>loading…</source>
        <translation>正在加载…</translation>
    </message>
    <message>
        <source>its page says all</source>
        <translation>详情见其页面</translation>
    </message>
    <message>
        <source>More</source>
        <translation>更多</translation>
    </message>
    <message>
        <source>As of %1: there is no connection.</source>
        <translation>截至 %1：没有连接。</translation>
    </message>
</context>
<context>
    <name>drover::gui::InspectorLinks</name>
    <message>
        <source>&amp;Inspector</source>
        <translation>检查器(&amp;I)</translation>
    </message>
    <message>
        <source>%1 — %2</source>
        <comment>thing, main window</comment>
        <translation>%1 — %2</translation>
    </message>
</context>
<context>
    <name>drover::gui::JobActions</name>
    <message>
        <source>the console does not look up tag:%1; name the jobs by their ids</source>
        <translation>控制台不查找 tag:%1；请用编号指定作业</translation>
    </message>
    <message>
        <source>no number of %1 is a job</source>
        <translation>%1 中没有编号对应作业</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <comment>reason, advice</comment>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>not known: the connection broke</source>
        <translation>未知：连接已断开</translation>
    </message>
    <message>
        <source>job %1 has not ended</source>
        <translation>作业 %1 尚未结束</translation>
    </message>
    <message>
        <source>none of these jobs has failed</source>
        <translation>这些作业都没有失败</translation>
    </message>
    <message>
        <source>of the %1 failed tasks of %2 only %3 are known any more; submit the whole array again</source>
        <translation>%2 的 %1 个失败任务中只有 %3 个还能查到；请再次提交整个数组</translation>
    </message>
</context>
<context>
    <name>drover::gui::JobDialogs</name>
    <message>
        <source>Submitted %1.</source>
        <translation>已提交 %1。</translation>
    </message>
    <message>
        <source>there is no connection to ZooKeeper now. Wait until the line at the bottom of the window says Connected, or press Connect, and submit then.</source>
        <translation>目前没有与 ZooKeeper 的连接。请等到窗口底部的一行显示“已连接”，或按“连接”，然后再提交。</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Submitted again: %1 of %2 jobs.</source>
        <translation>已再次提交：%1 / %2 个作业。</translation>
    </message>
    <message>
        <source>Submit again</source>
        <translation>再次提交</translation>
    </message>
    <message>
        <source>Not submitted again: %1 of %2 jobs.</source>
        <translation>未再次提交：%1 / %2 个作业。</translation>
    </message>
    <message>
        <source>Submit jobs again</source>
        <translation>再次提交作业</translation>
    </message>
    <message>
        <source>Submit %1 jobs again?</source>
        <translation>再次提交 %1 个作业？</translation>
    </message>
    <message>
        <source>Each becomes a new job, as it was. Tasks of an array become one array.</source>
        <translation>每个都原样成为新作业。一个数组的任务成为一个数组。</translation>
    </message>
    <message>
        <source>Submit the jobs</source>
        <translation>提交这些作业</translation>
    </message>
    <message>
        <source>%1 cannot be submitted again.</source>
        <translation>%1 不能再次提交。</translation>
    </message>
    <message>
        <source>Submitting %1 jobs again was not completed.</source>
        <translation>再次提交 %1 个作业没有完成。</translation>
    </message>
    <message>
        <source>Nothing was submitted again.</source>
        <translation>没有再次提交任何作业。</translation>
    </message>
</context>
<context>
    <name>drover::gui::JobFilter</name>
    <message>
        <source>%1 in the table</source>
        <comment>jobs</comment>
        <translation>表中 %1</translation>
    </message>
    <message>
        <source>The first job of the group %1: %2</source>
        <comment>group, its size</comment>
        <translation>组 %1 的第一个作业：%2</translation>
    </message>
</context>
<context>
    <name>drover::gui::JobModel</name>
    <message>
        <source>Held</source>
        <translation>已搁置</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>等待中</translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>就绪</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>Succeeded</source>
        <translation>成功</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>Cancelled</source>
        <translation>已取消</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Job</source>
        <translation>作业</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>Comment</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>Waits for</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>Worker</source>
        <translation>Worker</translation>
    </message>
    <message>
        <source>Since</source>
        <translation>始于</translation>
    </message>
    <message>
        <source>Try</source>
        <translation>尝试</translation>
    </message>
    <message>
        <source>Exit</source>
        <translation>退出码</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <comment>state, progress</comment>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>Ended</source>
        <translation>已结束</translation>
    </message>
    <message>
        <source>Loading…</source>
        <translation>正在加载…</translation>
    </message>
    <message>
        <source>(malformed)</source>
        <translation>（格式错误）</translation>
    </message>
    <message>
        <source>Tasks: %1</source>
        <translation>任务：%1</translation>
    </message>
    <message>
        <source>It does not start before %1</source>
        <translation>最早在 %1 开始</translation>
    </message>
</context>
<context>
    <name>drover::gui::JobOptionFields</name>
    <message>
        <source>Array and gang</source>
        <translation>数组和成组</translation>
    </message>
    <message>
        <source>What its worker must have</source>
        <translation>对 worker 的要求</translation>
    </message>
    <message>
        <source>When it may start</source>
        <translation>何时可以开始</translation>
    </message>
    <message>
        <source>Locks and limits</source>
        <translation>锁和限额</translation>
    </message>
    <message>
        <source>Attempts and retries</source>
        <translation>尝试和重试</translation>
    </message>
    <message>
        <source>Input and output</source>
        <translation>输入和输出</translation>
    </message>
    <message>
        <source>Other options</source>
        <translation>其他选项</translation>
    </message>
    <message>
        <source>%1 …, with blanks between them</source>
        <translation>%1 …，以空格分隔</translation>
    </message>
    <message>
        <source>%1 (%2 set)</source>
        <comment>group, count</comment>
        <translation>%1（已设 %2 项）</translation>
    </message>
</context>
<context>
    <name>drover::gui::JobOutput</name>
    <message>
        <source>End of the output</source>
        <translation>输出的末尾</translation>
    </message>
    <message>
        <source>Find in the output</source>
        <translation>在输出中查找</translation>
    </message>
    <message>
        <source>Ctrl+F; Enter or F3 for the next, Shift+F3 for the one before</source>
        <translation>Ctrl+F；Enter 或 F3 查找下一个，Shift+F3 查找上一个</translation>
    </message>
    <message>
        <source>Next &amp;error</source>
        <translation>下一个错误(&amp;E)</translation>
    </message>
    <message>
        <source>F4</source>
        <translation>F4</translation>
    </message>
    <message>
        <source>Not found in what is shown.</source>
        <translation>在显示的内容中没有找到。</translation>
    </message>
    <message>
        <source>Save the output</source>
        <translation>保存输出</translation>
    </message>
    <message>
        <source>The output was not saved.</source>
        <translation>输出没有保存。</translation>
    </message>
    <message>
        <source>Cannot write %1: %2</source>
        <translation>无法写入 %1：%2</translation>
    </message>
    <message>
        <source>Save…</source>
        <translation>保存…</translation>
    </message>
    <message>
        <source>Writes it into a file</source>
        <translation>把它写入文件</translation>
    </message>
    <message>
        <source>Only what is near can be selected. “Save…” writes all of it.</source>
        <translation>只能选择附近的部分。“保存…”会写出全部内容。</translation>
    </message>
    <message>
        <source>Searching… %1 %; Escape stops it</source>
        <translation>正在搜索… %1 %；按 Esc 停止</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>Not found in the output.</source>
        <translation>在输出中没有找到。</translation>
    </message>
</context>
<context>
    <name>drover::gui::JobPane</name>
    <message>
        <source>All states</source>
        <translation>所有状态</translation>
    </message>
    <message>
        <source>Unfinished</source>
        <translation>未结束</translation>
    </message>
    <message>
        <source>Ended</source>
        <translation>已结束</translation>
    </message>
    <message>
        <source>&amp;Tasks</source>
        <translation>任务(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Details</source>
        <translation>详情(&amp;D)</translation>
    </message>
    <message>
        <source>Jobs</source>
        <translation>作业</translation>
    </message>
    <message>
        <source>States to show</source>
        <translation>要显示的状态</translation>
    </message>
    <message>
        <source>Filter jobs</source>
        <translation>筛选作业</translation>
    </message>
    <message>
        <source>Shows the tasks of arrays, too</source>
        <translation>同时显示数组的任务</translation>
    </message>
    <message>
        <source>Select jobs that have not ended</source>
        <translation>请选择尚未结束的作业</translation>
    </message>
    <message>
        <source>On a&amp;ll jobs that fit the filter</source>
        <translation>对符合筛选条件的全部作业(&amp;L)</translation>
    </message>
    <message>
        <source>%1 all jobs that fit the filter…</source>
        <comment>verb</comment>
        <translation>%1 符合筛选条件的全部作业…</translation>
    </message>
    <message>
        <source>Submit all ended jobs of the table again…</source>
        <translation>再次提交表中所有已结束的作业…</translation>
    </message>
    <message>
        <source>&amp;Open or close the array</source>
        <translation>展开或收起数组(&amp;O)</translation>
    </message>
    <message>
        <source>Its tasks stand below it, those that failed first (Right, Left)</source>
        <translation>其任务列在它下面，失败的在前（→、←）</translation>
    </message>
    <message>
        <source>%1 jobs…</source>
        <comment>verb</comment>
        <translation>%1作业…</translation>
    </message>
    <message>
        <source>%1 %2…</source>
        <comment>verb, jobs</comment>
        <translation>%1 %2…</translation>
    </message>
    <message>
        <source>Submit &amp;again…</source>
        <translation>再次提交(&amp;A)…</translation>
    </message>
    <message>
        <source>Submit %1 &amp;again…</source>
        <translation>再次提交 %1(&amp;A)…</translation>
    </message>
    <message>
        <source>Submit %1 jobs &amp;again…</source>
        <translation>再次提交 %1 个作业(&amp;A)…</translation>
    </message>
    <message>
        <source>Submit what has &amp;failed again…</source>
        <translation>再次提交失败的部分(&amp;F)…</translation>
    </message>
    <message>
        <source>Filter jobs: state:failed queue:gpu</source>
        <translation>筛选作业：state:failed queue:gpu</translation>
    </message>
    <message>
        <source>Shows the jobs whose id, name, command or worker contains the words (Ctrl+F).
Conditions may stand between the words: state:failed queue:gpu name:nightly-* tag:TAG submitter:USER worker:WORKER.
since:2h and until:2024-05-01 find jobs that ended in that time.
They may be written as options of drover ls and history, too: --state failed --since 2h.</source>
        <translation>显示编号、名称、命令或 worker 包含这些词的作业 (Ctrl+F)。
词之间可以写条件：state:failed queue:gpu name:nightly-* tag:TAG submitter:USER worker:WORKER。
since:2h 和 until:2024-05-01 查找在这段时间内结束的作业。
也可以写成 drover ls 和 history 的选项：--state failed --since 2h。</translation>
    </message>
    <message>
        <source>Hold…</source>
        <translation>搁置…</translation>
    </message>
    <message>
        <source>Select jobs that have not begun</source>
        <translation>请选择尚未开始的作业</translation>
    </message>
    <message>
        <source>Release…</source>
        <translation>放行…</translation>
    </message>
    <message>
        <source>Select jobs that are held</source>
        <translation>请选择已搁置的作业</translation>
    </message>
</context>
<context>
    <name>drover::gui::JobPanel</name>
    <message>
        <source>loading…</source>
        <translation>正在加载…</translation>
    </message>
    <message>
        <source>&amp;Details</source>
        <translation>详情(&amp;D)</translation>
    </message>
    <message>
        <source>&amp;Output</source>
        <translation>输出(&amp;O)</translation>
    </message>
    <message>
        <source>Its tasks write the output. In a terminal: drover ls --all %1 lists them, and drover logs %1.N shows what task N has written.</source>
        <translation>输出由其任务写出。在终端里：drover ls --all %1 列出任务，drover logs %1.N 显示任务 N 的输出。</translation>
    </message>
    <message>
        <source>What it wrote is not known.</source>
        <translation>它写出了什么未知。</translation>
    </message>
    <message>
        <source>The job is not running now. In a terminal: drover logs -f %1</source>
        <translation>作业目前没有运行。在终端里：drover logs -f %1</translation>
    </message>
    <message>
        <source>The job has not begun. In a terminal: drover logs -f %1</source>
        <translation>作业尚未开始。在终端里：drover logs -f %1</translation>
    </message>
    <message>
        <source>Output (%1)</source>
        <translation>输出（%1）</translation>
    </message>
    <message>
        <source>The job wrote no output.</source>
        <translation>作业没有写出任何输出。</translation>
    </message>
    <message>
        <source>End of the output (%1 of %2)</source>
        <translation>输出的末尾（%1 / %2）</translation>
    </message>
    <message>
        <source>; more was written than is kept</source>
        <translation>；写出的多于保留的</translation>
    </message>
    <message>
        <source>Output as it comes; in a terminal: drover logs -f %1</source>
        <translation>实时输出；在终端里：drover logs -f %1</translation>
    </message>
    <message>
        <source>
(%1 are not shown here: the job writes too fast)
</source>
        <translation>
（%1 未在此显示：作业写得太快）
</translation>
    </message>
    <message>
        <source>The output cannot be read at present: %1</source>
        <translation>目前无法读取输出：%1</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>Reading the output from its worker: %1 of %2</source>
        <translation>正在从它的 worker 读取输出：%1 / %2</translation>
    </message>
    <message>
        <source>Output (%1; the worker keeps %2 of it)</source>
        <translation>输出（%1；worker 保留其中的 %2）</translation>
    </message>
    <message>
        <source>What was seen of the output (%1): %2</source>
        <translation>已看到的输出（共 %1）：%2</translation>
    </message>
    <message>
        <source>Tas&amp;ks</source>
        <translation>任务(&amp;K)</translation>
    </message>
    <message>
        <source>The last %1 of %2, which the record keeps: %3</source>
        <translation>记录所保留的最后 %1（共 %2）：%3</translation>
    </message>
    <message>
        <source>The last %2 of the output (%1)</source>
        <translation>输出的最后 %2（%1）</translation>
    </message>
    <message>
        <source>Depe&amp;ndencies</source>
        <translation>依赖关系(&amp;N)</translation>
    </message>
</context>
<context>
    <name>drover::gui::JobTimeline</name>
    <message>
        <source>ended after %1 without a run</source>
        <translation>%1 后结束，没有运行</translation>
    </message>
    <message>
        <source>waits for %1</source>
        <translation>等待 %1</translation>
    </message>
    <message>
        <source>waited %1, ran %2</source>
        <translation>等待 %1，运行 %2</translation>
    </message>
    <message>
        <source>waited %1, runs for %2</source>
        <translation>等待 %1，已运行 %2</translation>
    </message>
    <message>
        <source>%1, in attempt %2</source>
        <translation>%1，第 %2 次尝试</translation>
    </message>
    <message>
        <source>%1, in attempt %2; earlier ones were not seen</source>
        <translation>%1，在第 %2 次尝试中；更早的没有看到</translation>
    </message>
</context>
<context>
    <name>drover::gui::JobsPage</name>
    <message>
        <source>Jobs</source>
        <translation>作业</translation>
    </message>
    <message>
        <source>&amp;Filter jobs</source>
        <translation>筛选作业(&amp;F)</translation>
    </message>
    <message>
        <source>%1 unfinished</source>
        <translation>%1 个未结束</translation>
    </message>
    <message>
        <source>Cluster “%1” does not exist here yet.
The first worker makes it: %2</source>
        <translation>此处还没有集群“%1”。
第一个 worker 会创建它：%2</translation>
    </message>
    <message>
        <source>No jobs yet.
Submit one with “Submit a job…” (Ctrl+N).</source>
        <translation>还没有作业。
用“提交作业…”(Ctrl+N) 提交一个。</translation>
    </message>
</context>
<context>
    <name>drover::gui::Keyring</name>
    <message>
        <source>It still has something</source>
        <translation>其中仍有内容</translation>
    </message>
</context>
<context>
    <name>drover::gui::LabPage</name>
    <message>
        <source>Lab</source>
        <translation>实验室</translation>
    </message>
    <message>
        <source>Lessons</source>
        <translation>课程</translation>
    </message>
    <message>
        <source>What to try</source>
        <translation>试试看</translation>
    </message>
    <message>
        <source>Start &amp;all</source>
        <translation>全部启动(&amp;A)</translation>
    </message>
    <message>
        <source>&amp;Release</source>
        <translation>释放(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Begin again</source>
        <translation>重新开始(&amp;B)</translation>
    </message>
    <message>
        <source>&amp;Start</source>
        <translation>启动(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Pause</source>
        <translation>暂停(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Kill</source>
        <translation>杀死(&amp;K)</translation>
    </message>
    <message>
        <source>&amp;Disconnect</source>
        <translation>断开(&amp;D)</translation>
    </message>
    <message>
        <source>R&amp;elease</source>
        <translation>释放(&amp;E)</translation>
    </message>
    <message>
        <source>%1. %2</source>
        <comment>number, step</comment>
        <translation>%1. %2</translation>
    </message>
    <message>
        <source>A private ZooKeeper is starting…</source>
        <translation>正在启动私有 ZooKeeper…</translation>
    </message>
    <message>
        <source>&amp;Continue</source>
        <translation>继续(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Reconnect</source>
        <translation>重新连接(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Release both</source>
        <translation>释放两个(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Release one</source>
        <translation>释放一个(&amp;R)</translation>
    </message>
    <message>
        <source>%1 on the left:</source>
        <comment>participant</comment>
        <translation>左边的 %1：</translation>
    </message>
    <message>
        <source>%1 on the right:</source>
        <comment>participant</comment>
        <translation>右边的 %1：</translation>
    </message>
    <message>
        <source>%1:</source>
        <comment>participant</comment>
        <translation>%1：</translation>
    </message>
</context>
<context>
    <name>drover::gui::LabPicture</name>
    <message>
        <source>%1: %2</source>
        <comment>participant</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Participants and znodes</source>
        <translation>参与者和 znode</translation>
    </message>
    <message>
        <source>Participants and znodes; %1</source>
        <translation>参与者和 znode；%1</translation>
    </message>
    <message>
        <source>Line: owns. Arrow: watches (its own znode: not drawn).</source>
        <translation>直线：拥有。箭头：监视（对自己 znode 的监视不画出）。</translation>
    </message>
    <message>
        <source>of %1</source>
        <comment>a participant</comment>
        <translation>属于 %1</translation>
    </message>
    <message>
        <source>of an ended process</source>
        <translation>属于已结束的进程</translation>
    </message>
    <message>
        <source>persistent</source>
        <translation>持久节点</translation>
    </message>
</context>
<context>
    <name>drover::gui::LabStage</name>
    <message>
        <source>Cannot start %1: %2</source>
        <translation>无法启动 %1：%2</translation>
    </message>
</context>
<context>
    <name>drover::gui::LanguageMenu</name>
    <message>
        <source>&amp;Language</source>
        <translation>语言(&amp;L)</translation>
    </message>
    <message>
        <source>Language of the s&amp;ystem</source>
        <translation>系统的语言(&amp;Y)</translation>
    </message>
    <message>
        <source>“%1” counts from the next start of the console on.</source>
        <translation>“%1”从控制台下次启动时起生效。</translation>
    </message>
</context>
<context>
    <name>drover::gui::LaunchDialog</name>
    <message>
        <source>Credentials of the worker</source>
        <translation>worker 的凭据</translation>
    </message>
    <message>
        <source>Machines</source>
        <translation>机器</translation>
    </message>
    <message>
        <source>Launch workers</source>
        <translation>启动 worker</translation>
    </message>
    <message>
        <source>Start them</source>
        <translation>启动</translation>
    </message>
    <message>
        <source>See whether they run</source>
        <translation>查看是否在运行</translation>
    </message>
    <message>
        <source>Stop them, once their jobs have ended</source>
        <translation>等作业结束后停止</translation>
    </message>
    <message>
        <source>Start them again</source>
        <translation>重新启动</translation>
    </message>
    <message>
        <source>Give them the programs of this machine, one by one</source>
        <translation>逐个换成本机的程序</translation>
    </message>
    <message>
        <source>of a closed cluster: made by “drover worker add”</source>
        <translation>用于封闭的集群：由“drover worker add”创建</translation>
    </message>
    <message>
        <source>hosts.toml: its machines are reached by ssh</source>
        <translation>hosts.toml：通过 ssh 访问其中的机器</translation>
    </message>
    <message>
        <source>Each machine gets a row here.</source>
        <translation>每台机器在这里占一行。</translation>
    </message>
    <message>
        <source>On &amp;this machine</source>
        <translation>在本机上(&amp;T)</translation>
    </message>
    <message>
        <source>On the &amp;machines of a file</source>
        <translation>在文件列出的机器上(&amp;M)</translation>
    </message>
    <message>
        <source>Workers</source>
        <translation>Worker</translation>
    </message>
    <message>
        <source>&amp;Name</source>
        <translation>名称(&amp;N)</translation>
    </message>
    <message>
        <source>S&amp;lots</source>
        <translation>槽位(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Credentials</source>
        <translation>凭据(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation>文件(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;What to do</source>
        <translation>要做什么(&amp;W)</translation>
    </message>
    <message>
        <source>&amp;Interrupt</source>
        <translation>中断(&amp;I)</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>选择…</translation>
    </message>
    <message>
        <source>Choose a file: %1</source>
        <translation>选择文件：%1</translation>
    </message>
    <message>
        <source>The name of the worker: %1.</source>
        <translation>worker 的名称：%1。</translation>
    </message>
    <message>
        <source>Cannot write %1: %2</source>
        <translation>无法写入 %1：%2</translation>
    </message>
    <message>
        <source>At work…</source>
        <translation>正在执行…</translation>
    </message>
    <message>
        <source>Done.</source>
        <translation>完成。</translation>
    </message>
    <message>
        <source>A machine failed: its row says why.</source>
        <translation>有一台机器失败：原因在它的那一行。</translation>
    </message>
    <message>
        <source>Launch workers of %1 on %2</source>
        <comment>cluster, servers</comment>
        <translation>启动 worker：集群 %1，位于 %2</translation>
    </message>
    <message>
        <source>Name the file of the machines; “drover launch --help” says where a sample is.</source>
        <translation>请指定机器文件；“drover launch --help”说明示例在哪里。</translation>
    </message>
    <message>
        <source>Interrupted. It may be done again from the beginning.</source>
        <translation>已中断。可以从头再来一次。</translation>
    </message>
    <message>
        <source>St&amp;art them</source>
        <translation>启动(&amp;A)</translation>
    </message>
    <message>
        <source>St&amp;op them</source>
        <translation>停止(&amp;O)</translation>
    </message>
    <message>
        <source>St&amp;art them again</source>
        <translation>重新启动(&amp;A)</translation>
    </message>
    <message>
        <source>&amp;Upgrade them</source>
        <translation>升级(&amp;U)</translation>
    </message>
    <message>
        <source>Loo&amp;k</source>
        <translation>查看(&amp;K)</translation>
    </message>
</context>
<context>
    <name>drover::gui::LaunchLinks</name>
    <message>
        <source>It is not known where the programs are.</source>
        <translation>不知道程序在哪里。</translation>
    </message>
</context>
<context>
    <name>drover::gui::LaunchRows</name>
    <message>
        <source>process %1, %2</source>
        <translation>进程 %1，%2</translation>
    </message>
    <message>
        <source>Host</source>
        <translation>主机</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>详情</translation>
    </message>
</context>
<context>
    <name>drover::gui::LaunchRun</name>
    <message>
        <source>cannot run %1: %2</source>
        <translation>无法运行 %1：%2</translation>
    </message>
</context>
<context>
    <name>drover::gui::ListingModel</name>
    <message>
        <source>not there, or not readable</source>
        <translation>不存在或无法读取</translation>
    </message>
    <message>
        <source>Znode</source>
        <translation>Znode</translation>
    </message>
    <message>
        <source>Children</source>
        <translation>子节点</translation>
    </message>
    <message>
        <source>Changes</source>
        <translation>更改</translation>
    </message>
    <message>
        <source>Names of the children</source>
        <translation>子节点的名称</translation>
    </message>
</context>
<context>
    <name>drover::gui::LoadChart</name>
    <message>
        <source>Jobs that are ready, and that run</source>
        <translation>就绪和正在运行的作业</translation>
    </message>
    <message>
        <source>Jobs a minute</source>
        <translation>每分钟的作业数</translation>
    </message>
    <message>
        <source>The wheel shows less or more time, up to thirty days. Drag to move, double click to come back.</source>
        <translation>滚轮缩放时间，最长三十天。拖动可移动，双击返回。</translation>
    </message>
    <message>
        <source>%1  %2</source>
        <comment>measure, number</comment>
        <translation>%1  %2</translation>
    </message>
    <message>
        <source>ready</source>
        <comment>jobs</comment>
        <translation>就绪</translation>
    </message>
    <message>
        <source>running</source>
        <comment>jobs</comment>
        <translation>正在运行</translation>
    </message>
    <message>
        <source>submitted</source>
        <comment>jobs a minute</comment>
        <translation>已提交</translation>
    </message>
    <message>
        <source>ended</source>
        <comment>jobs a minute</comment>
        <translation>已结束</translation>
    </message>
</context>
<context>
    <name>drover::gui::LockFeed</name>
    <message>
        <source>Of the %1 locks the first %2 are shown: each takes one of the watches that the session can hold. In a terminal: drover tree --watch shows the others.</source>
        <translation>共 %1 把锁，显示前 %2 把：每把占用会话可以持有的一个 watch。在终端里：drover tree --watch 显示其余的锁。</translation>
    </message>
    <message>
        <source>The session has ended: search again.</source>
        <translation>会话已结束：请重新搜索。</translation>
    </message>
    <message>
        <source>Not connected: connect to a cluster first.</source>
        <translation>未连接：请先连接到集群。</translation>
    </message>
</context>
<context>
    <name>drover::gui::LockModel</name>
    <message>
        <source>Lock</source>
        <translation>锁</translation>
    </message>
    <message>
        <source>Place</source>
        <translation>位次</translation>
    </message>
    <message>
        <source>Holder and waiters</source>
        <translation>持有者和等待者</translation>
    </message>
    <message>
        <source>Session</source>
        <translation>会话</translation>
    </message>
    <message>
        <source>Since</source>
        <translation>始于</translation>
    </message>
    <message>
        <source>(does not say)</source>
        <translation>（未说明）</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Free</source>
        <translation>空闲</translation>
    </message>
    <message>
        <source>Deadlock, %1</source>
        <translation>死锁，%1</translation>
    </message>
    <message>
        <source>Waits, %1</source>
        <translation>等待，%1</translation>
    </message>
    <message>
        <source>Leaked</source>
        <translation>已泄漏</translation>
    </message>
    <message>
        <source>Shares</source>
        <translation>共享</translation>
    </message>
    <message>
        <source>Holds</source>
        <translation>持有</translation>
    </message>
    <message>
        <source>No session owns the znode %1: it stays until it is deleted.</source>
        <translation>没有会话拥有 znode %1：它会一直存在，直到被删除。</translation>
    </message>
    <message>
        <source>(was asked to let go)</source>
        <translation>（已被请求释放）</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>种类</translation>
    </message>
    <message>
        <source>For</source>
        <comment>how long</comment>
        <translation>时长</translation>
    </message>
    <message>
        <source>Limit</source>
        <translation>限额</translation>
    </message>
    <message>
        <source>Semaphore</source>
        <translation>信号量</translation>
    </message>
    <message>
        <source>Election</source>
        <translation>选举</translation>
    </message>
    <message>
        <source>Read-write lock</source>
        <translation>读写锁</translation>
    </message>
    <message>
        <source>Barrier</source>
        <translation>栅栏</translation>
    </message>
    <message>
        <source>Fence</source>
        <comment>the fencing token of a holder</comment>
        <translation>防护令牌</translation>
    </message>
    <message>
        <source>Limit of %1</source>
        <translation>限额 %1</translation>
    </message>
    <message>
        <source>Double barrier</source>
        <translation>双重栅栏</translation>
    </message>
    <message>
        <source>Closed</source>
        <translation>已拦下</translation>
    </message>
    <message>
        <source>Inside</source>
        <translation>已进入</translation>
    </message>
    <message>
        <source>What the holder guards refuses a smaller fencing token than one that it has seen.</source>
        <translation>持有者所保护的资源会拒绝比已见过的更小的防护令牌。</translation>
    </message>
</context>
<context>
    <name>drover::gui::LocksPage</name>
    <message>
        <source>Locks</source>
        <translation>锁</translation>
    </message>
    <message>
        <source>Filter locks</source>
        <translation>筛选锁</translation>
    </message>
    <message>
        <source>Deadlock: %1.</source>
        <comment>the locks of a circle</comment>
        <translation>死锁：%1。</translation>
    </message>
    <message>
        <source>“%1” waits for %2.</source>
        <comment>owner, lock</comment>
        <translation>“%1”等待 %2。</translation>
    </message>
    <message>
        <source>One of them has to be ended.</source>
        <translation>必须结束其中一个。</translation>
    </message>
    <message>
        <source>No locks.
Take one: %1 NAME -- COMMAND</source>
        <translation>没有锁。
取得一把：%1 NAME -- COMMAND</translation>
    </message>
    <message>
        <source>&amp;Ask to let go…</source>
        <translation>请求释放…(&amp;A)</translation>
    </message>
    <message>
        <source>&amp;Break…</source>
        <translation>强行解除…(&amp;B)</translation>
    </message>
    <message>
        <source>Take &amp;out…</source>
        <translation>移出…(&amp;O)</translation>
    </message>
    <message>
        <source>&amp;Search the tree</source>
        <translation>搜索整棵树(&amp;S)</translation>
    </message>
    <message>
        <source>Asks the program that holds or awaits the lock; it decides</source>
        <translation>请求持有或等待该锁的程序；由它决定</translation>
    </message>
    <message>
        <source>Deletes the znode of the holder, whether its program notices or not</source>
        <translation>删除持有者的 znode，无论其程序是否察觉</translation>
    </message>
    <message>
        <source>Deletes the znode of the member: it does not count any more</source>
        <translation>删除该成员的 znode：它不再计入</translation>
    </message>
    <message>
        <source>Finds the locks, elections and semaphores of other programs, and those of other clusters</source>
        <translation>查找其他程序以及其他集群的锁、选举和信号量</translation>
    </message>
    <message>
        <source>&amp;Stop the search</source>
        <translation>停止搜索(&amp;S)</translation>
    </message>
    <message>
        <source>%1 in the tree, of %2</source>
        <translation>树中有 %1，共查看 %2</translation>
    </message>
    <message>
        <source>%1 cannot be read</source>
        <translation>%1 个无法读取</translation>
    </message>
    <message>
        <source>Select a holder or a waiter that can be asked</source>
        <translation>请选择一个可以被请求的持有者或等待者</translation>
    </message>
    <message>
        <source>Select a row that is certainly a holder or a waiter</source>
        <translation>请选择一个确定是持有者或等待者的行</translation>
    </message>
    <message>
        <source>Set the &amp;limit…</source>
        <translation>设置限额(&amp;L)…</translation>
    </message>
    <message>
        <source>Select a row of a limit</source>
        <translation>请选择一个限额的行</translation>
    </message>
    <message>
        <source>How many of the jobs that ask for the limit may run at a time</source>
        <translation>请求该限额的作业最多可同时运行多少个</translation>
    </message>
</context>
<context>
    <name>drover::gui::MainWindow</name>
    <message>
        <source>&amp;Quit</source>
        <translation>退出(&amp;Q)</translation>
    </message>
    <message>
        <source>&amp;About Drover Console</source>
        <translation>关于 Drover 控制台(&amp;A)</translation>
    </message>
    <message>
        <source>About &amp;Qt</source>
        <translation>关于 &amp;Qt</translation>
    </message>
    <message>
        <source>Open another cluster in a new &amp;tab</source>
        <translation>在新标签页中打开另一个集群(&amp;T)</translation>
    </message>
    <message>
        <source>Close the ta&amp;b</source>
        <translation>关闭标签页(&amp;B)</translation>
    </message>
    <message>
        <source>To the &amp;next tab</source>
        <translation>转到下一个标签页(&amp;N)</translation>
    </message>
    <message>
        <source>To the p&amp;revious tab</source>
        <translation>转到上一个标签页(&amp;R)</translation>
    </message>
    <message>
        <source>Close a tab</source>
        <translation>关闭标签页</translation>
    </message>
    <message>
        <source>Close the tab of %1?</source>
        <translation>关闭 %1 的标签页？</translation>
    </message>
    <message>
        <source>Close it</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Leave it open</source>
        <translation>保持打开</translation>
    </message>
</context>
<context>
    <name>drover::gui::MasterFeed</name>
    <message>
        <source> %1 were deleted before they were in it.</source>
        <translation> %1 条在进入之前已被删除。</translation>
    </message>
    <message>
        <source> No job is claimed since %1.</source>
        <translation> 自 %1 起不再认领作业。</translation>
    </message>
    <message>
        <source>The history fails since %1: %2. %3 records wait in ZooKeeper.</source>
        <translation>历史库自 %1 起失效：%2。%3 条记录在 ZooKeeper 中等待。</translation>
    </message>
    <message>
        <source>The history %1 does not keep up.</source>
        <translation>历史库 %1 跟不上。</translation>
    </message>
    <message>
        <source>The history %1 has gaps.</source>
        <translation>历史库 %1 有缺口。</translation>
    </message>
    <message>
        <source>Final records that the master cannot read, and does not archive: %1.</source>
        <translation>master 无法读取因而没有归档的最终记录：%1。</translation>
    </message>
    <message>
        <source>The master fails at %1 since %2: %3.</source>
        <translation>master 自 %2 起在%1时失败：%3。</translation>
    </message>
    <message>
        <source>It fails at %1 more: drover doctor lists them.</source>
        <translation>它还在另外 %1 处失败：drover doctor 会列出它们。</translation>
    </message>
</context>
<context>
    <name>drover::gui::Navigation</name>
    <message>
        <source>&amp;Back</source>
        <translation>后退(&amp;B)</translation>
    </message>
    <message>
        <source>&amp;Forward</source>
        <translation>前进(&amp;F)</translation>
    </message>
    <message>
        <source>Go to %1</source>
        <comment>a page</comment>
        <translation>转到%1</translation>
    </message>
</context>
<context>
    <name>drover::gui::NodeEdits</name>
    <message>
        <source>Editing has been switched off: nothing was changed.</source>
        <translation>编辑已被关闭：什么也没有更改。</translation>
    </message>
    <message>
        <source>Export the node and all below it</source>
        <translation>导出节点及其下面的全部节点</translation>
    </message>
    <message>
        <source>JSON (*.json)</source>
        <translation>JSON (*.json)</translation>
    </message>
    <message>
        <source>Cannot write %1: %2</source>
        <translation>无法写入 %1：%2</translation>
    </message>
    <message>
        <source>Import below the node</source>
        <translation>导入到节点下面</translation>
    </message>
    <message>
        <source>JSON (*.json);;All files (*)</source>
        <translation>JSON (*.json);;所有文件 (*)</translation>
    </message>
    <message>
        <source>Cannot read %1: %2</source>
        <translation>无法读取 %1：%2</translation>
    </message>
</context>
<context>
    <name>drover::gui::NodeView</name>
    <message>
        <source>Automatic</source>
        <translation>自动</translation>
    </message>
    <message>
        <source>JSON</source>
        <translation>JSON</translation>
    </message>
    <message>
        <source>XML</source>
        <translation>XML</translation>
    </message>
    <message>
        <source>Properties</source>
        <translation>Properties</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>文本</translation>
    </message>
    <message>
        <source>Decoded base64</source>
        <translation>解码后的 base64</translation>
    </message>
    <message>
        <source>Base64</source>
        <translation>Base64</translation>
    </message>
    <message>
        <source>Hex</source>
        <translation>十六进制</translation>
    </message>
    <message>
        <source>It does not exist (any more). It is shown when it is created.</source>
        <translation>它不存在（或已不存在）。它被创建时会显示出来。</translation>
    </message>
    <message>
        <source>No permission to read it.</source>
        <translation>没有读取它的权限。</translation>
    </message>
    <message>
        <source>Too many watches: it is not followed at present.</source>
        <translation>watch 太多：目前不跟踪它。</translation>
    </message>
    <message>
        <source>Data of the node</source>
        <translation>节点的数据</translation>
    </message>
    <message>
        <source>Created</source>
        <translation>创建</translation>
    </message>
    <message>
        <source>Changed</source>
        <translation>更改</translation>
    </message>
    <message>
        <source>Children</source>
        <translation>子节点</translation>
    </message>
    <message>
        <source>Versions</source>
        <translation>版本</translation>
    </message>
    <message>
        <source>Owner</source>
        <translation>所有者</translation>
    </message>
    <message>
        <source>Access</source>
        <translation>访问权限</translation>
    </message>
    <message>
        <source>Format of the data</source>
        <translation>数据的格式</translation>
    </message>
    <message>
        <source>Fold</source>
        <translation>折叠</translation>
    </message>
    <message>
        <source>Hide what lies deeper (the keys - and + do so for one line)</source>
        <translation>隐藏更深的内容（按 - 和 + 键可对一行折叠和展开）</translation>
    </message>
    <message>
        <source>Loading…</source>
        <translation>正在加载…</translation>
    </message>
    <message>
        <source>No node selected</source>
        <translation>没有选择节点</translation>
    </message>
    <message>
        <source>Select one in the tree.</source>
        <translation>请在树中选择一个。</translation>
    </message>
    <message>
        <source>No data</source>
        <translation>没有数据</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <comment>format, size</comment>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>; unpacked %1</source>
        <translation>；解压后 %1</translation>
    </message>
    <message>
        <source>; only the beginning is shown</source>
        <translation>；只显示开头</translation>
    </message>
    <message>
        <source>%1; %2</source>
        <comment>instant, transaction</comment>
        <translation>%1；%2</translation>
    </message>
    <message>
        <source>%1; changed in %2</source>
        <translation>%1；更改于 %2</translation>
    </message>
    <message>
        <source>the node goes with it</source>
        <comment>with the session beside this text</comment>
        <translation>节点随之消失</translation>
    </message>
</context>
<context>
    <name>drover::gui::Notifier</name>
    <message>
        <source>%1 (%2)</source>
        <comment>event, rule</comment>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>Drover: %1</source>
        <comment>a rule</comment>
        <translation>Drover：%1</translation>
    </message>
    <message>
        <source>Drover, %1: %2</source>
        <comment>cluster, rule</comment>
        <translation>Drover，%1：%2</translation>
    </message>
</context>
<context>
    <name>drover::gui::OutputFeed</name>
    <message>
        <source>not connected</source>
        <translation>未连接</translation>
    </message>
    <message>
        <source>the session has ended</source>
        <translation>会话已结束</translation>
    </message>
</context>
<context>
    <name>drover::gui::OverviewPage</name>
    <message>
        <source>in 24 hours</source>
        <translation>24 小时内</translation>
    </message>
    <message>
        <source>Overview</source>
        <translation>总览</translation>
    </message>
    <message>
        <source>Ended</source>
        <translation>已结束</translation>
    </message>
    <message>
        <source>Queues</source>
        <translation>队列</translation>
    </message>
    <message>
        <source>Slots in use</source>
        <translation>使用中的槽位</translation>
    </message>
    <message>
        <source>Master</source>
        <translation>Master</translation>
    </message>
    <message>
        <source>Locks</source>
        <translation>锁</translation>
    </message>
    <message>
        <source>job</source>
        <translation>作业</translation>
    </message>
    <message>
        <source>jobs</source>
        <translation>作业</translation>
    </message>
    <message>
        <source>%1 paused</source>
        <translation>%1 个已暂停</translation>
    </message>
    <message>
        <source>none paused</source>
        <translation>无暂停</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <comment>used, all</comment>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>token %1
since %2</source>
        <translation>令牌 %1
始于 %2</translation>
    </message>
    <message>
        <source>None</source>
        <translation>无</translation>
    </message>
    <message>
        <source>A worker becomes it.</source>
        <translation>某个 worker 会成为 master。</translation>
    </message>
    <message>
        <source>none waits</source>
        <translation>没有等待者</translation>
    </message>
    <message>
        <source>The first numbers come in a moment.</source>
        <translation>第一批数据即将到来。</translation>
    </message>
    <message>
        <source>Doctor</source>
        <translation>体检</translation>
    </message>
    <message>
        <source>Not checked</source>
        <translation>未检查</translation>
    </message>
</context>
<context>
    <name>drover::gui::PageWindow</name>
    <message>
        <source>%1 — %2</source>
        <comment>page, main window</comment>
        <translation>%1 — %2</translation>
    </message>
</context>
<context>
    <name>drover::gui::PathBar</name>
    <message>
        <source>Path of the node to go to</source>
        <translation>要转到的节点的路径</translation>
    </message>
    <message>
        <source>Path of a node: / and its name</source>
        <translation>节点的路径：/ 及其名称</translation>
    </message>
    <message>
        <source>Bookmarks of this connection</source>
        <translation>此连接的书签</translation>
    </message>
    <message>
        <source>The bookmark is removed.</source>
        <translation>书签已移除。</translation>
    </message>
    <message>
        <source>Bookmarked.</source>
        <translation>已加入书签。</translation>
    </message>
    <message>
        <source>&amp;Remove this bookmark</source>
        <translation>移除此书签(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Bookmark this node</source>
        <translation>为此节点加书签(&amp;B)</translation>
    </message>
</context>
<context>
    <name>drover::gui::QueueTable</name>
    <message>
        <source>Queue</source>
        <translation>队列</translation>
    </message>
    <message>
        <source>Unfinished</source>
        <translation>未结束</translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>就绪</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>Limit</source>
        <translation>限额</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>Oldest ready</source>
        <translation>最久的就绪作业</translation>
    </message>
    <message>
        <source>Submitted %1</source>
        <translation>提交于 %1</translation>
    </message>
    <message>
        <source>In per minute</source>
        <translation>每分钟进入</translation>
    </message>
    <message>
        <source>Out per minute</source>
        <translation>每分钟离开</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>等待中</translation>
    </message>
    <message>
        <source>They are held, or wait for a time or for other jobs.</source>
        <translation>它们已被搁置，或在等待某个时间或其他作业。</translation>
    </message>
</context>
<context>
    <name>drover::gui::QueuesPage</name>
    <message>
        <source>Queues</source>
        <translation>队列</translation>
    </message>
    <message>
        <source>&amp;Pause…</source>
        <translation>暂停(&amp;P)…</translation>
    </message>
    <message>
        <source>&amp;Resume</source>
        <translation>恢复(&amp;R)</translation>
    </message>
    <message>
        <source>Filter queues</source>
        <translation>筛选队列</translation>
    </message>
    <message>
        <source>No more jobs of the queue begin</source>
        <translation>队列不再开始新的作业</translation>
    </message>
    <message>
        <source>No queues yet.
The first worker makes one.</source>
        <translation>还没有队列。
第一个 worker 会创建一个。</translation>
    </message>
    <message>
        <source>&amp;Limit…</source>
        <translation>限制(&amp;L)…</translation>
    </message>
    <message>
        <source>Select a queue</source>
        <translation>请选择一个队列</translation>
    </message>
    <message>
        <source>How many of its jobs may run at a time</source>
        <translation>其作业最多可同时运行多少个</translation>
    </message>
    <message>
        <source>Select queues that are not paused</source>
        <translation>请选择未暂停的队列</translation>
    </message>
    <message>
        <source>Select paused queues</source>
        <translation>请选择已暂停的队列</translation>
    </message>
    <message>
        <source>&amp;Pause %1…</source>
        <comment>queues</comment>
        <translation>暂停 %1(&amp;P)…</translation>
    </message>
    <message>
        <source>&amp;Resume %1</source>
        <comment>queues</comment>
        <translation>恢复 %1(&amp;R)</translation>
    </message>
</context>
<context>
    <name>drover::gui::QuorumPicture</name>
    <message>
        <source>%1: %2</source>
        <comment>server, role</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>The quorum</source>
        <translation>多数派</translation>
    </message>
    <message>
        <source>not named</source>
        <comment>a server</comment>
        <translation>未具名</translation>
    </message>
</context>
<context>
    <name>drover::gui::Rail</name>
    <message>
        <source>Pages</source>
        <translation>页面</translation>
    </message>
    <message>
        <source>Open in a &amp;window of its own</source>
        <translation>在单独的窗口中打开(&amp;W)</translation>
    </message>
</context>
<context>
    <name>drover::gui::RailButton</name>
    <message>
        <source>%1 (Ctrl+%2)</source>
        <translation>%1 (Ctrl+%2)</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>page, its badge</comment>
        <translation>%1：%2</translation>
    </message>
</context>
<context>
    <name>drover::gui::RecordSwitch</name>
    <message>
        <source>Recording, %1</source>
        <translation>正在记录，%1</translation>
    </message>
    <message>
        <source>Recording: waits</source>
        <translation>记录：等待中</translation>
    </message>
    <message>
        <source>Record</source>
        <translation>记录</translation>
    </message>
    <message>
        <source>Records what this console shows of the cluster, for the page Replay. It keeps the latest seven days and 256 MiB, in a file that only you can read.</source>
        <translation>记录此控制台显示的集群内容，供“回放”页使用。保留最近七天、最多 256 MiB，存放在只有你能读取的文件中。</translation>
    </message>
</context>
<context>
    <name>drover::gui::ReplayLinks</name>
    <message>
        <source>Nothing is recorded any more: %1</source>
        <translation>不再记录：%1</translation>
    </message>
</context>
<context>
    <name>drover::gui::ReplayPage</name>
    <message>
        <source>Replay</source>
        <translation>回放</translation>
    </message>
    <message>
        <source>Jobs</source>
        <translation>作业</translation>
    </message>
    <message>
        <source>Queues</source>
        <translation>队列</translation>
    </message>
    <message>
        <source>Locks</source>
        <translation>锁</translation>
    </message>
    <message>
        <source>Workers</source>
        <translation>Worker</translation>
    </message>
    <message>
        <source>Znodes</source>
        <translation>Znode</translation>
    </message>
    <message>
        <source>Events</source>
        <translation>事件</translation>
    </message>
    <message>
        <source>Moment</source>
        <translation>时刻</translation>
    </message>
    <message>
        <source>Time line</source>
        <translation>时间线</translation>
    </message>
    <message>
        <source>10 minutes</source>
        <translation>10 分钟</translation>
    </message>
    <message>
        <source>1 hour</source>
        <translation>1 小时</translation>
    </message>
    <message>
        <source>1 day</source>
        <translation>1 天</translation>
    </message>
    <message>
        <source>All of it</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>To the change before</source>
        <translation>到上一次更改</translation>
    </message>
    <message>
        <source>To the next change</source>
        <translation>到下一次更改</translation>
    </message>
    <message>
        <source>recording</source>
        <translation>正在记录</translation>
    </message>
    <message>
        <source>This moment was not recorded.</source>
        <translation>这一时刻没有记录。</translation>
    </message>
    <message>
        <source>Nothing was recorded before %1.</source>
        <translation>%1 之前没有记录。</translation>
    </message>
    <message>
        <source>Nothing was recorded after %1.</source>
        <translation>%1 之后没有记录。</translation>
    </message>
    <message>
        <source>Nothing was recorded between %1 and %2: what happened then is not known.</source>
        <translation>%1 到 %2 之间没有记录：不知道当时发生了什么。</translation>
    </message>
    <message>
        <source>There was none.</source>
        <translation>当时没有。</translation>
    </message>
    <message>
        <source>the last %1 of the events</source>
        <translation>事件中的最后 %1 个</translation>
    </message>
    <message>
        <source> recorded since %1</source>
        <translation>，自 %1 起记录</translation>
    </message>
    <message>
        <source>%1 of at most 256 MiB and seven days</source>
        <translation>%1，最多 256 MiB 和七天</translation>
    </message>
    <message>
        <source>&amp;Start recording</source>
        <translation>开始记录(&amp;S)</translation>
    </message>
    <message>
        <source>Nothing has been recorded yet.
Press “Start recording” above, or “Record” in the line at the bottom.</source>
        <translation>还没有任何记录。
请按上面的“开始记录”，或底部一行中的“记录”。</translation>
    </message>
</context>
<context>
    <name>drover::gui::RequestFeed</name>
    <message>
        <source>The session has ended before the answer came: look whether it was carried out.</source>
        <translation>应答到来之前会话已结束：请查看操作是否已执行。</translation>
    </message>
    <message>
        <source>Not connected: connect to a cluster first.</source>
        <translation>未连接：请先连接到集群。</translation>
    </message>
</context>
<context>
    <name>drover::gui::RunTimeline</name>
    <message>
        <source>Next runs</source>
        <translation>接下来的运行</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>schedule, time</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>No run is due.</source>
        <translation>没有将要运行的。</translation>
    </message>
</context>
<context>
    <name>drover::gui::SavedViews</name>
    <message>
        <source>The view needs a name.</source>
        <translation>视图需要一个名称。</translation>
    </message>
    <message>
        <source>A name has at most %1 characters.</source>
        <translation>名称最多有 %1 个字符。</translation>
    </message>
    <message>
        <source>The name has a character that cannot be seen.</source>
        <translation>名称中有看不见的字符。</translation>
    </message>
    <message>
        <source>There is a view of that name already.</source>
        <translation>已有同名的视图。</translation>
    </message>
</context>
<context>
    <name>drover::gui::ScheduleDialog</name>
    <message>
        <source>Add a schedule</source>
        <translation>添加定时计划</translation>
    </message>
    <message>
        <source>minute hour day month weekday: 0 3 * * MON-FRI; or @daily, @every 10m</source>
        <translation>分 时 日 月 星期：0 3 * * MON-FRI；或 @daily、@every 10m</translation>
    </message>
    <message>
        <source>run the last of them, however late</source>
        <translation>只补运行最后一次，无论多晚</translation>
    </message>
    <message>
        <source>run none of them</source>
        <translation>一次也不补</translation>
    </message>
    <message>
        <source>run all of them, the last 100 at most</source>
        <translation>全部补上，最多最近 100 次</translation>
    </message>
    <message>
        <source>both run</source>
        <translation>两个都运行</translation>
    </message>
    <message>
        <source>the new one is skipped</source>
        <translation>略过新的</translation>
    </message>
    <message>
        <source>the new one replaces it</source>
        <translation>新的取代旧的</translation>
    </message>
    <message>
        <source>none; or 90s, 15m, 2h</source>
        <translation>无；或 90s、15m、2h</translation>
    </message>
    <message>
        <source>the program&apos;s name</source>
        <translation>程序的名称</translation>
    </message>
    <message>
        <source>none; one line for people</source>
        <translation>无；给人看的一行文字</translation>
    </message>
    <message>
        <source>&amp;Schedule</source>
        <translation>定时计划(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;When</source>
        <translation>时刻(&amp;W)</translation>
    </message>
    <message>
        <source>&amp;Zone</source>
        <translation>时区(&amp;Z)</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>运行时刻</translation>
    </message>
    <message>
        <source>If &amp;missed</source>
        <translation>错过时(&amp;M)</translation>
    </message>
    <message>
        <source>If the last still &amp;runs</source>
        <translation>上一个仍在运行时(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Command</source>
        <translation>命令(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Name</source>
        <translation>名称(&amp;N)</translation>
    </message>
    <message>
        <source>C&amp;omment</source>
        <translation>备注(&amp;O)</translation>
    </message>
    <message>
        <source>&amp;Queue</source>
        <translation>队列(&amp;Q)</translation>
    </message>
    <message>
        <source>&amp;Priority</source>
        <translation>优先级(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Time limit</source>
        <translation>时限(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Directory</source>
        <translation>目录(&amp;D)</translation>
    </message>
    <message>
        <source>As before</source>
        <translation>沿用原有</translation>
    </message>
    <message>
        <source>&amp;Add</source>
        <translation>添加(&amp;A)</translation>
    </message>
    <message>
        <source>Change schedule %1</source>
        <translation>更改定时计划 %1</translation>
    </message>
    <message>
        <source>&amp;Change</source>
        <translation>更改(&amp;C)</translation>
    </message>
    <message>
        <source>–</source>
        <translation>–</translation>
    </message>
    <message>
        <source>Waiting for the cluster…</source>
        <translation>正在等待集群…</translation>
    </message>
    <message>
        <source>NAME=value, one a line; a job inherits nothing</source>
        <translation>NAME=value，每行一个；作业不继承任何变量</translation>
    </message>
    <message>
        <source>a directory of the job&apos;s own</source>
        <translation>作业自己的目录</translation>
    </message>
    <message>
        <source>&amp;Environment</source>
        <translation>环境变量(&amp;E)</translation>
    </message>
    <message>
        <source>The option %1 is not right yet.</source>
        <translation>选项 %1 尚不正确。</translation>
    </message>
</context>
<context>
    <name>drover::gui::ScheduleFeed</name>
    <message>
        <source>Of the %1 schedules the first %2 are shown. In a terminal: drover cron ls shows all.</source>
        <translation>共 %1 个定时计划，显示前 %2 个。在终端里：drover cron ls 显示全部。</translation>
    </message>
    <message>
        <source>Paused %1.</source>
        <comment>a schedule</comment>
        <translation>已暂停 %1。</translation>
    </message>
    <message>
        <source>Resumed %1.</source>
        <comment>a schedule</comment>
        <translation>已恢复 %1。</translation>
    </message>
    <message>
        <source>Removed %1.</source>
        <comment>a schedule</comment>
        <translation>已移除 %1。</translation>
    </message>
    <message>
        <source>Changed %1.</source>
        <comment>a schedule</comment>
        <translation>已更改 %1。</translation>
    </message>
    <message>
        <source>Added %1.</source>
        <comment>a schedule</comment>
        <translation>已添加 %1。</translation>
    </message>
    <message>
        <source>schedule %1 is malformed: %2</source>
        <translation>定时计划 %1 格式错误：%2</translation>
    </message>
    <message>
        <source>Submitted %1.</source>
        <translation>已提交 %1。</translation>
    </message>
</context>
<context>
    <name>drover::gui::ScheduleModel</name>
    <message>
        <source>Schedule</source>
        <translation>定时计划</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Next run</source>
        <translation>下次运行</translation>
    </message>
    <message>
        <source>Last run</source>
        <translation>上次运行</translation>
    </message>
    <message>
        <source>Last job</source>
        <translation>上个作业</translation>
    </message>
    <message>
        <source>When</source>
        <translation>时刻</translation>
    </message>
    <message>
        <source>Zone</source>
        <translation>时区</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>队列</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>Active</source>
        <translation>启用</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>Due since %1</source>
        <translation>自 %1 起到期</translation>
    </message>
    <message>
        <source>Malformed</source>
        <translation>格式错误</translation>
    </message>
    <message>
        <source>Missed</source>
        <translation>错过</translation>
    </message>
    <message>
        <source>Submitted no job since the last run; the first was due %1</source>
        <translation>上次运行以来没有提交作业；第一次应在 %1</translation>
    </message>
</context>
<context>
    <name>drover::gui::SchedulesPage</name>
    <message>
        <source>Schedules</source>
        <translation>定时计划</translation>
    </message>
    <message>
        <source>Filter schedules</source>
        <translation>筛选定时计划</translation>
    </message>
    <message>
        <source>Time line</source>
        <translation>时间线</translation>
    </message>
    <message>
        <source>The next day</source>
        <translation>接下来一天</translation>
    </message>
    <message>
        <source>The next week</source>
        <translation>接下来一周</translation>
    </message>
    <message>
        <source>The next month</source>
        <translation>接下来一个月</translation>
    </message>
    <message>
        <source>&amp;Add a schedule…</source>
        <translation>添加定时计划(&amp;A)…</translation>
    </message>
    <message>
        <source>&amp;Change…</source>
        <translation>更改(&amp;C)…</translation>
    </message>
    <message>
        <source>&amp;Run now</source>
        <translation>立即运行(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Pause</source>
        <translation>暂停(&amp;P)</translation>
    </message>
    <message>
        <source>R&amp;esume</source>
        <translation>恢复(&amp;E)</translation>
    </message>
    <message>
        <source>Re&amp;move…</source>
        <translation>移除(&amp;M)…</translation>
    </message>
    <message>
        <source>Remove a schedule</source>
        <translation>移除定时计划</translation>
    </message>
    <message>
        <source>Remove schedule %1?</source>
        <translation>移除定时计划 %1？</translation>
    </message>
    <message>
        <source>It submits no more jobs. Those that it has submitted go on.</source>
        <translation>它不再提交作业。已提交的作业继续运行。</translation>
    </message>
    <message>
        <source>&amp;Remove</source>
        <translation>移除(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Keep it</source>
        <translation>保留(&amp;K)</translation>
    </message>
    <message>
        <source>%1 late or malformed</source>
        <translation>%1 个延迟或格式错误</translation>
    </message>
    <message>
        <source>Calendar of a week</source>
        <translation>一周的日历</translation>
    </message>
    <message>
        <source>No schedules.
Add one with “Add a schedule…”, or in a terminal: %1 NAME &quot;0 3 * * *&quot; -- COMMAND</source>
        <translation>没有定时计划。
用“添加定时计划…”添加一个，或在终端中：%1 NAME &quot;0 3 * * *&quot; -- COMMAND</translation>
    </message>
    <message>
        <source>Select a schedule</source>
        <translation>请选择一个定时计划</translation>
    </message>
    <message>
        <source>Select a schedule that is not paused</source>
        <translation>请选择一个未暂停的定时计划</translation>
    </message>
    <message>
        <source>Select a paused schedule</source>
        <translation>请选择一个已暂停的定时计划</translation>
    </message>
</context>
<context>
    <name>drover::gui::SearchPanel</name>
    <message>
        <source>Previous</source>
        <translation>上一个</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>下一个</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Find</source>
        <translation>查找</translation>
    </message>
    <message>
        <source>Text to find</source>
        <translation>要查找的文本</translation>
    </message>
    <message>
        <source>among its siblings</source>
        <translation>在同级节点中</translation>
    </message>
    <message>
        <source>in names below it</source>
        <translation>在它下面的名称中</translation>
    </message>
    <message>
        <source>in data below it</source>
        <translation>在它下面的数据中</translation>
    </message>
    <message>
        <source>Where to find it</source>
        <translation>在哪里查找</translation>
    </message>
    <message>
        <source>Nodes that were found</source>
        <translation>找到的节点</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>Enter the text to find.</source>
        <translation>请输入要查找的文本。</translation>
    </message>
    <message>
        <source>None of %1 siblings has that in its name.</source>
        <translation>%1 个同级节点的名称都不含它。</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <comment>place among those found, their number</comment>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>Searching…</source>
        <translation>正在搜索…</translation>
    </message>
    <message>
        <source>%1 found in %2 below %3.</source>
        <comment>number, “20 nodes”, path</comment>
        <translation>在 %3 下面的%2中找到 %1 个。</translation>
    </message>
    <message>
        <source>No permission to read %1.</source>
        <translation>没有读取%1的权限。</translation>
    </message>
</context>
<context>
    <name>drover::gui::ServerChart</name>
    <message>
        <source>%1 ms</source>
        <translation>%1 ms</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>%1  %2</source>
        <comment>server, number</comment>
        <translation>%1  %2</translation>
    </message>
</context>
<context>
    <name>drover::gui::Shell</name>
    <message>
        <source>Show it &amp;here</source>
        <translation>在此显示(&amp;H)</translation>
    </message>
    <message>
        <source>%1: in a window of its own</source>
        <comment>page</comment>
        <translation>%1：在单独的窗口中</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>page, what it tells of</comment>
        <translation>%1：%2</translation>
    </message>
</context>
<context>
    <name>drover::gui::SlotMap</name>
    <message>
        <source>(malformed)</source>
        <translation>（格式错误）</translation>
    </message>
    <message>
        <source>and %1 more</source>
        <translation>以及另外 %1 个</translation>
    </message>
    <message>
        <source>Slots of the workers</source>
        <translation>worker 的槽位</translation>
    </message>
</context>
<context>
    <name>drover::gui::StartView</name>
    <message>
        <source>Connect to a cluster</source>
        <translation>连接到集群</translation>
    </message>
    <message>
        <source>editing is on</source>
        <translation>编辑已打开</translation>
    </message>
    <message>
        <source>read-only</source>
        <translation>只读</translation>
    </message>
    <message>
        <source>%1 — %2</source>
        <comment>servers, read-only or not</comment>
        <translation>%1 — %2</translation>
    </message>
    <message>
        <source>A cluster on this machine</source>
        <translation>本机上的集群</translation>
    </message>
    <message>
        <source>%1 — “drover up” starts one</source>
        <translation>%1 — “drover up”可启动一个</translation>
    </message>
    <message>
        <source>Another cluster</source>
        <translation>另一个集群</translation>
    </message>
    <message>
        <source>Enter its ZooKeeper servers above.</source>
        <translation>请在上方输入其 ZooKeeper 服务器。</translation>
    </message>
    <message>
        <source>The lab</source>
        <translation>实验室</translation>
    </message>
    <message>
        <source>Locks and elections to learn from, on a private server. No cluster is needed.</source>
        <translation>在私有服务器上学习锁和选举。不需要集群。</translation>
    </message>
</context>
<context>
    <name>drover::gui::StatusLine</name>
    <message>
        <source>Disconnected</source>
        <translation>未连接</translation>
    </message>
    <message>
        <source>Connecting…</source>
        <translation>正在连接…</translation>
    </message>
    <message>
        <source>Connected</source>
        <translation>已连接</translation>
    </message>
    <message>
        <source>Suspended</source>
        <translation>已中断</translation>
    </message>
    <message>
        <source>Session lost</source>
        <translation>会话已丢失</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>user, roles</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>open cluster</source>
        <translation>开放的集群</translation>
    </message>
    <message>
        <source>no credentials</source>
        <translation>没有凭据</translation>
    </message>
    <message>
        <source>session %1</source>
        <translation>会话 %1</translation>
    </message>
    <message>
        <source>time-out %1</source>
        <translation>超时 %1</translation>
    </message>
    <message>
        <source>server %1</source>
        <translation>服务器 %1</translation>
    </message>
    <message>
        <source>%1 ms</source>
        <translation>%1 ms</translation>
    </message>
    <message>
        <source>How long the server took for the last answer, and the way there and back</source>
        <translation>服务器上次应答所用的时间，包括往返</translation>
    </message>
    <message>
        <source>ZooKeeper tells the console about each change of this many nodes.</source>
        <translation>ZooKeeper 会把这些节点的每次更改告知控制台。</translation>
    </message>
    <message>
        <source>as of %1</source>
        <translation>截至 %1</translation>
    </message>
    <message>
        <source>Watches: %1 of %2</source>
        <translation>watch：%1 / %2</translation>
    </message>
    <message>
        <source>ZooKeeper user %1</source>
        <translation>ZooKeeper 用户 %1</translation>
    </message>
</context>
<context>
    <name>drover::gui::SubmitDialog</name>
    <message>
        <source>and %1 more</source>
        <translation>以及另外 %1 个</translation>
    </message>
    <message>
        <source>Submit job</source>
        <translation>提交作业</translation>
    </message>
    <message>
        <source>wc -w /usr/share/common-licenses/GPL-3</source>
        <translation>wc -w /usr/share/common-licenses/GPL-3</translation>
    </message>
    <message>
        <source>NAME=value, one a line; a job inherits nothing</source>
        <translation>NAME=value，每行一个；作业不继承任何变量</translation>
    </message>
    <message>
        <source>the program&apos;s name</source>
        <translation>程序的名称</translation>
    </message>
    <message>
        <source>none; one line for people</source>
        <translation>无；给人看的一行文字</translation>
    </message>
    <message>
        <source>0 is first, 9 is last</source>
        <translation>0 最先，9 最后</translation>
    </message>
    <message>
        <source>none; or 90s, 15m, 2h</source>
        <translation>无；或 90s、15m、2h</translation>
    </message>
    <message>
        <source>a directory of the job&apos;s own</source>
        <translation>作业自己的目录</translation>
    </message>
    <message>
        <source>&amp;Command</source>
        <translation>命令(&amp;C)</translation>
    </message>
    <message>
        <source>Arguments</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>&amp;Name</source>
        <translation>名称(&amp;N)</translation>
    </message>
    <message>
        <source>C&amp;omment</source>
        <translation>备注(&amp;O)</translation>
    </message>
    <message>
        <source>&amp;Queue</source>
        <translation>队列(&amp;Q)</translation>
    </message>
    <message>
        <source>&amp;Priority</source>
        <translation>优先级(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Time limit</source>
        <translation>时限(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Directory</source>
        <translation>目录(&amp;D)</translation>
    </message>
    <message>
        <source>&amp;Environment</source>
        <translation>环境变量(&amp;E)</translation>
    </message>
    <message>
        <source>As before</source>
        <translation>沿用原有</translation>
    </message>
    <message>
        <source>&amp;Submit</source>
        <translation>提交(&amp;S)</translation>
    </message>
    <message>
        <source>The same as a command. In a terminal the job also gets the directory and some variables of that terminal, if it is not given others.</source>
        <translation>以命令表示。在终端里，如果没有另外指定，作业还会得到该终端的目录和一些变量。</translation>
    </message>
    <message>
        <source>C&amp;opy</source>
        <translation>复制(&amp;O)</translation>
    </message>
    <message>
        <source>Copies the command</source>
        <translation>复制此命令</translation>
    </message>
    <message>
        <source>Op&amp;en…</source>
        <translation>打开(&amp;E)…</translation>
    </message>
    <message>
        <source>Sa&amp;ve…</source>
        <translation>保存(&amp;V)…</translation>
    </message>
    <message>
        <source>Dry &amp;run</source>
        <translation>试运行(&amp;R)</translation>
    </message>
    <message>
        <source>Save a job file</source>
        <translation>保存作业文件</translation>
    </message>
    <message>
        <source>Open a job file</source>
        <translation>打开作业文件</translation>
    </message>
    <message>
        <source>Job files (*.json)</source>
        <translation>作业文件 (*.json)</translation>
    </message>
    <message>
        <source>Job files (*.json *.toml)</source>
        <translation>作业文件 (*.json *.toml)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>所有文件 (*)</translation>
    </message>
    <message>
        <source>Saved in %1.</source>
        <translation>已保存到 %1。</translation>
    </message>
    <message>
        <source>Opened %1.</source>
        <translation>已打开 %1。</translation>
    </message>
    <message>
        <source>Cannot read %1: %2</source>
        <translation>无法读取 %1：%2</translation>
    </message>
    <message>
        <source>Cannot write %1: %2</source>
        <translation>无法写入 %1：%2</translation>
    </message>
    <message>
        <source>This would be submitted</source>
        <translation>将会提交以下内容</translation>
    </message>
    <message>
        <source>Submit %1 again</source>
        <translation>再次提交 %1</translation>
    </message>
    <message>
        <source>, </source>
        <translation>、</translation>
    </message>
    <message>
        <source>none yet</source>
        <translation>尚无</translation>
    </message>
    <message>
        <source>Submitting…</source>
        <translation>正在提交…</translation>
    </message>
    <message>
        <source>Submitted as %1: it will not be lost.</source>
        <translation>已提交为 %1：它不会丢失。</translation>
    </message>
    <message>
        <source>Not submitted: %1</source>
        <translation>未提交：%1</translation>
    </message>
</context>
<context>
    <name>drover::gui::Subscriptions</name>
    <message>
        <source>%1 events, the last: %2</source>
        <translation>%1 个事件，最后一个：%2</translation>
    </message>
</context>
<context>
    <name>drover::gui::TableActions</name>
    <message>
        <source>CSV (*.csv)</source>
        <translation>CSV (*.csv)</translation>
    </message>
    <message>
        <source>JSON (*.json)</source>
        <translation>JSON (*.json)</translation>
    </message>
    <message>
        <source>Markdown (*.md)</source>
        <translation>Markdown (*.md)</translation>
    </message>
    <message>
        <source>Copy the &amp;cell</source>
        <translation>复制单元格(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Copy the rows</source>
        <translation>复制各行(&amp;C)</translation>
    </message>
    <message>
        <source>Copy the rows as CS&amp;V</source>
        <translation>将各行复制为 CSV(&amp;V)</translation>
    </message>
    <message>
        <source>Copy the rows as &amp;JSON</source>
        <translation>将各行复制为 JSON(&amp;J)</translation>
    </message>
    <message>
        <source>Copy the rows as &amp;Markdown</source>
        <translation>将各行复制为 Markdown(&amp;M)</translation>
    </message>
    <message>
        <source>E&amp;xport the table…</source>
        <translation>导出表格(&amp;X)…</translation>
    </message>
    <message>
        <source>(no title)</source>
        <translation>（无标题）</translation>
    </message>
    <message>
        <source>As the &amp;width allows</source>
        <translation>按宽度决定(&amp;W)</translation>
    </message>
    <message>
        <source>Export the table</source>
        <translation>导出表格</translation>
    </message>
    <message>
        <source>The table was not exported.</source>
        <translation>表格没有导出。</translation>
    </message>
    <message>
        <source>Cannot write %1: %2</source>
        <translation>无法写入 %1：%2</translation>
    </message>
</context>
<context>
    <name>drover::gui::TablePage</name>
    <message>
        <source>Shows the rows of which a cell contains this (Ctrl+F)</source>
        <translation>显示某一单元格包含此内容的行 (Ctrl+F)</translation>
    </message>
    <message>
        <source>No row fits the filter.</source>
        <translation>没有行符合筛选条件。</translation>
    </message>
</context>
<context>
    <name>drover::gui::TableView</name>
    <message>
        <source>Go to %1</source>
        <comment>a thing of the cluster</comment>
        <translation>转到%1</translation>
    </message>
    <message>
        <source>A click selects the jobs of this group</source>
        <translation>单击可选择此组的作业</translation>
    </message>
</context>
<context>
    <name>drover::gui::TaskGrid</name>
    <message>
        <source>Tasks of the array</source>
        <translation>数组的任务</translation>
    </message>
</context>
<context>
    <name>drover::gui::ThemeMenu</name>
    <message>
        <source>&amp;Theme</source>
        <translation>主题(&amp;T)</translation>
    </message>
    <message>
        <source>Theme as the &amp;system</source>
        <translation>跟随系统的主题(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Light theme</source>
        <translation>浅色主题(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Dark theme</source>
        <translation>深色主题(&amp;D)</translation>
    </message>
</context>
<context>
    <name>drover::gui::Tile</name>
    <message>
        <source>%1: %2</source>
        <comment>title, value</comment>
        <translation>%1：%2</translation>
    </message>
</context>
<context>
    <name>drover::gui::TimeLine</name>
    <message>
        <source>Time line of the recording</source>
        <translation>记录的时间线</translation>
    </message>
    <message>
        <source>Drag the full handle to a moment, and the hollow one to list the events since then</source>
        <translation>把实心滑块拖到某一时刻，把空心滑块拖到列出事件的起点</translation>
    </message>
    <message>
        <source>The moment %1; events since %2</source>
        <translation>时刻 %1；自 %2 起的事件</translation>
    </message>
</context>
<context>
    <name>drover::gui::Tray</name>
    <message>
        <source>Drover Console</source>
        <translation>Drover 控制台</translation>
    </message>
    <message>
        <source>The desktop tells you of:</source>
        <translation>桌面会就以下规则通知您：</translation>
    </message>
    <message>
        <source>Show the &amp;events</source>
        <translation>显示事件(&amp;E)</translation>
    </message>
</context>
<context>
    <name>drover::gui::VerbRow</name>
    <message>
        <source>More</source>
        <comment>actions</comment>
        <translation>更多</translation>
    </message>
</context>
<context>
    <name>drover::gui::ViewButton</name>
    <message>
        <source>Show &amp;all jobs</source>
        <translation>显示所有作业(&amp;A)</translation>
    </message>
    <message>
        <source>Save the changes of the &amp;view</source>
        <translation>保存对视图的更改(&amp;V)</translation>
    </message>
    <message>
        <source>&amp;Save as a view…</source>
        <translation>另存为视图(&amp;S)…</translation>
    </message>
    <message>
        <source>Re&amp;name the view…</source>
        <translation>重命名视图(&amp;N)…</translation>
    </message>
    <message>
        <source>&amp;Delete the view…</source>
        <translation>删除视图(&amp;D)…</translation>
    </message>
    <message>
        <source>Show the view “%1”</source>
        <translation>显示视图“%1”</translation>
    </message>
    <message>
        <source>%1 (changed)</source>
        <comment>a view</comment>
        <translation>%1（已更改）</translation>
    </message>
    <message>
        <source>Vie&amp;ws</source>
        <translation>视图(&amp;W)</translation>
    </message>
    <message>
        <source>Views of the jobs that are saved for this cluster</source>
        <translation>为此集群保存的作业视图</translation>
    </message>
    <message>
        <source>The view “%1”, changed since it was saved</source>
        <translation>视图“%1”，保存后有更改</translation>
    </message>
    <message>
        <source>The view “%1”</source>
        <translation>视图“%1”</translation>
    </message>
    <message>
        <source>The view “%1” is not shown: this version does not understand its filter (%2). The view stays as it is.</source>
        <translation>未显示视图“%1”：此版本不理解其过滤条件（%2）。该视图保持原样。</translation>
    </message>
    <message>
        <source>Save a view</source>
        <translation>保存视图</translation>
    </message>
    <message>
        <source>Save what the table shows as a view?</source>
        <translation>把表格显示的内容保存为视图？</translation>
    </message>
    <message>
        <source>There are %1 views already: delete one first.</source>
        <translation>已有 %1 个视图：请先删除一个。</translation>
    </message>
    <message>
        <source>Save it</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Do not save it</source>
        <translation>不保存</translation>
    </message>
    <message>
        <source>Rename a view</source>
        <translation>重命名视图</translation>
    </message>
    <message>
        <source>Rename the view “%1”?</source>
        <translation>重命名视图“%1”？</translation>
    </message>
    <message>
        <source>Rename it</source>
        <translation>重命名</translation>
    </message>
    <message>
        <source>Leave it</source>
        <translation>保持不变</translation>
    </message>
    <message>
        <source>Delete a view</source>
        <translation>删除视图</translation>
    </message>
    <message>
        <source>Delete the view “%1”?</source>
        <translation>删除视图“%1”？</translation>
    </message>
    <message>
        <source>The table goes on to show what it shows now.</source>
        <translation>表格继续显示现在的内容。</translation>
    </message>
    <message>
        <source>Delete it</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Keep it</source>
        <translation>保留</translation>
    </message>
    <message>
        <source>&amp;Name:</source>
        <translation>名称(&amp;N)：</translation>
    </message>
    <message>
        <source>There are too many views.</source>
        <translation>视图太多。</translation>
    </message>
    <message>
        <source>A view has the filter, the order, the groups and the chosen columns. It is kept for this cluster.</source>
        <translation>视图包含过滤条件、顺序、分组和所选的列，只为此集群保留。</translation>
    </message>
</context>
<context>
    <name>drover::gui::WaitModel</name>
    <message>
        <source>“%1” waits for %2.</source>
        <comment>owner, lock</comment>
        <translation>“%1”等待 %2。</translation>
    </message>
</context>
<context>
    <name>drover::gui::WaitsPage</name>
    <message>
        <source>Waits</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>Waits and holders</source>
        <translation>等待者和持有者</translation>
    </message>
    <message>
        <source>Deadlock: %1.</source>
        <comment>the locks of a circle</comment>
        <translation>死锁：%1。</translation>
    </message>
    <message>
        <source>One of them has to be ended.</source>
        <translation>必须结束其中一个。</translation>
    </message>
    <message>
        <source>%1 waiting</source>
        <translation>%1 个在等待</translation>
    </message>
    <message>
        <source>%1 waits for %2</source>
        <translation>%1 等待 %2</translation>
    </message>
    <message>
        <source>%1 is held by %2</source>
        <translation>%1 由 %2 持有</translation>
    </message>
    <message>
        <source>%1 more have waiters: the page of the locks lists them.</source>
        <translation>另有 %1 个有等待者：锁的页面列出它们。</translation>
    </message>
    <message>
        <source>There are no waits for a lock, a limit or an election.</source>
        <translation>没有对锁、限额或选举的等待。</translation>
    </message>
    <message>
        <source>Dashed: waits for. Solid: is held by. A double click opens the job, or what is waited for.</source>
        <translation>虚线：等待。实线：被持有。双击打开作业或所等待的对象。</translation>
    </message>
</context>
<context>
    <name>drover::gui::WeekCalendar</name>
    <message>
        <source>Calendar of the next runs</source>
        <translation>接下来的运行的日历</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>schedule, time</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>ddd d</source>
        <comment>weekday and day, as QDateTime has them</comment>
        <translation>M月d日</translation>
    </message>
    <message>
        <source>Today</source>
        <translation>今天</translation>
    </message>
</context>
<context>
    <name>drover::gui::WorkerFeed</name>
    <message>
        <source>cordoned by a record that cannot be read</source>
        <translation>被一条无法读取的记录封锁</translation>
    </message>
    <message>
        <source>cordoned by %1</source>
        <translation>由 %1 封锁</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>cordoned by X, why</comment>
        <translation>%1：%2</translation>
    </message>
</context>
<context>
    <name>drover::gui::WorkerModel</name>
    <message>
        <source>Worker</source>
        <translation>Worker</translation>
    </message>
    <message>
        <source>Slots in use</source>
        <translation>使用中的槽位</translation>
    </message>
    <message>
        <source>Queues</source>
        <translation>队列</translation>
    </message>
    <message>
        <source>Host</source>
        <translation>主机</translation>
    </message>
    <message>
        <source>Since</source>
        <translation>始于</translation>
    </message>
    <message>
        <source>PID</source>
        <translation>PID</translation>
    </message>
    <message>
        <source>%1 — master</source>
        <translation>%1 — master</translation>
    </message>
    <message>
        <source>(malformed)</source>
        <translation>（格式错误）</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>Its node cannot be read: %1</source>
        <translation>其节点无法读取：%1</translation>
    </message>
    <message>
        <source>Its machine could not run jobs when it last checked: %1</source>
        <translation>上次检查时，其机器无法运行作业：%1</translation>
    </message>
    <message>
        <source>It begins no more jobs%1. In a terminal: drover worker uncordon %2 ends that.</source>
        <translation>它不再开始新的作业%1。在终端里：drover worker uncordon %2 可解除。</translation>
    </message>
    <message>
        <source>: </source>
        <translation>：</translation>
    </message>
    <message>
        <source>drover %1, spool %2</source>
        <translation>drover %1，spool %2</translation>
    </message>
    <message>
        <source>The master: it archives, promotes and cleans up.
%1</source>
        <translation>Master：它负责归档、提升和清理。
%1</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Labels</source>
        <translation>标签</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Malformed</source>
        <translation>格式错误</translation>
    </message>
    <message>
        <source>In trouble</source>
        <translation>有故障</translation>
    </message>
    <message>
        <source>Cordoned, %1 left</source>
        <comment>jobs</comment>
        <translation>已封锁，还剩%1</translation>
    </message>
    <message>
        <source>Cordoned</source>
        <translation>已封锁</translation>
    </message>
    <message>
        <source>Busy</source>
        <translation>忙碌</translation>
    </message>
    <message>
        <source>Free</source>
        <translation>空闲</translation>
    </message>
</context>
<context>
    <name>drover::gui::WorkerTimeline</name>
    <message>
        <source>What ran on the workers in the last half hour</source>
        <translation>最近半小时在各 worker 上运行的内容</translation>
    </message>
    <message>
        <source>%1, attempt %2, on %3: since %4, for %5, %6</source>
        <comment>job, number, worker, time, duration, outcome</comment>
        <translation>%1，第 %2 次尝试，在 %3 上：自 %4 起，历时 %5，%6</translation>
    </message>
    <message>
        <source>running</source>
        <translation>正在运行</translation>
    </message>
    <message>
        <source>succeeded</source>
        <translation>成功</translation>
    </message>
    <message>
        <source>failed with code %1</source>
        <translation>失败，退出码 %1</translation>
    </message>
    <message>
        <source>ended the job without success</source>
        <translation>作业未成功而结束</translation>
    </message>
    <message>
        <source>lost with its worker, or given back</source>
        <translation>随其 worker 丢失，或被退回</translation>
    </message>
    <message>
        <source>ended</source>
        <translation>已结束</translation>
    </message>
    <message>
        <source>now</source>
        <translation>现在</translation>
    </message>
    <message>
        <source>Workers of the time line</source>
        <translation>时间线上的 worker</translation>
    </message>
    <message>
        <source>%1 not shown: scroll to them</source>
        <comment>workers</comment>
        <translation>%1未显示：滚动即可看到</translation>
    </message>
    <message>
        <source>%1 not shown</source>
        <comment>workers</comment>
        <translation>%1 个未显示</translation>
    </message>
</context>
<context>
    <name>drover::gui::WorkersPage</name>
    <message>
        <source>Workers</source>
        <translation>Worker</translation>
    </message>
    <message>
        <source>&amp;Cordon…</source>
        <translation>封锁(&amp;C)…</translation>
    </message>
    <message>
        <source>&amp;Uncordon</source>
        <translation>解除封锁(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;Drain…</source>
        <translation>排空(&amp;D)…</translation>
    </message>
    <message>
        <source>Filter workers</source>
        <translation>筛选 worker</translation>
    </message>
    <message>
        <source>The worker claims no more jobs</source>
        <translation>worker 不再认领作业</translation>
    </message>
    <message>
        <source>Cordons the worker, and says when it runs nothing any more</source>
        <translation>封锁 worker，并在它不再运行任何作业时通知</translation>
    </message>
    <message>
        <source>&amp;Launch workers…</source>
        <translation>启动 worker(&amp;L)…</translation>
    </message>
    <message>
        <source>Starts, stops or upgrades workers here, or on other machines by ssh</source>
        <translation>在本机或通过 ssh 在其他机器上启动、停止或升级 worker</translation>
    </message>
    <message>
        <source>%1 in trouble</source>
        <translation>%1 个有故障</translation>
    </message>
    <message>
        <source>No workers.
Start some with “Launch workers…”, or in a terminal: %1</source>
        <translation>没有 worker。
用“启动 worker…”启动，或在终端中：%1</translation>
    </message>
    <message>
        <source>Select workers that are not cordoned</source>
        <translation>请选择未封锁的 worker</translation>
    </message>
    <message>
        <source>Select cordoned workers</source>
        <translation>请选择已封锁的 worker</translation>
    </message>
    <message>
        <source>Select workers</source>
        <translation>请选择 worker</translation>
    </message>
    <message>
        <source>&amp;Cordon %1…</source>
        <comment>workers</comment>
        <translation>封锁 %1(&amp;C)…</translation>
    </message>
    <message>
        <source>&amp;Uncordon %1</source>
        <comment>workers</comment>
        <translation>解除封锁 %1(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;Drain %1…</source>
        <comment>workers</comment>
        <translation>排空 %1(&amp;D)…</translation>
    </message>
    <message>
        <source>Depose the &amp;master…</source>
        <translation>让 master 卸任(&amp;M)…</translation>
    </message>
    <message>
        <source>The master is deposed, and the next in line is elected</source>
        <translation>master 卸任，由下一个候选者当选</translation>
    </message>
</context>
<context>
    <name>drover::gui::Workspace</name>
    <message>
        <source>Drover Console</source>
        <translation>Drover 控制台</translation>
    </message>
    <message>
        <source>&amp;Submit a job…</source>
        <translation>提交作业(&amp;S)…</translation>
    </message>
    <message>
        <source>&amp;Find what to do…</source>
        <translation>查找要做的事(&amp;F)…</translation>
    </message>
    <message>
        <source>The page in a &amp;window of its own, or back</source>
        <translation>将本页放入单独的窗口或放回(&amp;W)</translation>
    </message>
    <message>
        <source>%1 nodes are open already: close some to follow more.</source>
        <translation>已经打开了 %1 个节点：要跟踪更多，请先关闭一些。</translation>
    </message>
    <message>
        <source>Say which ZooKeeper servers to connect to, for example 127.0.0.1:2181.</source>
        <translation>请说明要连接哪些 ZooKeeper 服务器，例如 127.0.0.1:2181。</translation>
    </message>
    <message>
        <source>“%1” is not a valid cluster name: use 1 to 32 of a–z, 0–9 and -.</source>
        <translation>“%1”不是有效的集群名称：请用 1 到 32 个 a–z、0–9 和 -。</translation>
    </message>
    <message>
        <source>No cluster is configured. Start one on this machine with “drover up”, or enter the address of ZooKeeper and press Connect.</source>
        <translation>没有配置集群。请用“drover up”在本机启动一个，或输入 ZooKeeper 的地址并按“连接”。</translation>
    </message>
    <message>
        <source>%1 on %2 — Drover Console</source>
        <comment>cluster, servers</comment>
        <translation>%1，位于 %2 — Drover 控制台</translation>
    </message>
    <message>
        <source>All that is shown is as of %1.</source>
        <translation>所显示的一切截至 %1。</translation>
    </message>
    <message>
        <source>This page slept, and is waking: what it shows may be half a minute old.</source>
        <translation>本页刚刚醒来：显示的内容可能是半分钟以前的。</translation>
    </message>
    <message>
        <source>A dialog is open: “%1”.</source>
        <translation>有一个对话框打开着：“%1”。</translation>
    </message>
    <message>
        <source>Workers are being launched; that is interrupted.</source>
        <translation>正在启动 worker；启动将被中断。</translation>
    </message>
</context>
<context>
    <name>drover::gui::ZnodeEdits</name>
    <message>
        <source>%1 created</source>
        <translation>创建 %1</translation>
    </message>
    <message>
        <source>%1 overwritten</source>
        <translation>覆盖 %1</translation>
    </message>
    <message>
        <source>%1 kept as they were</source>
        <translation>保留 %1</translation>
    </message>
    <message>
        <source>%1 ephemeral left out</source>
        <translation>略过 %1 个临时节点</translation>
    </message>
    <message>
        <source>The session has ended before the answer came: look whether it was carried out.</source>
        <translation>应答到来之前会话已结束：请查看操作是否已执行。</translation>
    </message>
    <message>
        <source>Not connected: connect to a cluster first.</source>
        <translation>未连接：请先连接到集群。</translation>
    </message>
    <message>
        <source>The connection broke before the answer came: look whether it was carried out.</source>
        <translation>应答到来之前连接已断开：请查看操作是否已执行。</translation>
    </message>
    <message>
        <source>%1 exists already.</source>
        <translation>%1 已经存在。</translation>
    </message>
    <message>
        <source>There is no node %1.</source>
        <translation>没有节点 %1。</translation>
    </message>
    <message>
        <source>%1 is ephemeral and cannot have children.</source>
        <translation>%1 是临时节点，不能有子节点。</translation>
    </message>
    <message>
        <source>Created %1.</source>
        <translation>已创建 %1。</translation>
    </message>
    <message>
        <source>Wrote %1.</source>
        <translation>已写入 %1。</translation>
    </message>
    <message>
        <source>The connection broke, and nothing was written: try again.</source>
        <translation>连接已断开，什么也没有写入：请重试。</translation>
    </message>
    <message>
        <source>Another client has deleted the node meanwhile.</source>
        <translation>另一个客户端已在此期间删除该节点。</translation>
    </message>
    <message>
        <source>Another client has changed the node meanwhile: it has version %1.</source>
        <translation>另一个客户端已在此期间更改该节点：它的版本是 %1。</translation>
    </message>
    <message>
        <source>Another client has changed the ACL meanwhile: open it again.</source>
        <translation>另一个客户端已在此期间更改 ACL：请重新打开。</translation>
    </message>
    <message>
        <source>Changed the ACL of %1.</source>
        <translation>已更改 %1 的 ACL。</translation>
    </message>
    <message>
        <source>It has %1 by now: nothing was deleted.</source>
        <translation>它现在有%1：什么也没有删除。</translation>
    </message>
    <message>
        <source>Deleted %1 at %2.</source>
        <translation>已删除 %2 处的%1。</translation>
    </message>
    <message>
        <source>A node cannot be copied to itself or below itself.</source>
        <translation>节点不能复制到自身或自身下面。</translation>
    </message>
    <message>
        <source>It has ephemeral nodes, which belong to their sessions and cannot be moved.</source>
        <translation>它有临时节点，它们属于各自的会话，不能移动。</translation>
    </message>
    <message>
        <source>Copied to %1: %2</source>
        <translation>已复制到 %1：%2</translation>
    </message>
    <message>
        <source>The copy at %1 is complete, and the original stays: %2.</source>
        <translation>%1 处的副本已完成，原件保留：%2。</translation>
    </message>
    <message>
        <source>Moved %1 to %2.</source>
        <translation>已将 %1 移动到 %2。</translation>
    </message>
    <message>
        <source>Exported %1.</source>
        <translation>已导出 %1。</translation>
    </message>
    <message>
        <source>Imported to %1: %2</source>
        <translation>已导入到 %1：%2</translation>
    </message>
    <message>
        <source>%1 has changed meanwhile: nothing was deleted.</source>
        <translation>%1 在此期间已更改：未删除任何内容。</translation>
    </message>
</context>
<context>
    <name>drover::gui::ZnodeFeed</name>
    <message>
        <source>No permission to read its ACL</source>
        <translation>没有读取其 ACL 的权限</translation>
    </message>
    <message>
        <source>Not known: the connection broke</source>
        <translation>未知：连接已断开</translation>
    </message>
    <message>
        <source>the session of this console</source>
        <translation>此控制台的会话</translation>
    </message>
    <message>
        <source>the session of worker %1</source>
        <translation>worker %1 的会话</translation>
    </message>
</context>
<context>
    <name>drover::gui::ZnodeModel</name>
    <message>
        <source>Scroll on or press Enter to show more</source>
        <translation>继续滚动或按 Enter 显示更多</translation>
    </message>
    <message>
        <source>Node</source>
        <translation>节点</translation>
    </message>
    <message>
        <source>Children</source>
        <translation>子节点</translation>
    </message>
    <message>
        <source>%1
Owner: %2</source>
        <comment>path of a znode, its owner</comment>
        <translation>%1
所有者：%2</translation>
    </message>
</context>
<context>
    <name>drover::gui::ZnodeSearch</name>
    <message>
        <source>Not connected: connect to a cluster first.</source>
        <translation>未连接：请先连接到集群。</translation>
    </message>
    <message>
        <source>Cancelled.</source>
        <translation>已取消。</translation>
    </message>
    <message>
        <source>The session has ended before the search was complete.</source>
        <translation>搜索完成之前会话已结束。</translation>
    </message>
    <message>
        <source>These are the first %1: search for a longer text, or below a lower node.</source>
        <translation>这是前 %1 个：请搜索更长的文本，或在更低的节点下搜索。</translation>
    </message>
</context>
<context>
    <name>drover::gui::ZnodeTree</name>
    <message>
        <source>Znodes</source>
        <translation>Znode</translation>
    </message>
    <message>
        <source>Children</source>
        <translation>子节点</translation>
    </message>
    <message>
        <source>&amp;Copy path</source>
        <translation>复制路径(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Refresh counts</source>
        <translation>刷新计数(&amp;R)</translation>
    </message>
</context>
<context>
    <name>drover::gui::ZnodesPage</name>
    <message>
        <source>Znodes</source>
        <translation>Znode</translation>
    </message>
    <message>
        <source>There is no node %1 below %2.</source>
        <translation>%2 下面没有节点 %1。</translation>
    </message>
    <message>
        <source>&amp;Go to a path</source>
        <translation>转到路径(&amp;G)</translation>
    </message>
    <message>
        <source>&amp;Find among the siblings</source>
        <translation>在同级节点中查找(&amp;F)</translation>
    </message>
    <message>
        <source>Search the &amp;names below the node</source>
        <translation>搜索节点下面的名称(&amp;N)</translation>
    </message>
    <message>
        <source>Search the &amp;data below the node</source>
        <translation>搜索节点下面的数据(&amp;D)</translation>
    </message>
    <message>
        <source>&amp;Bookmark the node, or remove its bookmark</source>
        <translation>为节点加书签或移除书签(&amp;B)</translation>
    </message>
    <message>
        <source>&amp;Refresh counts of the tree</source>
        <translation>刷新树的计数(&amp;R)</translation>
    </message>
    <message>
        <source>C&amp;ompare with another node…</source>
        <translation>与另一个节点比较(&amp;O)…</translation>
    </message>
    <message>
        <source>&amp;Export the node and all below it…</source>
        <translation>导出节点及其下面的全部节点(&amp;E)…</translation>
    </message>
    <message>
        <source>&amp;Create a node below it…</source>
        <translation>在它下面创建节点(&amp;C)…</translation>
    </message>
    <message>
        <source>Edit its &amp;data…</source>
        <translation>编辑其数据(&amp;D)…</translation>
    </message>
    <message>
        <source>Edit its &amp;ACL…</source>
        <translation>编辑其 ACL(&amp;A)…</translation>
    </message>
    <message>
        <source>Co&amp;py it with all below it…</source>
        <translation>复制它及其下面的全部节点(&amp;P)…</translation>
    </message>
    <message>
        <source>&amp;Move it with all below it…</source>
        <translation>移动它及其下面的全部节点(&amp;M)…</translation>
    </message>
    <message>
        <source>&amp;Import below it…</source>
        <translation>导入到它下面(&amp;I)…</translation>
    </message>
    <message>
        <source>De&amp;lete it with all below it…</source>
        <translation>删除它及其下面的全部节点(&amp;L)…</translation>
    </message>
    <message>
        <source>Create…</source>
        <translation>创建…</translation>
    </message>
    <message>
        <source>Edit…</source>
        <translation>编辑…</translation>
    </message>
    <message>
        <source>Delete…</source>
        <translation>删除…</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
</context>
</TS>
