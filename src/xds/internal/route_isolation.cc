// SPDX-License-Identifier: Apache-2.0

#include "xds/internal/route_isolation.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/digest.h"
#include "base/text.h"

namespace fairway::xds {

namespace {

/// Separators in a version: they precede the ids of the parts that are left out, or a hash of all bytes if
/// ids do not identify them.
constexpr char ids_mark = '-', bytes_mark = '~';
constexpr char between_ids = '.';
/// Most ids in a version: each stream repeats it.
constexpr std::size_t most_ids = 200;
constexpr std::size_t bytes_digits = 16;
std::string version_of(const std::string& whole, const std::vector<std::string>& left_out,
                       const std::string& bytes) {
  std::string version = whole;
  for (std::size_t i = 0; i < std::min(left_out.size(), most_ids); ++i)
    version += (i == 0 ? ids_mark : between_ids) + left_out[i];
  if (left_out.empty() || left_out.size() > most_ids)
    version += bytes_mark + sha256_hex(bytes).substr(0, bytes_digits);
  return version;
}

std::set<std::string> ids_in(std::string_view version) {
  std::set<std::string> ids;
  const std::size_t begin = version.find(ids_mark);
  if (begin == std::string_view::npos) return ids;
  version.remove_prefix(begin + 1);
  for (const std::string_view id : split(version.substr(0, version.find(bytes_mark)), between_ids))
    ids.emplace(id);
  return ids;
}

}  // namespace

/// Makes a configuration from the whole one.
class RouteIsolation::Maker {
 public:
  explicit Maker(RouteIsolation& of) : of_(of) {}

  Made make(const RouteParts& whole) {
    std::string bytes = whole.rest;
    for (const HostPart& host : whole.hosts) add_host(host, bytes);
    if (made_.left_out.empty()) {
      made_.resource = of_.whole_;
      return std::move(made_);
    }
    std::vector<std::string> ids;
    for (const auto& [id, part] : made_.left_out) ids.push_back(id);
    std::string version = version_of(of_.whole_->version, ids, bytes);
    made_.resource = std::make_shared<EncodedResource>(std::move(version), std::move(bytes));
    return std::move(made_);
  }

 private:
  /// Returns whether a part is in the configuration that the client has acknowledged.
  bool is_served(const std::string& id) {
    if (!served_) {
      served_.emplace();
      const auto there =
          of_.acknowledged_ != nullptr ? split_routes(of_.acknowledged_->bytes) : std::optional<RouteParts>();
      for (const HostPart& host : there ? there->hosts : std::vector<HostPart>()) {
        served_->insert(host.id);
        for (const RoutePart& route : host.routes) served_->insert(route.id);
      }
    }
    return served_->contains(id);
  }

  bool is_refused(const std::string& id) {
    if (of_.refused_.contains(id) || of_.presumed_.contains(id)) return true;
    if (of_.parts_->empty() || of_.taken_.contains(id)) return false;
    const auto words = of_.parts_->words(id);
    if (words && !is_served(id)) {
      of_.refused_.emplace(id, *words);
      return true;
    }
    // Of a client from before it is known what it has left out: it serves all else.
    const bool is_served_known = of_.acknowledged_ != nullptr || of_.acknowledged_version_.empty();
    return is_served_known && of_.parts_->words_of_any(id) && !is_served(id);
  }

  /// Records a part that has not been tried. Returns true if it is left out: it is refused, or may be.
  bool is_left_out(const std::string& id, std::string_view bytes, bool is_host) {
    if (is_refused(id)) {
      made_.left_out.try_emplace(id, Part{id, std::string(bytes), is_host});
      return true;
    }
    // The same route may be in many virtual hosts.
    if (of_.is_searching() && !of_.taken_.contains(id) && !is_served(id) && recorded_.insert(id).second)
      made_.untried.push_back({id, std::string(bytes), is_host});
    return false;
  }
  void record_refused(const HostPart& host, std::optional<std::size_t> route, const std::string& id) {
    const auto found = of_.refused_.find(id);
    if (found == of_.refused_.end()) return;
    made_.refused.push_back({.host = std::string(host.name), .route = route, .message = found->second});
  }

  void add_host(const HostPart& host, std::string& bytes) {
    if (is_left_out(host.id, host.shell, true)) {
      record_refused(host, std::nullopt, host.id);
      return;
    }
    std::vector<std::string_view> routes;
    for (std::size_t i = 0; i < host.routes.size(); ++i) add_route(host, i, routes);
    append_host(bytes, host.shell, routes);
  }

  void add_route(const HostPart& host, std::size_t number, std::vector<std::string_view>& routes) {
    const RoutePart& route = host.routes[number];
    if (!is_left_out(route.id, route.bytes, false)) {
      routes.push_back(route.bytes);
      return;
    }
    record_refused(host, number, route.id);
    const std::string& instead = replacements_.emplace_back(failing_route(route.bytes));
    if (!is_left_out(id_of_route(instead), instead, false)) routes.emplace_back(instead);
  }

  RouteIsolation& of_;
  /// The parts of the acknowledged configuration, found on first use: it is rarely needed.
  std::optional<std::set<std::string>> served_;
  std::set<std::string> recorded_;
  /// The replacements, in a deque since they are referred to.
  std::deque<std::string> replacements_;
  Made made_;
};

RouteIsolation::RouteIsolation(std::shared_ptr<ClientParts> parts, const std::string& mark)
    : parts_(std::move(parts)), mark_("fairway-trial-" + mark) {}

void RouteIsolation::has(const std::string& version) {
  acknowledged_version_ = version;
  presumed_ = ids_in(version);
}

const RouteParts* RouteIsolation::whole_parts() const {
  if (!whole_parts_) whole_parts_ = split_routes(whole_->bytes);
  return whole_parts_ ? &*whole_parts_ : nullptr;
}

RouteIsolation::Made RouteIsolation::make() {
  return Maker(*this).make(*whole_parts());
}

RouteIsolation::Resource RouteIsolation::trial_of(const Group& group) const {
  std::string bytes = whole_parts()->rest;
  std::vector<std::string_view> routes;
  for (const Part& part : group) {
    if (part.is_host) {
      append_host(bytes, part.bytes, {});
    } else {
      routes.emplace_back(part.bytes);
    }
  }
  // The last: what comes before it is refused first. It lacks a bracket.
  const std::string marked = refused_route("(" + mark_);
  routes.emplace_back(marked);
  // A name that no object can have: nobody knows the mark, and hostnames have no underscore.
  append_host(bytes, host_shell("_" + mark_), routes);
  std::string version = version_of(whole_->version, {}, bytes);
  return std::make_shared<EncodedResource>(std::move(version), std::move(bytes));
}

void RouteIsolation::follow(const Resource& whole) {
  if (newest_ != nullptr && newest_->version == whole->version) return;
  newest_ = whole;
  if (in_flight_ || is_searching() || is_owed_) return;
  adopt();
  plan();
}

void RouteIsolation::look_again() {
  if (!in_flight_ && to_send_ != nullptr && revision_ != parts_->revision()) plan();
}

bool RouteIsolation::adopt() {
  if (newest_ == nullptr || newest_ == whole_) return false;
  const bool is_another = whole_ == nullptr || whole_->version != newest_->version;
  whole_ = newest_;
  whole_parts_.reset();
  return is_another;
}

void RouteIsolation::plan() {
  revision_ = parts_->revision();
  do {
    to_send_ = nullptr;
    is_trial_ = false;
    plan_whole();
  } while (to_send_ == nullptr && adopt());
}

void RouteIsolation::plan_whole() {
  if (whole_ == nullptr || given_up_ == whole_->version) return;
  const bool is_anything_refused =
      !refused_.empty() || !presumed_.empty() || !parts_->empty() || mode_ != Mode::none;
  if (!is_anything_refused || whole_parts() == nullptr) {
    // Nearly always: nothing is taken apart.
    if (acknowledged_version_ == whole_->version) {
      finish({.resource = whole_, .left_out = {}, .untried = {}, .refused = {}});
    } else {
      to_send_ = whole_;
    }
    return;
  }
  if (is_searching()) {
    plan_search();
  } else {
    plan_without_refused();
  }
}

void RouteIsolation::plan_search() {
  take_out([&](const Part& part) {
    const auto words = parts_->words(part.id);
    if (words) refused_.emplace(part.id, *words);
    return words.has_value();
  });
  if (groups_.empty()) {
    // The parts that take the place of the refused ones.
    Group rest = make().untried;
    if (rest.empty()) {
      mode_ = Mode::none;
      is_owed_ = true;
      plan_without_refused();
      return;
    }
    groups_.push_back(std::move(rest));
  }
  plan_trial();
}

void RouteIsolation::plan_without_refused() {
  Made made = make();
  if (mode_ == Mode::none && made.resource->version == acknowledged_version_) {
    is_owed_ = false;
    acknowledged_ = made.resource;
    acknowledged_whole_ = whole_->version;
    Group again;
    for (const auto& [id, part] : made.left_out) {
      if (!refused_.contains(id)) again.push_back(part);
    }
    if (again.empty()) {
      finish(std::move(made));
      return;
    }
    // All else is served: it may take them now.
    mode_ = Mode::retry;
    is_mark_seen_ = false;
    groups_.push_back(std::move(again));
  }
  if (mode_ == Mode::retry && acknowledged_whole_ == whole_->version) {
    // Another of the client's resources may have shown it meanwhile.
    take_out(
        [&](const Part& part) { return refused_.contains(part.id) || !made.left_out.contains(part.id); });
    if (!groups_.empty()) {
      plan_trial();
      return;
    }
    mode_ = Mode::none;
    plan_without_refused();
    return;
  }
  to_send_ = std::move(made.resource);
}

void RouteIsolation::plan_trial() {
  to_send_ = trial_of(groups_.front());
  is_trial_ = true;
}

template <class Is>
void RouteIsolation::take_out(const Is& is) {
  std::deque<Group> rest;
  for (Group& group : groups_) {
    // One of nothing is a trial, too.
    const bool was_empty = group.empty();
    std::erase_if(group, is);
    if (was_empty || !group.empty()) rest.push_back(std::move(group));
  }
  groups_ = std::move(rest);
}

void RouteIsolation::finish(Made made) {
  acknowledged_ = std::move(made.resource);
  acknowledged_whole_ = whole_->version;
  refused_parts_ = std::move(made.refused);
  is_owed_ = false;
  // Refused parts that are no longer there are dropped: others could make the set grow for ever.
  std::erase_if(refused_, [&](const auto& entry) { return !made.left_out.contains(entry.first); });
  presumed_.clear();
  taken_.clear();
}

void RouteIsolation::sent() {
  in_flight_ = Sent{.resource = to_send_, .whole = whole_, .is_trial = is_trial_};
  to_send_ = nullptr;
  is_trial_ = false;
}

void RouteIsolation::not_answered() {
  in_flight_.reset();
  plan();
}

void RouteIsolation::acknowledged() {
  if (!in_flight_) return;
  const Sent sent = *std::exchange(in_flight_, std::nullopt);
  acknowledged_ = sent.resource;
  acknowledged_version_ = sent.resource->version;
  if (sent.is_trial) {
    // It is one of good parts, and nothing to serve.
    acknowledged_whole_.clear();
    tried(mark_);
  } else {
    acknowledged_whole_ = sent.whole->version;
  }
  plan();
}

void RouteIsolation::refused(const std::string& words) {
  if (!in_flight_) return;
  const Sent sent = *std::exchange(in_flight_, std::nullopt);
  if (sent.is_trial) {
    tried(words);
  } else {
    begin_search(sent.resource->version, words);
  }
  plan();
}

void RouteIsolation::begin_search(const std::string& version, const std::string& words) {
  mode_ = Mode::none;
  is_mark_seen_ = is_owed_ = false;
  doubtful_.clear();
  groups_.clear();
  if (whole_parts() == nullptr) {
    give_up(words);
    return;
  }
  // Meanwhile another resource may have shown what is refused.
  if (make().resource->version != version) {
    is_owed_ = true;
    return;
  }
  mode_ = Mode::search;
  Group suspects = make().untried;
  if (suspects.empty()) {
    give_up(words);
  } else {
    narrow(std::move(suspects), words);
  }
}

void RouteIsolation::tried(const std::string& words) {
  Group group = std::move(groups_.front());
  groups_.pop_front();
  if (words.contains(mark_)) {
    is_mark_seen_ = true;
    if (const auto found = refused_.find(doubtful_); found != refused_.end())
      parts_->record_refused(found->first, found->second);
    doubtful_.clear();
    for (const Part& part : group) {
      taken_.insert(part.id);
      presumed_.erase(part.id);
      if (parts_->words_of_any(part.id)) parts_->record_taken(part.id);
    }
  } else if (!group.empty()) {
    narrow(std::move(group), words);
  } else if (is_searching()) {
    refused_.erase(doubtful_);
    give_up(words);
  } else {
    // All else is served, whatever this is.
    for (const Group& rest : groups_) {
      for (const Part& part : rest) refused_.emplace(part.id, words);
    }
    groups_.clear();
  }
  // Changes that have come since go before parts that may be refused.
  if (mode_ == Mode::retry) adopt();
}

void RouteIsolation::narrow(Group group, const std::string& words) {
  if (group.size() == 1) {
    const std::string& id = group.front().id;
    refused_.insert_or_assign(id, words);
    if (is_mark_seen_ || parts_->words_of_any(id) == words) {
      parts_->record_refused(id, words);
    } else {
      // It may be something else that is refused, with whatever parts.
      doubtful_ = id;
      groups_.emplace_front();
    }
    return;
  }
  const auto middle = group.begin() + static_cast<std::ptrdiff_t>(group.size() / 2);
  groups_.emplace_front(middle, group.end());
  groups_.emplace_front(group.begin(), middle);
}

void RouteIsolation::give_up(const std::string& words) {
  given_up_ = whole_->version;
  words_ = words;
  mode_ = Mode::none;
  is_owed_ = false;
  groups_.clear();
  taken_.clear();
}

Acknowledgement RouteIsolation::acknowledgement(const EncodedResource& whole) const {
  using enum Acknowledgement::State;
  if (whole_ == nullptr || whole_->version != whole.version || in_flight_) return {.state = pending};
  if (given_up_ == whole.version) return {.state = refused, .message = words_};
  if (to_send_ != nullptr) return {.state = pending};
  return {.state = acknowledged, .parts = refused_parts_};
}

}  // namespace fairway::xds
