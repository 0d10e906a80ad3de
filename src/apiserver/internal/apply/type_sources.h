// The types of objects: of custom resources, of built-in kinds.
#pragma once

#include "apiserver/internal/apply/type.h"
#include "apiserver/internal/kinds/message_type.h"
#include "base/json.h"

namespace fairway::apiserver::apply {

/// A type with what it refers to.
struct OwnedType {
  Types types;
  TypeRef root;
};

/// The type of a version's objects out of its structural schema; nullptr: it has none, and the type is taken
/// from the values. Rules: k8s.io/kube-openapi/pkg/schemaconv, over what k8s.io/apiextensions-apiserver
/// publishes for a definition. `preserve_unknown`: the definition's `spec.preserveUnknownFields`.
OwnedType type_of_schema(const json::Object* schema, bool preserve_unknown = false);

/// The type of a built-in kind: `Kinds::find`.
OwnedType type_of_kind(const MessageType& kind);

/// What Go's JSON has of a kind of which nothing is set: `{"metadata":{},"spec":{"containers":null},...}`,
/// without apiVersion and kind.
json::Object zero_object(const MessageType& kind);

}  // namespace fairway::apiserver::apply
