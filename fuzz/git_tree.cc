// SPDX-License-Identifier: Apache-2.0

// Git trees of anybody's repository: whatever the objects say, reading them ends, stays within its limits,
// and gives only files that count.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "sources/internal/read/git_tree.h"

namespace {

/// Objects that the input is cut into at each 0xff; the last byte of an id selects one.
class Objects final : public fairway::sources::GitObjects {
 public:
  explicit Objects(std::string_view bytes) {
    while (true) {
      const auto end = bytes.find('\xff');
      objects_.emplace_back(bytes.substr(0, end));
      if (end == std::string_view::npos) return;
      bytes.remove_prefix(end + 1);
    }
  }
  fairway::Result<std::size_t> size(const fairway::sources::GitId& id) override { return find(id).size(); }
  fairway::Result<std::string> tree(const fairway::sources::GitId& id) override { return find(id); }
  fairway::Result<std::string> blob(const fairway::sources::GitId& id) override { return find(id); }

 private:
  const std::string& find(const fairway::sources::GitId& id) const {
    return objects_[id.back() % objects_.size()];
  }
  std::vector<std::string> objects_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fairway;
  Objects objects(std::string_view(reinterpret_cast<const char*>(data), size));
  const auto files = sources::read_git_files(objects, {}, {.tree_bytes = 1 << 16});
  if (!files) return 0;
  for (const auto& [path, content] : *files) {
    if (!graphdata::counts(path) || path.starts_with("../") || path.find("/../") != std::string::npos)
      std::abort();
  }
  return 0;
}
