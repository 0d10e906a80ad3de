// SPDX-License-Identifier: Apache-2.0

#include "risk/internal/condition_text.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/utf8_prefix.h"

namespace fairway::risk {

namespace {

/// Size reserved for the note on the omitted part.
constexpr std::size_t record_bytes = 64;
/// Minimum size of a shortened paragraph; less would not be useful.
constexpr std::size_t min_paragraph_bytes = 512;

/// Returns the beginning of a text, at most `most` bytes including the note that follows it.
std::string cut(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  const std::string_view kept = utf8_prefix(text, most - record_bytes);
  return std::string(kept) + " [" + std::to_string(text.size() - kept.size()) + " bytes left out]";
}

std::size_t size_of(const Paragraph& paragraph) {
  return paragraph.text.size() + (paragraph.url ? 1 + paragraph.url->size() : 0);
}

std::string shortened(const Paragraph& paragraph, std::size_t most) {
  if (!paragraph.url) return cut(paragraph.text, most);
  if (size_of(paragraph) <= most) return paragraph.text + " " + std::string(*paragraph.url);
  const std::string url = cut(*paragraph.url, most / 2);
  return cut(paragraph.text, most - url.size() - 1) + " " + url;
}

/// Returns the size that each paragraph may have, so that all of them together have `most`: paragraphs that
/// need less leave the rest to the others.
std::size_t share_of(std::vector<std::size_t> sizes, std::size_t most) {
  std::ranges::sort(sizes);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::size_t share = most / (sizes.size() - i);
    if (sizes[i] > share) return std::max(share, min_paragraph_bytes);
    most -= sizes[i];
  }
  return most;
}

}  // namespace

std::string join_paragraphs(std::size_t count, const std::function<Paragraph(std::size_t index)>& paragraph,
                            std::string_view separator) {
  std::vector<std::size_t> sizes;
  std::size_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    sizes.push_back(size_of(paragraph(i)) + separator.size());
    sum += sizes.back();
  }
  const std::size_t most = max_message_bytes - record_bytes;
  const std::size_t share = sum <= most ? most : share_of(sizes, most);
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view before = i == 0 ? std::string_view() : separator;
    const std::string next = shortened(paragraph(i), share - separator.size());
    if (text.size() + before.size() + next.size() > most) {
      text += before;
      text += "[risks left out: " + std::to_string(count - i) + "]";
      break;
    }
    text += before;
    text += next;
  }
  return text;
}

}  // namespace fairway::risk
