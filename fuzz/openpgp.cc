// SPDX-License-Identifier: Apache-2.0

// OpenPGP from strangers: keys as an operator may have been given them, and signatures as a store serves
// them. The input is a key file, 0xff 0xff, and a message.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "oci/signature.h"

namespace {

std::string make_folder() {
  std::string name = (std::filesystem::temp_directory_path() / "fairway-fuzz-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) std::abort();
  return name;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fairway;
  static const std::string folder = make_folder();
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t cut = input.find("\xff\xff");
  std::ofstream(folder + "/key", std::ios::binary | std::ios::trunc) << input.substr(0, cut);
  const auto keys = oci::KeyRing::load(folder, Clock::system());
  if (!keys || cut == std::string_view::npos) return 0;
  const std::string digest = "sha256:" + std::string(64, '0');
  static_cast<void>((*keys)->verify(input.substr(cut + 2), digest));
  return 0;
}
