#include "xds/internal/delta_stream.h"

#include <algorithm>
#include <array>
#include <utility>

#include "xds/internal/refusal_words.h"
#include "xds/internal/secret_salt.h"

namespace fairway::xds {

namespace {

/// The type that a client asks for by the names of another, once it has that.
std::optional<Type> owner_of(Type type) {
  if (type == Type::endpoints) return Type::cluster;
  if (type == Type::route) return Type::listener;
  return std::nullopt;
}

/// What others refer to: it goes after them.
bool is_referred_to(Type type) {
  return type == Type::cluster || type == Type::endpoints || type == Type::secret;
}

/// Of several secrets Envoy notes the bytes before it tries them, and then takes those that it has refused
/// for known when they are sent again: what it says of them after a refusal is worth nothing.
bool is_sent_alone(Type type) {
  return type == Type::secret;
}

constexpr std::string_view everything_in_it = "*";

/// The name by which all of a resource's collection is asked for; empty: it is in none.
std::string collection_of(std::string_view name) {
  if (!name.starts_with("xdstp://")) return {};
  return std::string(name.substr(0, name.rfind('/') + 1)) + std::string(everything_in_it);
}

/// What the names of a collection begin with; empty: it is none.
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

bool DeltaStream::Subscription::is_searching(std::string_view name) const {
  const auto found = known.find(name);
  return found != known.end() && found->second.isolation && found->second.isolation->is_searching();
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
  Subscription& subscription = of(type);
  // An answer to something older says nothing about what is in flight.
  if (!subscription.in_flight || subscription.in_flight->nonce != request.nonce) return;
  const InFlight sent = *std::move(subscription.in_flight);
  subscription.in_flight.reset();
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
    // It may have lost interest meanwhile.
    if (!subscription.wants(name) || type == Type::route) continue;
    Known& known = subscription.known[name];
    if (request.refusal) {
      known.refused = version;
      known.message = refusal_words(*request.refusal);
      continue;
    }
    // A cluster that has changed waits for its endpoints anew, and does not ask again for what it has.
    const bool is_changed_cluster = type == Type::cluster && !known.acknowledged.empty();
    if (is_changed_cluster) of(Type::endpoints).known.erase(name);
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

void DeltaStream::follow_routes(const Snapshot& snapshot) {
  Subscription& subscription = of(Type::route);
  for (const auto& [name, resource] : snapshot.of(Type::route)) {
    if (!subscription.wants(name)) continue;
    Known& known = subscription.known[name];
    if (!known.isolation) {
      known.isolation = std::make_unique<RouteIsolation>(remembered_, salt_);
      if (!known.acknowledged.empty()) known.isolation->has(known.acknowledged);
    }
    known.isolation->follow(resource);
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
    subscription.forget(name);
  }
  if (!is_first) return;
  for (const auto& [name, version] : request.has) subscription.known[name] = {.acknowledged = version};
}

DeltaResponse DeltaStream::changes(const Snapshot& snapshot, Type type, bool with_removals) {
  Subscription& subscription = of(type);
  DeltaResponse response{.type = type};
  const auto add = [&](const std::string& name) {
    if (!response.resources.empty() && is_sent_alone(type)) return;
    const auto found = snapshot.of(type).find(name);
    if (found == snapshot.of(type).end() || !subscription.wants(name) ||
        !subscription.needs(name, *found->second))
      return;
    const auto known = subscription.known.find(name);
    const bool is_isolated = known != subscription.known.end() && known->second.isolation;
    response.resources.emplace(name, is_isolated ? known->second.isolation->to_send() : found->second);
  };
  while (!subscription.suspects.empty()) {
    const std::vector<std::string> group = std::move(subscription.suspects.front());
    subscription.suspects.pop_front();
    for (const std::string& name : group) add(name);
    if (!response.resources.empty()) return response;
  }
  if (subscription.is_wildcard) {
    for (const auto& [name, resource] : snapshot.of(type)) add(name);
  } else {
    for (const std::string& name : subscription.names) {
      const std::string_view prefix = prefix_of(name);
      if (!prefix.empty()) {
        const Snapshot::Of& all = snapshot.of(type);
        for (auto at = all.lower_bound(prefix); at != all.end() && at->first.starts_with(prefix); ++at)
          add(at->first);
      } else if (!subscription.is_searching(name)) {
        add(name);
      }
    }
    // Alone, and after all others: they do not wait until it is known what is refused.
    for (const std::string& name : subscription.names) {
      if (response.resources.empty() && subscription.is_searching(name)) add(name);
    }
  }
  for (const std::string& name : subscription.names) {
    if (snapshot.find(type, name) != nullptr || !prefix_of(name).empty()) continue;
    const auto found = subscription.known.find(name);
    // Who has it keeps it until nothing refers to it; who waits for it is told at once.
    if (found == subscription.known.end() ||
        (!found->second.is_told_absent && (with_removals || found->second.acknowledged.empty())))
      response.removed.push_back(name);
  }
  if (!with_removals || !subscription.is_wildcard) return response;
  for (const auto& [name, known] : subscription.known) {
    if (snapshot.find(type, name) == nullptr && !subscription.names.contains(name))
      response.removed.push_back(name);
  }
  return response;
}

bool DeltaStream::has_as_it_is(const Snapshot& snapshot, Type type, std::string_view name) const {
  const auto found = of(type).known.find(name);
  const EncodedResource* resource = snapshot.find(type, name);
  // What it refuses refers to nothing.
  return resource != nullptr && found != of(type).known.end() &&
         found->second.acknowledged == resource->version;
}

bool DeltaStream::is_settled(const Snapshot& snapshot, Type type) const {
  const Subscription& subscription = of(type);
  if (subscription.in_flight || !subscription.suspects.empty()) return false;
  const auto owner = owner_of(type);
  for (const auto& [name, resource] : snapshot.of(type)) {
    if (subscription.wants(name)) {
      if (subscription.needs(name, *resource)) return false;
    } else if (owner && !resource->source.is_left_over &&
               has_as_it_is(snapshot, *owner, name.substr(0, name.find('#')))) {
      // Its cluster is there: it is about to be asked for.
      return false;
    }
  }
  return true;
}

std::optional<DeltaResponse> DeltaStream::next(const Snapshot& snapshot) {
  follow_routes(snapshot);
  const auto are_settled = [&](auto begin, auto end) {
    return std::all_of(begin, end, [&](Type type) { return is_settled(snapshot, type); });
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
    const bool may_send = *at == Type::endpoints || *at == Type::secret || are_settled(types.begin(), place);
    if (!may_send) break;
    const bool with_removals =
        !is_early && (!is_referred_to(*at) || are_settled(first_referring, types.end()));
    DeltaResponse response = changes(snapshot, *at, with_removals);
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
    return response;
  }
  return std::nullopt;
}

Agreement DeltaStream::agreement(const Snapshot& snapshot, const ResourceName& name) const {
  using enum Agreement::State;
  const EncodedResource* resource = snapshot.find(name.type, name.name);
  const Subscription& subscription = of(name.type);
  const auto found = subscription.known.find(name.name);
  if (resource == nullptr || found == subscription.known.end() || !subscription.wants(name.name))
    return {.state = pending};
  if (found->second.isolation) return found->second.isolation->agreement(*resource);
  if (found->second.acknowledged == resource->version) return {.state = acknowledged};
  if (found->second.refused == resource->version) return {.state = refused, .message = found->second.message};
  return {.state = pending};
}

}  // namespace fairway::xds
