// SPDX-License-Identifier: Apache-2.0

// The metadata of an object of any kind.
#pragma once

#include <memory>

#include "k8s/object.h"

namespace fairway::k8s {

/// The object that API servers send if only the metadata of an object is requested: apiVersion and kind are
/// those of PartialObjectMetadata, whatever the object's own are. It is deliberately not convertible to
/// `Dynamic`: a spec that was never sent cannot be read as an empty one, and the object cannot be written
/// back without it.
class PartialObjectMetadata : private Dynamic {
 public:
  PartialObjectMetadata() = default;
  /// Keeps the metadata of an object of any kind, and drops the rest.
  explicit PartialObjectMetadata(const Dynamic& object);

  using Dynamic::annotation;
  using Dynamic::annotations;
  using Dynamic::controller;
  using Dynamic::created;
  using Dynamic::deletion_time;
  using Dynamic::finalizers;
  using Dynamic::generate_name;
  using Dynamic::generation;
  using Dynamic::has_finalizer;
  using Dynamic::is_being_deleted;
  using Dynamic::key;
  using Dynamic::label;
  using Dynamic::labels;
  using Dynamic::name;
  using Dynamic::namespace_name;
  using Dynamic::owners;
  using Dynamic::resource_version;
  using Dynamic::to_text;
  using Dynamic::uid;

  /// Creates an object from a document, for caches of objects of many types; `made_from` reads it as this
  /// type.
  static std::shared_ptr<const Dynamic> make(json::Object document);
  static const PartialObjectMetadata& made_from(const Dynamic& made) {
    return static_cast<const PartialObjectMetadata&>(made);
  }

 private:
  explicit PartialObjectMetadata(json::Object document) : Dynamic(std::move(document)) {}
};

}  // namespace fairway::k8s
