// SPDX-License-Identifier: Apache-2.0

#include "oci/signature.h"

#include <fcntl.h>
#include <rnp/rnp.h>
#include <rnp/rnp_err.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <system_error>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/file.h"
#include "base/json.h"
#include "base/json_unambiguous.h"
#include "base/text.h"
#include "oci/internal/quiet.h"

namespace fairway::oci {

namespace {

constexpr std::size_t max_key_file = 1 << 20;
constexpr std::size_t max_content = 64 << 10;

/// Calls the library's own destroyer.
template <auto Destroy>
struct Destroyer {
  template <class T>
  void operator()(T* handle) const {
    Destroy(handle);
  }
};
template <class Handle, auto Destroy>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Destroyer<Destroy>>;
using Ffi = Owned<rnp_ffi_t, &rnp_ffi_destroy>;
using Input = Owned<rnp_input_t, &rnp_input_destroy>;
using Output = Owned<rnp_output_t, &rnp_output_destroy>;
using Verification = Owned<rnp_op_verify_t, &rnp_op_verify_destroy>;
using Key = Owned<rnp_key_handle_t, &rnp_key_handle_destroy>;
using Identifiers = Owned<rnp_identifier_iterator_t, &rnp_identifier_iterator_destroy>;
using Text = Owned<char*, &rnp_buffer_destroy>;

Input input_of(std::string_view bytes) {
  rnp_input_t input = nullptr;
  rnp_input_from_memory(&input, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(), false);
  return Input(input);
}

std::string why(rnp_result_t result) {
  return rnp_result_to_string(result);
}

/// Returns why a key cannot be trusted now; "" if it can.
std::string fault_of(rnp_key_handle_t key, WallTime time) {
  bool revoked = false, expired = false, valid = false;
  if (rnp_key_is_revoked(key, &revoked) != RNP_SUCCESS || revoked) return "is revoked";
  if (rnp_key_is_expired(key, &expired) != RNP_SUCCESS || expired) return "has expired";
  if (rnp_key_is_valid(key, &valid) != RNP_SUCCESS || !valid) return "is not valid";
  std::uint64_t until = 0;
  const auto now = time.time_since_epoch();
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now).count();
  if (rnp_key_valid_till64(key, &until) != RNP_SUCCESS || until < static_cast<std::uint64_t>(seconds)) {
    return "has expired";
  }
  return "";
}

std::string id_of(rnp_key_handle_t key) {
  char* id = nullptr;
  if (rnp_key_get_keyid(key, &id) != RNP_SUCCESS) return "?";
  return Text(id).get();
}

std::string names_of(const std::vector<PublicKey>& keys) {
  std::vector<std::string> names;
  for (const PublicKey& key : keys) names.push_back(key.name);
  return join(names, ", ");
}

Result<std::string> text_member(const json::Value& object, std::string_view key) {
  const auto text = json::find_string(object, key);
  if (!text)
    return fail(ErrorCode::invalid, "the signature's content has no text `" + std::string(key) + "`");
  return std::string(*text);
}

/// Checks that every key of the object is one of `known`.
Result<void> only(const json::Value* object, std::string_view name,
                  std::initializer_list<std::string_view> known) {
  if (object == nullptr || !object->is_object()) {
    return fail(ErrorCode::invalid, "the signature's content has no object `" + std::string(name) + "`");
  }
  for (const auto& member : object->get_object()) {
    const std::string_view key = member.key();
    if (std::ranges::find(known, key) == known.end()) {
      return fail(ErrorCode::invalid, "the signature's content has the key \"" + printable(key) + "\" in `" +
                                          std::string(name) + "`, which is not understood");
    }
  }
  return {};
}

}  // namespace

Result<std::string> read_signature_content(std::string_view content, std::string_view digest) {
  const auto document = json::parse_unambiguous(content);
  if (!document) return fail(document.error().within("reading the signature's content"));
  const auto* critical = json::find(*document, "critical");
  if (auto known = only(critical, "critical", {"type", "image", "identity"}); !known)
    return fail(known.error());
  const auto type = text_member(*critical, "type");
  if (!type) return fail(type.error());
  if (*type != "atomic container signature") {
    return fail(ErrorCode::invalid,
                "the signature is for something else: its type is \"" + printable(*type) + "\"");
  }
  const auto* image = json::find(*critical, "image");
  if (auto known = only(image, "image", {"docker-manifest-digest"}); !known) return fail(known.error());
  const auto* identity = json::find(*critical, "identity");
  if (auto known = only(identity, "identity", {"docker-reference"}); !known) return fail(known.error());
  const auto signed_digest = text_member(*image, "docker-manifest-digest");
  if (!signed_digest) return fail(signed_digest.error());
  if (*signed_digest != digest) {
    return fail(ErrorCode::invalid, "the signature is for another image: " + printable(*signed_digest));
  }
  return text_member(*identity, "docker-reference");
}

struct KeyRing::Implementation {
  explicit Implementation(const Clock& given) : clock(given) {}

  Result<void> import(const PublicKey& one) {
    const auto input = input_of(one.bytes);
    char* raw_imported = nullptr;
    const auto result = rnp_import_keys(ffi.get(), input.get(), RNP_LOAD_SAVE_PUBLIC_KEYS, &raw_imported);
    const Text imported(raw_imported);
    if (result != RNP_SUCCESS || !has_keys(imported ? imported.get() : "")) {
      return fail(ErrorCode::invalid,
                  "reading the public key " + one.name + ": it holds no OpenPGP key (" +
                      (result == RNP_SUCCESS ? "there is none in it" : why(result)) +
                      "); put one there, as `gpg --export --armor` prints it, or remove it");
    }
    keys_digest.update(one.name + '\0' + sha256_hex(one.bytes) + '\n');
    return {};
  }

  /// Returns whether the library has found a key in its input.
  static bool has_keys(std::string_view imported) {
    const auto document = json::parse(imported);
    const json::Value* const keys = document ? json::find(*document, "keys") : nullptr;
    return keys != nullptr && keys->is_array() && !keys->as_array().empty();
  }

  /// Records the valid keys and returns their number.
  std::size_t record_valid_keys() {
    rnp_identifier_iterator_t raw = nullptr;
    if (rnp_identifier_iterator_create(ffi.get(), &raw, "fingerprint") != RNP_SUCCESS) return 0;
    const Identifiers identifiers(raw);
    std::vector<std::string> states;
    std::size_t valid = 0;
    const char* identifier = nullptr;
    while (rnp_identifier_iterator_next(identifiers.get(), &identifier) == RNP_SUCCESS &&
           identifier != nullptr) {
      rnp_key_handle_t key = nullptr;
      if (rnp_locate_key(ffi.get(), "fingerprint", identifier, &key) != RNP_SUCCESS || key == nullptr)
        continue;
      const auto fault = fault_of(Key(key).get(), clock.now());
      if (fault.empty()) ++valid;
      states.push_back(std::string(identifier) + " " + fault);
    }
    std::ranges::sort(states);
    keys_digest.update(join(states, "\n"));
    return valid;
  }

  /// Checks one signature of a message, but not the message's content.
  Result<void> check(rnp_op_verify_signature_t signature) const {
    const auto status = rnp_op_verify_signature_get_status(signature);
    rnp_key_handle_t raw_key = nullptr;
    if (status == RNP_ERROR_KEY_NOT_FOUND ||
        rnp_op_verify_signature_get_key(signature, &raw_key) != RNP_SUCCESS || raw_key == nullptr) {
      return fail(ErrorCode::invalid, "it is signed by a key that is not trusted");
    }
    const Key key(raw_key);
    // The library calls a signature of a revoked key simply wrong: look at the key first, to say why.
    if (auto trusted = check_key(key.get()); !trusted) return trusted;
    if (status == RNP_ERROR_SIGNATURE_EXPIRED) return fail(ErrorCode::invalid, "the signature has expired");
    if (status != RNP_SUCCESS)
      return fail(ErrorCode::invalid, "the signature is wrong (" + why(status) + ")");
    char* raw_hash = nullptr;
    if (rnp_op_verify_signature_get_hash(signature, &raw_hash) != RNP_SUCCESS) {
      return fail(ErrorCode::invalid, "the signature's hash is not known");
    }
    const Text hash(raw_hash);
    constexpr std::array<std::string_view, 5> strong{"SHA256", "SHA384", "SHA512", "SHA3-256", "SHA3-512"};
    if (std::ranges::find(strong, std::string_view(hash.get())) == strong.end()) {
      return fail(ErrorCode::invalid,
                  std::string("the signature's hash is ") + hash.get() + ", which is too weak");
    }
    return {};
  }

  /// Checks that the key, and for a subkey its primary key, may be trusted now.
  Result<void> check_key(rnp_key_handle_t key) const {
    if (auto fault = fault_of(key, clock.now()); !fault.empty()) {
      return fail(ErrorCode::invalid, "the key " + id_of(key) + " that signed it " + fault);
    }
    bool primary = false;
    if (rnp_key_is_primary(key, &primary) == RNP_SUCCESS && primary) return {};
    char* raw_grip = nullptr;
    rnp_key_handle_t raw_primary = nullptr;
    if (rnp_key_get_primary_grip(key, &raw_grip) != RNP_SUCCESS || raw_grip == nullptr) {
      return fail(ErrorCode::invalid, "the subkey " + id_of(key) + " that signed it has no primary key");
    }
    const Text grip(raw_grip);
    if (rnp_locate_key(ffi.get(), "grip", grip.get(), &raw_primary) != RNP_SUCCESS ||
        raw_primary == nullptr) {
      return fail(ErrorCode::invalid, "the subkey " + id_of(key) + " that signed it has no primary key");
    }
    const Key primary_key(raw_primary);
    if (auto fault = fault_of(primary_key.get(), clock.now()); !fault.empty()) {
      return fail(ErrorCode::invalid, "the key " + id_of(primary_key.get()) + " that signed it " + fault);
    }
    return {};
  }

  Result<std::string> open(std::string_view message) const {
    const auto input = input_of(message);
    rnp_output_t raw_output = nullptr;
    rnp_output_to_memory(&raw_output, max_content);
    const Output output(raw_output);
    rnp_op_verify_t raw_operation = nullptr;
    if (rnp_op_verify_create(&raw_operation, ffi.get(), input.get(), output.get()) != RNP_SUCCESS) {
      return fail(ErrorCode::internal, "the OpenPGP library cannot verify");
    }
    const Verification operation(raw_operation);
    rnp_op_verify_set_flags(operation.get(), 0);
    const auto result = rnp_op_verify_execute(operation.get());
    std::size_t count = 0;
    rnp_op_verify_get_signature_count(operation.get(), &count);
    if (count == 0) {
      return fail(ErrorCode::invalid, "it is no signed OpenPGP message" +
                                          (result == RNP_SUCCESS ? "" : " (" + why(result) + ")"));
    }
    char* raw_mode = nullptr;
    if (rnp_op_verify_get_protection_info(operation.get(), &raw_mode, nullptr, nullptr) == RNP_SUCCESS) {
      const Text mode(raw_mode);
      if (std::string_view(mode.get()) != "none") return fail(ErrorCode::invalid, "it is encrypted");
    }
    Result<void> good = fail(ErrorCode::invalid, "it has no signature");
    for (std::size_t i = 0; i < count && !good; ++i) {
      rnp_op_verify_signature_t signature = nullptr;
      if (rnp_op_verify_get_signature_at(operation.get(), i, &signature) == RNP_SUCCESS)
        good = check(signature);
    }
    if (!good) return fail(good.error());
    if (result != RNP_SUCCESS) return fail(ErrorCode::invalid, "it is broken (" + why(result) + ")");
    std::uint8_t* content = nullptr;
    std::size_t size = 0;
    if (rnp_output_memory_get_buf(output.get(), &content, &size, false) != RNP_SUCCESS) {
      return fail(ErrorCode::invalid, "it has no content");
    }
    return std::string(reinterpret_cast<const char*>(content), size);
  }

  const Clock& clock;
  Ffi ffi;
  mutable std::mutex mutex;  // a handle of the library serves one thread at a time
  Sha256 keys_digest;
  std::string fingerprint;
};

KeyRing::KeyRing(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}
KeyRing::~KeyRing() = default;
const std::string& KeyRing::fingerprint() const {
  return implementation_->fingerprint;
}

Result<std::vector<PublicKey>> read_public_keys(const std::string& directory) {
  std::vector<std::filesystem::path> paths;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    const auto name = entry->path().filename().string();
    // Mounted secrets hold their versions in folders and links that begin with "..".
    if (!name.starts_with('.') && !entry->is_directory(error)) paths.push_back(entry->path());
    if (error) break;
  }
  if (error)
    return fail(ErrorCode::unavailable, "reading the public keys in " + directory + ": " + error.message());
  std::ranges::sort(paths);
  std::vector<PublicKey> keys;
  for (const auto& path : paths) {
    auto bytes = read_file(path, max_key_file);
    if (!bytes) return fail(bytes.error().within("reading a public key"));
    keys.push_back({path.string(), *std::move(bytes)});
  }
  return keys;
}

Result<std::unique_ptr<KeyRing>> KeyRing::make(const std::vector<PublicKey>& keys, const Clock& clock) {
  const std::string doing = "reading public keys";
  const QuietStderr quiet;
  auto implementation = std::make_unique<Implementation>(clock);
  rnp_ffi_t ffi = nullptr;
  if (rnp_ffi_create(&ffi, "GPG", "GPG") != RNP_SUCCESS) {
    return fail(ErrorCode::internal, doing + ": the OpenPGP library does not start");
  }
  implementation->ffi.reset(ffi);
  // It keeps the stream that was `stderr` when it was made, and closes it at its end unless it is `stderr`
  // then: it gets one of its own.
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere < 0 || rnp_ffi_set_log_fd(ffi, nowhere) != RNP_SUCCESS) {
    if (nowhere >= 0) close(nowhere);
    return fail(ErrorCode::internal, doing + ": /dev/null cannot be opened");
  }
  for (const PublicKey& key : keys) {
    if (auto imported = implementation->import(key); !imported) return fail(imported.error());
  }
  if (implementation->record_valid_keys() == 0) {
    return fail(ErrorCode::invalid,
                keys.empty() ? "there are none; put the OpenPGP public keys that sign your releases there"
                             : "none of them is valid (expired or revoked): " + names_of(keys) +
                                   "; put the OpenPGP public keys that sign your releases there");
  }
  implementation->fingerprint = implementation->keys_digest.hex();
  return std::unique_ptr<KeyRing>(new KeyRing(std::move(implementation)));
}

Result<std::unique_ptr<KeyRing>> KeyRing::load(const std::string& directory, const Clock& clock) {
  const auto keys = read_public_keys(directory);
  if (!keys) return fail(keys.error());
  auto ring = make(*keys, clock);
  if (!ring) return fail(ring.error().within("reading the public keys in " + directory));
  return ring;
}

Result<std::string> KeyRing::verify(std::string_view message, std::string_view digest) const {
  const std::lock_guard lock(implementation_->mutex);
  const QuietStderr quiet;
  // Packets have the high bit set (RFC 4880, section 4.2). Armored and clear-signed texts are other forms,
  // and everything that reads these stores expects the binary one.
  if (message.empty() || (static_cast<unsigned char>(message.front()) & 0x80) == 0) {
    return fail(ErrorCode::invalid, "it is no binary OpenPGP message");
  }
  const auto content = implementation_->open(message);
  if (!content) return fail(content.error());
  return read_signature_content(*content, digest);
}

}  // namespace fairway::oci
