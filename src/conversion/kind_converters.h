// How the objects of one kind are converted, defaulted and validated: everything about it in one place.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "conversion/internal/lost_fields.h"
#include "conversion/step.h"
#include "k8s/custom_resource_definition.h"
#include "k8s/object.h"

namespace fairway::conversion {

/// Built by chained calls when the program starts, then prepared (`Converters::prepare`), then only read:
/// safe from all threads.
class KindConverters {
 public:
  /// What is wrong with an object; on an update `old` is what it was, in the same version, else nullptr.
  using Validator = std::function<Result<void>(const k8s::Dynamic& object, const k8s::Dynamic* old)>;
  using Defaulter = std::function<void(k8s::Dynamic&)>;

  KindConverters(std::string group, std::string kind);
  KindConverters(const KindConverters&) = delete;
  KindConverters& operator=(const KindConverters&) = delete;

  /// The version objects are stored in, where the author wants it said.
  KindConverters& storage(std::string version);
  /// Versions that no step names: of one schema with nothing else, or neighbours of simple converters.
  KindConverters& versions(const std::vector<std::string>& names);

  /// A step between two versions, and back. Steps may form a chain, a star around a hub, or any other way;
  /// a conversion takes as few of them as it can.
  KindConverters& step(std::string_view older, std::string_view newer, Step upgrade, Step downgrade);
  /// The same between typed views.
  template <class Older, class Newer>
  KindConverters& step(Result<Newer> (*upgrade)(Older), Result<Older> (*downgrade)(Newer)) {
    return step(Older::resource.version, Newer::resource.version, typed_step<Older, Newer>(upgrade),
                typed_step<Newer, Older>(downgrade));
  }
  template <class Older, class Newer>
  KindConverters& step(Result<Newer> (*upgrade)(const Older&), Result<Older> (*downgrade)(const Newer&)) {
    return step(Older::resource.version, Newer::resource.version, typed_step<Older, Newer>(upgrade),
                typed_step<Newer, Older>(downgrade));
  }
  template <class Older, class Newer, class Upgrade, class Downgrade>
  KindConverters& step(Upgrade upgrade, Downgrade downgrade) {
    return step(Older::resource.version, Newer::resource.version,
                typed_step<Older, Newer>(std::move(upgrade)), typed_step<Newer, Older>(std::move(downgrade)));
  }
  /// Versions with one schema: only apiVersion differs.
  KindConverters& same(std::string_view one, std::string_view other) {
    return step(one, other, same_schema, same_schema);
  }
  /// Hub style: how one version comes from the hub and goes to it.
  template <class Hub, class Spoke, class ToHub, class FromHub>
  KindConverters& spoke(ToHub to_hub, FromHub from_hub) {
    return step<Spoke, Hub>(std::move(to_hub), std::move(from_hub));
  }
  /// A version that knows its older neighbour: the next one below it by Kubernetes' version priority, of all
  /// versions of the kind. That is a priority and no history (v2alpha1 is below v1beta1): where it is not
  /// what is meant, declare steps.
  KindConverters& simple(std::string_view version, const std::shared_ptr<const SimpleConverter>& converter);
  KindConverters& simple(std::string_view version, Step upgrade_from, Step downgrade);
  /// Any strategy between these versions, each to each.
  KindConverters& convertible(const std::vector<std::string>& between,
                              const std::shared_ptr<const Convertible>& converter);

  /// What a version cannot hold travels in an annotation and comes back (`conversion/internal/lost_fields.h`). Each
  /// hop is then also converted back, to see what is lost.
  ///
  /// Fields of status stay lost where status is a subresource, or no definition says that it is none: whoever
  /// may write an object could write its status by the annotation.
  KindConverters& keep_lost_fields();
  /// Keeps fields of status, too. For kinds whose validating webhook (`validate`) is asked of every CREATE
  /// and UPDATE in every version, with failurePolicy Fail: it refuses writes that touch what is kept of
  /// status.
  KindConverters& keep_lost_status();

  /// Fills fields that are absent, in objects of one version: after they were converted to it, and when they
  /// are written (the defaulting webhook).
  KindConverters& defaults(std::string_view version, Defaulter fill);
  template <class T, class Function>
  KindConverters& defaults(Function fill) {
    return defaults(T::resource.version, [fill = std::move(fill)](k8s::Dynamic& object) {
      T typed(object.release());
      fill(typed);
      object = k8s::Dynamic(typed.release());
    });
  }
  /// Refuses objects of one version when they are written (the validating webhook), and those of versions
  /// that have no check of their own.
  KindConverters& validates(std::string_view version, Validator check);
  template <class T, class Function>
  KindConverters& validates(Function check) {
    return validates(T::resource.version,
                     [check = std::move(check)](const k8s::Dynamic& object, const k8s::Dynamic* old) {
                       const T typed(object.json());
                       if (old == nullptr) return Result<void>(check(typed, static_cast<const T*>(nullptr)));
                       const T before(old->json());
                       return Result<void>(check(typed, &before));
                     });
  }

  const std::string& group() const { return group_; }
  const std::string& kind() const { return kind_; }
  /// "Widget.widgets.example.com".
  std::string name() const { return kind_ + "." + group_; }
  const std::string& storage_version() const { return storage_; }
  bool keeps_lost_fields() const { return keeps_lost_fields_; }
  bool guards_lost_status() const { return guards_lost_status_; }
  /// All versions that are known, the oldest first by priority. Complete after `prepare`.
  const std::vector<std::string>& version_names() const { return versions_; }
  /// The versions that have defaults, or a validator, of their own, in the order of their names.
  std::vector<std::string> versions_with_defaults() const;
  std::vector<std::string> versions_with_validators() const;

  /// Works out the way between each two versions. `definition` (may be nullptr) adds its versions, served or
  /// not, those of `status.storedVersions`, and their schemas. Errors name every pair that has no way.
  Result<void> prepare(const k8s::CustomResourceDefinition* definition);
  /// Whether there is a way between each two versions of another definition of the kind, that of the server
  /// say, its stored ones included. The error names every pair that has none.
  Result<void> check_ways(const k8s::CustomResourceDefinition& definition) const;
  /// The object in another version, with that version's defaults. Its metadata is the same but for labels and
  /// annotations. Errors name the object.
  Result<k8s::Dynamic> convert(k8s::Dynamic object, std::string_view version) const;
  /// Fills in the defaults of the object's own version.
  void fill_defaults(k8s::Dynamic& object) const;
  /// What is wrong with an object that is written (`old`: what it was, in the same version; nullptr: it is
  /// new), by `keep_lost_status` and the check of its version. In a version without one the object is
  /// converted to one that has, and refused where that fails.
  Result<void> validate(const k8s::Dynamic& object, const k8s::Dynamic* old) const;
  /// The versions on the way, both ends included; empty where there is none.
  std::vector<std::string> way(std::string_view from, std::string_view to) const;
  /// The schema of a version, or nullptr.
  const json::Object* schema(std::string_view version) const;

 private:
  struct Hop {
    std::string from, to;
    Step forth, back;
  };
  using Way = std::vector<const Hop*>;
  struct Simple {
    std::string version;
    Step upgrade_from, downgrade;
  };
  struct VersionHooks {
    Defaulter defaulter;
    Validator validator;
  };
  struct Journey;

  std::size_t version_index(std::string_view name);
  std::optional<std::size_t> find_version(std::string_view name) const;
  void add_hop(std::string_view from, std::string_view to, Step forth, Step back);
  Result<void> place_simple_converters();
  void find_ways();
  void go_back_as_they_came();
  Result<void> check_pairs(const std::vector<std::string>& versions) const;
  /// The hooks of the version that objects of versions without a check are checked in: that of storage, else
  /// the highest by priority that has one; `hooks_.end()` where none has.
  std::map<std::string, VersionHooks, std::less<>>::const_iterator checked_version() const;
  Result<void> take_hop(const Hop& hop, Journey& journey) const;
  Result<void> check_lost_status(const k8s::Dynamic& object, const k8s::Dynamic* old) const;

  std::string group_, kind_, storage_, annotation_;
  bool keeps_lost_fields_ = false, guards_lost_status_ = false, prepared_ = false;
  LostStatus lost_status_ = LostStatus::stays_lost;
  std::vector<std::string> versions_;
  std::vector<Hop> hops_;
  std::vector<Simple> simple_;
  std::map<std::string, VersionHooks, std::less<>> hooks_;
  std::map<std::string, json::Object, std::less<>> schemas_;
  /// Versions with a hook or a schema that fills fields in.
  std::set<std::string, std::less<>> has_defaults_;
  /// By from and to, as in `versions_`.
  std::vector<std::vector<Way>> ways_;
};

}  // namespace fairway::conversion
