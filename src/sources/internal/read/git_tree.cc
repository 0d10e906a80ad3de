// SPDX-License-Identifier: Apache-2.0

#include "sources/internal/read/git_tree.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "base/text.h"

namespace fairway::sources {

namespace {

std::string size_text(std::size_t bytes) {
  constexpr std::size_t mebibyte = std::size_t{1} << 20;
  return bytes % mebibyte == 0 ? std::to_string(bytes / mebibyte) + " MiB" : std::to_string(bytes) + " bytes";
}

bool is_top_folder(std::string_view name) {
  return name == "channels" || name == "blocked-edges" || name == "raw" || name == "signatures";
}

bool is_yaml(std::string_view path) {
  return path.ends_with(".yaml") || path.ends_with(".yml");
}

enum class EntryKind { folder, file, other };

struct Entry {
  EntryKind kind = EntryKind::other;
  std::string_view name;
  GitId id{};
};

/// Returns the kind of a mode in octal digits: its file type alone counts, as for Git.
std::optional<EntryKind> kind_of(std::string_view mode) {
  if (mode.empty() || mode.size() > 6 || mode.find_first_not_of("01234567") != std::string_view::npos)
    return std::nullopt;
  unsigned value = 0;
  for (const char digit : mode) value = value << 3 | static_cast<unsigned>(digit - '0');
  switch (value >> 12) {
    case 004:
      return EntryKind::folder;
    case 010:
      return EntryKind::file;
    default:
      return EntryKind::other;
  }
}

/// Takes the next entry off a tree's content: "MODE NAME\0" and 20 bytes. Nothing if it is broken.
std::optional<Entry> take_entry(std::string_view& rest) {
  const std::size_t space = rest.find(' ');
  const std::size_t end = rest.find('\0');
  if (space == std::string_view::npos || end == std::string_view::npos || space > end) return std::nullopt;
  const auto kind = kind_of(rest.substr(0, space));
  Entry entry{.name = rest.substr(space + 1, end - space - 1)};
  // A name that leads elsewhere would stand for a path that the tree does not have.
  const bool is_name = !entry.name.empty() && entry.name != "." && entry.name != ".." &&
                       entry.name.find('/') == std::string_view::npos;
  rest.remove_prefix(end + 1);
  if (!kind || !is_name || rest.size() < entry.id.size()) return std::nullopt;
  entry.kind = *kind;
  std::ranges::copy(rest.substr(0, entry.id.size()), entry.id.begin());
  rest.remove_prefix(entry.id.size());
  return entry;
}

class Reader {
 public:
  Reader(GitObjects& objects, const GitTreeLimits& limits) : objects_(objects), limits_(limits) {}

  Result<void> read_folder(const GitId& id, const std::string& prefix, int depth) {
    if (depth > limits_.depth) {
      return fail(ErrorCode::invalid, "folders lie deeper than " + std::to_string(limits_.depth) +
                                          " levels under " + printable(prefix));
    }
    const auto reading = [&prefix] { return "reading folder " + printable(prefix.empty() ? "/" : prefix); };
    const auto size = objects_.size(id);
    if (!size) return fail(size.error().within(reading()));
    tree_bytes_ += *size;
    if (*size > limits_.tree_bytes || tree_bytes_ > limits_.tree_bytes) {
      return fail(ErrorCode::too_large,
                  "the graph data's folders take more than " + size_text(limits_.tree_bytes));
    }
    const auto content = objects_.tree(id);
    if (!content) return fail(content.error().within(reading()));
    std::unordered_set<std::string_view> names;
    for (std::string_view rest = *content; !rest.empty();) {
      const auto entry = take_entry(rest);
      if (!entry) return fail(ErrorCode::invalid, reading() + ": the tree object is broken");
      if (!names.insert(entry->name).second) {
        return fail(ErrorCode::invalid, reading() + ": it holds \"" + printable(entry->name) + "\" twice");
      }
      if (auto done = read_entry(*entry, prefix, depth); !done) return done;
    }
    return {};
  }

  graphdata::Files take() { return std::move(files_); }

 private:
  Result<void> read_entry(const Entry& entry, const std::string& prefix, int depth) {
    if (prefix.size() + entry.name.size() > limits_.path_bytes) {
      if (depth == 0) return {};  // what counts there has short names
      return fail(ErrorCode::too_large, "a path under " + printable(prefix) + " is longer than " +
                                            std::to_string(limits_.path_bytes) + " bytes");
    }
    const std::string path = prefix + std::string(entry.name);
    const bool folder_counts = depth > 0 || is_top_folder(path);
    switch (entry.kind) {
      case EntryKind::folder:
        return folder_counts ? read_folder(entry.id, path + "/", depth + 1) : Result<void>{};
      case EntryKind::file:
        return graphdata::counts(path) ? read_file(entry.id, path) : Result<void>{};
      case EntryKind::other:
        break;
    }
    // The target of a symbolic link or a submodule is not in this tree, and must not just be missing.
    if (!graphdata::counts(path) && !folder_counts) return {};
    if (limits_.lenient) {
      files_.insert_or_assign(path, "");
      return {};
    }
    return fail(ErrorCode::invalid,
                printable(path) + " is a symbolic link or a submodule; commit the file itself instead");
  }

  Result<void> read_file(const GitId& id, const std::string& path) {
    const auto size = objects_.size(id);
    if (!size) return fail(size.error().within("reading " + printable(path)));
    // A blocked edge that is too large blocks its target (graphdata::load).
    if (is_yaml(path) && !path.starts_with("blocked-edges/") && *size > limits_.file_bytes) {
      if (limits_.lenient) {
        files_.insert_or_assign(path, "");
        return {};
      }
      return fail(ErrorCode::too_large, printable(path) + " is " + std::to_string(*size) +
                                            " bytes; the limit is " + size_text(limits_.file_bytes));
    }
    total_ += *size;
    if (*size > limits_.total_bytes || total_ > limits_.total_bytes)
      return fail(ErrorCode::too_large, "the graph data is larger than " + size_text(limits_.total_bytes));
    if (files_.size() >= limits_.files)
      return fail(ErrorCode::too_large,
                  "the graph data has more than " + std::to_string(limits_.files) + " files");
    auto content = objects_.blob(id);
    if (!content) return fail(content.error().within("reading " + printable(path)));
    files_.insert_or_assign(path, std::move(*content));
    return {};
  }

  GitObjects& objects_;
  const GitTreeLimits& limits_;
  graphdata::Files files_;
  std::size_t total_ = 0, tree_bytes_ = 0;
};

}  // namespace

Result<graphdata::Files> read_git_files(GitObjects& objects, const GitId& root, const GitTreeLimits& limits) {
  Reader reader(objects, limits);
  if (auto done = reader.read_folder(root, "", 0); !done) return fail(done.error());
  return reader.take();
}

}  // namespace fairway::sources
