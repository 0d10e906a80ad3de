// SPDX-License-Identifier: Apache-2.0

// Objects in memory, in their storage version, in place of a server.
#include <map>

#include "schema/defaults.h"
#include "schema/prune.h"
#include "testing/version_test.h"

namespace fairway::testing {

namespace {

class LocalObjects final : public VersionedObjects {
 public:
  LocalObjects(const conversion::Converters& converters, const k8s::CustomResourceDefinition& definition)
      : converters_(converters), definition_(definition), storage_(definition.storage_version()) {}

  Result<k8s::Dynamic> create(const k8s::Dynamic& object) override {
    if (stored_.contains(object.key())) {
      return fail(ErrorCode::conflict, object.key().to_string() + " exists already");
    }
    return store(object);
  }
  Result<k8s::Dynamic> get(std::string_view version, const k8s::Key& key) override {
    const auto found = stored_.find(key);
    if (found == stored_.end()) return fail(ErrorCode::not_found, key.to_string() + " does not exist");
    return read(found->second, version);
  }
  Result<k8s::Dynamic> replace(const k8s::Dynamic& object) override {
    const auto found = stored_.find(object.key());
    if (found == stored_.end())
      return fail(ErrorCode::not_found, object.key().to_string() + " does not exist");
    if (object.resource_version() != found->second.resource_version()) {
      return fail(ErrorCode::conflict, object.key().to_string() + " was written meanwhile");
    }
    return store(object);
  }
  Result<void> remove(std::string_view, const k8s::Key& key) override {
    if (stored_.erase(key) > 0) return {};
    return fail(ErrorCode::not_found, key.to_string() + " does not exist");
  }

 private:
  Result<k8s::Dynamic> convert(const k8s::Dynamic& object, std::string_view version) const {
    auto converted = converters_.convert(object, version);
    if (converted) prune_to(*converted, version);
    return converted;
  }
  /// Reads an object as from etcd: defaults of the storage version are filled in.
  Result<k8s::Dynamic> read(k8s::Dynamic stored, std::string_view version) const {
    if (auto filled = fill_in(stored, storage_); !filled) return fail(filled.error());
    return convert(stored, version);
  }
  Result<void> fill_in(k8s::Dynamic& object, std::string_view version) const {
    for (const k8s::CustomResourceVersion& one : definition_.versions()) {
      if (one.name() != version) continue;
      auto filled = schema::fill_in_defaults(object.json(), one.schema().json());
      if (!filled) return fail(filled.error());
    }
    return {};
  }
  void prune_to(k8s::Dynamic& object, std::string_view version) const {
    for (const k8s::CustomResourceVersion& one : definition_.versions()) {
      if (one.name() == version && !one.schema().json().empty())
        schema::prune(object.json(), one.schema().json());
    }
  }
  Result<k8s::Dynamic> store(k8s::Dynamic object) {
    const std::string version = object.group_version_kind().version;
    prune_to(object, version);
    if (auto filled = fill_in(object, version); !filled) return fail(filled.error());
    object.set_resource_version(std::to_string(++writes_));
    auto stored = convert(object, storage_);
    if (!stored) return stored;
    const k8s::Dynamic& kept = stored_[object.key()] = *std::move(stored);
    return read(kept, version);
  }

  const conversion::Converters& converters_;
  k8s::CustomResourceDefinition definition_;
  std::string storage_;
  std::map<k8s::Key, k8s::Dynamic> stored_;
  std::int64_t writes_ = 0;
};

}  // namespace

std::unique_ptr<VersionedObjects> local_objects(const conversion::Converters& converters,
                                                const k8s::CustomResourceDefinition& definition) {
  return std::make_unique<LocalObjects>(converters, definition);
}

}  // namespace fairway::testing
