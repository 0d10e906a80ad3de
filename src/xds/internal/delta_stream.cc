// SPDX-License-Identifier: Apache-2.0

#include "xds/internal/delta_stream.h"

#include <algorithm>
#include <array>
#include <utility>

#include "xds/internal/refusal_words.h"
#include "xds/internal/secret_salt.h"

namespace fairway::xds {

namespace {

/// Returns the type whose resources, once a client has them, make it ask for resources of `type` by their
/// names.
std::optional<Type> owner_of(Type type) {
  if (type == Type::endpoints) return Type::cluster;
  if (type == Type::route) return Type::listener;
  return std::nullopt;
}

/// Returns whether other types refer to it. Such resources are removed after those that refer to them.
bool is_referred_to(Type type) {
  return type == Type::cluster || type == Type::endpoints || type == Type::secret;
}

/// Returns whether a response may have only one resource of a type. Envoy notes the bytes of all secrets in a
/// response before it tries them, and takes those that it has refused for known when they are sent again: its
/// answer to them after a refusal means nothing.
bool is_sent_alone(Type type) {
  return type == Type::secret;
}

/// Returns the name of the cluster or listener that will ask for a resource.
std::string_view owner_in(std::string_view name) {
  return name.substr(0, name.find('#'));
}

constexpr std::string_view everything_in_it = "*";

/// Returns the name by which a resource's whole collection is asked for; empty: it is in no collection.
std::string collection_of(std::string_view name) {
  if (!name.starts_with("xdstp://")) return {};
  return std::string(name.substr(0, name.rfind('/') + 1)) + std::string(everything_in_it);
}

/// Returns the beginning of the names in a collection; empty: the name is not that of a collection.
std::string_view prefix_of(std::string_view collection) {
  if (!collection.starts_with("xdstp://") || !collection.ends_with(everything_in_it)) return {};
  return collection.substr(0, collection.size() - everything_in_it.size());
}

}  // namespace

bool DeltaStream::Subscription::wants(std::string_view name) const {
  return is_wildcard || names.contains(name) || names.contains(collection_of(name));
}

void DeltaStream::Subscription::forget(std::string_view name) {
  const std::string_view prefix = prefix_of(name);
  if (prefix.empty()) {
    known.erase(std::string(name));
    return;
  }
  std::erase_if(known, [&](const auto& entry) { return entry.first.starts_with(prefix); });
}

bool DeltaStream::Subscription::needs(std::string_view name, const EncodedResource& resource) const {
  const auto found = known.find(name);
  if (found != known.end() && found->second.isolation) return found->second.isolation->to_send() != nullptr;
  return found == known.end() ||
         (found->second.acknowledged != resource.version && found->second.refused != resource.version);
}

bool DeltaStream::Subscription::needs_trial(std::string_view name) const {
  const auto found = known.find(name);
  return found != known.end() && found->second.isolation && found->second.isolation->is_trial();
}

const Snapshot::Of& DeltaStream::View::of(Type type) const {
  const bool is_held = held_ != nullptr && !is_referred_to(type);
  return (is_held ? *held_ : now_).of(type);
}

const EncodedResource* DeltaStream::View::find(Type type, std::string_view name) const {
  const auto found = of(type).find(name);
  return found != of(type).end() ? found->second.get() : nullptr;
}

void DeltaStream::receive(const DeltaRequest& request) {
  const auto type = type_of(request.type_url);
  if (!type) return;
  Subscription& subscription = of(*type);
  const bool is_first = !subscription.is_asked_for;
  subscription.is_asked_for = true;
  if (!request.nonce.empty()) answered(*type, request);
  subscribe(*type, request, is_first);
}

void DeltaStream::answered(Type type, const DeltaRequest& request) {
  idle_changes_ = 0;
  Subscription& subscription = of(type);
  // An answer to something older says nothing about what is in flight.
  if (!subscription.in_flight || subscription.in_flight->nonce != request.nonce) return;
  const InFlight sent = *std::move(subscription.in_flight);
  subscription.in_flight.reset();
  if (request.refusal && type == Type::route) {
    for (auto& [name, known] : subscription.known)
      known.is_needed_no_more = known.is_needed_no_more || known.acknowledged.empty();
  }
  if (request.refusal && sent.versions.size() > 1) {
    std::vector<std::string> names;
    for (const auto& [name, version] : sent.versions) names.push_back(name);
    const auto middle = names.begin() + static_cast<std::ptrdiff_t>(names.size() / 2);
    subscription.suspects.emplace_front(middle, names.end());
    subscription.suspects.emplace_front(names.begin(), middle);
    for (const std::string& name : names) {
      const auto found = subscription.known.find(name);
      if (found != subscription.known.end() && found->second.isolation)
        found->second.isolation->not_answered();
    }
    return;
  }
  // Two listeners cannot be on one address: what another had may be free now.
  if (type == Type::listener && !request.refusal) {
    for (auto& [name, known] : subscription.known) known.refused.clear();
  }
  if (type == Type::route) answered_routes(sent, request);
  for (const auto& [name, version] : sent.versions) {
    // It may have lost interest meanwhile, or need it once more.
    if (!subscription.wants(name) || type == Type::route || sent.outdated.contains(name)) continue;
    ResourceState& known = subscription.known[name];
    if (request.refusal) {
      known.refused = version;
      known.message = refusal_words(*request.refusal);
      continue;
    }
    known = {.acknowledged = version};
  }
  // To refuse a removal changes nothing: there is nothing else to send.
  for (const std::string& name : sent.removed) {
    if (subscription.names.contains(name)) {
      subscription.known[name] = {.is_told_absent = true};
    } else {
      subscription.known.erase(name);
    }
  }
}

void DeltaStream::answered_routes(const InFlight& sent, const DeltaRequest& request) {
  Subscription& subscription = of(Type::route);
  for (const auto& [name, version] : sent.versions) {
    const auto found = subscription.known.find(name);
    if (found == subscription.known.end() || !found->second.isolation) continue;
    if (request.refusal) {
      found->second.isolation->refused(refusal_words(*request.refusal));
      continue;
    }
    found->second.acknowledged = version;
    found->second.is_told_absent = false;
    found->second.isolation->acknowledged();
  }
}

void DeltaStream::follow_routes(const View& view) {
  Subscription& subscription = of(Type::route);
  for (const auto& [name, resource] : view.of(Type::route)) {
    if (!subscription.wants(name)) continue;
    ResourceState& known = subscription.known[name];
    if (!known.isolation) {
      known.isolation = std::make_unique<RouteIsolation>(parts_, salt_);
      if (!known.acknowledged.empty()) known.isolation->has(known.acknowledged);
    }
    known.isolation->follow(resource);
    known.isolation->look_again();
  }
}

void DeltaStream::subscribe(Type type, const DeltaRequest& request, bool is_first) {
  Subscription& subscription = of(type);
  const bool has_wildcard = type == Type::cluster || type == Type::listener;
  if (is_first && has_wildcard && request.subscribe.empty()) subscription.is_wildcard = true;
  for (const std::string& name : request.unsubscribe) {
    if (name == "*") {
      subscription.is_wildcard = false;
      std::erase_if(subscription.known,
                    [&](const auto& entry) { return !subscription.names.contains(entry.first); });
      continue;
    }
    subscription.names.erase(name);
    if (!subscription.is_wildcard) subscription.forget(name);
  }
  for (const std::string& name : request.subscribe) {
    if (name == "*") {
      subscription.is_wildcard = true;
      continue;
    }
    // Who asks again wants it again.
    subscription.names.insert(name);
    if (type == Type::route) asks_for_nothing_ = false;
    subscription.forget(name);
  }
  if (!is_first) return;
  for (const auto& [name, version] : request.has) {
    if (type == Type::endpoints && is_cluster_waiting(name)) continue;
    subscription.known[name] = {.acknowledged = version};
  }
}

bool DeltaStream::is_cluster_waiting(const std::string& name) const {
  const Subscription& clusters = of(Type::cluster);
  // It asks for clusters before anything else, unless it waits for the endpoints of one.
  if (!clusters.is_asked_for) return true;
  return clusters.in_flight && clusters.in_flight->versions.contains(name);
}

bool DeltaStream::Subscription::needs_any_trial() const {
  return std::ranges::any_of(names, [&](const std::string& name) { return needs_trial(name); });
}

void DeltaStream::add_trial(const View& view, DeltaResponse& response) {
  const Subscription& subscription = of(Type::route);
  // Nearly always.
  if (!subscription.needs_any_trial()) return;
  // In turn: what is refused in one again and again keeps no other waiting.
  std::vector<std::string> names(subscription.names.begin(), subscription.names.end());
  std::ranges::rotate(names, std::ranges::upper_bound(names, last_tried_));
  // Resources of which a part is known to be refused come first.
  for (const bool is_search : {true, false}) {
    for (const std::string& name : names) {
      if (!subscription.needs_trial(name) || view.find(Type::route, name) == nullptr) continue;
      const RouteIsolation& isolation = *subscription.known.find(name)->second.isolation;
      if (isolation.is_searching() != is_search) continue;
      // A listener waits for what is searched for, and not for the others.
      if ((held_ && !is_search) || is_warming(view)) return;
      response.resources.emplace(name, isolation.to_send());
      last_tried_ = name;
      return;
    }
  }
}

DeltaResponse DeltaStream::changes(const View& view, Type type, bool with_removals) {
  Subscription& subscription = of(type);
  DeltaResponse response{.type = type};
  const auto add = [&](const std::string& name) {
    if (!response.resources.empty() && is_sent_alone(type)) return;
    const auto found = view.of(type).find(name);
    if (found == view.of(type).end() || !subscription.wants(name) ||
        !subscription.needs(name, *found->second) || subscription.needs_trial(name))
      return;
    const auto known = subscription.known.find(name);
    const bool is_isolated = known != subscription.known.end() && known->second.isolation;
    response.resources.emplace(name, is_isolated ? known->second.isolation->to_send() : found->second);
  };
  // Of two that were refused apart it may be the same in both, and in more of them.
  const auto is_searching = [](const auto& entry) {
    return entry.second.isolation && entry.second.isolation->is_searching();
  };
  if (!subscription.suspects.empty() && std::ranges::count_if(subscription.known, is_searching) > 1) {
    add_trial(view, response);
    if (!response.resources.empty()) return response;
  }
  while (!subscription.suspects.empty()) {
    const std::vector<std::string> group = std::move(subscription.suspects.front());
    subscription.suspects.pop_front();
    for (const std::string& name : group) add(name);
    if (!response.resources.empty()) return response;
  }
  if (subscription.is_wildcard) {
    for (const auto& [name, resource] : view.of(type)) add(name);
  } else {
    for (const std::string& name : subscription.names) {
      const std::string_view prefix = prefix_of(name);
      if (prefix.empty()) {
        add(name);
        continue;
      }
      const Snapshot::Of& all = view.of(type);
      for (auto at = all.lower_bound(prefix); at != all.end() && at->first.starts_with(prefix); ++at)
        add(at->first);
    }
  }
  // Alone, and after all others: they do not wait until it is known what is refused.
  if (type == Type::route && response.resources.empty()) {
    add_trial(view, response);
    if (!response.resources.empty()) return response;
  }
  for (const std::string& name : subscription.names) {
    // A held snapshot lacks the resources that came later.
    if (view.find(type, name) != nullptr || view.now().find(type, name) != nullptr) continue;
    if (!prefix_of(name).empty()) continue;
    const auto found = subscription.known.find(name);
    // Who has it keeps it until nothing refers to it; who waits for it is told at once.
    if (found == subscription.known.end() ||
        (!found->second.is_told_absent && (with_removals || found->second.acknowledged.empty())))
      response.removed.push_back(name);
  }
  if (!with_removals || !subscription.is_wildcard) return response;
  for (const auto& [name, known] : subscription.known) {
    if (view.find(type, name) == nullptr && !subscription.names.contains(name))
      response.removed.push_back(name);
  }
  return response;
}

bool DeltaStream::has_as_it_is(const View& view, Type type, std::string_view name) const {
  const auto found = of(type).known.find(name);
  const EncodedResource* resource = view.find(type, name);
  // A version that the client refuses refers to nothing.
  return resource != nullptr && found != of(type).known.end() &&
         found->second.acknowledged == resource->version;
}

bool DeltaStream::is_settled(const View& view, Type type) const {
  const Subscription& subscription = of(type);
  if (subscription.in_flight || !subscription.suspects.empty()) return false;
  const auto owner = owner_of(type);
  for (const auto& [name, resource] : view.of(type)) {
    if (subscription.wants(name)) {
      if (subscription.needs(name, *resource)) return false;
    } else if (owner && !resource->source.is_left_over && has_as_it_is(view, *owner, owner_in(name))) {
      // Its cluster is there: it is about to be asked for.
      return false;
    }
  }
  return true;
}

bool DeltaStream::is_listener_new(const View& view) const {
  const Subscription &listeners = of(Type::listener), &routes = of(Type::route);
  std::set<std::string, std::less<>> due;
  for (const auto& [name, listener] : view.of(Type::listener)) {
    if (listeners.wants(name) && listeners.needs(name, *listener)) due.insert(name);
  }
  // Nearly always.
  if (due.empty()) return false;
  return std::ranges::any_of(view.of(Type::route), [&](const auto& entry) {
    const auto& [name, resource] = entry;
    if (resource->source.is_left_over || !due.contains(owner_in(name))) return false;
    const auto known = routes.known.find(name);
    return known == routes.known.end() || known->second.acknowledged.empty();
  });
}

bool DeltaStream::are_routes_in_doubt(const View& view) const {
  const Subscription& routes = of(Type::route);
  if (routes.in_flight || !routes.suspects.empty()) return true;
  return std::ranges::any_of(view.of(Type::route), [&](const auto& entry) {
    const auto known = routes.known.find(entry.first);
    if (known == routes.known.end() || !known->second.isolation || !routes.wants(entry.first)) return false;
    const RouteIsolation& isolation = *known->second.isolation;
    return isolation.to_send() != nullptr && (!isolation.is_trial() || isolation.is_searching());
  });
}

bool DeltaStream::is_warming(const View& view) const {
  if (of(Type::listener).in_flight || of(Type::scope).in_flight) return true;
  if (asks_for_nothing_) return false;
  const Subscription& routes = of(Type::route);
  return std::ranges::any_of(view.of(Type::route), [&](const auto& entry) {
    const auto& [name, resource] = entry;
    if (resource->source.is_left_over || !has_as_it_is(view, Type::listener, owner_in(name))) return false;
    // Nobody will ask for what is held and not served any more.
    const EncodedResource* now = view.now().find(Type::route, name);
    if (now == nullptr || now->source.is_left_over) return false;
    const auto known = routes.known.find(name);
    if (!routes.wants(name) || known == routes.known.end()) return true;
    return known->second.acknowledged.empty() && !known->second.is_needed_no_more;
  });
}

void DeltaStream::hold(const Snapshot& snapshot) {
  if (asks_for_nothing_) held_.reset();
  if (held_) {
    const View view(snapshot, held_.get());
    const bool is_over =
        is_settled(view, Type::listener) && is_settled(view, Type::scope) && !is_warming(view);
    // Nobody is given a listener that is gone.
    const bool is_outdated = std::ranges::any_of(view.of(Type::listener), [&](const auto& entry) {
      return !has_as_it_is(view, Type::listener, entry.first) &&
             snapshot.find(Type::listener, entry.first) == nullptr;
    });
    if (is_over || is_outdated) held_.reset();
  }
  if (held_ || asks_for_nothing_) return;
  const View view(snapshot, nullptr);
  if (!is_listener_new(view)) return;
  // The resources that its routes lead to come first, and are not held.
  const bool is_due = std::all_of(types.begin(), std::ranges::find(types, Type::listener),
                                  [&](Type type) { return is_settled(view, type); });
  if (!is_due) return;
  held_ = std::make_unique<Snapshot>();
  for (const Type type : types) {
    if (!is_referred_to(type)) held_->of(type) = snapshot.of(type);
  }
}

void DeltaStream::endpoints_again(const DeltaResponse& clusters) {
  Subscription& endpoints = of(Type::endpoints);
  for (const auto& [name, cluster] : clusters.resources) {
    // A cluster that is new to the client makes it ask.
    if (!endpoints.names.contains(name)) continue;
    endpoints.known.erase(name);
    // Those that are under way come before the cluster, which does not get them.
    if (endpoints.in_flight) endpoints.in_flight->outdated.insert(name);
  }
}

std::optional<DeltaResponse> DeltaStream::next(const Snapshot& snapshot) {
  hold(snapshot);
  const View view(snapshot, held_.get());
  follow_routes(view);
  const auto are_settled = [&](auto begin, auto end) {
    return std::all_of(begin, end, [&](Type type) { return is_settled(view, type); });
  };
  const auto* const first_referring = std::ranges::find(types, Type::listener);
  // Routes that are asked for already go before listeners, too: Envoy keeps those of a listener that is gone
  // while its connections end, and a listener that comes back would begin with them.
  constexpr std::array order = {Type::cluster,  Type::endpoints, Type::secret, Type::route,
                                Type::listener, Type::scope,     Type::route};
  for (const auto* at = order.begin(); at != order.end(); ++at) {
    Subscription& subscription = of(*at);
    if (!subscription.is_asked_for || subscription.in_flight) continue;
    const bool is_early = *at == Type::route && at != order.end() - 1;
    // Endpoints and secrets do not wait: what asks for them is there, and waits itself.
    const auto* const place = is_early ? first_referring : std::ranges::find(types, *at);
    const bool may_send =
        *at == Type::endpoints || *at == Type::secret || std::all_of(types.begin(), place, [&](Type before) {
          // Secrets go one by one, and hundreds may rotate at once; no route refers to one.
          return (is_early && before == Type::secret) || is_settled(view, before);
        });
    if (!may_send) break;
    // Scopes of one that is there go on: its routes are asked for by them.
    if (*at == Type::listener && held_ && are_routes_in_doubt(view)) continue;
    const bool with_removals =
        !is_early && (!is_referred_to(*at) || are_settled(first_referring, types.end()));
    DeltaResponse response = changes(view, *at, with_removals);
    const bool is_first_answer = subscription.is_wildcard && !subscription.is_answered;
    if (response.resources.empty() && response.removed.empty() && !is_first_answer) continue;
    subscription.is_answered = true;
    response.nonce = std::to_string(++nonces_);
    subscription.in_flight = InFlight{.nonce = response.nonce, .removed = response.removed};
    for (auto& [name, resource] : response.resources) {
      subscription.in_flight->versions.emplace(name, resource->version);
      if (*at == Type::secret) resource = salted(*resource, salt_ + response.nonce);
      const auto known = subscription.known.find(name);
      if (known != subscription.known.end() && known->second.isolation) known->second.isolation->sent();
    }
    if (*at == Type::cluster) endpoints_again(response);
    idle_changes_ = 0;
    return response;
  }
  return waits_for_nothing(snapshot) ? next(snapshot) : std::nullopt;
}

bool DeltaStream::waits_for_nothing(const Snapshot& snapshot) {
  const bool is_answer_due =
      std::ranges::any_of(subscriptions_, [](const Subscription& one) { return one.in_flight.has_value(); });
  if (is_answer_due || asks_for_nothing_ || idle_at_ == &snapshot) return false;
  if (!held_ && !of(Type::route).needs_any_trial()) return false;
  idle_at_ = &snapshot;
  // A request follows its answer at once, and so may a change come before it.
  constexpr int most = 3;
  if (++idle_changes_ < most) return false;
  asks_for_nothing_ = true;
  return true;
}

Acknowledgement DeltaStream::acknowledgement(const Snapshot& snapshot, const ResourceName& name) const {
  using enum Acknowledgement::State;
  const EncodedResource* resource = snapshot.find(name.type, name.name);
  const Subscription& subscription = of(name.type);
  const auto found = subscription.known.find(name.name);
  if (resource == nullptr || found == subscription.known.end() || !subscription.wants(name.name))
    return {.state = pending};
  if (found->second.isolation) return found->second.isolation->acknowledgement(*resource);
  if (found->second.acknowledged == resource->version) return {.state = acknowledged};
  if (found->second.refused == resource->version) return {.state = refused, .message = found->second.message};
  return {.state = pending};
}

}  // namespace fairway::xds
