// SPDX-License-Identifier: Apache-2.0

// Makes keys and signs with gnupg, in a home of its own.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "support/temp_directory.h"

namespace fairway::testing {

/// Returns the content of an image signature.
inline std::string signature_content(const std::string& digest, const std::string& reference,
                                     const std::string& type = "atomic container signature") {
  return R"({"critical":{"type":")" + type + R"(","image":{"docker-manifest-digest":")" + digest +
         R"("},"identity":{"docker-reference":")" + reference + R"("}},"optional":{"creator":"test"}})";
}

/// A gnupg home below a temporary folder.
class Gpg {
 public:
  explicit Gpg(std::filesystem::path home) : home_(std::move(home)) {
    std::filesystem::create_directories(home_);
    std::filesystem::permissions(home_, std::filesystem::perms::owner_all);
  }
  ~Gpg() { run("gpgconf --homedir " + home_.string() + " --kill all"); }
  Gpg(const Gpg&) = delete;
  Gpg& operator=(const Gpg&) = delete;

  static bool installed() { return std::system("command -v gpg >/dev/null 2>&1") == 0; }

  /// Makes a key. `expires` is as gnupg takes it: "never", "1d", "seconds=1". `when` ("20200101T000000") sets
  /// the time of its creation.
  bool make_key(const std::string& name, const std::string& expires = "never", const std::string& when = "") {
    return gpg((when.empty() ? "" : "--faked-system-time " + when + "! ") +
               "--pinentry-mode loopback --passphrase '' --quick-gen-key '" + name + "' ed25519 sign " +
               expires);
  }
  bool export_key(const std::string& name, const std::filesystem::path& to, bool armored = true) {
    return gpg(std::string(armored ? "--armor " : "") + "--yes --output " + to.string() + " --export '" +
               name + "'");
  }
  /// Revokes the key: gnupg wrote the revocation beside it, with a colon in front of it so that nobody
  /// imports it by accident.
  bool revoke_key(const std::string& name) {
    return run("cd " + home_.string() + " && fpr=$(gpg --homedir . --batch --with-colons --list-keys '" +
               name +
               "' 2>/dev/null | awk -F: '/^fpr/{print $10; exit}') && sed 's/^:-----BEGIN/-----BEGIN/' "
               "openpgp-revocs.d/$fpr.rev | gpg --homedir . --batch --quiet --import");
  }
  /// Signs content. `how`: "--sign" (binary message), "--clear-sign", "--detach-sign", "--armor --sign".
  std::string sign(const std::string& name, const std::string& content, const std::string& how = "--sign",
                   const std::string& options = "") {
    std::ofstream(home_ / "content", std::ios::binary) << content;
    if (!gpg(options + " --yes --local-user '" + name + "' --output " + (home_ / "signed").string() + " " +
             how + " " + (home_ / "content").string())) {
      return "";
    }
    std::ifstream in(home_ / "signed", std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  bool gpg(const std::string& arguments) {
    return run("gpg --homedir " + home_.string() + " --batch --quiet --no-tty " + arguments);
  }

 private:
  static bool run(const std::string& command) {
    return std::system((command + " >/dev/null 2>&1").c_str()) == 0;
  }
  std::filesystem::path home_;
};

}  // namespace fairway::testing
