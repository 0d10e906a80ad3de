// SPDX-License-Identifier: Apache-2.0

// Files that the service keeps for its next start, the inputs of the last good graph and the release cache,
// and the same inputs as another replica answers with them. Whatever a disk made of them, reading them ends
// and gives what can be written again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>

#include "base/digest.h"
#include "release/cache.h"
#include "updateservice/internal/peers/peer_answer.h"
#include "updateservice/internal/store/stored_inputs.h"

namespace {

std::string make_folder() {
  std::string name = (std::filesystem::temp_directory_path() / "fairway-fuzz-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) std::abort();
  return name;
}

/// Returns lines as records of the cache: with a valid checksum before each line that has none.
std::string with_checksums(std::string_view lines) {
  std::string text = "fairway-releases 1\n";
  while (!lines.empty()) {
    const std::size_t end = lines.find('\n');
    const std::string line(lines.substr(0, end));
    if (line.starts_with('{')) text += fairway::sha256_hex(line).substr(0, 16) + " ";
    text += line + "\n";
    lines.remove_prefix(end == std::string_view::npos ? lines.size() : end + 1);
  }
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fairway;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  if (const auto inputs = updateservice::unpack_inputs(input)) {
    const std::string packed = updateservice::pack_inputs(**inputs);
    const auto again = updateservice::unpack_inputs(packed);
    if (!again || updateservice::pack_inputs(**again) != packed) std::abort();
  }
  const auto nothing = std::make_shared<const updateservice::BuiltInputs>();
  const auto held = updateservice::with_held(nothing, input);
  const std::string packed = updateservice::pack_held(*held);
  if (updateservice::pack_held(*updateservice::with_held(nothing, packed)) != packed) std::abort();
  if (const auto answer = updateservice::unpack_answer(input)) {
    const std::string packed = updateservice::pack_answer(*answer);
    const auto again = updateservice::unpack_answer(packed);
    if (!again || updateservice::pack_answer(*again) != packed) std::abort();
  }
  static const std::string folder = make_folder();
  std::ofstream(folder + "/cache", std::ios::binary | std::ios::trunc) << with_checksums(input);
  const auto cache = release::Cache::open({.index = folder + "/cache", .images = {}});
  if (!cache || !(*cache)->put_tag("a", "b") || (*cache)->tag("a") != "b") std::abort();
  static_cast<void>((*cache)->image("sha256:0"));
  static_cast<void>((*cache)->verified("sha256:0", ""));
  return 0;
}
