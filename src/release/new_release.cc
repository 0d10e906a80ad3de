// SPDX-License-Identifier: Apache-2.0

#include "release/new_release.h"

#include <algorithm>
#include <utility>

#include "base/json.h"
#include "base/text.h"
#include "release/internal/layers.h"
#include "release/metadata.h"

namespace fairway::release {

namespace {

json::Array texts_of(std::vector<Version> versions) {
  std::ranges::sort(versions);
  const auto [first, last] = std::ranges::unique(versions);
  versions.erase(first, last);
  json::Array texts;
  for (const Version& version : versions) texts.emplace_back(version.to_string());
  return texts;
}

std::string metadata_text(const Description& description) {
  json::Object document{{"kind", "cincinnati-metadata-v0"},
                        {"version", description.version.to_string()},
                        {"previous", texts_of(description.previous)}};
  if (!description.next.empty()) document["next"] = texts_of(description.next);
  json::Object metadata;
  for (const auto& [key, text] : description.metadata) metadata.emplace(key, text);
  document["metadata"] = std::move(metadata);
  return json::to_text(document) + "\n";
}

bool is_architecture(std::string_view text) {
  return !text.empty() && text.size() <= 64 &&
         std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z'); });
}

}  // namespace

Result<NewRelease> make_release(Files files, const Description& description) {
  if (!is_architecture(description.arch)) {
    return fail(ErrorCode::invalid, "the architecture \"" + printable(description.arch) +
                                        "\" is none: it has to be of lower-case letters and digits, like "
                                        "amd64");
  }
  const std::string metadata(metadata_file);
  if (files.contains(metadata)) {
    return fail(ErrorCode::invalid, "the folder has a file " + metadata +
                                        ", which is made here: remove it, and say what is in it by flags");
  }
  files.emplace(metadata, metadata_text(description));
  std::map<std::string, std::string> paths;
  for (auto& [name, bytes] : files) paths.emplace(std::string(folder) + "/" + name, std::move(bytes));
  NewRelease made{.image = oci::make_image(paths, {.architecture = description.arch, .os = "linux"}),
                  .contents = {}};
  Layers layers(Part::all);
  layers.push(made.image.blobs.at(made.image.layer_digest));
  if (const auto ended = layers.end_layer(); !ended) return fail(ended.error());
  const auto platform = oci::parse_config(made.image.blobs.at(made.image.config_digest));
  if (!platform) return fail(platform.error());
  made.contents = {.arch = platform->architecture, .files = layers.files()};
  for (const auto& [path, bytes] : paths) {
    const std::string name = path.substr(folder.size() + 1);
    const auto same = made.contents.files.find(name);
    if (same != made.contents.files.end() && same->second == bytes) continue;
    return fail(ErrorCode::invalid,
                "the file " + printable(name) + " would be lost: " +
                    (name.starts_with(".wh.") ? "in an image, a name that begins with .wh. removes another "
                                                "file; rename it"
                                              : "readers of the image do not find it as it is; rename it"));
  }
  if (auto read = read_metadata(made.contents, "the new image"); !read) return fail(read.error());
  return made;
}

}  // namespace fairway::release
