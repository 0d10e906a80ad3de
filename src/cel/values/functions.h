// SPDX-License-Identifier: Apache-2.0

// The functions that expressions call.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cel/types/type.h"
#include "cel/values/value.h"

namespace fairway::cel {

class CallContext;

/// The cost of a call beside its arguments, by the sizes of arguments and result (cel-go's runtimecost.go and
/// Kubernetes's library/cost.go). Both the count at run time and the estimate follow it.
enum class CallCost : std::uint8_t {
  /// 0: logical operators.
  nothing,
  /// 1.
  unit,
  /// A tenth of the first argument.
  traverse,
  /// A tenth of the second argument, which is a prefix or suffix.
  affix,
  /// A fifth of the first argument.
  traverse_twice,
  /// A fifth of the result.
  join,
  /// A tenth of the smaller argument.
  compare,
  /// A tenth of the smaller argument, but 1 for values of libraries.
  equality,
  /// A tenth of both arguments.
  concatenate,
  /// The size of the list.
  in_list,
  regex,
  contains,
  /// One for each value in a list.
  traverse_deep,
  contains_ip,
  contains_ip_text,
  contains_cidr,
  contains_cidr_text,
  validate_format,
  list_output,
  list_flatten,
  list_distinct,
  list_sort,
  sets,
  sets_equivalent,
  replace,
  split,
  find,
  url,
  /// 350,000: two fit into an evaluation.
  authorization,
};

/// An implementation of a function. Arguments (the target first) have the kinds of the signature, and are no
/// errors.
using Implementation = Value (*)(CallContext& context, const Value* arguments);

/// One row of a library.
struct Overload {
  std::string_view function = {};
  bool member = false;
  /// Signature: "string, int -> string"; a member's target is its first argument.
  std::string_view signature = {};
  Implementation implementation = nullptr;
  CallCost cost = CallCost::unit;
};

/// An overload with its signature read.
struct FunctionOverload {
  Overload declared = {};
  std::vector<TypePtr> arguments = {};
  TypePtr result = {};
  /// Bits for each argument: one for each ValueKind that it may have, and from bit 16 on one for each
  /// Opaque::Kind.
  std::vector<std::uint32_t> kinds = {};

  bool accepts(const Value* values) const {
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      const unsigned bit = values[i].is(ValueKind::opaque)
                               ? 16 + static_cast<unsigned>(values[i].opaque().kind)
                               : static_cast<unsigned>(values[i].kind());
      if (!(kinds[i] >> bit & 1u)) return false;
    }
    return true;
  }
};

/// The functions of an environment.
class Functions {
 public:
  explicit Functions(const std::vector<std::span<const Overload>>& libraries);

  /// Returns the overloads of a name; nullptr if there is no such function.
  const std::vector<FunctionOverload>* find(std::string_view name) const;
  /// Returns the names of opaque types in signatures, which are identifiers.
  const std::map<std::string, TypePtr, std::less<>>& type_names() const { return type_names_; }

 private:
  std::map<std::string, std::vector<FunctionOverload>, std::less<>> functions_;
  std::map<std::string, TypePtr, std::less<>> type_names_;
};

/// Returns the language's own functions and operators alone.
const std::shared_ptr<const Functions>& standard_functions();
/// Returns the functions that Kubernetes 1.37 gives to CRDs: standard, optional, lists, regex, url, quantity,
/// ip, cidr, format, semver, sets, strings version 2, lists version 3.
const std::shared_ptr<const Functions>& kubernetes_functions();
/// Returns the functions of CRDs and those of `authorizer`, which admission policies and match conditions may
/// call.
const std::shared_ptr<const Functions>& admission_functions();

}  // namespace fairway::cel
