// SPDX-License-Identifier: Apache-2.0

// Common parts of the discovery documents.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/text.h"
#include "k8s/group_version.h"
#include "k8s/internal/wire/document_reader.h"
#include "k8s/internal/wire/type_json.h"

namespace fairway::k8s {

/// Returns the kind with the group and version of its document, if it has neither.
inline GroupVersionKind complete(GroupVersionKind kind, const GroupVersion& of) {
  if (!kind.kind.empty() && kind.group.empty() && kind.version.empty()) {
    kind.group = of.group;
    kind.version = of.version;
  }
  return kind;
}

/// Reports a fault if the last item of a list has the name of an earlier one.
template <class T>
void check_once(DocumentReader& reader, std::string_view member, const std::vector<T>& list,
                std::string T::* name) {
  const auto same = std::ranges::find(list, list.back().*name, name);
  if (same != list.end() - 1)
    reader.fail(member, "'" + printable(list.back().*name, 80) + "' is there twice");
}

/// Parses a document of a kind and passes it to `read`. Errors: the document is of another kind, or `read`
/// reports a fault.
template <class T>
Result<T> read_document(std::string_view text, std::string_view kind, const auto& read) {
  const std::string doing = "reading the discovery document " + std::string(kind);
  const auto value = json::parse(text);
  if (!value) return fail(value.error().within(doing));
  if (!value->is_object()) return fail(ErrorCode::invalid, doing + ": it is no JSON object");
  std::string fault;
  DocumentReader reader(value->get_object(), "", fault);
  if (const std::string own = reader.text("kind"); own != kind) {
    reader.fail("kind", "the document is of the kind '" + printable(own, 80) + "'");
  }
  T result = read(reader);
  if (!fault.empty()) return fail(ErrorCode::invalid, doing + ": " + fault);
  return result;
}

}  // namespace fairway::k8s
