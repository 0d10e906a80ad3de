// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/validation/index_list.h"

#include <charconv>
#include <optional>
#include <string>
#include <system_error>

#include "base/quoted_text.h"
#include "base/text.h"

namespace fairway::apiserver::validation {
namespace {

Result<std::int64_t> read_index(std::string_view text, std::int64_t completions) {
  std::string_view digits = text;
  if (digits.starts_with('+') && !digits.starts_with("+-")) digits.remove_prefix(1);
  std::int64_t index = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  if (error != std::errc{} || end != digits.data() + digits.size())
    return fail(ErrorCode::invalid, "cannot convert string to integer for index: " + quote(text));
  if (index >= completions) return fail(ErrorCode::invalid, "too large index: " + quote(text));
  return index;
}

std::unexpected<Error> not_increasing(std::int64_t previous, std::int64_t current) {
  return fail(ErrorCode::invalid, "non-increasing order, previous: " + std::to_string(previous) +
                                      ", current: " + std::to_string(current));
}

}  // namespace

Result<std::int64_t> count_indices(std::string_view text, std::int64_t completions) {
  if (text.empty()) return 0;
  std::optional<std::int64_t> last;
  std::int64_t total = 0;
  for (const std::string_view interval : split(text, ',')) {
    const auto limits = split(interval, '-');
    if (limits.size() > 2) {
      return fail(ErrorCode::invalid,
                  "the fragment " + quote(interval) +
                      " violates the requirement that an index interval can have at most two parts separated "
                      "by '-'");
    }
    const auto first = read_index(limits.front(), completions);
    if (!first) return first;
    const auto final = read_index(limits.back(), completions);
    if (!final) return final;
    if (limits.size() == 2 && *first >= *final) return not_increasing(*first, *final);
    if (last && *last >= *first) return not_increasing(*last, *first);
    total += *final - *first + 1;
    last = *final;
  }
  return total;
}

}  // namespace fairway::apiserver::validation
