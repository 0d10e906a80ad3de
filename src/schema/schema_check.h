// Validation of values by structural schemas.
#pragma once

#include <map>
#include <memory>
#include <string_view>

#include "base/json.h"

namespace re2 {
class RE2;
}

namespace fairway::schema {

/// Compares values with structural schemas: type, enum, limits of numbers, lengths and sizes, pattern, and
/// the members that are required (one that has a default may be missing). Not looked at: format, uniqueItems,
/// oneOf and its like, and rules in CEL. Patterns are compiled once; the schemas must outlive this.
class SchemaCheck {
 public:
  SchemaCheck();
  ~SchemaCheck();
  SchemaCheck(const SchemaCheck&) = delete;
  SchemaCheck& operator=(const SchemaCheck&) = delete;

  bool fits(const json::Value& value, const json::Object& schema);

 private:
  bool fits_text(std::string_view text, const json::Object& schema);
  bool fits_list(const json::Array& list, const json::Object& schema);
  bool fits_object(const json::Object& object, const json::Object& schema);

  std::map<const json::Object*, std::unique_ptr<re2::RE2>> patterns_;
};

/// Whether the schema requires a member.
bool is_required(const json::Object& schema, std::string_view member);

}  // namespace fairway::schema
