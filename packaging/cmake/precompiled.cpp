// Nothing: the target that makes the precompiled header has to have a source.
