#pragma once

// What records_test expects in znodes, word for word. moc, which reads the test, does not understand such strings.

inline constexpr char StoredSpec[] =
    R"({"after":["ok:default-41","any:gpu-7.3"],"append":"/srv/report","array":"1-99:2%10","at_ms":1700000000123,)"
    R"("attempts":2,"backoff_max_ms":60000,"backoff_ms":2000,"by":"me@here",)"
    R"("cmd":["sh","-c","echo ä \"quoted\"\n"],"comment":"for the audit","dedupe":"nightly","dir":"/srv","env":{"PATH":"/bin"},)"
    R"("held_by":"me@here","key":"key","labels":["gpu","ssd"],"limit_ms":90000,"limits":["licence"],"locks":["db"],)"
    R"("memory":3221225472,"name":"a name","not_before_ms":1700000060000,"retries":3,"retry_on":[1,75,137],)"
    R"("shared_locks":["schema"],"slots":2,"stderr":"/logs/%a.err","stdin":"/dev/zero","stdout":"/logs/%n.%j",)"
    R"("tags":["nightly"],"ulimits":["nofile=64","core=unlimited"],"v":1})";

inline constexpr char StoredRecord[] =
    R"({"notes":{"returned":2},"v":2,)"
    R"("job":"{\"attempts\":5,\"cmd\":[\"a\\\"b\"],\"grace_ms\":5000,\"output\":67108864,\"v\":1}"})";

inline constexpr char SignedRecord[] =
    R"({"notes":{"returned":2},"v":2,)"
    R"("job":"{\"attempts\":5,\"cmd\":[\"a\\\"b\"],\"grace_ms\":5000,\"output\":67108864,\"v\":1}","sig":"c2ln","cert":"7f"})";

// With its fields in another order, which means nothing in JSON.
inline constexpr char SignedRecordInOrder[] =
    R"({"cert":"7f","job":"{\"attempts\":5,\"cmd\":[\"a\\\"b\"],\"grace_ms\":5000,\"output\":67108864,\"v\":1}",)"
    R"("notes":{"returned":2},"sig":"c2ln","v":2})";

inline constexpr char NotesAreAList[] = R"({"v":2,"job":"{\"v\":1,\"cmd\":[\"a\"]}","notes":[]})";

inline constexpr char StoredStats[] =
    R"({"archive":{"aside":0,"error":"","failing_since_ms":0,"history":"","lost":0,"paused_since_ms":0},)"
    R"("master":"w1","queues":[{"name":"default","submitted":10,"unfinished":0}],)"
    R"("troubles":[{"error":"","since_ms":5,"subject":"schedules"}],"v":1})";
