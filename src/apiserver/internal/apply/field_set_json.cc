// SPDX-License-Identifier: Apache-2.0

// FieldsV1: the JSON form of a set of fields.
#include <optional>
#include <utility>

#include "apiserver/internal/apply/field_set.h"
#include "apiserver/internal/apply/parse_path_element.h"

namespace fairway::apiserver::apply {

namespace {

/// Calls `call` in the order of FieldsV1 for a member alone, a node alone, or a node that is a member too.
template <class Call>
void in_order(const FieldSet& set, Call call) {
  auto member = set.members().begin();
  auto child = set.children().begin();
  while (member != set.members().end() || child != set.children().end()) {
    int difference = 0;
    if (member == set.members().end()) {
      difference = 1;
    } else if (child == set.children().end()) {
      difference = -1;
    } else {
      difference = member->compare(child->element);
    }
    if (difference < 0) {
      call(*member++, nullptr, true);
    } else {
      call(child->element, &child->set, difference == 0);
      ++child;
      if (difference == 0) ++member;
    }
  }
}

struct Parsed {
  /// The set below; absent if it is empty.
  std::optional<FieldSet> below;
  bool is_member = false;
};

Result<Parsed> read(const json::Value& value) {
  Parsed out;
  if (const json::Object* object = value.if_object()) {
    for (const auto& entry : *object) {
      if (entry.key() == ".") {
        out.is_member = true;
        continue;
      }
      const auto element = internal::parse_path_element(entry.key());
      if (!element) return fail(element.error());
      if (!*element) continue;
      auto next = read(entry.value());
      if (!next) return fail(next.error());
      if (!next->is_member && !next->below) continue;
      if (!out.below) out.below.emplace();
      FieldSet& set = *out.below;
      // Most often they are in order.
      if (next->is_member) {
        if (set.members().empty() || set.members().back() < **element) {
          set.append(**element);
        } else {
          set.insert_member(**element);
        }
      }
      if (!next->below) continue;
      if (set.children().empty() || set.children().back().element < **element) {
        set.append(**element, std::move(*next->below));
      } else {
        set.descend(**element) = std::move(*next->below);
      }
    }
  } else if (!value.is_null()) {
    return fail(ErrorCode::invalid, "fields: expected an object");
  }
  if (!out.below) out.is_member = true;
  return out;
}

}  // namespace

Result<FieldSet> FieldSet::from_fields_v1(const json::Value& fields) {
  auto parsed = read(fields);
  if (!parsed) return fail(parsed.error());
  return parsed->below ? std::move(*parsed->below) : FieldSet{};
}

void FieldSet::fill(json::Object& out, bool with_self) const {
  if (with_self && !(members_.empty() && children_.empty())) out.emplace(".", json::Object{});
  in_order(*this, [&](const PathElement& element, const FieldSet* below, bool is_member) {
    json::Object fields;
    if (below != nullptr) below->fill(fields, is_member);
    out.emplace(element.serialize(), std::move(fields));
  });
}

json::Object FieldSet::to_fields_v1() const {
  json::Object out;
  fill(out, false);
  return out;
}

void FieldSet::append_text(std::string& out, bool with_self) const {
  out += '{';
  const std::size_t start = out.size();
  if (with_self && !(members_.empty() && children_.empty())) out += R"(".":{})";
  in_order(*this, [&](const PathElement& element, const FieldSet* below, bool is_member) {
    if (out.size() > start) out += ',';
    json::append_quoted(out, element.serialize());
    out += ':';
    if (below != nullptr) {
      below->append_text(out, is_member);
    } else {
      out += "{}";
    }
  });
  out += '}';
}

std::string FieldSet::to_text() const {
  std::string out;
  append_text(out, false);
  return out;
}

}  // namespace fairway::apiserver::apply
