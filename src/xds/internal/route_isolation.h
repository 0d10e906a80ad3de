// One RouteConfiguration at one client that may refuse parts of it: what to send so that the rest is served.
#pragma once

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

/// A configuration is sent whole. Of one that is refused the parts are tried that are not in the last one
/// that was acknowledged: in groups, which are halved until each part is known to be taken or refused. A
/// trial has only the group, and behind it a route that is always refused. So it is refused in any case, and
/// changes nothing that is served: the words say by which of them. Then the configuration is sent without
/// what is refused: a route is replaced by one for the same requests that answers them with 500; if that is
/// refused as well it is left out, and so is a virtual host that is refused without its routes.
///
/// What was refused is not tried again on this stream, whatever else changes. Its ids are in the version of
/// what is sent without it: whoever serves the client next begins without it, and tries it once the rest is
/// served.
class RouteIsolation {
 public:
  using Resource = std::shared_ptr<const EncodedResource>;

  /// `remembered`: what was refused on other streams; this one begins without it. `mark`: letters, digits and
  /// dashes that nobody else knows, to tell the refusal of a trial by.
  RouteIsolation(std::shared_ptr<RefusedParts> remembered, const std::string& mark);

  /// The client says that it has a version, of a stream before.
  void has(const std::string& version);
  /// What it shall serve from now on.
  void follow(const Resource& whole);

  /// What is to be sent; nullptr: nothing, for now.
  const Resource& to_send() const { return to_send_; }
  /// `to_send` is a trial: it has to be sent alone.
  bool is_searching() const { return is_searching_; }

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
  /// The whole, without what is refused or presumed to be.
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
  class Maker;

  void plan();
  Made make() const;
  Resource trial_of(const Group& group) const;
  void begin_search(const std::string& words);
  void tried(const std::string& words);
  /// A group is refused: halves it, or knows the culprit.
  void narrow(Group group, const std::string& words);
  void give_up(const std::string& words);
  void finish(Made made);
  const RouteParts* whole_parts() const;

  const std::shared_ptr<RefusedParts> remembered_;
  const std::string mark_;
  Resource whole_, to_send_;
  /// Taken apart.
  mutable std::optional<RouteParts> whole_parts_;
  /// What the client has acknowledged, and its version; of a stream before only that is known.
  Resource acknowledged_;
  std::string acknowledged_version_;
  std::optional<Sent> in_flight_;
  /// What the client refuses, with its words; and what it may refuse: so it did before.
  std::map<std::string, std::string> refused_;
  std::set<std::string> presumed_;
  /// What is to be tried, group by group, and what needs no trial any more.
  bool is_searching_ = false;
  std::deque<Group> groups_;
  std::set<std::string> taken_;
  /// The first group has been refused before, and is tried once more.
  bool is_retry_ = false;
  /// Whether a trial of nothing is known to be refused for its mark alone; and what was refused before that.
  bool is_mark_seen_ = false;
  std::string doubtful_;
  /// The version that is refused whatever is left out, and the client's words.
  std::string given_up_, words_;
  /// Of the whole, once all of it has been tried.
  std::vector<RefusedPart> parts_;
};

}  // namespace fairway::xds
