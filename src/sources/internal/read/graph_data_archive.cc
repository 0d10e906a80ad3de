// SPDX-License-Identifier: Apache-2.0

#include "sources/internal/read/graph_data_archive.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "base/text.h"

namespace fairway::sources {

namespace {

/// Most folders above the repository's root.
constexpr int max_depth = 4;

/// Calls `visit(root, rest)` for each split of a path into a possible root ("" or "a/b/") and a file that
/// counts in it.
template <class Visit>
void for_each_root(std::string_view path, Visit visit) {
  std::size_t start = 0;
  for (int depth = 0; depth <= max_depth; ++depth) {
    if (graphdata::counts(path.substr(start))) visit(path.substr(0, start), path.substr(start));
    const auto slash = path.find('/', start);
    if (slash == std::string_view::npos) return;
    start = slash + 1;
  }
}

/// Returns whether a path counts, or would as a folder: a link in place of `blocked-edges` must not be
/// ignored.
bool counts_or_holds(const std::string& relative) {
  return graphdata::counts(relative) || graphdata::counts(relative + "/x.yaml");
}

bool may_count(std::string_view path) {
  bool found = false;
  const auto record = [&found](std::string_view, std::string_view) { found = true; };
  for_each_root(path, record);
  if (!found) for_each_root(std::string(path) + "/x.yaml", record);
  return found;
}

std::unique_ptr<oci::TarReader> new_reader(const ArchiveLimits& limits) {
  return std::make_unique<oci::TarReader>(oci::TarReader::Options{.wanted = may_count,
                                                                  .max_file_bytes = limits.file_bytes,
                                                                  .max_kept_bytes = limits.kept_bytes,
                                                                  .max_unpacked_bytes = limits.unpacked_bytes,
                                                                  .record_unusable = true});
}

}  // namespace

GraphDataArchive::GraphDataArchive(const ArchiveLimits& limits)
    : limits_(limits), reader_(new_reader(limits)) {}
GraphDataArchive::~GraphDataArchive() = default;

Result<void> GraphDataArchive::push(std::string_view bytes) {
  has_input_ = has_input_ || !bytes.empty();
  if (auto pushed = reader_->push(bytes); !pushed) return fail(std::move(pushed).error());
  return {};
}

Result<void> GraphDataArchive::next_layer() {
  if (auto merged = merge(); !merged) return merged;
  reader_ = new_reader(limits_);
  has_input_ = false;
  return {};
}

Result<void> GraphDataArchive::merge() {
  if (auto finished = reader_->finish(); !finished) return finished;
  const auto hidden = [this](const auto& entry) { return reader_->hides(entry.first); };
  std::erase_if(files_, hidden);
  std::erase_if(unusable_, hidden);
  for (const auto& [path, content] : reader_->files()) {
    unusable_.erase(path);
    files_.insert_or_assign(path, content);
  }
  for (const auto& [path, why] : reader_->unusable()) {
    files_.erase(path);
    unusable_.insert_or_assign(path, why);
  }
  std::size_t total = 0;
  for (const auto& [path, content] : files_) total += path.size() + content.size();
  if (total > limits_.kept_bytes) {
    return fail(ErrorCode::too_large, "the layers' files that count are larger than " +
                                          std::to_string(limits_.kept_bytes) + " bytes in all");
  }
  return {};
}

Result<graphdata::Files> GraphDataArchive::finish() {
  // After `next_layer` with nothing behind it there is no tar to end.
  if (has_input_ || files_.empty()) {
    if (auto merged = merge(); !merged) return fail(std::move(merged).error());
  }
  std::set<std::string> with_version, with_channels;
  const auto record = [&](std::string_view root, std::string_view file) {
    if (file == "version") with_version.emplace(root);
    if (file.starts_with("channels/")) with_channels.emplace(root);
  };
  for (const auto& [path, content] : files_) for_each_root(path, record);
  for (const auto& [path, why] : unusable_) for_each_root(path, record);

  // The shallowest one is meant: a repository may hold others as test data.
  std::vector<std::string> roots;
  for (const auto& root : with_version) {
    if (!with_channels.contains(root)) continue;
    const auto depth = std::ranges::count(root, '/');
    const auto best = roots.empty() ? depth : std::ranges::count(roots.front(), '/');
    if (depth < best) roots.clear();
    if (depth <= best) roots.push_back(root);
  }
  if (roots.empty()) {
    return fail(ErrorCode::invalid, "the archive holds no graph data: no folder, at most " +
                                        std::to_string(max_depth) +
                                        " deep, has a file `version` and a folder `channels`");
  }
  if (roots.size() > 1) {
    return fail(ErrorCode::invalid, "the archive holds graph data more than once: in the folders \"" +
                                        printable(join(roots, "\", \""), 1000) +
                                        "\"; leave one of them in it");
  }
  const std::string& root = roots.front();
  for (const auto& [path, why] : unusable_) {
    if (path.starts_with(root) && counts_or_holds(path.substr(root.size()))) {
      return fail(ErrorCode::invalid, "the archive's file \"" + printable(path) + "\" " + why);
    }
  }
  graphdata::Files files;
  for (auto& [path, content] : files_) {
    if (!path.starts_with(root)) continue;
    auto relative = path.substr(root.size());
    if (graphdata::counts(relative)) files.emplace(std::move(relative), std::move(content));
  }
  files_.clear();
  return files;
}

}  // namespace fairway::sources
