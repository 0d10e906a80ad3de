// SPDX-License-Identifier: Apache-2.0

#include "conformance/kube/election_race.h"

#include <algorithm>
#include <charconv>
#include <csignal>
#include <stdexcept>
#include <utility>

#include "conformance/kube/cluster.h"

namespace fairway::conformance {

namespace {

SteadyTime steady() {
  return Clock::system().steady();
}

/// Returns the path of the candidate, which is built beside kube-apiserver.
std::string client_go_candidate() {
  return Cluster::shared().programs() + "/client-go-candidate";
}

}  // namespace

void ElectionRace::stand(Implementation implementation) {
  const bool ours = implementation == Implementation::fairway;
  Candidate& candidate = *candidates_.emplace_back(std::make_unique<Candidate>());
  candidate.of = implementation;
  candidate.identity = (ours ? "fairway-" : "client-go-") + std::to_string(candidates_.size());
  const std::string kubeconfig = cluster_.kubeconfig();
  const std::string lasts = format_duration(duration), deadline = format_duration(renew_deadline),
                    retry = format_duration(retry_period);
  const std::vector<std::string> arguments =
      ours ? std::vector<std::string>{"/proc/self/exe",
                                      "candidate",
                                      kubeconfig,
                                      lease_.namespace_name,
                                      lease_.name,
                                      candidate.identity,
                                      lasts,
                                      deadline,
                                      retry}
           : std::vector<std::string>{client_go_candidate(),
                                      "--kubeconfig=" + kubeconfig,
                                      "--namespace=" + lease_.namespace_name,
                                      "--name=" + lease_.name,
                                      "--identity=" + candidate.identity,
                                      "--lease-duration=" + lasts,
                                      "--renew-deadline=" + deadline,
                                      "--retry-period=" + retry};
  candidate.process = std::make_unique<testing::TalkingProcess>(
      arguments, [this, &candidate](std::string_view line) { hear(candidate, line); },
      [this, &candidate] {
        const std::lock_guard lock(mutex_);
        candidate.over = true;
        heard_.notify_all();
      });
}

void ElectionRace::replace() {
  std::vector<Implementation> ended;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& candidate : candidates_) {
      if (candidate->over && !std::exchange(candidate->replaced, true)) ended.push_back(candidate->of);
    }
  }
  for (const Implementation implementation : ended) stand(implementation);
}

void ElectionRace::hear(Candidate& candidate, std::string_view line) {
  const std::lock_guard lock(mutex_);
  candidate.text.append(line).append("\n");
  // What does not begin with a time is a log's.
  std::int64_t nanoseconds = 0;
  const auto [after, error] = std::from_chars(line.data(), line.data() + line.size(), nanoseconds);
  if (error != std::errc() || after == line.data() + line.size() || *after != ' ') return;
  const SteadyTime at{std::chrono::nanoseconds(nanoseconds)};
  const std::string_view what = line.substr(static_cast<std::size_t>(after + 1 - line.data()));
  constexpr std::string_view sees = "sees ", woke = "woke ";
  if (what == "stands") candidate.stands = true;
  if (what == "holds") candidate.holds.push_back(at);
  if (what == "leads") candidate.leads = at;
  if (what == "ends") candidate.ends = at;
  if (what.starts_with(sees)) candidate.sees.emplace(what.substr(sees.size()));
  // A machine under load may have a process stand still for a moment, too.
  if (what.starts_with(woke) && candidate.woken && at >= *candidate.woken && !candidate.woke_leading)
    candidate.woke_leading = what == "woke leads";
  heard_.notify_all();
}

bool ElectionRace::wait(const std::function<bool()>& happened) {
  // Nothing here takes a quarter of it, on the slowest machine.
  constexpr std::chrono::seconds longest{60};
  std::unique_lock lock(mutex_);
  return heard_.wait_for(lock, longest, happened);
}

Candidate* ElectionRace::leading() const {
  for (const auto& candidate : candidates_) {
    const bool disturbed = candidate->asked || candidate->stopped || candidate->killed;
    if (candidate->leads && !candidate->ends && !candidate->over && !disturbed) return candidate.get();
  }
  return nullptr;
}

Candidate* ElectionRace::leader() {
  Candidate* leader = nullptr;
  wait([&] {
    leader = leading();
    return leader != nullptr && leader->holds.size() > 1;
  });
  return leader;
}

bool ElectionRace::give_up(Candidate& candidate) {
  {
    const std::lock_guard lock(mutex_);
    candidate.asked = true;
  }
  candidate.process->signal(SIGTERM);
  return wait([&] { return candidate.over; }) && candidate.process->end(SIGTERM) == 0;
}

bool ElectionRace::kill(Candidate& candidate) {
  const int status = candidate.process->end(SIGKILL);
  const std::lock_guard lock(mutex_);
  candidate.killed = steady();  // it has ended before, and does not lead any more
  return WIFSIGNALED(status);
}

bool ElectionRace::stop(Candidate& candidate) {
  candidate.process->signal(SIGSTOP);
  {
    const std::lock_guard lock(mutex_);
    candidate.stopped = steady();
  }
  const bool followed = wait([&] { return leading() != nullptr; });
  {
    const std::lock_guard lock(mutex_);
    candidate.woken = steady();
  }
  candidate.process->signal(SIGCONT);
  return wait([&] { return candidate.over; }) && followed;
}

void ElectionRace::finish() {
  for (const auto& candidate : candidates_) {
    const int status = candidate->process->end(SIGKILL);
    const std::lock_guard lock(mutex_);
    if (WIFSIGNALED(status) && !candidate->killed) candidate->killed = steady();
  }
}

// When a leadership is over, by the leader's own reckoning:
// - where it has said so, at that moment: it says so after it has stopped, and before it gives the lease
// back;
// - where it was killed, at the latest when its end was seen: the dead do nothing;
// - where it was stopped (SIGSTOP), it does nothing either, and cannot say when it would have given up. It
// has
//   set itself a time for that, by the clock that others have, too: Fairway's the renew deadline from when
//   its last renewal was sent, client-go's the same from when it tries again, a retry period later. If it
//   still stood still then, leadership ended there.
// What a process does from when it is woken until it has noticed is looked at on its own: Fairway's `leads()`
// goes by the clock and must say no at once. client-go calls OnStoppedLeading after it has tried to renew for
// a renew deadline more, and says of itself that it does not promise that there is one leader only.
SteadyTime ElectionRace::end_of(const Candidate& candidate) {
  SteadyTime end = candidate.holds.back() + std::chrono::hours(1);
  if (candidate.killed) end = *candidate.killed;
  if (candidate.ends) end = std::min(end, *candidate.ends);
  if (candidate.stopped && candidate.woken && candidate.holds.back() <= *candidate.stopped) {
    std::chrono::milliseconds timeout = renew_deadline;
    if (candidate.of == Implementation::client_go) timeout += retry_period;
    const SteadyTime deadline = candidate.holds.back() + timeout;
    if (deadline <= *candidate.woken) end = std::min(end, deadline);
  }
  return end;
}

std::vector<Leadership> ElectionRace::leaderships() const {
  const std::lock_guard lock(mutex_);
  std::vector<Leadership> all;
  for (const auto& candidate : candidates_) {
    // It begins, rather too early, with the write that got the lease: before that was answered, nobody led by
    // it.
    if (!candidate->holds.empty())
      all.push_back({candidate.get(), candidate->holds.front(), end_of(*candidate)});
  }
  std::ranges::sort(all, {}, &Leadership::begin);
  return all;
}

std::string ElectionRace::log() const {
  const std::lock_guard lock(mutex_);
  std::string text;
  for (const auto& candidate : candidates_) text += candidate->identity + ":\n" + candidate->text;
  return text;
}

}  // namespace fairway::conformance
