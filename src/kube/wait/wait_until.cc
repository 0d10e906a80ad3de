#include "kube/wait/wait_until.h"

#include <stop_token>
#include <thread>

#include "kube/informer/internal/reflector.h"

namespace fairway::kube {

namespace {

/// Whether a retry cannot help.
bool is_final(const ApiError& error) {
  const int code = error.status.code();
  return code == 400 || code == 401 || code == 403 || code == 405 || code == 422;
}

/// The state of one object, and what the predicate says about it.
class Observed final : public Mirror {
 public:
  Observed(const k8s::Key& key, const WaitCondition& predicate, std::stop_source& end)
      : key_(key), predicate_(predicate), end_(end) {}

  void begin_list() override { listed_.reset(); }
  void list_object(k8s::Dynamic object) override {
    if (lacks_namespace(object)) return refuse_key();
    if (object.key() == key_) listed_ = std::move(object);
  }
  void unlist_object(const k8s::Dynamic& object) override {
    if (object.key() == key_) listed_.reset();
  }
  void end_list() override {
    if (settled() || refused_) return;
    now_ = std::exchange(listed_, std::nullopt);
    judge();
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
    if (verdict_ || !is_final(error)) return;
    refused_ = error;
    end_.request_stop();
  }

  /// std::nullopt: nothing was seen.
  const std::optional<k8s::Readiness>& verdict() const { return verdict_; }
  const std::optional<Error>& refused() const { return refused_; }
  std::optional<k8s::Dynamic> take() { return std::move(now_); }

 private:
  /// Whether the kind is namespaced, and the key has no namespace: then no object is the one of that key, and
  /// one that is there would pass for absent.
  bool lacks_namespace(const k8s::Dynamic& object) const {
    return key_.namespace_name.empty() && object.name() == key_.name && !object.namespace_name().empty();
  }
  void refuse_key() {
    refused_ = Error{ErrorCode::invalid, "the kind is namespaced: the object's namespace is missing"};
    end_.request_stop();
  }
  /// Events that arrive after the end of the wait are ignored.
  bool settled() const { return verdict_ && verdict_->state != k8s::Readiness::State::waiting; }
  void judge() {
    verdict_ = predicate_(now_ ? &*now_ : nullptr);
    if (settled()) end_.request_stop();
  }

  const k8s::Key& key_;
  const WaitCondition& predicate_;
  std::stop_source& end_;
  std::optional<k8s::Dynamic> listed_, now_;
  std::optional<k8s::Readiness> verdict_;
  std::optional<Error> refused_;
};

/// "; last seen: 2 of 3 replicas are updated; the server: connection refused".
std::string last_seen(const Observed& observed, const Reflector& reflector) {
  std::string text;
  if (observed.verdict()) {
    text += "; last seen: " + observed.verdict()->reason;
    if (!reflector.is_served()) text += " (the server does not serve the kind)";
  } else {
    text += "; nothing was seen of it";
  }
  if (const auto problem = reflector.problem()) text += "; current problem: " + problem->message;
  return text;
}

}  // namespace

Result<std::optional<k8s::Dynamic>> wait_until(const std::shared_ptr<Client>& client,
                                               const k8s::GroupVersionResource& resource, const k8s::Key& key,
                                               const WaitCondition& predicate, const Limits& limits) {
  const std::string what = "waiting for " + resource.to_string() + " " + key.to_string();
  if (key.name.empty()) return fail(ErrorCode::invalid, what + ": the object's name is missing");
  std::stop_source end;
  Observed observed(key, predicate, end);
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
