// SPDX-License-Identifier: Apache-2.0

// The files of a graph-data repository that count, and reading them from a folder.
#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "graphdata/internal/files.h"
#include "graphdata/internal/limits.h"
#include "graphdata/load.h"

namespace fairway::graphdata {

namespace {

constexpr std::array<std::string_view, 5> folders = {"blocked-edges", "channels", "internal-channels", "raw",
                                                     "signatures"};
constexpr std::array<std::string_view, 4> root_files = {"LICENSE", "accept-payloads", "accept-widening",
                                                        "version"};
// signatures/sha256=<hex>/signature-1 is two below; more than this is a loop of links.
constexpr int max_folder_depth = 8;

/// Returns whether a path may be that of a blocked-edges file. One that is unfit (too large, with an odd
/// name) still blocks its target: refusing all of the data because of it would discard the blocks of other
/// files.
bool may_block(std::string_view path) {
  return path.starts_with("blocked-edges/") && is_yaml(path);
}

struct Reader {
  std::filesystem::path root;
  std::filesystem::path top;  ///< `root` with its links resolved
  bool (*wanted)(std::string_view path);
  const Limits& limits;
  const Clock& clock;
  const std::set<std::string>& dispensable;  ///< paths that are left out where they cannot be read
  Files files;
  std::size_t bytes = 0;
  std::size_t names = 0;  ///< number of names read
  /// Folders that are being read, one in another, without links.
  std::vector<std::filesystem::path> open = {};

  std::string shown(const std::string& path) const { return (root / path).string(); }

  // Files that are read are also handed out (/graph-data, /signatures): a link must not lead to anything but
  // graph data. Links within the folder are how mounted ConfigMaps work.
  Result<void> stays_inside(const std::string& path) const {
    std::error_code fault;
    const std::filesystem::path target = std::filesystem::canonical(root / path, fault);
    if (fault) return fail(ErrorCode::unavailable, "reading " + shown(path) + ": " + fault.message());
    if (std::ranges::mismatch(top, target).in1 == top.end()) return {};
    return fail(ErrorCode::invalid, "reading " + shown(path) + ": it is a link to " + target.string() +
                                        ", outside the graph data; put the file itself there");
  }

  /// Returns the result of reading a path, or success if the path is dispensable.
  Result<void> unless_dispensable(const std::string& path, Result<void> done) const {
    return dispensable.contains(path) ? Result<void>() : std::move(done);
  }

  Result<void> read_one(const std::string& path) {
    if (const Result<void> inside = stays_inside(path); !inside) return inside;
    const std::size_t limit = is_yaml(path) && !may_block(path) ? max_yaml_bytes : max_total_bytes;
    Result<std::string> text = read_file(root / path, std::min(limit, max_total_bytes - bytes));
    if (!text) return fail(text.error());
    bytes += text->size();
    if (files.size() >= max_files) {
      return fail(ErrorCode::too_large, "reading " + root.string() + ": more than " +
                                            std::to_string(max_files) + " files; is this graph data?");
    }
    files.emplace(path, std::move(*text));
    return {};
  }

  /// Counts the next name. An Error if reading is to end, or if there are too many names, as links to the
  /// same few folders can make.
  Result<void> next_name(const std::string& path) {
    if (limits.stop.stop_requested())
      return fail(ErrorCode::cancelled, "reading " + root.string() + ": stopped");
    if (limits.expired(clock))
      return fail(ErrorCode::deadline_exceeded, "reading " + root.string() + " takes too long");
    if (++names <= max_names) return {};
    return fail(ErrorCode::too_large, "reading " + root.string() + ": more than " +
                                          std::to_string(max_names) + " names in its folders, the last one " +
                                          shown(path) +
                                          "; is this graph data, and without links to folders?");
  }

  Result<void> read_folder(const std::string& folder, int depth) {
    if (depth > max_folder_depth)
      return fail(ErrorCode::invalid, "reading " + shown(folder) + ": folders are nested too deep");
    if (const Result<void> inside = stays_inside(folder); !inside) return inside;
    std::error_code fault;
    const std::filesystem::path here = std::filesystem::canonical(root / folder, fault);
    if (here == top || std::ranges::find(open, here) != open.end()) {
      return fail(ErrorCode::invalid,
                  "reading " + shown(folder) + ": it is a link to a folder that it lies in; remove it");
    }
    open.push_back(here);
    const Result<void> done = read_names(folder, depth);
    open.pop_back();
    return done;
  }

  Result<void> read_names(const std::string& folder, int depth) {
    std::error_code fault;
    std::filesystem::directory_iterator entry(root / folder, fault);
    for (; !fault && entry != std::filesystem::directory_iterator(); entry.increment(fault)) {
      const std::string path = folder + "/" + entry->path().filename().string();
      if (const Result<void> more = next_name(path); !more) return more;
      std::error_code status_fault;
      const bool is_folder = entry->is_directory(status_fault);
      if (is_folder && entry->path().filename().string().starts_with('.')) continue;
      if (is_folder) {
        const Result<void> inner = unless_dispensable(path, read_folder(path, depth + 1));
        if (!inner) return inner;
      } else if (wanted(path)) {
        if (const Result<void> one = unless_dispensable(path, read_one(path)); !one) return one;
      }
    }
    if (fault)
      return fail(ErrorCode::unavailable,
                  "reading the folder " + shown(folder) + ": " + fault.message() + "; it must be readable");
    return {};
  }
};

}  // namespace

bool counts(std::string_view path) {
  if (std::ranges::find(root_files, path) != root_files.end()) return true;
  const std::size_t slash = path.find('/');
  if (slash == std::string_view::npos) return false;
  const std::string_view folder = path.substr(0, slash);
  const std::string_view name = path.substr(slash + 1);
  // Editors and mounted ConfigMaps keep their own things in hidden files.
  if (name.empty() || name.front() == '.' || path.contains("/.")) return false;
  if (folder == "signatures") return true;
  if (name.contains('/')) return false;
  return folder == "channels" || folder == "blocked-edges" || folder == "raw";
}

Result<Files> read_directory(const std::string& directory, bool (*wanted)(std::string_view path),
                             const Limits& limits, const Clock& clock) {
  return read_directory(directory, wanted, limits, clock, {});
}

Result<Files> read_directory(const std::string& directory, bool (*wanted)(std::string_view path),
                             const Limits& limits, const Clock& clock,
                             const std::set<std::string>& dispensable) {
  Reader reader{.root = directory,
                .top = {},
                .wanted = wanted,
                .limits = limits,
                .clock = clock,
                .dispensable = dispensable,
                .files = {}};
  std::error_code fault;
  const std::filesystem::file_status status = std::filesystem::status(directory, fault);
  if (!std::filesystem::is_directory(status)) {
    const bool absent = status.type() == std::filesystem::file_type::not_found;
    return fail(absent ? ErrorCode::not_found : ErrorCode::invalid,
                "reading graph data from " + directory + ": " +
                    (absent   ? std::string("there is no such folder")
                     : !fault ? std::string("it is not a folder")
                              : fault.message()) +
                    "; name a folder with version, channels and blocked-edges");
  }
  reader.top = std::filesystem::canonical(directory, fault);
  if (fault)
    return fail(ErrorCode::unavailable, "reading graph data from " + directory + ": " + fault.message());
  for (const std::string_view name : root_files) {
    const std::string path(name);
    if (!wanted(path)) continue;
    const std::filesystem::file_type type = std::filesystem::symlink_status(reader.root / path, fault).type();
    if (type == std::filesystem::file_type::not_found) continue;
    const Result<void> one = reader.unless_dispensable(path, reader.read_one(path));
    if (!one) return fail(one.error());
  }
  for (const std::string_view name : folders) {
    const std::string path(name);
    const std::filesystem::file_type type = std::filesystem::symlink_status(reader.root / path, fault).type();
    if (type == std::filesystem::file_type::not_found) continue;
    const Result<void> folder = reader.unless_dispensable(path, reader.read_folder(path, 1));
    if (!folder) return fail(folder.error());
  }
  return std::move(reader.files);
}

Result<void> check_limits(const Files& files) {
  if (files.size() > max_files) {
    return fail(ErrorCode::too_large, "graph data has more than " + std::to_string(max_files) + " files");
  }
  std::size_t bytes = 0;
  for (const auto& [path, text] : files) {
    bytes += text.size();
    // Names are part of messages that are served as JSON.
    if (!is_utf8(path) && !may_block(path)) {
      return fail(ErrorCode::invalid, "the name of the file " + printable(path) + " is not UTF-8; rename it");
    }
    if (path.size() > max_path_bytes) {
      return fail(ErrorCode::too_large, "the name of the file " + printable(path) + " has more than " +
                                            std::to_string(max_path_bytes) + " bytes; rename it");
    }
    if (is_yaml(path) && text.size() > max_yaml_bytes && !may_block(path)) {
      return fail(ErrorCode::too_large,
                  path + ": more than " + std::to_string(max_yaml_bytes) + " bytes; split it or shorten it");
    }
    if (bytes > max_total_bytes) {
      return fail(ErrorCode::too_large,
                  "graph data has more than " + std::to_string(max_total_bytes) + " bytes in all");
    }
  }
  return {};
}

bool is_yaml(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  if (dot == std::string_view::npos) return false;
  const std::string_view extension = path.substr(dot + 1);
  return equals_ignoring_case(extension, "yaml") || equals_ignoring_case(extension, "yml");
}

}  // namespace fairway::graphdata
