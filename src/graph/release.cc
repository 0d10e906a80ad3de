// SPDX-License-Identifier: Apache-2.0

#include "graph/release.h"

#include <algorithm>

#include "base/json_unambiguous.h"
#include "base/text.h"

namespace fairway::graph {
namespace {

constexpr std::string_view metadata_kind = "cincinnati-metadata-v0";

/// Returns whether a text is an architecture that Cincinnati accepts as `arch` of a query, so that every
/// release can be queried.
bool is_architecture(std::string_view text) {
  return !text.empty() && text.size() <= 64 && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z');
  });
}

/// Reads a list of versions; an absent or null list is an empty one.
Result<std::vector<std::string>> read_versions(const json::Value& document, std::string_view key) {
  std::vector<std::string> versions;
  const auto* list = json::find(document, key);
  if (list == nullptr || list->is_null()) return versions;
  const std::string quoted_key = "`" + std::string(key) + "`";
  if (!list->is_array()) return fail(ErrorCode::invalid, quoted_key + " is not a list of versions");
  for (const auto& item : list->as_array()) {
    if (!item.is_string()) {
      return fail(ErrorCode::invalid, quoted_key + " holds " + printable(json::to_text(item), 60) +
                                          ", which is not a version in quotes");
    }
    versions.emplace_back(item.as_string());
  }
  return versions;
}

Result<std::map<std::string, std::string>> read_metadata(const json::Value& document) {
  std::map<std::string, std::string> metadata;
  const auto* object = json::find(document, "metadata");
  if (object == nullptr || object->is_null()) return metadata;
  if (!object->is_object()) return fail(ErrorCode::invalid, "`metadata` is not an object");
  for (const auto& entry : object->as_object()) {
    if (!entry.value().is_string()) {
      return fail(ErrorCode::invalid, "metadata `" + printable(entry.key(), 80) + "` is not a string");
    }
    metadata.emplace(entry.key(), std::string_view(entry.value().as_string()));
  }
  return metadata;
}

Result<Version> read_version(const json::Value& document, std::string_view arch) {
  const auto text = json::find_string(document, "version");
  if (!text) return fail(ErrorCode::invalid, "there is no `version` that is a string");
  auto version = Version::parse(*text);
  if (!version) return fail(version.error().within("`version`"));
  if (!version->build().empty() && version->build() != arch) {
    return fail(ErrorCode::invalid, "version " + printable(*text, 80) + " says that it is for " +
                                        printable(version->build(), 40) + ", but the image is for " +
                                        printable(arch, 40));
  }
  return version->with_build("");
}

}  // namespace

Result<Release> read_release_metadata(const json::Value& document, std::string_view arch,
                                      std::string_view source) {
  if (!document.is_object()) return fail(ErrorCode::invalid, "release metadata is not a JSON object");
  if (json::find_string(document, "kind") != metadata_kind) {
    const auto* kind = json::find(document, "kind");
    return fail(ErrorCode::invalid, "release metadata of kind " +
                                        (kind == nullptr ? "(none)" : printable(json::to_text(*kind), 60)) +
                                        " is not understood; it has to be " + std::string(metadata_kind));
  }
  Release release;
  release.arch = arch;
  release.source = source;
  auto version = read_version(document, arch);
  if (!version) return fail(version.error());
  release.version = std::move(*version);
  auto previous = read_versions(document, "previous");
  if (!previous) return fail(previous.error());
  release.previous = std::move(*previous);
  auto next = read_versions(document, "next");
  if (!next) return fail(next.error());
  release.next = std::move(*next);
  auto metadata = read_metadata(document);
  if (!metadata) return fail(metadata.error());
  release.metadata = std::move(*metadata);
  if (const auto* image = json::find(document, "image"); image != nullptr && !image->is_null()) {
    if (!image->is_string()) return fail(ErrorCode::invalid, "`image` is not a string");
    release.payload = std::string_view(image->as_string());
  }
  return release;
}

Result<ReleaseList> read_release_list(std::string_view text, std::string_view source) {
  const std::string doing = "reading the release list " + printable(source);
  auto document = json::parse_unambiguous(text);
  if (!document) return fail(document.error().within(doing));
  const auto arch = json::find_string(*document, "arch");
  if (!arch || !is_architecture(*arch)) {
    return fail(
        ErrorCode::invalid,
        doing + ": `arch` has to name one architecture in lower-case letters and digits, like \"amd64\"");
  }
  const auto* entries = json::find(*document, "releases");
  if (entries == nullptr || !entries->is_array()) {
    return fail(ErrorCode::invalid, doing + ": `releases` has to be a list of release metadata");
  }
  ReleaseList list;
  list.releases.reserve(entries->as_array().size());
  std::vector<std::string> without_image;
  std::size_t index = 0;
  for (const auto& entry : entries->as_array()) {
    auto release = read_release_metadata(entry, *arch, source);
    if (release) {
      if (release->payload.empty()) without_image.push_back(release->version.to_string());
      list.releases.push_back(std::move(*release));
    } else {
      Problem problem{.kind = problem_kind::release_left_out, .place = {.file = std::string(source)}};
      problem.message = "releases[" + std::to_string(index) + "]";
      if (const auto version = json::find_string(entry, "version")) {
        problem.message += " (" + printable(*version, 80) + ")";
        problem.versions.emplace_back(*version);
      }
      problem.message += " is left out: " + release.error().message;
      list.problems.push_back(std::move(problem));
    }
    ++index;
  }
  if (!without_image.empty()) {
    list.problems.push_back({.kind = problem_kind::release_without_image,
                             .place = {.file = std::string(source)},
                             .message = std::to_string(without_image.size()) +
                                        " releases have no `image` (the first is " + without_image.front() +
                                        "): no update into them is served",
                             .versions = without_image});
  }
  return list;
}

}  // namespace fairway::graph
