// SPDX-License-Identifier: Apache-2.0

#include "http/internal/client/client_tls.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "base/log.h"
#include "http/internal/tls/pem_files.h"

namespace fairway::http {
namespace {

constexpr std::size_t most_pem_bytes = 16 << 20;

/// Returns the files that an entry of `ca_files` names: itself, or all files of a folder.
std::vector<std::string> files_of(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) return {path};
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(path, error)) {
    const std::string name = entry.path().filename().string();
    // Kubernetes keeps the versions of a mounted folder in hidden ones beside the links.
    if (entry.is_regular_file(error) && !name.starts_with('.')) files.push_back(entry.path().string());
  }
  std::ranges::sort(files);
  return files;
}

std::string mark_of(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return path + " missing";
  return path + " " + std::to_string(status.st_ino) + " " + std::to_string(status.st_size) + " " +
         std::to_string(status.st_mtim.tv_sec) + "." + std::to_string(status.st_mtim.tv_nsec);
}

}  // namespace

std::vector<std::string> ClientTls::signature() const {
  std::vector<std::string> marks;
  for (const std::string& entry : options_.ca_files) {
    for (const std::string& file : files_of(entry)) marks.push_back(mark_of(file));
  }
  if (!options_.certificate_file.empty()) {
    marks.push_back(mark_of(options_.certificate_file));
    marks.push_back(mark_of(options_.key_file));
  }
  return marks;
}

Result<TlsContext> ClientTls::load() const {
  if (options_.shared_key) return make_client_context(options_.shared_key);
  TlsClientFiles files;
  files.system_cas = options_.system_cas;
  files.verify = !options_.insecure_skip_verify;
  files.http2 = options_.http2;
  for (const std::string& entry : options_.ca_files) {
    for (const std::string& file : files_of(entry)) {
      auto pem = read_file(file, most_pem_bytes);
      if (!pem) return fail(pem.error().within("loading CAs"));
      files.cas.emplace_back(std::move(*pem), file);
    }
  }
  files.cas.insert(files.cas.end(), options_.ca_texts.begin(), options_.ca_texts.end());
  if (!options_.certificate.empty()) {
    files.certificate = options_.certificate;
    files.key = options_.key;
    files.certificate_name = "the given client certificate";
    files.key_name = "the given client key";
  } else if (!options_.certificate_file.empty()) {
    files.certificate_name = options_.certificate_file;
    files.key_name = options_.key_file;
    auto pair = read_pem_pair(options_.certificate_file, options_.key_file, "client");
    if (!pair) return fail(pair.error());
    files.certificate = std::move(pair->certificate);
    files.key = std::move(pair->key);
  }
  return make_client_context(files);
}

Result<TlsContext> ClientTls::context() {
  const std::scoped_lock lock(mutex_);
  auto now = signature();
  if (context_ && now == loaded_) return context_;
  auto made = load();
  if (!made) {
    if (!context_) return made;
    log::warning("the changed TLS files cannot be used; the old ones stay", {{"why", made.error().message}});
  } else {
    context_ = std::move(*made);
  }
  loaded_ = std::move(now);
  return context_;
}

}  // namespace fairway::http
