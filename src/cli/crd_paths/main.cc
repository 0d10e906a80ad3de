// SPDX-License-Identifier: Apache-2.0

// fairway-crd-paths CRD.yaml HEADER: run by fairway_crd_paths of CMake.
#include <cstdio>
#include <filesystem>
#include <string>

#include "base/file.h"
#include "cli/crd_paths/tables.h"

namespace {

int refuse(const std::string& message) {
  std::fprintf(stderr, "error: %s\n", message.c_str());
  return 1;
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
  if (auto written = fairway::write_file_atomically(argv[2], *tables); !written)
    return refuse(written.error().message);
  return 0;
}
