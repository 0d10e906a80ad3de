// SPDX-License-Identifier: Apache-2.0

#include "kube/internal/informer/reflector.h"

#include <algorithm>

#include "base/log.h"

namespace fairway::kube {

namespace {

/// Returns whether the server is behind the requested version: 504 with a cause, which some servers leave
/// out.
bool is_version_too_large(const ApiError& error) {
  return error.is_answer() &&
         (error.status.has_cause(k8s::cause::resource_version_too_large) ||
          (error.is(k8s::reason::timeout) &&
           error.status.message().find("Too large resource version") != std::string_view::npos));
}

/// Returns whether the server does not have the requested version: no longer, or not yet.
bool lacks_version(const ApiError& error) {
  return error.is_expired() || is_version_too_large(error);
}

}  // namespace

/// The outcome of a watch.
struct Reflector::Watched {
  /// The current state: a watch that began as `streaming` is `watching` once the initial objects are
  /// complete.
  State state;
  ApiResult<void> result;
  std::size_t events = 0;
  std::chrono::nanoseconds lasted{0};
};

Reflector::Reflector(std::shared_ptr<Client> client, ReflectorOptions options, Mirror& mirror)
    : client_(std::move(client)),
      options_(std::move(options)),
      mirror_(mirror),
      clock_(client_->clock()),
      random_(options_.random ? options_.random : system_random()),
      backoff_(options_.timings.backoff, clock_, random_),
      list_state_(options_.streaming_list ? State::streaming : State::listing),
      list_version_(options_.most_recent ? ListVersion::expired : ListVersion::nothing) {}

void Reflector::run(const std::stop_token& stop) {
  State state = list_state_;
  while (!stop.stop_requested()) state = step(state, stop);
}

Reflector::State Reflector::step(State state, const std::stop_token& stop) {
  switch (state) {
    case State::streaming:
      return stream(stop);
    case State::listing:
      return list_all(stop);
    case State::watching:
      return after(watch(State::watching, resource_version(), stop), stop);
    case State::waiting_to_watch:
      wait(backoff_.next(), stop);
      return State::watching;
    case State::waiting_to_list:
      wait(backoff_.next(), stop);
      return list_state_;
    case State::unserved:
      wait(options_.timings.served_check_interval, stop);
      return list_state_;
  }
  return list_state_;
}

Reflector::State Reflector::relist() const {
  return is_served() ? State::waiting_to_list : State::unserved;
}

Reflector::State Reflector::stream(const std::stop_token& stop) {
  const std::string version = relist_version();
  const Watched watched = watch(State::streaming, version == "0" ? "" : version, stop);
  if (watched.state == State::watching) return after(watched, stop);
  if (stop.stop_requested()) return State::streaming;
  if (watched.result || watched.result.error().code == ErrorCode::deadline_exceeded) {
    // The initial events never ended: the server ignores the option.
    list_state_ = State::listing;
    return State::listing;
  }
  const ApiError& error = watched.result.error();
  if (lacks_version(error) && list_version_ != ListVersion::expired) {
    list_version_ = ListVersion::expired;
    return State::streaming;
  }
  const int code = error.status.code();
  if (code == 429 || (!error.is_answer() && error.code == ErrorCode::unavailable)) {
    record(error);
    return relist();
  }
  // Only these refuse the option for good. A server that cannot do it for want of something (etcd older than
  // 3.4.31, say) answers 500, and can list.
  if (code == 400 || code == 422) list_state_ = State::listing;
  return State::listing;
}

Reflector::State Reflector::list_all(const std::stop_token& stop) {
  auto listed = list_at(relist_version(), stop);
  if (!listed && lacks_version(listed.error())) {
    list_version_ = ListVersion::expired;
    listed = list_at("", stop);
  }
  if (listed) {
    end_list();
    mirror_.advance(resource_version());
    record_success();
    return State::watching;
  }
  if (stop.stop_requested()) return State::listing;
  const int code = listed.error().status.code();
  const bool is_absent = options_.if_served && code == 404;
  const bool is_kept_from_us = options_.if_permitted && code == 403 && !has_listed_;
  if (!is_absent && !is_kept_from_us) {
    record(listed.error());
    return relist();
  }
  if (is_served()) {
    if (is_absent) {
      log::info("a kind is not served yet; asked for again until it is",
                {{"resource", options_.resource.to_string()}});
    } else {
      log::warning("a kind may not be listed, and counts as having no objects until the role permits it",
                   {{"resource", options_.resource.to_string()}, {"why", listed.error().message}});
    }
  }
  record_served(false);
  // A server that is behind may still have the kind as it was before.
  list_version_ = ListVersion::expired;
  mirror_.not_served();
  return State::unserved;
}

Reflector::State Reflector::after(const Watched& watched, const std::stop_token& stop) {
  if (stop.stop_requested()) return State::watching;
  const bool went_well = watched.events > 0 || watched.lasted >= options_.timings.short_watch;
  if (watched.result) return went_well ? State::watching : State::waiting_to_watch;
  const ApiError& error = watched.result.error();
  if (!error.is_answer()) {
    // The time that we gave it is over, as is that which we gave the server.
    if (error.code == ErrorCode::deadline_exceeded && went_well) return State::watching;
    const bool garbled = error.code == ErrorCode::invalid || error.code == ErrorCode::too_large;
    if (went_well && !garbled) return State::watching;
    record(error);
    return garbled ? State::waiting_to_list : State::waiting_to_watch;
  }
  if (lacks_version(error)) return State::waiting_to_list;
  record(error);
  const int code = error.status.code();
  return code == 429 || code >= 500 ? State::waiting_to_watch : State::waiting_to_list;
}

std::string Reflector::described() const {
  return options_.resource.to_string() +
         (options_.namespace_name.empty() ? "" : " in " + options_.namespace_name);
}

std::optional<Error> Reflector::problem() const {
  const std::lock_guard lock(mutex_);
  return problem_;
}

std::string Reflector::resource_version() const {
  const std::lock_guard lock(mutex_);
  return version_;
}

void Reflector::record(const ApiError& problem) {
  log::warning("a list or watch failed and will be retried", {{"of", described()}, {"why", problem.message}});
  {
    const std::lock_guard lock(mutex_);
    problem_ = problem;
  }
  mirror_.failed(problem);
}

void Reflector::record_success() {
  const std::lock_guard lock(mutex_);
  problem_.reset();
}

void Reflector::record_version(std::string version) {
  const std::lock_guard lock(mutex_);
  version_ = std::move(version);
}

void Reflector::wait(std::chrono::nanoseconds time, const std::stop_token& stop) {
  clock_.wait_until(clock_.steady() + time, stop);
}

bool Reflector::is_served() const {
  const std::lock_guard lock(mutex_);
  return served_;
}

/// Records whether the kind is served. A kind that is not served has no objects: they were deleted with its
/// CRD.
void Reflector::record_served(bool served) {
  const std::lock_guard lock(mutex_);
  if (served && !served_) log::info("a kind is served now", {{"resource", options_.resource.to_string()}});
  served_ = served;
  if (served) return;
  version_.clear();
  problem_.reset();
}

std::string Reflector::relist_version() const {
  switch (list_version_) {
    case ListVersion::nothing:
      return "0";
    case ListVersion::version:
      return resource_version();
    case ListVersion::expired:
      return "";
  }
  return "";
}

ApiResult<void> Reflector::list_at(const std::string& version, const std::stop_token& stop) {
  ListOptions options{.labels = options_.labels, .fields = options_.fields, .resource_version = version};
  // A server answers a list that names a version from memory only where it may answer in one piece.
  const bool in_pages = version.empty() || version == "0" || cache_paginates_;
  options.limit = in_pages ? options_.page_size : 0;
  const auto limits = [&] { return Limits::within(clock_, options_.timings.list_timeout, stop); };
  const auto take = [this](k8s::Dynamic object) -> Result<void> {
    if (object.name().empty() || object.resource_version().empty()) {
      return fail(ErrorCode::unavailable, "an item of the server's list has no name or no resourceVersion");
    }
    if (auto checked = check(object); !checked) return checked;
    mirror_.list_object(std::move(object));
    return {};
  };
  mirror_.begin_list();
  for (bool first_page = true;; first_page = false) {
    auto page = client_->list_each(options_.resource, options_.namespace_name, options, take, limits(),
                                   options_.content);
    if (!page && page.error().is_expired() && !options.continue_token.empty()) {
      mirror_.begin_list();
      options.limit = 0;
      options.continue_token.clear();
      page = client_->list_each(options_.resource, options_.namespace_name, options, take, limits(),
                                options_.content);
    }
    if (!page) return std::unexpected(std::move(page.error()));
    if (page->continue_token.empty()) {
      if (page->resource_version.empty()) {
        return std::unexpected(
            ApiError({ErrorCode::unavailable,
                      "listing " + described() + ": the server's list has no resourceVersion"}));
      }
      if (version == "0" && !first_page) cache_paginates_ = true;
      record_version(std::move(page->resource_version));
      return {};
    }
    options.continue_token = std::move(page->continue_token);
  }
}

Reflector::Watched Reflector::watch(State state, const std::string& version, const std::stop_token& stop) {
  const bool initial_events = state == State::streaming;
  const ReflectorTimings& timings = options_.timings;
  const auto span =
      std::chrono::duration<double, std::milli>(timings.max_watch_timeout - timings.min_watch_timeout);
  const auto timeout =
      timings.min_watch_timeout + std::chrono::duration_cast<std::chrono::milliseconds>(span * random_());
  WatchOptions options{.labels = options_.labels,
                       .fields = options_.fields,
                       .resource_version = version,
                       .initial_events = initial_events ? std::optional(true) : std::nullopt,
                       .timeout = std::chrono::ceil<std::chrono::seconds>(timeout)};
  Watched watched{.state = state};
  if (initial_events) mirror_.begin_list();
  const SteadyTime began = clock_.steady();
  watched.result = client_->watch(
      options_.resource, options_.namespace_name, options,
      [&](WatchEvent event) { return take(std::move(event), watched); },
      Limits::within(clock_, timeout + timings.watch_timeout_margin, stop), options_.content);
  watched.lasted = clock_.steady() - began;
  return watched;
}

/// Checks the namespace: an object of another namespace would belong to another watch of the same informer.
Result<void> Reflector::check(const k8s::Dynamic& object) const {
  if (options_.namespace_name.empty() || object.namespace_name() == options_.namespace_name) return {};
  return fail(ErrorCode::invalid, "the server has sent " + object.key().to_string() + " for namespace " +
                                      options_.namespace_name);
}

Result<void> Reflector::take(WatchEvent event, Watched& watched) {
  if (event.type != WatchEvent::Type::bookmark) {
    if (auto checked = check(event.object); !checked) return checked;
  }
  ++watched.events;
  std::string version(event.object.resource_version());
  if (watched.state == State::streaming) {
    if (event.ends_initial_events()) {
      watched.state = State::watching;
      end_list();
      mirror_.advance(version);
      record_version(std::move(version));
      record_success();
    } else if (event.type == WatchEvent::Type::deleted) {
      mirror_.unlist_object(event.object);
    } else if (event.type != WatchEvent::Type::bookmark) {
      mirror_.list_object(std::move(event.object));
    }
  } else {
    if (event.type != WatchEvent::Type::bookmark) mirror_.apply(std::move(event));
    mirror_.advance(version);
    record_version(std::move(version));
    if (watched.events == 1) record_success();
  }
  return {};
}

void Reflector::end_list() {
  list_version_ = ListVersion::version;
  has_listed_ = true;
  record_served(true);  // before its objects are seen
  mirror_.end_list();
}

}  // namespace fairway::kube
