// SPDX-License-Identifier: Apache-2.0

// Candidates for leadership, Fairway's and client-go's, that race for one Lease, and what each says of
// itself.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "conformance/kube/cluster.h"
#include "k8s/group_version.h"
#include "support/talking_process.h"

namespace fairway::conformance {

enum class Implementation { fairway, client_go };

/// One process: it stands, leads at most once, and ends. candidate.h documents its output.
struct Candidate {
  Implementation of = Implementation::fairway;
  std::string identity;

  // What it has said, and when.
  bool stands = false;
  std::vector<SteadyTime> holds;
  std::optional<SteadyTime> leads, ends;
  /// Other candidates that it saw leading.
  std::set<std::string> sees;
  /// True if it still considered itself the leader at its first check after it was woken.
  std::optional<bool> woke_leading;
  std::string text;
  bool over = false;

  // What was done to it, and when.
  bool asked = false, replaced = false;
  std::optional<SteadyTime> stopped, woken, killed;

  std::unique_ptr<testing::TalkingProcess> process;
};

/// A time of leadership: from the write that got the lease to its end, by the leader's own clock.
struct Leadership {
  const Candidate* leader = nullptr;
  SteadyTime begin, end;
};

/// A race of candidates for one lease. Their output is recorded on their threads; all calls come from one
/// thread.
class ElectionRace {
 public:
  static constexpr std::chrono::seconds duration{3};
  static constexpr std::chrono::milliseconds renew_deadline{1400}, retry_period{250};

  ElectionRace(const Cluster& cluster, k8s::Key lease) : cluster_(cluster), lease_(std::move(lease)) {}

  /// Starts one more candidate.
  void stand(Implementation implementation);
  /// Starts another one of the same implementation for each that has ended.
  void replace();
  /// Waits until somebody leads and has renewed the lease at least once; nullptr: timeout.
  Candidate* leader();

  // What may happen to a leader, until its process has ended. False: what is waited for does not come.
  /// Sends SIGTERM: it releases the lease.
  bool give_up(Candidate& candidate);
  /// Sends SIGKILL.
  bool kill(Candidate& candidate);
  /// Sends SIGSTOP, for longer than the lease lasts: until somebody else leads. Then SIGCONT.
  bool stop(Candidate& candidate);

  /// Kills all that are left.
  void finish();
  // After `finish`:
  /// All leaderships in the order of their beginnings.
  std::vector<Leadership> leaderships() const;
  const std::vector<std::unique_ptr<Candidate>>& candidates() const { return candidates_; }
  /// The output of all candidates.
  std::string log() const;

 private:
  bool wait(const std::function<bool()>& happened);
  void hear(Candidate& candidate, std::string_view line);
  /// The candidate that leads, by the output so far; with `mutex_`.
  Candidate* leading() const;
  static SteadyTime end_of(const Candidate& candidate);

  const Cluster& cluster_;
  const k8s::Key lease_;
  mutable std::mutex mutex_;  ///< guards the output of candidates
  std::condition_variable heard_;
  std::vector<std::unique_ptr<Candidate>> candidates_;
};

}  // namespace fairway::conformance
