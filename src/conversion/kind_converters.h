// SPDX-License-Identifier: Apache-2.0

// Conversion, defaulting and validation of one kind.
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

#include "base/clock.h"
#include "base/result.h"
#include "conversion/internal/lost_fields.h"
#include "conversion/quarantine.h"
#include "conversion/step.h"
#include "k8s/custom_resource_definition.h"
#include "k8s/object.h"
#include "schema/validator.h"

namespace fairway::conversion {

class QuarantineState;

/// Configured by chained calls at startup, then prepared (`Converters::prepare`), then safe from all threads,
/// and read-only but for what is learnt about the quarantine (`learn_definition`, `set_guard`).
class KindConverters {
 public:
  /// Validates an object; on an update `old` is its previous state in the same version, otherwise nullptr.
  using Validator = std::function<Result<void>(const k8s::Dynamic& object, const k8s::Dynamic* old)>;
  using Defaulter = std::function<void(k8s::Dynamic&)>;

  KindConverters(std::string group, std::string kind);
  KindConverters(const KindConverters&) = delete;
  KindConverters& operator=(const KindConverters&) = delete;
  ~KindConverters();

  /// Declares the storage version (optional).
  KindConverters& storage(std::string version);
  /// Declares versions that are in no step: a single version, or neighbours of simple converters.
  KindConverters& versions(const std::vector<std::string>& names);

  /// A step between two versions, in both directions. Steps may form a chain, a star around a hub, or any
  /// connected graph; a conversion uses as few as possible.
  KindConverters& step(std::string_view older, std::string_view newer, Step upgrade, Step downgrade);
  /// Adds a step between typed views.
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
  /// Hub and spoke: conversion of one version to and from the hub.
  template <class Hub, class Spoke, class ToHub, class FromHub>
  KindConverters& spoke(ToHub to_hub, FromHub from_hub) {
    return step<Spoke, Hub>(std::move(to_hub), std::move(from_hub));
  }
  /// A version that knows its older neighbour: the next one below it by Kubernetes' version priority, of all
  /// versions of the kind. Priority is not age (v2alpha1 is below v1beta1): if another neighbour is meant,
  /// declare steps.
  KindConverters& simple(std::string_view version, const std::shared_ptr<const SimpleConverter>& converter);
  KindConverters& simple(std::string_view version, Step upgrade_from, Step downgrade);
  /// One function that converts between any of these versions.
  KindConverters& convertible(const std::vector<std::string>& between,
                              const std::shared_ptr<const Convertible>& converter);

  /// Stores fields that a version does not have in an annotation, and restores them
  /// (docs/conversion.md). Each step is then also converted back, to find the lost fields.
  ///
  /// Fields of status are not restored if status is a subresource, or if no definition says otherwise: with
  /// the right to write an object one could write its status through the annotation.
  KindConverters& keep_lost_fields();
  /// Restores fields of status, too. Only for kinds whose validating webhook (`validate`) is called for every
  /// CREATE and UPDATE in every version, with failurePolicy Fail: it rejects writes that change the stored
  /// status fields.
  KindConverters& keep_lost_status();

  /// Serves objects that do not convert without their content, in place of an error that makes lists of the
  /// kind fail. Its danger, which docs/conversion-quarantine.md has first: clients of others may act on an
  /// object without content. Only for kinds whose validating webhook (`validate`) is called for every CREATE
  /// and UPDATE of objects, of their status and of their scale, in every version, with failurePolicy Fail:
  /// `webhook_handlers` asks for it, and a server that cannot register it does not start. `prepare` needs the
  /// definition of the kind, and refuses one with selectableFields. False: not, although it was said before.
  KindConverters& quarantine(bool enabled = true);

  /// Sets defaults of absent fields in objects of one version: after conversion to it, and on writes (the
  /// defaulting webhook).
  KindConverters& defaults(std::string_view version, Defaulter fill);
  template <class T, class Function>
  KindConverters& defaults(Function fill) {
    return defaults(T::resource.version, [fill = std::move(fill)](k8s::Dynamic& object) {
      T typed(object.release());
      fill(typed);
      object = k8s::Dynamic(typed.release());
    });
  }
  /// Validates objects of one version on writes (the validating webhook), and those of versions without a
  /// validator.
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
  /// Key of the annotation in which lost fields travel: "conversion.fairway.dev/widgets.example.com".
  const std::string& lost_fields_annotation() const { return annotation_; }
  bool guards_lost_status() const { return guards_lost_status_; }
  bool quarantines() const { return quarantines_; }
  /// Returns whether objects are quarantined now: their guard is effective (`set_guard`), and the definition
  /// as the server has it does not forbid it.
  bool is_quarantining() const;
  /// Takes over what the definition as the server has it says about the quarantine: the storage version,
  /// defaults, selectableFields. Until then, that of `prepare` counts.
  void learn_definition(const k8s::CustomResourceDefinition& on_server) const;
  /// Says whether API servers ask the validating webhook that guards a quarantined kind, and until when that
  /// counts unless it is said again. Where it is not said, there is no server, and none is needed.
  void set_guard(bool effective, SteadyTime until = SteadyTime::max()) const;
  /// Quarantines nothing any more if the time of `set_guard` is over: whoever looks at the guard hangs.
  /// Returns whether that has changed anything.
  bool expire_guard(SteadyTime now) const;
  /// Plural of the kind if it is quarantined and has the subresource scale, whose writes do not show the
  /// object; otherwise empty. Complete after `prepare`.
  const std::string& scaled_resource() const { return scaled_resource_; }
  /// All known versions, in ascending priority. Complete after `prepare`.
  const std::vector<std::string>& version_names() const { return versions_; }
  /// The versions with defaults, or with a validator, sorted by name.
  std::vector<std::string> versions_with_defaults() const;
  std::vector<std::string> versions_with_validators() const;

  /// Computes the path between each two versions. `definition` (may be nullptr) adds its versions, served or
  /// not, those of `status.storedVersions`, and their schemas. Errors name every pair without a path.
  Result<void> prepare(const k8s::CustomResourceDefinition* definition);
  /// Checks that there is a path between each two versions of another definition of the kind, for example the
  /// server's, stored versions included. The error names every pair without one.
  Result<void> check_paths(const k8s::CustomResourceDefinition& definition) const;
  /// The object in another version, with that version's defaults. Its metadata is unchanged except for labels
  /// and annotations. Errors name the object.
  Result<k8s::Dynamic> convert(k8s::Dynamic object, std::string_view version) const;
  /// The answer to an API server: the object in another version as `convert` returns it or, of a kind that
  /// is quarantined now, without content if a step finds it `invalid`. A quarantined object is converted from
  /// its original, without its status where that is a subresource; what has the marks of one, and an original
  /// that does convert, is no quarantined object.
  /// Errors: those of `convert`; of a kind that is quarantined only for an object that no step has got, for
  /// errors of other kinds than `invalid`, and for an original that does not fit into the annotations, which
  /// the error says.
  Result<ConvertedObject> answer(k8s::Dynamic object, std::string_view version) const;
  /// Returns an error of `convert` with the values of the field that it names: that of the object as it was
  /// sent, and that which the failed step got. Converts `object`, which gave the error, once more.
  Error with_values(const k8s::Dynamic& object, std::string_view version, Error error) const;
  /// Fills in the defaults of the object's own version.
  void fill_defaults(k8s::Dynamic& object) const;
  /// Validates an object on a write (`old`: its previous state in the same version; nullptr: a new object),
  /// by `keep_lost_status` and the validator of its version. Without one, the object is converted to a
  /// version with a validator, and rejected if that fails.
  Result<void> validate(const k8s::Dynamic& object, const k8s::Dynamic* old) const;
  /// Checks a write of an object or of its status: the marks of a quarantined object are the webhook's alone;
  /// one that has them may be replaced by a whole object that converts to every version; what is written has
  /// to convert to the version in which it is stored. The last finalizers of an object that is being deleted
  /// may go in any case: true is returned if that is all, and nothing else is to be checked. Of a kind that
  /// is not quarantined the marks are checked too, as another replica may have made them: nobody adds or
  /// changes them, and nobody takes an original away; marks beside content hold nobody up, and nothing has to
  /// convert. Errors (`invalid`, `forbidden`) say what to do.
  Result<bool> check_quarantine(const k8s::Dynamic& object, const k8s::Dynamic* old) const;
  /// Returns what the user is to know of an accepted write: the status of an object that was quarantined is
  /// lost when it is replaced.
  std::vector<std::string> warnings_of(const k8s::Dynamic& object, const k8s::Dynamic* old) const;
  /// Returns whether an object is one that a quarantine serves without its content: it has the marks, and
  /// none but what its definition may have given it.
  bool is_served_without_content(const k8s::Dynamic& object) const;
  /// Returns the original of an object of a file that has the marks of a quarantined one and no content;
  /// nothing if it has not, or if the kind is not quarantined. The file is its user's own: whether the
  /// original converts does not matter.
  std::optional<k8s::Dynamic> original_in_file(const k8s::Dynamic& object) const;
  /// The versions on the path, both ends included; empty if there is none.
  std::vector<std::string> path(std::string_view from, std::string_view to) const;
  /// The schema of a version, or nullptr.
  const json::Object* schema(std::string_view version) const;

 private:
  struct Hop {
    std::string from = {}, to = {};
    Step forth = {}, back = {};
  };
  using Path = std::vector<const Hop*>;
  struct Simple {
    std::string version = {};
    Step upgrade_from = {}, downgrade = {};
  };
  struct VersionHooks {
    Defaulter defaulter = {};
    Validator validator = {};
  };
  struct ConversionState;
  struct Seen;
  struct Trace;
  static Error with_values(const std::vector<Seen>& seen, Error error);
  Result<k8s::Dynamic> convert(k8s::Dynamic object, std::string_view version, Trace* trace) const;

  std::size_t version_index(std::string_view name);
  std::optional<std::size_t> find_version(std::string_view name) const;
  void add_hop(std::string_view from, std::string_view to, Step forth, Step back);
  Result<void> place_simple_converters();
  void find_paths();
  void mirror_paths();
  Result<void> check_pairs(const std::vector<std::string>& versions) const;
  /// The hooks of the version in which objects of versions without a validator are validated: the storage
  /// version, or else the one with the highest priority that has one; `hooks_.end()` if none has.
  std::map<std::string, VersionHooks, std::less<>>::const_iterator checked_version() const;
  Result<void> take_hop(const Hop& hop, ConversionState& state, Trace* trace) const;
  Result<void> check_lost_status(const k8s::Dynamic& object, const k8s::Dynamic* old) const;
  Result<void> validate_by_version(const k8s::Dynamic& object, const k8s::Dynamic* old) const;
  Result<void> validate_replacement(const k8s::Dynamic& object, const k8s::Dynamic& original) const;
  Result<void> prepare_quarantine(const k8s::CustomResourceDefinition* definition);
  Result<std::optional<k8s::Dynamic>> quarantined_original(const k8s::Dynamic& object) const;
  Result<ConvertedObject> stay_quarantined(const k8s::Dynamic& object, std::string_view version) const;
  Result<ConvertedObject> quarantine_failed(k8s::Dynamic original, std::string_view version) const;
  bool has_steps_for(const k8s::Dynamic& object, std::string_view version) const;
  bool has_original_only(const k8s::Dynamic& object) const;
  bool cannot_judge_original(const k8s::Dynamic& object) const;
  bool is_without_content(const k8s::Dynamic& object) const;
  bool ends_only(const k8s::Dynamic& object, const k8s::Dynamic& old) const;
  Result<void> check_conversions(const k8s::Dynamic& object, const std::vector<std::string>& versions) const;

  std::string group_, kind_, storage_, annotation_;
  bool keeps_lost_fields_ = false, guards_lost_status_ = false, quarantines_ = false, prepared_ = false;
  LostStatus lost_status_ = LostStatus::dropped;
  std::vector<std::string> versions_;
  std::vector<Hop> hops_;
  std::vector<Simple> simple_;
  std::map<std::string, VersionHooks, std::less<>> hooks_;
  std::map<std::string, json::Object, std::less<>> schemas_;
  /// The validators of `schemas_`, if lost fields are validated.
  std::map<std::string, schema::Validator, std::less<>> schema_validators_;
  /// Versions with a hook or a schema that sets defaults.
  std::set<std::string, std::less<>> has_defaults_;
  std::string scaled_resource_;
  const std::unique_ptr<QuarantineState> quarantine_state_;
  /// The paths by from and to version, in the order of `versions_`.
  std::vector<std::vector<Path>> paths_;
};

}  // namespace fairway::conversion
