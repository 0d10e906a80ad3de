// SPDX-License-Identifier: Apache-2.0

#include "testing/version_test.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text.h"
#include "k8s/equality.h"

namespace fairway::testing {

namespace {

/// The versions to go through, ascending.
Result<std::vector<std::string>> choose_versions(const CrdVersionTest& test) {
  std::vector<std::string> served;
  for (const std::string& name : test.definition.versions_by_priority()) {
    for (const k8s::CustomResourceVersion& version : test.definition.versions()) {
      if (version.name() == name && version.served()) served.push_back(name);
    }
  }
  std::ranges::reverse(served);
  if (served.empty()) return fail(ErrorCode::invalid, "the definition serves no version");
  const auto find = [&](const std::string& bound, const std::string& otherwise) {
    return std::ranges::find(served, bound.empty() ? otherwise : bound);
  };
  const auto first = find(test.min_version, served.front()), last = find(test.max_version, served.back());
  for (const auto& [at, bound] : {std::pair(first, test.min_version), std::pair(last, test.max_version)}) {
    if (at == served.end()) {
      return fail(ErrorCode::invalid,
                  "the bound " + bound + " is no version that is served; there are " + join(served, ", "));
    }
  }
  if (last < first) return fail(ErrorCode::invalid, *first + " is above " + *last + " by priority");
  return std::vector<std::string>(first, last + 1);
}

class Run {
 public:
  Run(const CrdVersionTest& test, VersionedObjects& objects) : test_(test), objects_(objects) {}

  Result<void> through(const std::vector<std::string>& versions) {
    const auto seed = test_.seed.group_version_kind();
    if (seed.version != versions.front()) {
      return fail(ErrorCode::invalid, "the seed is of version " + printable(seed.version, 80) +
                                          ", and must be of " + versions.front());
    }
    auto created = objects_.create(test_.seed);
    if (!created) return fail(created.error().within("creating the seed"));
    key_ = created->key();
    oldest_ = versions.front();
    Result<void> done = check(*created, "at " + versions.front());
    for (std::size_t i = 1; done && i < versions.size(); ++i) done = move(versions[i], "up at ");
    for (std::size_t i = versions.size() - 1; done && i-- > 0;) done = move(versions[i], "down at ");
    auto removed = objects_.remove(versions.front(), key_);
    if (done && !removed) return fail(removed.error().within("removing the object"));
    return done;
  }

 private:
  Result<void> check(const k8s::Dynamic& object, const std::string& where) {
    auto done = test_.test(object, objects_);
    if (!done) return fail(done.error().within(where));
    return {};
  }

  Result<void> move(const std::string& version, const std::string& where) {
    const auto object = objects_.get(version, key_);
    if (!object) return fail(object.error().within(where + version + ": reading"));
    auto written = objects_.replace(*object);
    if (!written) return fail(written.error().within(where + version + ": writing"));
    if (test_.with_old_client) {
      written = after_old_client(*written, version);
      if (!written) return fail(written.error().within(where + version));
    }
    return check(*written, where + version);
  }

  /// Has the old client write the object, and returns it as it is then.
  Result<k8s::Dynamic> after_old_client(const k8s::Dynamic& object, const std::string& version) {
    const std::string& old = oldest_;
    const std::string doing = "a client of " + old + " ";
    const auto read = objects_.get(old, key_);
    if (!read) return fail(read.error().within(doing + "reads"));
    if (auto replaced = objects_.replace(*read); !replaced)
      return fail(replaced.error().within(doing + "writes"));
    auto now = objects_.get(version, key_);
    if (!now) return fail(now.error().within("reading what " + doing + "has written"));
    const auto without_bookkeeping = [](const k8s::Dynamic& of) {
      k8s::Dynamic left(of.json());
      for (const char* field : {"resourceVersion", "generation", "managedFields"}) {
        left.erase("metadata." + std::string(field));
      }
      return left;
    };
    const k8s::Dynamic before = without_bookkeeping(object), after = without_bookkeeping(*now);
    if (!k8s::equal(json::Value(before.json()), json::Value(after.json()))) {
      return fail(ErrorCode::conflict, doing + "has written the object as it was, and it changed: from " +
                                           before.to_text() + " to " + after.to_text());
    }
    return now;
  }

  const CrdVersionTest& test_;
  VersionedObjects& objects_;
  k8s::Key key_;
  std::string oldest_;  ///< version of the old client
};

class ServerObjects final : public VersionedObjects {
 public:
  ServerObjects(std::shared_ptr<kube::Client> client, const k8s::CustomResourceDefinition& definition)
      : client_(std::move(client)), group_(definition.group()), plural_(definition.plural()) {}

  Result<k8s::Dynamic> create(const k8s::Dynamic& object) override {
    return plain(client_->create(resource(object.group_version_kind().version), object));
  }
  Result<k8s::Dynamic> get(std::string_view version, const k8s::Key& key) override {
    return plain(client_->get(resource(version), key));
  }
  Result<k8s::Dynamic> replace(const k8s::Dynamic& object) override {
    return plain(client_->replace(resource(object.group_version_kind().version), object));
  }
  Result<void> remove(std::string_view version, const k8s::Key& key) override {
    auto removed = client_->remove(resource(version), key);
    if (!removed) return fail(removed.error());
    return {};
  }

 private:
  k8s::GroupVersionResource resource(std::string_view version) const {
    return {group_, std::string(version), plural_};
  }
  static Result<k8s::Dynamic> plain(kube::ApiResult<k8s::Dynamic> result) {
    if (!result) return fail(result.error());
    return *std::move(result);
  }

  std::shared_ptr<kube::Client> client_;
  std::string group_, plural_;
};

}  // namespace

Result<void> run_crd_version_test(const CrdVersionTest& test, VersionedObjects& objects) {
  const auto versions = choose_versions(test);
  if (!versions) return fail(versions.error().within(test.name));
  auto done = Run(test, objects).through(*versions);
  if (!done) return fail(done.error().within(test.name));
  return {};
}

std::unique_ptr<VersionedObjects> server_objects(std::shared_ptr<kube::Client> client,
                                                 const k8s::CustomResourceDefinition& definition) {
  return std::make_unique<ServerObjects>(std::move(client), definition);
}

}  // namespace fairway::testing
