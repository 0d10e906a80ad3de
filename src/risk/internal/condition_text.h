// The message of a condition, within what Kubernetes accepts.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace fairway::risk {

/// Kubernetes's metav1.Condition, which ClusterVersion has: at most 32,768 characters of message, and 1,024
/// of reason. Bytes are never fewer than characters.
inline constexpr std::size_t max_message_bytes = 32'768, max_reason_bytes = 1'024;

/// What a condition says of one risk.
struct Paragraph {
  std::string text;
  /// Where it ends with a URL.
  std::optional<std::string_view> url;
};

/// Joins the paragraphs of `count` risks in fewer than `max_message_bytes`. Where they are longer, the
/// longest are cut, and their URLs kept; each says how many bytes of it are left out. Paragraphs that find no
/// room at all are counted at the end. `paragraph` is called with each index, up to twice.
std::string join_paragraphs(std::size_t count, const std::function<Paragraph(std::size_t index)>& paragraph,
                            std::string_view separator);

}  // namespace fairway::risk
