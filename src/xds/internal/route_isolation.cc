#include "xds/internal/route_isolation.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/digest.h"
#include "base/text.h"

namespace fairway::xds {

namespace {

/// In a version: what follows are the ids of what is left out, or a hash of all, where these do not say it.
constexpr char ids_mark = '-', bytes_mark = '~';
constexpr char between_ids = '.';
/// So many ids are in a version: each stream repeats it.
constexpr std::size_t most_ids = 200;
constexpr std::size_t bytes_digits = 16;
/// The virtual host of trials.
constexpr std::string_view trial_host = "fairway-trial.invalid";

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

/// Makes a configuration of the whole one.
class RouteIsolation::Maker {
 public:
  explicit Maker(const RouteIsolation& of) : of_(of) {
    // What nobody refuses needs no trial.
    if (!of_.is_searching_ || of_.acknowledged_ == nullptr) return;
    const auto there = split_routes(of_.acknowledged_->bytes);
    if (!there) return;
    for (const HostPart& host : there->hosts) {
      served_.insert(host.id);
      for (const RoutePart& route : host.routes) served_.insert(route.id);
    }
  }

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
  /// Notes what has not been tried. True: it is refused, or may be.
  bool is_left_out(const std::string& id, std::string_view bytes, bool is_host) {
    if (of_.refused_.contains(id) || of_.presumed_.contains(id)) {
      made_.left_out.try_emplace(id, Part{id, std::string(bytes), is_host});
      return true;
    }
    // The same route may be in many virtual hosts.
    if (of_.is_searching_ && !served_.contains(id) && !of_.taken_.contains(id) && noted_.insert(id).second)
      made_.untried.push_back({id, std::string(bytes), is_host});
    return false;
  }
  void note_refused(const HostPart& host, std::optional<std::size_t> route, const std::string& id) {
    const auto found = of_.refused_.find(id);
    if (found == of_.refused_.end()) return;
    made_.refused.push_back({.host = std::string(host.name), .route = route, .message = found->second});
  }

  void add_host(const HostPart& host, std::string& bytes) {
    if (is_left_out(host.id, host.shell, true)) {
      note_refused(host, std::nullopt, host.id);
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
    note_refused(host, number, route.id);
    const std::string& instead = replacements_.emplace_back(failing_route(route.bytes));
    if (!is_left_out(id_of_route(instead), instead, false)) routes.emplace_back(instead);
  }

  const RouteIsolation& of_;
  std::set<std::string> served_, noted_;
  /// A deque: they are referred to.
  std::deque<std::string> replacements_;
  Made made_;
};

RouteIsolation::RouteIsolation(std::shared_ptr<RefusedParts> remembered, const std::string& mark)
    : remembered_(std::move(remembered)), mark_("fairway-trial-" + mark) {
  for (const auto& [id, words] : remembered_->all()) presumed_.insert(id);
}

void RouteIsolation::has(const std::string& version) {
  acknowledged_version_ = version;
  // It serves all else.
  presumed_ = ids_in(version);
}

const RouteParts* RouteIsolation::whole_parts() const {
  if (!whole_parts_) whole_parts_ = split_routes(whole_->bytes);
  return whole_parts_ ? &*whole_parts_ : nullptr;
}

RouteIsolation::Made RouteIsolation::make() const {
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
  append_host(bytes, host_shell(trial_host), routes);
  std::string version = version_of(whole_->version, {}, bytes);
  return std::make_shared<EncodedResource>(std::move(version), std::move(bytes));
}

void RouteIsolation::follow(const Resource& whole) {
  if (whole_ != nullptr && whole_->version == whole->version) return;
  whole_ = whole;
  whole_parts_.reset();
  if (!in_flight_) plan();
}

void RouteIsolation::plan() {
  to_send_ = nullptr;
  if (whole_ == nullptr || given_up_ == whole_->version) return;
  const bool is_anything_refused = !refused_.empty() || !presumed_.empty() || is_searching_;
  if (!is_anything_refused || whole_parts() == nullptr) {
    // Nearly always: nothing is taken apart.
    if (acknowledged_version_ == whole_->version) {
      finish({.resource = whole_, .left_out = {}, .untried = {}, .refused = {}});
    } else {
      to_send_ = whole_;
    }
    return;
  }
  if (is_searching_ && groups_.empty()) {
    // What has come since, and what takes the place of what is refused.
    Group rest = make().untried;
    is_searching_ = !rest.empty();
    if (is_searching_) groups_.push_back(std::move(rest));
  }
  if (!is_searching_) {
    Made made = make();
    if (made.resource->version != acknowledged_version_) {
      to_send_ = std::move(made.resource);
      return;
    }
    Group again;
    for (const auto& [id, part] : made.left_out) {
      if (presumed_.erase(id) > 0) again.push_back(part);
    }
    if (again.empty()) {
      finish(std::move(made));
      return;
    }
    // All else is served: it may take them now.
    acknowledged_ = std::move(made.resource);
    is_searching_ = is_retry_ = true;
    groups_.push_back(std::move(again));
  }
  to_send_ = trial_of(groups_.front());
}

void RouteIsolation::finish(Made made) {
  acknowledged_ = std::move(made.resource);
  parts_ = std::move(made.refused);
  // What is not there any more is not kept: others could make it grow for ever.
  std::erase_if(refused_, [&](const auto& entry) { return !made.left_out.contains(entry.first); });
  presumed_.clear();
  taken_.clear();
  for (const auto& [id, words] : refused_) remembered_->note(id, words);
}

void RouteIsolation::sent() {
  in_flight_ = Sent{.resource = to_send_, .whole = whole_, .is_trial = is_searching_};
  to_send_ = nullptr;
}

void RouteIsolation::not_answered() {
  in_flight_.reset();
  plan();
}

void RouteIsolation::acknowledged() {
  if (!in_flight_) return;
  acknowledged_ = std::move(in_flight_->resource);
  acknowledged_version_ = acknowledged_->version;
  // A trial that is taken is one of good parts, and nothing to serve.
  if (std::exchange(in_flight_, std::nullopt)->is_trial) tried(mark_);
  plan();
}

void RouteIsolation::refused(const std::string& words) {
  if (!in_flight_) return;
  const Sent sent = *std::exchange(in_flight_, std::nullopt);
  if (sent.is_trial) {
    tried(words);
  } else if (sent.whole == whole_) {
    begin_search(words);
  }
  plan();
}

void RouteIsolation::begin_search(const std::string& words) {
  is_searching_ = true;
  is_mark_seen_ = false;
  groups_.clear();
  Group suspects = whole_parts() != nullptr ? make().untried : Group{};
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
    is_retry_ = false;
    for (const Part& part : group) taken_.insert(part.id);
  } else if (group.empty()) {
    refused_.erase(doubtful_);
    give_up(words);
  } else {
    narrow(std::move(group), words);
  }
}

void RouteIsolation::narrow(Group group, const std::string& words) {
  if (std::exchange(is_retry_, false)) {
    std::map<std::string, std::string> again;
    for (const Part& part : group) {
      if (auto said = remembered_->words(part.id)) again.emplace(part.id, *std::move(said));
    }
    // It is as it was: to find out which of them are refused would take many answers.
    if (again.size() == group.size()) {
      refused_.merge(again);
      return;
    }
  }
  if (group.size() == 1) {
    doubtful_ = group.front().id;
    refused_.insert_or_assign(doubtful_, words);
    // It may be something else that is refused, with whatever parts.
    if (!is_mark_seen_) groups_.emplace_front();
    return;
  }
  const auto middle = group.begin() + static_cast<std::ptrdiff_t>(group.size() / 2);
  groups_.emplace_front(middle, group.end());
  groups_.emplace_front(group.begin(), middle);
}

void RouteIsolation::give_up(const std::string& words) {
  given_up_ = whole_->version;
  words_ = words;
  is_searching_ = is_retry_ = false;
  groups_.clear();
  taken_.clear();
}

Agreement RouteIsolation::agreement(const EncodedResource& whole) const {
  using enum Agreement::State;
  if (whole_ == nullptr || whole_->version != whole.version || in_flight_) return {.state = pending};
  if (given_up_ == whole.version) return {.state = refused, .message = words_};
  if (to_send_ != nullptr) return {.state = pending};
  return {.state = acknowledged, .parts = parts_};
}

}  // namespace fairway::xds
