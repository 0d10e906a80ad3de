// SPDX-License-Identifier: Apache-2.0

// One Envoy's stream of delta discovery (ADS), without the stream: requests in, responses out.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "xds/internal/discovery.h"
#include "xds/internal/refused_parts.h"
#include "xds/internal/route_isolation.h"
#include "xds/internal/snapshot.h"
#include "xds/resource.h"

namespace fairway::xds {

/// One client's stream of delta xDS: decides what is sent next.
///
/// - One response of a type is under way at a time. It has everything that differs from what the client has
///   ACKed; a response of secrets has one secret.
/// - Types are sent in their order. A type waits until the types before it have been answered, and until the
///   client has asked for the endpoints of new clusters and has got them: no route leads to a missing
///   cluster. Routes that the client has asked for do not wait for secrets.
/// - Endpoints of clusters that change go out right after the clusters: Envoy acknowledges no cluster before
///   all that it has got are ready.
/// - Resources that others may refer to are removed last, after the routes and listeners that referred to
///   them.
/// - After a NACK of several resources they are sent again in halves, until it is known which are refused. A
///   single refused resource is sent again once it has changed.
/// - A refused RouteConfiguration is sent without its refused parts (`RouteIsolation`).
/// - A listener whose RouteConfigurations are new to the client is sent after the client has accepted those
///   that it has already: a NACK of any of them makes Envoy take a warming listener into service before its
///   routes have come. Until they have come, listeners, scopes and routes stay as they were, and no trial is
///   sent.
/// - A secret has bytes that no other stream has sent: Envoy takes one that it has refused before for known.
class DeltaStream {
 public:
  /// Begins a stream. `remembered`: parts that were refused on other streams; those refused on this one are
  /// added. `salt`: a text that no other stream has.
  explicit DeltaStream(std::shared_ptr<RefusedParts> remembered = std::make_shared<RefusedParts>(),
                       std::string salt = {})
      : parts_(std::make_shared<ClientParts>(std::move(remembered))), salt_(std::move(salt)) {}

  /// Receives a subscription or an answer. Requests for types that are not served are not answered.
  void receive(const DeltaRequest& request);
  /// Returns the next response to send, if there is one. Call it until it returns nothing.
  std::optional<DeltaResponse> next(const Snapshot& snapshot);

  /// Returns the client's answer about a resource in its version of the snapshot.
  Acknowledgement acknowledgement(const Snapshot& snapshot, const ResourceName& name) const;
  /// Returns the names by which the client asks for resources of a type.
  const std::set<std::string, std::less<>>& asked_for(Type type) const { return of(type).names; }

 private:
  /// The state of one resource at the client.
  struct ResourceState {
    /// The version that it has acknowledged; empty: it has none.
    std::string acknowledged;
    /// The version that it has refused last, and its message.
    std::string refused, message;
    /// True if it has been told that the resource does not exist.
    bool is_told_absent = false;
    /// The state of a RouteConfiguration that the client asks for and that exists. It replaces `refused` and
    /// `message`.
    std::unique_ptr<RouteIsolation> isolation = nullptr;
    /// True if the listener that needed it is in service without it, since another one has been refused.
    bool is_needed_no_more = false;
  };
  struct InFlight {
    std::string nonce;
    std::map<std::string, std::string> versions;
    std::vector<std::string> removed;
    /// Resources that have to be sent once more, whatever the answer is.
    std::set<std::string, std::less<>> outdated = {};
  };
  struct Subscription {
    bool is_asked_for = false, is_wildcard = false;
    /// True once a response has been sent. A client that asks for everything is answered even if there is
    /// nothing: Envoy waits for it before it goes on.
    bool is_answered = false;
    std::set<std::string, std::less<>> names;
    std::map<std::string, ResourceState, std::less<>> known;
    std::optional<InFlight> in_flight;
    /// Groups of resources that were refused together, to be sent apart.
    std::deque<std::vector<std::string>> suspects;

    /// Returns whether a resource is asked for, by its name or by its collection.
    bool wants(std::string_view name) const;
    /// Forgets the state of a resource, or of all of a collection.
    void forget(std::string_view name);
    bool needs(std::string_view name, const EncodedResource& resource) const;
    bool needs_trial(std::string_view name) const;
    bool needs_any_trial() const;
  };
  /// The resources that are served now, but with the former listeners, scopes and routes while they are held.
  class View {
   public:
    View(const Snapshot& now, const Snapshot* held) : now_(now), held_(held) {}
    const Snapshot::Of& of(Type type) const;
    /// Returns a resource; nullptr: there is none.
    const EncodedResource* find(Type type, std::string_view name) const;
    /// Returns the present snapshot, in which nothing is held.
    const Snapshot& now() const { return now_; }

   private:
    const Snapshot& now_;
    const Snapshot* held_;
  };

  Subscription& of(Type type) { return subscriptions_[static_cast<std::size_t>(type)]; }
  const Subscription& of(Type type) const { return subscriptions_[static_cast<std::size_t>(type)]; }
  void answered(Type type, const DeltaRequest& request);
  void answered_routes(const InFlight& sent, const DeltaRequest& request);
  /// Updates the state of the client's routes to those that are served.
  void follow_routes(const View& view);
  void subscribe(Type type, const DeltaRequest& request, bool is_first);
  /// Returns whether a client that comes back may have a cluster that waits for endpoints: those that it has
  /// are no use to the cluster.
  bool is_cluster_waiting(const std::string& name) const;
  /// Makes the endpoints of clusters that are sent be sent after them. A cluster that changes waits for its
  /// endpoints anew, does not ask again for what the client has, and is acknowledged only once it has them.
  void endpoints_again(const DeltaResponse& clusters);
  DeltaResponse changes(const View& view, Type type, bool with_removals);
  /// Adds the trial that is due, if one is.
  void add_trial(const View& view, DeltaResponse& response);
  /// Returns whether the client serves a resource in its present version.
  bool has_as_it_is(const View& view, Type type, std::string_view name) const;
  bool is_settled(const View& view, Type type) const;
  /// Returns whether a listener is to be sent whose routes the client does not have.
  bool is_listener_new(const View& view) const;
  /// Returns whether the client may refuse a route that it asks for.
  bool are_routes_in_doubt(const View& view) const;
  /// Returns whether listeners of the client may wait for routes.
  bool is_warming(const View& view) const;
  /// Starts or ends holding listeners, scopes and routes, as required.
  void hold(const Snapshot& snapshot);
  /// Returns whether the client will not ask for the routes that are waited for: no answer is due, and some
  /// changes have come without a request for them. A draining Envoy acknowledges listeners and does nothing
  /// else.
  bool waits_for_nothing(const Snapshot& snapshot);

  std::shared_ptr<ClientParts> parts_;
  std::string salt_;
  std::array<Subscription, types.size()> subscriptions_;
  /// Listeners, scopes and routes while they are held; else nullptr.
  std::unique_ptr<Snapshot> held_;
  /// True if nothing is held or waited for until it asks for routes again.
  bool asks_for_nothing_ = false;
  /// Number of different snapshots served while it waited, and the last of them.
  int idle_changes_ = 0;
  const Snapshot* idle_at_ = nullptr;
  std::string last_tried_;
  std::uint64_t nonces_ = 0;
};

}  // namespace fairway::xds
