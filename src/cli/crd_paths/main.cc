// SPDX-License-Identifier: Apache-2.0

// fairway-crd-paths CRD.yaml HEADER: run by fairway_crd_paths of CMake.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/file.h"
#include "cli/crd_paths/tables.h"

namespace {

int refuse(const std::string& message) {
  std::fprintf(stderr, "error: %s\n", message.c_str());
  return 1;
}

/// Writes the header in place, with the rights that the umask leaves: others may build, too.
fairway::Result<void> write_header(const std::string& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (out) return {};
  return fairway::fail(fairway::ErrorCode::unavailable,
                       "writing the header " + file + ": " + std::strerror(errno) +
                           "; name a file in a folder that exists, and that you may write to");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: fairway-crd-paths CRD.yaml HEADER\n", stderr);
    return 2;
  }
  const auto text = fairway::read_file(argv[1]);
  if (!text) return refuse(text.error().message);
  const auto tables =
      fairway::cli::definition_tables(*text, std::filesystem::path(argv[1]).filename().string());
  if (!tables) return refuse(tables.error().message);
  if (auto written = write_header(argv[2], *tables); !written) return refuse(written.error().message);
  return 0;
}
