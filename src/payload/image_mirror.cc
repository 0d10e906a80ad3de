// SPDX-License-Identifier: Apache-2.0

#include "payload/image_mirror.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace fairway::payload {

namespace {

Result<std::string> read_side(std::string_view side) {
  while (side.ends_with('/')) side.remove_suffix(1);
  // With one more name below it even a host alone is a repository.
  const auto below = oci::Reference::parse(std::string(side) + "/x");
  if (!below) return fail(below.error());
  if (side.contains('@')) return fail(ErrorCode::invalid, "it has a digest");
  return below->registry + "/" + below->repository.substr(0, below->repository.size() - 1);
}

}  // namespace

Result<ImageMirror> ImageMirror::parse(std::string_view text) {
  const auto equals = text.find('=');
  const std::string doing = "the image mirror \"" + printable(text) + "\"";
  if (equals == std::string_view::npos || text.contains("==")) {
    return fail(ErrorCode::invalid, doing +
                                        " is not of the form FROM=TO, such as "
                                        "quay.io/openshift-release-dev=mirror.example.com/releases");
  }
  auto from = read_side(text.substr(0, equals));
  if (!from) return fail(from.error().within(doing + ": what is mirrored"));
  auto to = read_side(text.substr(equals + 1));
  if (!to) return fail(to.error().within(doing + ": the mirror"));
  from->pop_back();
  to->pop_back();
  return ImageMirror{.from = *std::move(from), .to = *std::move(to)};
}

std::vector<oci::Reference> pull_candidates(const oci::Reference& image,
                                            const std::vector<ImageMirror>& mirrors) {
  const std::string repository = image.registry + "/" + image.repository;
  std::vector<const ImageMirror*> fitting;
  for (const ImageMirror& mirror : mirrors) {
    if (repository == mirror.from || repository.starts_with(mirror.from + "/")) fitting.push_back(&mirror);
  }
  std::ranges::stable_sort(
      fitting, [](const ImageMirror* a, const ImageMirror* b) { return a->from.size() > b->from.size(); });
  std::vector<oci::Reference> candidates;
  for (const ImageMirror* mirror : fitting) {
    auto mirrored = oci::Reference::parse(mirror->to + repository.substr(mirror->from.size()));
    // A host for one whole repository leaves no name to ask it for.
    if (!mirrored) continue;
    mirrored->tag = image.tag;
    mirrored->digest = image.digest;
    candidates.push_back(*std::move(mirrored));
  }
  candidates.push_back(image);
  return candidates;
}

}  // namespace fairway::payload
