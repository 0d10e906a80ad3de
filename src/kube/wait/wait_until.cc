// SPDX-License-Identifier: Apache-2.0

#include "kube/wait/wait_until.h"

#include <algorithm>
#include <stop_token>
#include <thread>

#include "kube/client/discovery.h"
#include "kube/internal/client/placement.h"
#include "kube/internal/informer/reflector.h"

namespace fairway::kube {

namespace {

/// Returns whether a retry cannot help.
bool is_final(const ApiError& error) {
  const int code = error.status.code();
  return code == 400 || code == 401 || code == 403 || code == 405 || code == 422;
}

/// Returns the reason why a kind that was answered with 404 may have the object nevertheless; std::nullopt:
/// discovery says that the server does not serve it. `invalid`: the key does not fit the kind.
std::optional<Error> doubt_absence(Client& client, const k8s::GroupVersionResource& resource,
                                   const k8s::Key& key, const Limits& limits) {
  const char* not_known = "whether the server serves the kind is not known: ";
  const auto served = discover(client, {}, limits);
  if (!served) return Error{ErrorCode::unavailable, not_known + served.error().message};
  const k8s::DiscoveredGroup* group = served->discovery.find(resource.group);
  if (group == nullptr) return std::nullopt;
  for (const k8s::DiscoveredVersion& version : group->versions) {
    const auto found =
        std::ranges::find(version.resources, resource.resource, &k8s::DiscoveredResource::name);
    if (found == version.resources.end()) continue;
    const k8s::ApiResource kind({group->name, version.version, found->response_kind.kind}, found->name,
                                found->scope);
    if (auto checked = check_key(kind, key); !checked) return checked.error();
    return Error{ErrorCode::unavailable, "the server says 404 for it, but in discovery that it serves " +
                                             kind.group_version_resource().to_string()};
  }
  for (const auto& [version, why] : served->unavailable) {
    if (version.group == resource.group) return Error{ErrorCode::unavailable, not_known + why.message};
  }
  return std::nullopt;
}

/// The state of one object, and the predicate's verdict on it.
class Observed final : public Mirror {
 public:
  /// Creates it without an object. `doubt_absence` is called when the server says 404 for a kind that it has
  /// not listed yet.
  Observed(const k8s::Key& key, const WaitCondition& predicate, std::stop_source& end,
           std::function<std::optional<Error>()> doubt_absence, const OnWaitProblem& on_problem)
      : key_(key),
        predicate_(predicate),
        end_(end),
        doubt_absence_(std::move(doubt_absence)),
        on_problem_(on_problem) {}

  void begin_list() override { listed_.reset(); }
  void list_object(k8s::Dynamic object) override {
    if (lacks_namespace(object)) return refuse_key();
    if (object.key() == key_) listed_ = std::move(object);
  }
  void unlist_object(const k8s::Dynamic& object) override {
    if (object.key() == key_) listed_.reset();
  }
  void end_list() override {
    listed_once_ = true;
    if (settled() || refused_) return;
    now_ = std::exchange(listed_, std::nullopt);
    judge();
  }
  void not_served() override {
    if (settled() || refused_) return;
    now_.reset();
    if (listed_once_) return judge();
    auto verdict = predicate_(nullptr);
    const bool would_end = verdict.state != k8s::Readiness::State::waiting;
    if (would_end || !not_served_) {
      const auto doubt = doubt_absence_();
      if (end_.stop_requested()) return;
      not_served_ = !doubt;
      if (doubt && doubt->code == ErrorCode::invalid) return refuse(*doubt);
      if (doubt && would_end) verdict = k8s::Readiness::waiting("there is no such object");
      doubt_ = doubt ? doubt->message : "";
    }
    verdict_ = std::move(verdict);
    if (settled()) end_.request_stop();
  }
  void apply(WatchEvent event) override {
    if (settled() || refused_) return;
    if (lacks_namespace(event.object)) return refuse_key();
    if (event.object.key() != key_) return;
    if (event.type == WatchEvent::Type::deleted) {
      now_.reset();
    } else {
      now_ = std::move(event.object);
    }
    judge();
  }
  void failed(const ApiError& error) override {
    if (settled() || refused_) return;
    // Whether refused credentials are waited for is for the caller to say, before the first list, too.
    const bool is_asked = on_problem_ && (error.status.code() == 401 || error.status.code() == 403);
    if (!verdict_ && is_final(error) && !is_asked) return refuse(error);
    if (!on_problem_) return;
    if (auto why = on_problem_(error)) refuse(*std::move(why));
  }

  /// Returns the verdict; std::nullopt: nothing was seen.
  const std::optional<k8s::Readiness>& verdict() const { return verdict_; }
  const std::optional<Error>& refused() const { return refused_; }
  /// Returns the reason why it is not certain that the kind is not served; empty: it is certain.
  const std::string& doubt() const { return doubt_; }
  std::optional<k8s::Dynamic> take() { return std::move(now_); }

 private:
  /// Returns whether the kind is namespaced and the key has no namespace. Then the key can match no object,
  /// and an existing one would seem absent.
  bool lacks_namespace(const k8s::Dynamic& object) const {
    return key_.namespace_name.empty() && object.name() == key_.name && !object.namespace_name().empty();
  }
  void refuse_key() {
    refuse({ErrorCode::invalid, "the kind is namespaced: the object's namespace is missing"});
  }
  void refuse(Error error) {
    refused_ = std::move(error);
    end_.request_stop();
  }
  /// Returns whether the wait has ended; later events are ignored.
  bool settled() const { return verdict_ && verdict_->state != k8s::Readiness::State::waiting; }
  void judge() {
    verdict_ = predicate_(now_ ? &*now_ : nullptr);
    if (settled()) end_.request_stop();
  }

  const k8s::Key& key_;
  const WaitCondition& predicate_;
  std::stop_source& end_;
  const std::function<std::optional<Error>()> doubt_absence_;
  const OnWaitProblem& on_problem_;
  std::optional<k8s::Dynamic> listed_, now_;
  bool listed_once_ = false;
  /// True if the last discovery confirmed that the kind is not served.
  bool not_served_ = false;
  std::string doubt_;
  std::optional<k8s::Readiness> verdict_;
  std::optional<Error> refused_;
};

/// Returns "; last seen: 2 of 3 replicas are updated; the server: connection refused".
std::string last_seen(const Observed& observed, const Reflector& reflector) {
  std::string text;
  if (observed.verdict()) {
    text += "; last seen: " + observed.verdict()->reason;
    if (!reflector.is_served())
      text +=
          " (" + (observed.doubt().empty() ? "the server does not serve the kind" : observed.doubt()) + ")";
  } else {
    text += "; nothing was seen of it";
  }
  if (const auto problem = reflector.problem()) text += "; current problem: " + problem->message;
  return text;
}

}  // namespace

Result<std::optional<k8s::Dynamic>> wait_until(const std::shared_ptr<Client>& client,
                                               const k8s::GroupVersionResource& resource, const k8s::Key& key,
                                               const WaitCondition& predicate, const Limits& limits,
                                               const OnWaitProblem& on_problem) {
  const std::string what = "waiting for " + resource.to_string() + " " + key.to_string();
  if (key.name.empty()) return fail(ErrorCode::invalid, what + ": the object's name is missing");
  std::stop_source end;
  Observed observed(
      key, predicate, end, [&] { return doubt_absence(*client, resource, key, {.stop = end.get_token()}); },
      on_problem);
  Reflector reflector(client,
                      {.resource = resource,
                       .namespace_name = key.namespace_name,
                       .fields = k8s::FieldSelector({{.path = "metadata.name", .value = key.name}}),
                       .most_recent = true,
                       .if_served = true},
                      observed);
  {
    const std::stop_callback on_stop(limits.stop, [&end] { end.request_stop(); });
    std::jthread deadline;
    if (limits.has_deadline()) {
      deadline = std::jthread([&](const std::stop_token& over) {
        if (client->clock().wait_until(limits.deadline, over)) end.request_stop();
      });
    }
    reflector.run(end.get_token());
  }
  if (observed.refused()) return fail(observed.refused()->within(what));
  if (observed.verdict() && observed.verdict()->is_ready()) return observed.take();
  if (observed.verdict() && observed.verdict()->has_failed()) {
    return fail(ErrorCode::conflict, what + ": failed: " + observed.verdict()->reason);
  }
  if (limits.stop.stop_requested()) {
    return fail(ErrorCode::cancelled, what + ": stopped" + last_seen(observed, reflector));
  }
  return fail(ErrorCode::deadline_exceeded,
              what + ": the deadline has passed" + last_seen(observed, reflector));
}

Result<std::optional<k8s::Dynamic>> wait_until(const std::shared_ptr<Client>& client,
                                               const k8s::ApiResource& kind, const k8s::Key& key,
                                               const WaitCondition& predicate, const Limits& limits,
                                               const OnWaitProblem& on_problem) {
  const auto resource = kind.group_version_resource();
  if (auto checked = check_key(kind, key); !checked) {
    return fail(checked.error().within("waiting for " + resource.to_string() + " " + key.to_string()));
  }
  return wait_until(client, resource, key, predicate, limits, on_problem);
}

WaitCondition is_ready() {
  return [](const k8s::Dynamic* object) {
    return object != nullptr ? k8s::readiness(*object) : k8s::Readiness::waiting("there is no such object");
  };
}

WaitCondition is_deleted(std::string uid) {
  return [uid = std::move(uid)](const k8s::Dynamic* object) {
    if (object == nullptr || (!uid.empty() && object->uid() != uid)) return k8s::Readiness::ready();
    if (!object->is_being_deleted()) return k8s::Readiness::waiting("the object is not being deleted");
    std::string text = "the object is being deleted";
    const char* separator = "; its finalizers: ";
    for (const std::string_view finalizer : object->finalizers()) {
      text.append(separator).append(finalizer);
      separator = ", ";
    }
    return k8s::Readiness::waiting(std::move(text));
  };
}

}  // namespace fairway::kube
