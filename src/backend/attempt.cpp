// The runs of an attempt, and the answers that they share.
#include "backend/attempt.h"

#include <algorithm>

#include "core/check.h"

namespace tamis {

namespace {

thread_local Attempt* current_attempt = nullptr;
std::atomic<uint64_t> last_run{0};
std::atomic<bool> expected{false};

}  // namespace

Attempt* Attempt::current() { return current_attempt; }

void Attempt::expect_unwinding() { expected = true; }
bool Attempt::unwinding_expected() { return expected; }

Attempt::Run::Run(Attempt& attempt) : before_(current_attempt) {
  ++attempt.runs_;
  attempt.run_ = ++last_run;
  if (attempt.runs_ == 1) attempt.first_run_ = attempt.run_;
  attempt.has_written_ = false;
  current_attempt = &attempt;
}
Attempt::Run::~Run() { current_attempt = before_; }

bool Attempt::is_answered() const {
  return std::all_of(answers_.begin(), answers_.end(),
                     [](const auto& answer) { return answer.second->done.load(); });
}

std::shared_ptr<Attempt::Answer> Attempt::find(uint64_t key) const {
  const auto found = answers_.find(key);
  return found == answers_.end() ? nullptr : found->second;
}

std::shared_ptr<Attempt::Answer> Attempt::ask(uint64_t key) {
  check(!has_written_, ErrorKind::unsupported,
        "this operation needs numbers from a device after it has written to a tensor there, so "
        "it cannot be awaited; call .cpu() first");
  return answers_[key] = std::make_shared<Answer>();
}

}  // namespace tamis
