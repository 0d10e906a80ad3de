// SPDX-License-Identifier: Apache-2.0

// The types of objects: of custom resources, of built-in kinds.
#pragma once

#include "apiserver/internal/apply/type.h"
#include "apiserver/internal/kinds/message_type.h"
#include "base/json.h"

namespace fairway::apiserver::apply {

/// A type with the types that it refers to.
struct OwnedType {
  Types types;
  TypeRef root;
};

/// Returns the type of a version's objects from its structural schema; nullptr: there is no schema, and the
/// type is taken from the values. `preserve_unknown`: the definition's `spec.preserveUnknownFields`.
/// Rules: k8s.io/kube-openapi/pkg/schemaconv, over what k8s.io/apiextensions-apiserver publishes for a
/// definition.
OwnedType type_of_schema(const json::Object* schema, bool preserve_unknown = false);

/// Returns the type of a built-in kind: `Kinds::find`.
OwnedType type_of_kind(const kinds::MessageType& kind);

/// Returns the object that Go's JSON has for a kind without any field set:
/// `{"metadata":{},"spec":{"containers":null},...}`, without apiVersion and kind.
json::Object zero_object(const kinds::MessageType& kind);

}  // namespace fairway::apiserver::apply
