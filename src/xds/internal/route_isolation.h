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

  /// `parts`: what is refused by the client's stream, and others. `mark`: letters, digits and dashes that
  /// nobody else knows, to tell the refusal of a trial by.
  RouteIsolation(std::shared_ptr<ClientParts> parts, const std::string& mark);

  /// The client says that it has a version, of a stream before.
  void has(const std::string& version);
  /// What it shall serve from now on.
  void follow(const Resource& whole);
  /// Another of the client's resources may have shown what it refuses.
  void look_again();

  /// What is to be sent; nullptr: nothing, for now.
  const Resource& to_send() const { return to_send_; }
  /// `to_send` is a trial: it has to be sent alone.
  bool is_trial() const { return is_trial_; }
  /// It is being found out what the client has refused. Otherwise a trial is of what may be refused, and all
  /// else is served.
  bool is_searching() const { return mode_ == Mode::search; }

  /// `to_send` is on its way. One of the others follows.
  void sent();
  void acknowledged();
  void refused(const std::string& words);
  /// The answer says nothing of this resource alone.
  void not_answered();

  /// Of what was followed last; whatever else is `pending`.
  Agreement agreement(const EncodedResource& whole) const;

 private:
  /// A part of a configuration: a route, or a virtual host without its routes.
  struct Part {
    std::string id, bytes;
    bool is_host = false;
  };
  using Group = std::vector<Part>;
  /// The whole, without what is refused or may be.
  struct Made {
    Resource resource;
    /// What it is without, and what is in it that the client is not known to take.
    std::map<std::string, Part> left_out;
    Group untried;
    std::vector<RefusedPart> refused;
  };
  struct Sent {
    Resource resource, whole;
    /// Of the first group.
    bool is_trial = false;
  };
  enum class Mode {
    none,
    search,  ///< it has refused something: what?
    retry,   ///< it serves all but what others have refused: does it as well?
  };
  class Maker;

  void plan();
  void plan_whole();
  void plan_search();
  void plan_without_refused();
  void plan_trial();
  /// Goes on to what was followed last. False: that it is.
  bool adopt();
  Made make();
  Resource trial_of(const Group& group) const;
  /// `version`: of what was refused.
  void begin_search(const std::string& version, const std::string& words);
  void tried(const std::string& words);
  /// A group is refused: halves it, or knows the culprit.
  void narrow(Group group, const std::string& words);
  /// Takes parts out of the groups.
  template <class Is>
  void take_out(const Is& is);
  void give_up(const std::string& words);
  void finish(Made made);
  const RouteParts* whole_parts() const;

  const std::shared_ptr<ClientParts> parts_;
  const std::string mark_;
  /// What is being sent, tried or served, and what was followed last.
  Resource whole_, newest_;
  Resource to_send_;
  bool is_trial_ = false;
  /// Taken apart.
  mutable std::optional<RouteParts> whole_parts_;
  /// What the client has acknowledged, its version, and that of the whole that it was made of; of a stream
  /// before only its version is known.
  Resource acknowledged_;
  std::string acknowledged_version_, acknowledged_whole_;
  std::optional<Sent> in_flight_;
  /// What the client refuses, with its words; and what it refused on the stream before.
  std::map<std::string, std::string> refused_;
  std::set<std::string> presumed_;
  Mode mode_ = Mode::none;
  /// What is to be tried, group by group, and what needs no trial any more.
  std::deque<Group> groups_;
  std::set<std::string> taken_;
  /// What a search has found is not served yet.
  bool is_owed_ = false;
  /// True if a trial of nothing is known to be refused for its mark alone; and what was refused before that.
  bool is_mark_seen_ = false;
  std::string doubtful_;
  /// The version that is refused whatever is left out, and the client's words.
  std::string given_up_, words_;
  /// Of the whole, once all of it has been tried.
  std::vector<RefusedPart> refused_parts_;
  /// Of `parts_`, when it was looked at last.
  std::uint64_t revision_ = 0;
};

}  // namespace fairway::xds
