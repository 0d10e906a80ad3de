// SPDX-License-Identifier: Apache-2.0

#include <string>

#include "base/text.h"
#include "oci/registry.h"
#include "sources/internal/fetch/directory.h"
#include "sources/internal/fetch/source_kinds.h"
#include "sources/registry_graph_data.h"
#include "sources/registry_releases.h"

namespace fairway::sources {

namespace {

bool has_scheme(std::string_view spec) {
  return spec.find("://") != std::string_view::npos;
}
bool is_registry(std::string_view spec) {
  return spec.starts_with("oci://");
}
bool is_http(std::string_view spec) {
  return spec.starts_with("https://") || spec.starts_with("http://");
}

template <class Source>
Result<std::unique_ptr<Source>> named(Result<std::unique_ptr<Source>> source, std::string_view flag) {
  if (!source) return fail(source.error().within(flag));
  return source;
}

}  // namespace

Result<std::unique_ptr<ReleaseSource>> make_release_source(std::string_view spec, const Options& options) {
  if (is_http(spec)) return named(make_upstream_source(spec, options), "--releases");
  if (is_registry(spec)) {
    const auto repository = oci::Reference::parse(spec);
    if (!repository) return fail(repository.error().within("--releases"));
    if (!repository->tag.empty() || !repository->digest.empty()) {
      return fail(ErrorCode::invalid,
                  "--releases " + printable(spec) +
                      ": all tags of a repository are read; leave the tag or digest away");
    }
    return named(make_registry_release_source(*repository, options), "--releases");
  }
  if (!spec.empty() && !has_scheme(spec)) return make_file_release_source(std::string(spec));
  return fail(ErrorCode::invalid, "--releases " + printable(spec) +
                                      ": give FILE.json, oci://HOST[:PORT]/REPOSITORY, or "
                                      "'https://HOST/PATH/graph?channel=CHANNEL&arch=ARCH'");
}

Result<std::unique_ptr<GraphDataSource>> make_graph_data_source(std::string_view spec,
                                                                const Options& options) {
  if (spec.starts_with("git+") || spec.starts_with("git://") || spec.starts_with("ssh://")) {
    return named(make_git_source(spec, options), "--graph-data");
  }
  if (is_http(spec)) return named(make_tarball_source(spec, options), "--graph-data");
  if (is_registry(spec)) {
    const auto reference = oci::Reference::parse(spec);
    if (!reference) return fail(reference.error().within("--graph-data"));
    return named(make_registry_graph_data_source(*reference, options), "--graph-data");
  }
  if (!spec.empty() && !has_scheme(spec))
    return std::make_unique<DirectorySource>(std::string(spec), FolderWatchOptions{.clock = options.clock});
  return fail(ErrorCode::invalid,
              "--graph-data " + printable(spec) +
                  ": give a directory, git+https://HOST/PATH#REF, git+file:///PATH#REF, an "
                  "https:// tarball, or oci://HOST[:PORT]/REPOSITORY[:TAG|@DIGEST]");
}

}  // namespace fairway::sources
