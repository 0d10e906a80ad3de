// SPDX-License-Identifier: Apache-2.0

// A folder of a test's own, gone with everything in it at the end of the test.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

namespace fairway::testing {

class TempDirectory {
 public:
  TempDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "fairway-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      throw std::runtime_error("cannot make a temporary folder like " + name);
    path_ = std::filesystem::canonical(name);
  }
  ~TempDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempDirectory(const TempDirectory&) = delete;
  TempDirectory& operator=(const TempDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::string text() const { return path_.string(); }
  /// The path of an entry in it.
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

  /// Writes a file (over an older one), its folders made as needed; returns its path.
  std::filesystem::path write(const std::filesystem::path& name, std::string_view bytes) const {
    const std::filesystem::path file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    out << bytes;
    out.close();
    if (!out) throw std::runtime_error("cannot write " + file.string());
    return file;
  }
  /// Writes many files: bytes by relative path.
  void write_all(const std::map<std::string, std::string>& files) const {
    for (const auto& [name, bytes] : files) write(name, bytes);
  }

 private:
  std::filesystem::path path_;
};

}  // namespace fairway::testing
