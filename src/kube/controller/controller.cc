// SPDX-License-Identifier: Apache-2.0

#include "kube/controller/controller.h"

#include <exception>
#include <set>
#include <thread>

#include "base/log_level.h"
#include "base/random.h"

namespace fairway::kube {

namespace {

double seconds(std::chrono::nanoseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

/// Returns the reason that `text` makes, if the log has lines for it.
template <class Text>
Reasons reason(Text text) {
  return log::is_enabled(log::Level::debug) ? Reasons(text()) : Reasons();
}

/// Returns "2.500 s".
std::string shown(std::chrono::nanoseconds duration) {
  const auto whole = std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
  const std::string rest = std::to_string(1000 + whole % 1000);
  return std::to_string(whole / 1000) + "." + rest.substr(1) + " s";
}

}  // namespace

std::vector<Key> owner_keys(const k8s::Dynamic& object, const k8s::Resource& owner) {
  const auto controller = object.controller();
  if (!controller || controller->kind() != owner.kind) return {};
  const auto version = k8s::GroupVersion::parse(controller->api_version());
  if (!version || version->group != owner.group) return {};
  const bool namespaced = owner.scope == k8s::Scope::namespaced;
  return {Key{namespaced ? std::string(object.namespace_name()) : "", std::string(controller->name())}};
}

Controller::Controller(ControllerSettings settings, const Environment& environment,
                       std::vector<Source> sources, Reconcile reconcile, std::vector<Trigger> triggers)
    : settings_(std::move(settings)),
      environment_(environment),
      sources_(std::move(sources)),
      triggers_(std::move(triggers)),
      reconcile_(std::move(reconcile)),
      metrics_(environment.registry, settings_.name),
      queue_(settings_.name, environment.clock(), environment.registry, settings_.retries) {
  metrics_.max_concurrent.set(settings_.workers);
}

/// Queues the keys of the objects, each once: a worker may take the first before the last is known.
void Controller::add_all(const Source& source, std::initializer_list<const k8s::Dynamic*> objects,
                         Queue::Lane lane, std::string_view event) {
  std::set<Key> keys;
  try {
    for (const k8s::Dynamic* object : objects) {
      for (Key& key : source.keys(*object)) keys.insert(std::move(key));
    }
  } catch (const std::exception& thrown) {
    // A fault of the program. Its keys are unknown; the informer must continue for other handlers.
    metrics_.exceptions.add();
    log::error("finding whom a change concerns failed", {{"controller", settings_.name},
                                                         {"changed", (*objects.begin())->key().to_string()},
                                                         {"error", thrown.what()}});
  }
  const k8s::Dynamic& object = **objects.begin();
  const Reasons why = reason(
      [&] { return std::string(object.kind()) + " " + object.key().to_string() + " " + std::string(event); });
  for (const Key& key : keys) add(key, lane, why);
}

void Controller::add(const Key& key, Queue::Lane lane, const Reasons& why) {
  // Of a namespace that is none of this controller's: an owned object may be watched in more of them.
  if (!sources_.front().informer.watches(key.namespace_name)) return;
  if (lane == Queue::Lane::changed && settings_.debounce > std::chrono::nanoseconds(0))
    return queue_.add_debounced(key, settings_.debounce, why);
  queue_.add(key, lane, why);
}

void Controller::enqueue_all(std::string_view text) {
  const Reasons why = reason([&] { return std::string(text); });
  for (const SharedObject& object : sources_.front().informer.cached())
    queue_.add(object->key(), Queue::Lane::background, why);
}

HandlerId Controller::subscribe(Source& source) {
  Handler handler;
  handler.added = [this, &source](const SharedObject& object, bool initial) {
    if (!source.predicate.on_created(*object)) return;
    add_all(source, {object.get()}, initial ? Queue::Lane::background : Queue::Lane::changed,
            initial ? "was there at the start" : "was created");
  };
  handler.updated = [this, &source](const SharedObject& before, const SharedObject& now) {
    if (!source.predicate.on_updated(*before, *now)) return;
    // A resync, as in controller-runtime: what has changed goes before it.
    const bool changed = resource_version_changed(*before, *now);
    add_all(source, {before.get(), now.get()}, changed ? Queue::Lane::changed : Queue::Lane::background,
            changed ? "has changed" : "was listed again");
  };
  handler.deleted = [this, &source](const SharedObject& last) {
    if (source.predicate.on_deleted(*last))
      add_all(source, {last.get()}, Queue::Lane::changed, "was deleted");
  };
  return source.informer.add_untyped_handler(std::move(handler));
}

void Controller::run(const std::stop_token& stop) {
  std::vector<HandlerId> handlers;
  handlers.reserve(sources_.size());
  for (Source& source : sources_) handlers.push_back(subscribe(source));
  std::vector<std::shared_ptr<void>> listening;
  listening.reserve(triggers_.size());
  for (const Trigger& trigger : triggers_) {
    listening.push_back(trigger.listen([this](const Key* key) {
      const Reasons why = reason(
          [&] { return std::string(key != nullptr ? "a trigger named it" : "a trigger named all objects"); });
      if (key != nullptr) return add(*key, Queue::Lane::changed, why);
      for (const SharedObject& object : sources_.front().informer.cached())
        add(object->key(), Queue::Lane::changed, why);
    }));
  }
  {
    std::vector<std::jthread> threads;
    for (int worker = 0; worker < settings_.workers; ++worker) threads.emplace_back([&] { work(stop); });
    if (settings_.resync > std::chrono::nanoseconds(0)) threads.emplace_back([&] { resync(stop); });
    const std::stop_callback on_stop(stop, [this] { queue_.shut_down(); });
    for (std::jthread& thread : threads) thread.join();
  }
  listening.clear();
  for (std::size_t i = 0; i < sources_.size(); ++i) sources_[i].informer.remove_handler(handlers[i]);
}

void Controller::resync(const std::stop_token& stop) {
  const Random random = system_random();
  Clock& clock = environment_.clock();
  while (true) {
    const std::chrono::duration<double, std::nano> pause =
        std::chrono::duration<double, std::nano>(settings_.resync) * (0.9 + 0.2 * random());
    clock.wait_until(clock.steady() + std::chrono::duration_cast<SteadyTime::duration>(pause), stop);
    if (stop.stop_requested()) return;
    enqueue_all("resync");
  }
}

void Controller::work(const std::stop_token& stop) {
  Reasons why;
  while (const auto key = queue_.get(&why)) {
    metrics_.active_workers.add(1);
    reconcile_key(*key, why, stop);
    queue_.done(*key);
    metrics_.active_workers.add(-1);
  }
}

/// Calls the reconcile. An exception in it is a bug: it is counted and becomes an error, so that the process
/// and the other objects go on.
Result<Requeue> Controller::call(const Context& context) {
  try {
    return reconcile_(context);
  } catch (const std::exception& thrown) {
    metrics_.exceptions.add();
    return fail(ErrorCode::internal, std::string("the reconcile threw: ") + thrown.what());
  } catch (...) {
    metrics_.exceptions.add();
    return fail(ErrorCode::internal, "the reconcile threw something that is no std::exception");
  }
}

void Controller::reconcile_key(const Key& key, const Reasons& why, const std::stop_token& stop) {
  const Context context(environment_, settings_.name, key, stop);
  if (log::is_enabled(log::Level::debug)) {
    const std::string text = why.text();
    context.debug("reconciling", {{"reason", text.empty() ? "it was queued at another log level" : text}});
  }
  const SteadyTime start = environment_.clock().steady();
  const Result<Requeue> result = call(context);
  metrics_.time.observe(seconds(environment_.clock().steady() - start));
  if (!result) {
    // A reconcile that the stop ended has not failed, and is not retried.
    if (stop.stop_requested() && result.error().code == ErrorCode::cancelled) return;
    metrics_.error.add();
    metrics_.errors.add();
    queue_.add_rate_limited(key, reason([] { return std::string("retry after an error"); }));
    return context.error("reconciling failed; it is tried again",
                         {{"failures", queue_.failures(key)},
                          {"code", std::string(to_string(result.error().code))},
                          {"error", result.error().message}});
  }
  switch (result->kind) {
    case Requeue::Kind::done:
      metrics_.success.add();
      return queue_.forget(key);
    case Requeue::Kind::after:
      metrics_.requeue_after.add();
      queue_.forget(key);
      return queue_.add_after(key, result->delay, reason([&] {
                                return "the reconcile asked for it, after " + shown(result->delay);
                              }));
    case Requeue::Kind::with_backoff:
      metrics_.requeue.add();
      return queue_.add_rate_limited(
          key, reason([] { return std::string("the reconcile asked for it, with backoff"); }));
    case Requeue::Kind::give_up:
      metrics_.error.add();
      metrics_.errors.add();
      metrics_.terminal_errors.add();
      queue_.forget(key);
      return context.error(
          "reconciling failed, and is not tried again until something changes",
          {{"code", std::string(to_string(result->error.code))}, {"error", result->error.message}});
  }
}

}  // namespace fairway::kube
