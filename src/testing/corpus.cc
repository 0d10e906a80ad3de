// SPDX-License-Identifier: Apache-2.0

#include "testing/corpus.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "base/file.h"
#include "conversion/documents.h"
#include "kube/client/pages.h"

namespace fairway::testing {

namespace {

bool has_objects(const std::filesystem::path& file) {
  const std::string extension = file.extension();
  return extension == ".yaml" || extension == ".yml" || extension == ".json";
}

}  // namespace

Result<std::vector<k8s::Dynamic>> read_corpus(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    if (at->is_regular_file() && has_objects(at->path())) files.push_back(at->path());
  }
  if (error) {
    return fail(ErrorCode::unavailable, "reading the corpus in " + folder.string() + ": " + error.message());
  }
  std::ranges::sort(files);
  std::vector<k8s::Dynamic> corpus;
  for (const std::filesystem::path& file : files) {
    auto text = read_file(file);
    if (!text) return fail(text.error());
    auto objects = conversion::read_objects({file.string(), *std::move(text)});
    if (!objects) return fail(objects.error());
    std::ranges::move(*objects, std::back_inserter(corpus));
  }
  return corpus;
}

Result<std::vector<k8s::Dynamic>> list_corpus(kube::Client& client,
                                              const k8s::CustomResourceDefinition& definition) {
  std::string version;
  for (const k8s::CustomResourceVersion& one : definition.versions()) {
    if (one.storage()) version = one.name();
  }
  auto objects = kube::list_all(
      client, {std::string(definition.group()), version, std::string(definition.plural())}, {}, {});
  if (!objects) return fail(objects.error().within("listing the corpus"));
  return std::move(objects->items);
}

}  // namespace fairway::testing
