// SPDX-License-Identifier: Apache-2.0

#include "conversion/internal/migration/definition_monitor.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/text.h"
#include "k8s/equality.h"

namespace fairway::conversion {

namespace {

using k8s::CustomResourceDefinition;

/// Poll interval for a definition that cannot be watched or whose watch ended, and the timeouts of a watch.
constexpr std::chrono::seconds read_every{10}, watch_timeout{300}, longest_watch{310};

const k8s::GroupVersionResource& definitions() {
  static const auto resource = CustomResourceDefinition::resource.group_version_resource();
  return resource;
}

bool serves(const CustomResourceDefinition& definition, const std::string& version) {
  const auto versions = definition.versions();
  return std::ranges::any_of(versions,
                             [&](const auto& one) { return one.name() == version && one.served(); });
}

bool same_conversion(const CustomResourceDefinition& a, const CustomResourceDefinition& b) {
  const json::Value* of_a = a.find("spec.conversion");
  const json::Value* of_b = b.find("spec.conversion");
  if (of_a == nullptr || of_b == nullptr) return of_a == of_b;
  return k8s::equal(*of_a, *of_b);
}

/// Returns whether versions are served and stored in both as in the other.
bool same_versions(const CustomResourceDefinition& a, const CustomResourceDefinition& b) {
  return std::ranges::equal(a.versions(), b.versions(), [](const auto& one, const auto& other) {
    return one.name() == other.name() && one.served() == other.served() && one.storage() == other.storage();
  });
}

/// Returns whether nothing of the target can have changed between the two.
bool has_same_target(const CustomResourceDefinition& checked, const CustomResourceDefinition& now,
                     const std::string& new_version) {
  if (now.uid() != checked.uid() || now.is_being_deleted()) return false;
  if (now.generation() < checked.generation()) return true;  // an event from before the last read
  if (now.storage_version() != new_version) return false;
  if (now.generation() == checked.generation()) return true;
  return now.generation() == checked.generation() + 1 && same_versions(checked, now);
}

std::string describe(const CustomResourceDefinition& checked, const CustomResourceDefinition& now,
                     const std::string& new_version) {
  if (now.uid() != checked.uid()) return "it was deleted and created again";
  if (now.is_being_deleted()) return "it is being deleted";
  if (now.storage_version() != new_version)
    return "its storage version is " + printable(now.storage_version(), 80);
  if (serves(checked, new_version) && !serves(now, new_version)) return new_version + " is no longer served";
  if (!same_conversion(checked, now)) return "its conversion is another one";
  return "its generation is " + std::to_string(now.generation()) + " and not " +
         std::to_string(checked.generation());
}

}  // namespace

std::optional<Error> definition_change(const CustomResourceDefinition& checked, const k8s::Dynamic* now,
                                       const std::string& new_version) {
  std::string what = "it was deleted";
  if (now != nullptr) {
    const CustomResourceDefinition definition(now->json());
    if (has_same_target(checked, definition, new_version)) return std::nullopt;
    what = describe(checked, definition, new_version);
  }
  return Error{ErrorCode::conflict, std::string(checked.name()) + " has changed since it was checked (" +
                                        what + "): the migration has to begin again"};
}

DefinitionMonitor::DefinitionMonitor(kube::Client& client, CustomResourceDefinition checked,
                                     std::string new_version, const std::stop_token& stop)
    : client_(client),
      name_(checked.name()),
      new_version_(std::move(new_version)),
      on_stop_(stop, [this] { source_.request_stop(); }),
      checked_(std::move(checked)),
      version_(checked_.resource_version()),
      thread_([this](const std::stop_token& ended) {
        const std::stop_callback on_end(ended, [this] { source_.request_stop(); });
        watch();
      }) {}

std::optional<Error> DefinitionMonitor::change() const {
  const std::lock_guard lock(mutex_);
  return change_;
}

k8s::CustomResourceDefinition DefinitionMonitor::last_seen() const {
  const std::lock_guard lock(mutex_);
  return checked_;
}

void DefinitionMonitor::record(const k8s::Dynamic* now) {
  {
    const std::lock_guard lock(mutex_);
    auto change = definition_change(checked_, now, new_version_);
    if (!change) {
      if (now->generation() > checked_.generation()) checked_ = CustomResourceDefinition(now->json());
      return;
    }
    if (!change_) change_ = std::move(change);
  }
  source_.request_stop();
}

std::optional<Error> DefinitionMonitor::read() {
  const auto now =
      client_.get(definitions(), {.namespace_name = {}, .name = name_}, {}, Limits{.stop = token()});
  if (now) {
    record(&*now);
    const std::lock_guard lock(mutex_);
    version_ = now->resource_version();
  } else if (now.error().is_not_found()) {
    record(nullptr);
  }
  return change();
}

kube::ApiResult<void> DefinitionMonitor::watch_from(std::string& version) {
  kube::WatchOptions options;
  options.fields = k8s::FieldSelector({{.path = "metadata.name", .value = name_}});
  options.resource_version = version;
  options.timeout = watch_timeout;
  return client_.watch(
      definitions(), "", options,
      [&](const kube::WatchEvent& event) -> Result<void> {
        version = event.object.resource_version();
        if (event.type == kube::WatchEvent::Type::bookmark || event.object.name() != name_) return {};
        const bool deleted = event.type == kube::WatchEvent::Type::deleted;
        record(deleted ? nullptr : &event.object);
        return {};
      },
      Limits::within(client_.clock(), longest_watch, token()));
}

void DefinitionMonitor::watch() {
  const std::stop_token stop = token();
  Clock& clock = client_.clock();
  bool at_once = true;  // the first failure may be a version that the server has forgotten
  while (!stop.stop_requested()) {
    std::string version;
    {
      const std::lock_guard lock(mutex_);
      version = version_;
    }
    const SteadyTime began = clock.steady();
    const auto ended = watch_from(version);
    if (stop.stop_requested()) return;
    const bool lasted = clock.steady() - began >= read_every;
    if (ended && lasted) {  // as servers end watches
      const std::lock_guard lock(mutex_);
      version_ = std::move(version);
      continue;
    }
    if (!at_once && !lasted && !clock.wait_until(clock.steady() + read_every, stop)) return;
    at_once = lasted;
    read();
  }
}

}  // namespace fairway::conversion
