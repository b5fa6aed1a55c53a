// Locks and forks: a child has a copy of every lock, but not of the threads that would free it.
#pragma once

#include <pthread.h>
#include <unistd.h>

#include <mutex>

namespace tamis {

/// From now on a fork waits until no one holds the mutex that kMutex returns, so that it is free in
/// the child. For locks that are held briefly. Returns whether that worked.
template <std::mutex& (*kMutex)()>
bool hold_at_fork() {
#ifdef __wasm__
  return true;  // there are no forks
#else
  const auto lock = [] { kMutex().lock(); };
  const auto unlock = [] { kMutex().unlock(); };
  return pthread_atfork(lock, unlock, unlock) == 0;
#endif
}

/// Differs between a process and the children of its forks.
inline pid_t process_id() {
#ifdef __wasm__
  return 0;
#else
  return getpid();
#endif
}

}  // namespace tamis
