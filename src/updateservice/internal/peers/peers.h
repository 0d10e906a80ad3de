// SPDX-License-Identifier: Apache-2.0

// The other replicas of a service: what they hold is asked for by a replica that has nothing to compare with.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/limits.h"
#include "base/result.h"
#include "http/client.h"
#include "updateservice/builder.h"
#include "updateservice/internal/peers/peer_answer.h"
#include "updateservice/service.h"

namespace fairway::updateservice {

/// The result of asking one address.
struct PeerReply {
  enum class Kind {
    itself,       ///< this replica
    holds,        ///< `inputs`
    holds_none,   ///< a replica that has nothing to compare with either
    not_usable,   ///< the address gave no usable answer
    unreachable,  ///< the address does not respond, or the name is unknown
  };
  Kind kind = Kind::unreachable;
  std::string address;
  std::string why;  ///< reason of not_usable and unreachable
  std::shared_ptr<const BuiltInputs> inputs = {};
};

/// Returns whether a replica without memory may serve the sources' data: only if somebody has said so
/// (`first_start`), no replica has a graph, and every existing one has said that it has none.
bool may_begin(const std::vector<PeerReply>& replies, bool first_start);

/// Returns the replies as text for people: "10.0.0.7:9081 has none either; 10.0.0.8:9081: connection
/// refused".
std::string describe(const std::vector<PeerReply>& replies);

class Peers {
 public:
  /// Makes a client of the replicas. `instance` is that of this process. Errors: an entry of `options.peers`
  /// is not HOST:PORT, the token cannot be read. The clock must outlive this.
  static Result<std::unique_ptr<Peers>> create(const PeerOptions& options, std::string instance,
                                               std::string problem_url, Clock& clock);

  /// Asks all addresses of all names at once.
  std::vector<PeerReply> ask(const std::stop_token& stop) const;
  /// Asks them, and merges the builds that they hold. Builds that cannot be merged count as unknown.
  PeerMemory remember(const std::stop_token& stop) const;

 private:
  struct Name {
    std::string host;
    std::uint16_t port = 0;
    friend bool operator==(const Name&, const Name&) = default;
  };

  Peers(const PeerOptions& options, std::string instance, std::string problem_url, Clock& clock)
      : options_(options),
        instance_(std::move(instance)),
        problem_url_(std::move(problem_url)),
        clock_(clock) {}
  PeerReply ask_one(const std::string& host, std::uint16_t port, const Limits& limits) const;

  const PeerOptions options_;
  const std::string instance_, problem_url_;
  Clock& clock_;
  std::vector<Name> names_;
  std::unique_ptr<http::Client> client_;
};

}  // namespace fairway::updateservice
