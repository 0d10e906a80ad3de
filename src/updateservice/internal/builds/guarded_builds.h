// SPDX-License-Identifier: Apache-2.0

// Builds that the guards let through: what opens too much at once is held, and images stay what they were.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "updateservice/builder.h"
#include "updateservice/guards.h"
#include "updateservice/internal/builds/graph_data_in_force.h"
#include "updateservice/internal/builds/source_answers.h"

namespace fairway::updateservice {

/// The build in force, and the guards that a new one has to pass. Used by one thread at a time.
class GuardedBuilds {
 public:
  /// A build in force.
  struct Build {
    std::shared_ptr<const BuiltInputs> inputs;
    std::shared_ptr<const graph::Snapshot> snapshot;  ///< snapshot; null only after `restore`: not made yet
  };
  /// A build that is not in force yet.
  struct Candidate {
    std::shared_ptr<BuiltInputs> inputs;
    std::shared_ptr<const graph::Snapshot> snapshot;
    std::optional<graph::Widening> held = std::nullopt;
  };

  /// Makes it without a build. Graph data and clock must outlive this.
  GuardedBuilds(const GraphDataInForce& graph_data, std::string problem_url, Clock& clock, Guards guards);

  /// Makes the build to serve from the gathered data. If that would lift too many blocks at once, the
  /// restrictions of the last build that was taken whole are added. Errors: `limits` have ended it
  /// (`cancelled`, `deadline_exceeded`).
  Result<Candidate> make(const Ingredients& gathered, const Accepted& accepted, const Limits& limits);
  /// Puts a candidate in force: the next ones are compared with it.
  void put_in_force(Candidate candidate);
  /// Returns the last build, which may come from disk; null without one.
  const Build* in_force() const { return in_force_ ? &*in_force_ : nullptr; }
  /// See Builder::restore.
  void restore(const std::shared_ptr<const BuiltInputs>& inputs,
               const std::shared_ptr<const graph::Snapshot>& built);
  /// See Builder::lacks_memory.
  bool lacks_memory() const { return !in_force_ || in_force_->inputs->of_peers; }
  /// See Builder::learn.
  void learn(PeerMemory memory);
  /// Returns the accepted entries, those of these files included.
  Accepted accepted(const graphdata::Files& files) const;

 private:
  Result<Candidate> assemble(const Ingredients& parts, const Accepted& accepted, const Limits& limits) const;
  Result<void> build_restored(const Limits& limits);
  Result<Candidate> first(Candidate fresh, const Accepted& accepted) const;
  void remember_whether_compared(Candidate& fresh, const Accepted& accepted) const;
  Result<Candidate> held_back(const Ingredients& gathered, const Accepted& accepted, const Candidate& fresh,
                              const Build& base, const WideningMemory& memory, graph::Widening widening,
                              const Limits& limits);
  Result<void> take_over(WideningMemory memory, const graph::Snapshot& snapshot, const graph::Snapshot* base,
                         BuiltInputs& inputs, const Limits& limits) const;
  void hold(const graph::Widening& widening, const WideningMemory& memory) const;
  graph::Problem held_problem(const graph::Widening& widening, const WideningMemory& memory) const;

  const GraphDataInForce& graph_data_;
  const std::string problem_url_;
  Clock& clock_;
  const Guards guards_;
  std::optional<Build> in_force_;
  /// The last build that was taken whole, while a widening is held.
  std::optional<Build> baseline_;
  Payloads payloads_;
  PeerMemory peers_;  ///< last replies of the replicas, while there is nothing to compare with
};

}  // namespace fairway::updateservice
