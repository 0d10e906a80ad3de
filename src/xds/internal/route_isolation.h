// SPDX-License-Identifier: Apache-2.0

// One RouteConfiguration at one client that may refuse parts of it: what to send so that the rest is served.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "xds/internal/refused_parts.h"
#include "xds/internal/route_parts.h"
#include "xds/internal/snapshot.h"
#include "xds/resource.h"

namespace fairway::xds {

/// Finds the parts of one RouteConfiguration that a client refuses, and serves the rest.
///
/// A configuration is sent whole first. After a NACK its new parts are tried: those that the last ACKed
/// version does not have. A trial holds a group of them and one more route that Envoy always refuses, so
/// every trial ends in a NACK and changes nothing that is served; its message says which of the two was
/// meant. Groups are halved until each part is known to be accepted or refused. Then the configuration is
/// sent without the refused parts: in place of a route stands one that answers the same requests with 500. If
/// Envoy refuses that as well, the route is left out, and so is a virtual host that is refused without its
/// routes.
///
/// Changes during a search wait until its result is served. If each change began a new search, a
/// configuration that changes faster than Envoy answers would never be served.
///
/// A part that a client has refused is not sent on that stream again, in any of its resources. A part that
/// other streams or other clients have refused is tried after the rest is served, and changes go before such
/// trials. The version of a configuration names the parts that it leaves out, for whoever serves the client
/// next.
class RouteIsolation {
 public:
  using Resource = std::shared_ptr<const EncodedResource>;

  /// Begins with nothing known of the client. `parts`: the parts refused by the client's stream, and by
  /// others. `mark`: letters, digits and dashes that nobody else knows, by which the refusal of a trial is
  /// recognised.
  RouteIsolation(std::shared_ptr<ClientParts> parts, const std::string& mark);

  /// Sets the version that the client says it has, from an earlier stream.
  void has(const std::string& version);
  /// Sets the configuration that the client is to serve from now on.
  void follow(const Resource& whole);
  /// Takes into account that another of the client's resources may have shown what it refuses.
  void look_again();

  /// Returns the configuration to send; nullptr: nothing is to be sent now.
  const Resource& to_send() const { return to_send_; }
  /// Returns whether `to_send` is a trial, which has to be sent alone.
  bool is_trial() const { return is_trial_; }
  /// Returns whether a search is going on for the parts that the client has refused. Otherwise a trial is of
  /// parts that may be refused, and all others are served.
  bool is_searching() const { return mode_ == Mode::search; }

  /// Records that `to_send` has been sent. One of the next three functions must follow.
  void sent();
  void acknowledged();
  void refused(const std::string& words);
  /// Records that the answer says nothing of this resource by itself.
  void not_answered();

  /// Returns the client's answer on `whole`; `pending` if another configuration is being sent, tried or
  /// served.
  Acknowledgement acknowledgement(const EncodedResource& whole) const;

 private:
  /// A part of a configuration: a route, or a virtual host without its routes.
  struct Part {
    std::string id, bytes;
    bool is_host = false;
  };
  using Group = std::vector<Part>;
  /// A configuration without the parts that are refused or may be.
  struct Made {
    Resource resource;
    /// Parts that are left out, and parts in it that the client is not known to accept.
    std::map<std::string, Part> left_out;
    Group untried;
    std::vector<RefusedPart> refused;
  };
  struct Sent {
    Resource resource, whole;
    /// True if it is a trial, which is of the first group.
    bool is_trial = false;
  };
  enum class Mode {
    none,
    search,  ///< finding the parts that it has refused
    retry,   ///< it serves all parts but those that others have refused: trying whether it accepts these
  };
  class Maker;

  void plan();
  void plan_whole();
  void plan_search();
  void plan_without_refused();
  void plan_trial();
  /// Makes `whole_` the configuration that was followed last. Returns false if it was so already.
  bool adopt();
  Made make();
  Resource trial_of(const Group& group) const;
  /// Begins a search. `version`: that of the refused configuration.
  void begin_search(const std::string& version, const std::string& words);
  void tried(const std::string& words);
  /// Halves a refused group, or records its only part as refused.
  void narrow(Group group, const std::string& words);
  /// Removes parts from the groups.
  template <class Is>
  void take_out(const Is& is);
  void give_up(const std::string& words);
  void finish(Made made);
  const RouteParts* whole_parts() const;

  const std::shared_ptr<ClientParts> parts_;
  const std::string mark_;
  /// The configuration that is being sent, tried or served, and the one that was followed last.
  Resource whole_, newest_;
  Resource to_send_;
  bool is_trial_ = false;
  /// The parts of `whole_`, once they are needed.
  mutable std::optional<RouteParts> whole_parts_;
  /// The configuration that the client has acknowledged, its version, and the version of the whole one that
  /// it was made from. If it was acknowledged on an earlier stream, only its version is known.
  Resource acknowledged_;
  std::string acknowledged_version_, acknowledged_whole_;
  std::optional<Sent> in_flight_;
  /// Parts that the client refuses, with its messages; and parts that it refused on an earlier stream.
  std::map<std::string, std::string> refused_;
  std::set<std::string> presumed_;
  Mode mode_ = Mode::none;
  /// Groups of parts to try, and parts that need no further trial.
  std::deque<Group> groups_;
  std::set<std::string> taken_;
  /// True if the result of a search is not served yet.
  bool is_owed_ = false;
  /// True if an empty trial is known to be refused for its mark alone; and the part that was refused before
  /// that was known.
  bool is_mark_seen_ = false;
  std::string doubtful_;
  /// The version that is refused whatever is left out, and the client's message.
  std::string given_up_, words_;
  /// Refused parts of the whole configuration, once all of it has been tried.
  std::vector<RefusedPart> refused_parts_;
  /// Revision of `parts_` when it was last used.
  std::uint64_t revision_ = 0;
};

}  // namespace fairway::xds
