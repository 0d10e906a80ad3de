// SPDX-License-Identifier: Apache-2.0

// The message of a condition, within what Kubernetes accepts.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace fairway::risk {

/// Limits of Kubernetes's metav1.Condition, which ClusterVersion has: at most 32,768 characters of message,
/// and 1,024 of reason. Limits in bytes are safe, as there are never fewer bytes than characters.
inline constexpr std::size_t max_message_bytes = 32'768, max_reason_bytes = 1'024;

/// The text of a condition about one risk.
struct Paragraph {
  std::string text;
  /// URL that it ends with, if any.
  std::optional<std::string_view> url;
};

/// Joins the paragraphs of `count` risks in fewer than `max_message_bytes`. If they are longer, the longest
/// are shortened, but keep their URLs; each says how many bytes are left out. Paragraphs that do not fit at
/// all are counted at the end. `paragraph` is called with each index, up to twice.
std::string join_paragraphs(std::size_t count, const std::function<Paragraph(std::size_t index)>& paragraph,
                            std::string_view separator);

}  // namespace fairway::risk
