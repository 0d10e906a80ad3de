// SPDX-License-Identifier: Apache-2.0

// Records of the storage: one object's JSON under its key, as of one revision.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "apiserver/internal/storage/derived.h"
#include "base/result.h"

namespace fairway::apiserver::storage {

/// Counts changes: each change of one object raises it by one. It is Kubernetes's resourceVersion.
using Revision = std::int64_t;

/// The place where an object is stored. Objects of one resource are in the order of `path()`, byte by byte,
/// as in etcd.
struct Key {
  std::string resource;        ///< "configmaps", "apps/deployments": of the core group without a group
  std::string namespace_name;  ///< empty for cluster-scoped objects
  std::string name;

  /// Returns "NAMESPACE/NAME", or "NAME" for cluster-scoped objects.
  std::string path() const { return namespace_name.empty() ? name : namespace_name + "/" + name; }
  bool operator==(const Key&) const = default;
};

/// The JSON of an object that is to be written. Its resourceVersion is the revision of the write, which is
/// known only when it is made: the storage puts the digits into the place that `of` finds.
class Body {
 public:
  /// Makes a body. `json` is an object with a member `metadata`, which is an object. The value of its
  /// `resourceVersion` is replaced; the member is inserted if it is missing. Errors: `invalid` if there is no
  /// such member. `form` is the record's.
  static Result<Body> of(std::string json, std::uint64_t form = 0);

  std::size_t size() const { return json_.size(); }
  std::uint64_t form() const { return form_; }
  /// Returns the text with the digits of `revision`; `slot` is set to their beginning.
  std::string with_revision(Revision revision, std::size_t& slot) const;

 private:
  std::string json_;      ///< the value of resourceVersion is empty
  std::size_t slot_ = 0;  ///< position of the digits
  std::uint64_t form_ = 0;
};

/// An object as of one revision. Immutable, and shared by all who read it.
class Record {
 public:
  /// Makes a record. `slot` is the position in `json` of the digits of `revision`.
  Record(const Key& key, Revision revision, std::string json, std::size_t slot, std::uint64_t form = 0);
  /// Makes a record from a path as `Key::path` makes it.
  Record(std::string path, Revision revision, std::string json, std::size_t slot, std::uint64_t form = 0);

  std::string_view namespace_name() const { return std::string_view(path_).substr(0, namespace_size_); }
  std::string_view name() const {
    return std::string_view(path_).substr(namespace_size_ == 0 ? 0 : namespace_size_ + 1);
  }
  /// The path of its key (`Key::path`).
  const std::string& path() const { return path_; }
  /// The revision of the write that made this state; the object's `metadata.resourceVersion`.
  Revision revision() const { return revision_; }
  /// The object, serialised once.
  const std::string& json() const { return json_; }
  std::size_t slot() const { return slot_; }
  /// A number that the writer chose for the rules that shaped the text; 0 for a text that was read from the
  /// file.
  std::uint64_t form() const { return form_; }
  /// Values computed from this record and cached with it: its labels, its form in another version.
  const Derived& derived() const { return derived_; }

  /// Memory of the record, with all values computed from it.
  std::size_t memory() const { return sizeof *this + path_.capacity() + json_.capacity() + derived_.bytes(); }

  /// Returns a copy without the values that were computed from this one.
  std::shared_ptr<const Record> anew() const;
  /// Returns the same object with another resourceVersion, as a DELETED event shows it.
  std::shared_ptr<const Record> at(Revision revision) const;

 private:
  std::string path_;
  std::string json_;
  Revision revision_;
  std::uint64_t form_;
  std::uint32_t slot_;
  std::uint32_t namespace_size_;
  Derived derived_;
};

using RecordPtr = std::shared_ptr<const Record>;

}  // namespace fairway::apiserver::storage
