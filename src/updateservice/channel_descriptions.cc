// SPDX-License-Identifier: Apache-2.0

#include "updateservice/channel_descriptions.h"

#include "base/file.h"
#include "base/text.h"
#include "base/yaml.h"

namespace fairway::updateservice {

Result<ChannelDescriptions> ChannelDescriptions::parse(std::string_view text, const std::string& source) {
  const auto at = [&source](const yaml::Mark& mark) {
    return source + ":" + std::to_string(mark.line) + ":" + std::to_string(mark.column) + ": ";
  };
  auto parsed = yaml::parse(text);
  if (!parsed) return fail(ErrorCode::invalid, at(parsed.error().mark) + parsed.error().message);
  if (!parsed->duplicate_keys.empty()) {
    const yaml::DuplicateKey& twice = parsed->duplicate_keys.front();
    return fail(ErrorCode::invalid,
                at(twice.repeated) + "the pattern `" + printable(twice.key) + "` stands twice");
  }
  if (parsed->documents.size() != 1 || parsed->documents.front().kind != yaml::Node::Kind::mapping) {
    return fail(ErrorCode::invalid, source + ": one mapping of name patterns to texts is expected");
  }
  ChannelDescriptions descriptions;
  for (const auto& [pattern, description] : parsed->documents.front().entries) {
    if (!pattern.is_scalar() || !description.is_scalar()) {
      return fail(ErrorCode::invalid, at(pattern.mark) + "a name pattern and a text are expected here");
    }
    descriptions.entries_.emplace_back(pattern.scalar, std::string(trim(description.scalar)));
  }
  return descriptions;
}

Result<ChannelDescriptions> ChannelDescriptions::load(const std::string& file) {
  auto text = read_file(file, 1 << 20);
  if (!text) return fail(text.error().within("reading channel descriptions"));
  return parse(*text, file);
}

std::string_view ChannelDescriptions::find(std::string_view channel) const {
  for (const auto& [pattern, text] : entries_) {
    if (matches_glob(pattern, channel)) return text;
  }
  return {};
}

}  // namespace fairway::updateservice
