// Attempt: an operation that needs numbers from a device where nobody can wait for them, as in a
// browser. It runs until it needs a number that is not there, is unwound, and runs again from its
// start once the number has come.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "tamis/error.h"

namespace tamis {

/// Thrown, before anything is written, by a read that would have to wait where nobody can. Kind
/// device.
class WouldWait final : public Error {
 public:
  explicit WouldWait(const std::string& text) : Error(ErrorKind::device, text) {}
};

/// Thrown by a read whose answer is on its way. No error: it unwinds the run of an attempt.
struct Pending {};

class Attempt {
 public:
  /// What was read of a device. It may come when the attempt has been given up.
  struct Answer {
    std::atomic<bool> done{false};
    bool ok = false;  // else the device was lost
    std::vector<std::byte> bytes;
  };

  /// While it lives, reads of this thread belong to the attempt.
  class Run {
   public:
    explicit Run(Attempt& attempt);
    ~Run();
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

   private:
    Attempt* const before_;
  };

  /// That of this thread, or null.
  static Attempt* current();
  /// There is a device for which nobody can wait, so that operations on it may be unwound anywhere.
  static void expect_unwinding();
  static bool unwinding_expected();

  /// Whether all that was asked for has come, so that another run gets further.
  bool is_answered() const;
  /// Whether the current run is not the first.
  bool is_repeated() const { return runs_ > 1; }
  /// A number that no other run has.
  uint64_t run() const { return run_; }
  /// That of the first run, which stays the same.
  uint64_t first_run() const { return first_run_; }

  // For devices. The key of an answer says what was read by how it was computed, not by the number
  // of the read: runs may differ, because the first one has settled what was deferred.

  /// The answer to a read, or null if nobody has asked yet.
  std::shared_ptr<Answer> find(uint64_t key) const;
  /// The place for the answer to a new one. Refuses it if this run has written already: what is
  /// run again would be written twice.
  std::shared_ptr<Answer> ask(uint64_t key);
  /// This run has written memory that is older than itself.
  void note_write() { has_written_ = true; }

 private:
  std::unordered_map<uint64_t, std::shared_ptr<Answer>> answers_;
  int runs_ = 0;
  uint64_t run_ = 0, first_run_ = 0;
  bool has_written_ = false;
};

}  // namespace tamis
