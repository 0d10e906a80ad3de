#include "kube/informer/internal/reflector.h"

#include <algorithm>

#include "base/log.h"

namespace fairway::kube {

namespace {

/// The server is behind the version that was asked for: 504 with a cause, which some servers leave out.
bool is_version_too_large(const ApiError& error) {
  return error.is_answer() &&
         (error.status.has_cause(k8s::cause::resource_version_too_large) ||
          (error.is(k8s::reason::timeout) &&
           error.status.message().find("Too large resource version") != std::string_view::npos));
}

}  // namespace

/// How a watch went.
struct Reflector::Watched {
  ApiResult<void> result;
  std::size_t events = 0;
  std::chrono::nanoseconds lasted{0};
  enum class Phase {
    initial_events,    ///< objects that existed at the beginning
    initial_complete,  ///< changes, after the initial events
    changes,           ///< changes: initial events were not asked for
  };
  Phase phase = Phase::changes;
};

Reflector::Reflector(std::shared_ptr<Client> client, ReflectorOptions options, Mirror& mirror)
    : client_(std::move(client)),
      options_(std::move(options)),
      mirror_(mirror),
      clock_(client_->clock()),
      random_(options_.random ? options_.random : system_random()),
      backoff_(options_.timings.backoff, clock_, random_),
      known_(options_.most_recent ? Known::expired : Known::nothing),
      streaming_list_(options_.streaming_list) {}

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

void Reflector::note(const ApiError& problem) {
  log::warning("a list or watch failed and will be retried", {{"of", described()}, {"why", problem.message}});
  {
    const std::lock_guard lock(mutex_);
    problem_ = problem;
  }
  mirror_.failed(problem);
}

void Reflector::note_success() {
  const std::lock_guard lock(mutex_);
  problem_.reset();
}

void Reflector::note_version(std::string version) {
  const std::lock_guard lock(mutex_);
  version_ = std::move(version);
}

void Reflector::wait(const std::stop_token& stop) {
  clock_.wait_until(clock_.steady() + backoff_.next(), stop);
}

void Reflector::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    list_and_watch(stop);
    if (stop.stop_requested()) return;
    if (is_served()) {
      wait(stop);
    } else {
      clock_.wait_until(clock_.steady() + options_.timings.served_check_interval, stop);
    }
  }
}

bool Reflector::is_served() const {
  const std::lock_guard lock(mutex_);
  return served_;
}

/// A kind that is not served has no objects: those that were there went with its CRD.
void Reflector::note_served(bool served) {
  {
    const std::lock_guard lock(mutex_);
    if (!served) {
      version_.clear();
      problem_.reset();
    }
    if (served_ == served) {
      if (served) return;
    } else {
      log::info(served ? "a kind is served now" : "a kind is not served yet; waiting for its CRD",
                {{"resource", options_.resource.to_string()}});
    }
    served_ = served;
  }
  if (served) return;
  // A server that is behind may still have the kind as it was before.
  known_ = Known::expired;
  mirror_.not_served();
}

void Reflector::list_and_watch(const std::stop_token& stop) {
  std::optional<Next> next;
  if (streaming_list_) next = list_by_watch(stop);
  if (!next) {
    if (auto listed = list(stop); !listed) {
      if (stop.stop_requested()) return;
      if (!options_.if_served || listed.error().status.code() != 404) return note(listed.error());
      note_served(false);
      return;
    }
    next = Next::watch;
  }
  while (next == Next::watch || next == Next::wait_and_watch) {
    if (next == Next::wait_and_watch) wait(stop);
    if (stop.stop_requested()) return;
    next = after(watch(resource_version(), Begin::at_version, stop), stop);
  }
}

std::string Reflector::relist_version() const {
  switch (known_) {
    case Known::nothing:
      return "0";
    case Known::version:
      return resource_version();
    case Known::expired:
      return "";
  }
  return "";
}

ApiResult<void> Reflector::list(const std::stop_token& stop) {
  auto listed = list_at(relist_version(), stop);
  if (!listed && (listed.error().is_expired() || is_version_too_large(listed.error()))) {
    known_ = Known::expired;
    listed = list_at("", stop);
  }
  if (!listed) return listed;
  known_ = Known::version;
  note_served(true);  // before its objects are seen
  mirror_.end_list();
  mirror_.advance(resource_version());
  note_success();
  return {};
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
      note_version(std::move(page->resource_version));
      return {};
    }
    options.continue_token = std::move(page->continue_token);
  }
}

std::optional<Reflector::Next> Reflector::list_by_watch(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const std::string version = relist_version();
    const Watched watched = watch(version == "0" ? "" : version, Begin::with_initial_events, stop);
    if (watched.phase == Watched::Phase::initial_complete) return after(watched, stop);
    if (stop.stop_requested()) break;
    // The initial events never ended: the server ignores the option.
    streaming_list_ = !watched.result && watched.result.error().code != ErrorCode::deadline_exceeded;
    if (!streaming_list_) return std::nullopt;
    const ApiError& error = watched.result.error();
    if ((error.is_expired() || is_version_too_large(error)) && known_ != Known::expired) {
      known_ = Known::expired;
      continue;
    }
    const int code = error.status.code();
    // A server that cannot do it for want of something (etcd older than 3.4.31, say) answers 500, and can
    // list.
    if (code == 429 || (!error.is_answer() && error.code == ErrorCode::unavailable)) {
      note(error);
      return Next::wait_and_list;
    }
    streaming_list_ = code != 400 && code != 422;
    return std::nullopt;
  }
  return Next::stop;
}

Reflector::Watched Reflector::watch(const std::string& version, Begin begin, const std::stop_token& stop) {
  const bool initial_events = begin == Begin::with_initial_events;
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
  Watched watched;
  if (initial_events) {
    watched.phase = Watched::Phase::initial_events;
    mirror_.begin_list();
  }
  const SteadyTime began = clock_.steady();
  watched.result = client_->watch(
      options_.resource, options_.namespace_name, options,
      [&](WatchEvent event) { return take(std::move(event), watched); },
      Limits::within(clock_, timeout + timings.watch_timeout_margin, stop), options_.content);
  watched.lasted = clock_.steady() - began;
  return watched;
}

/// An object of another namespace would belong to another watch of the same informer.
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
  if (watched.phase == Watched::Phase::initial_events) {
    if (event.ends_initial_events()) {
      watched.phase = Watched::Phase::initial_complete;
      known_ = Known::version;
      note_served(true);
      mirror_.end_list();
      mirror_.advance(version);
      note_version(std::move(version));
      note_success();
    } else if (event.type == WatchEvent::Type::deleted) {
      mirror_.unlist_object(event.object);
    } else if (event.type != WatchEvent::Type::bookmark) {
      mirror_.list_object(std::move(event.object));
    }
  } else {
    if (event.type != WatchEvent::Type::bookmark) mirror_.apply(std::move(event));
    mirror_.advance(version);
    note_version(std::move(version));
    if (watched.events == 1) note_success();
  }
  return {};
}

Reflector::Next Reflector::after(const Watched& watched, const std::stop_token& stop) {
  if (stop.stop_requested()) return Next::stop;
  const bool went_well = watched.events > 0 || watched.lasted >= options_.timings.short_watch;
  if (watched.result) return went_well ? Next::watch : Next::wait_and_watch;
  const ApiError& error = watched.result.error();
  if (!error.is_answer()) {
    // The time that we gave it is over, as is that which we gave the server.
    if (error.code == ErrorCode::deadline_exceeded && went_well) return Next::watch;
    const bool garbled = error.code == ErrorCode::invalid || error.code == ErrorCode::too_large;
    if (garbled) return note(error), Next::wait_and_list;
    if (went_well) return Next::watch;
    return note(error), Next::wait_and_watch;
  }
  if (error.is_expired() || is_version_too_large(error)) return Next::wait_and_list;
  note(error);
  const int code = error.status.code();
  return code == 429 || code >= 500 ? Next::wait_and_watch : Next::wait_and_list;
}

}  // namespace fairway::kube
