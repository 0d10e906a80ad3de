// SPDX-License-Identifier: Apache-2.0

// Certificates made while a test runs: CAs, servers, clients. Keys are P-256, which is quick to make.
#pragma once

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <ctime>
#include <memory>
#include <stdexcept>
#include <string>

namespace fairway::testing {

struct CertificateAndKey {
  std::string certificate, key;  ///< PEM
};

/// A certificate authority that lives as long as a test.
class TestCa {
 public:
  explicit TestCa(const std::string& name = "Fairway test CA") : key_(make_key()) {
    certificate_ = make(name, key_.get(), "critical,CA:TRUE", "", -3600, 3600);
  }

  /// Returns the certificate (PEM) to trust.
  std::string certificate() const { return to_pem(certificate_.get()); }

  /// A server's certificate; `names` is OpenSSL's form of alternative names.
  CertificateAndKey server(const std::string& names = "DNS:localhost,IP:127.0.0.1,IP:::1",
                           const std::string& common_name = "server", long valid_seconds = 3600) const {
    return issue(common_name, names, valid_seconds);
  }
  /// A client's certificate.
  CertificateAndKey client(const std::string& common_name, const std::string& organization = "") const {
    return issue(common_name, "", 3600, organization);
  }

 private:
  template <class T>
  using Owned = std::unique_ptr<T, void (*)(T*)>;

  static Owned<EVP_PKEY> make_key() {
    EVP_PKEY* key = EVP_EC_gen("P-256");
    if (key == nullptr) throw std::runtime_error("cannot make a key");
    return {key, EVP_PKEY_free};
  }

  template <class Write>
  static std::string written(Write write) {
    const Owned<BIO> out(BIO_new(BIO_s_mem()), [](BIO* bio) { BIO_free_all(bio); });
    write(out.get());
    char* bytes = nullptr;
    const long size = BIO_get_mem_data(out.get(), &bytes);
    return {bytes, static_cast<std::size_t>(size)};
  }
  static std::string to_pem(X509* certificate) {
    return written([certificate](BIO* out) { PEM_write_bio_X509(out, certificate); });
  }

  Owned<X509> make(const std::string& name, EVP_PKEY* key, const std::string& constraints,
                   const std::string& names, long from, long until,
                   const std::string& organization = "") const {
    Owned<X509> made(X509_new(), X509_free);
    static long serial = std::time(nullptr);
    X509_set_version(made.get(), 2);
    ASN1_INTEGER_set(X509_get_serialNumber(made.get()), ++serial);
    X509_gmtime_adj(X509_getm_notBefore(made.get()), from);
    X509_gmtime_adj(X509_getm_notAfter(made.get()), until);
    X509_set_pubkey(made.get(), key);
    X509_NAME* subject = X509_get_subject_name(made.get());
    const auto add = [subject](const char* part, const std::string& text) {
      X509_NAME_add_entry_by_txt(subject, part, MBSTRING_UTF8,
                                 reinterpret_cast<const unsigned char*>(text.c_str()), -1, -1, 0);
    };
    if (!organization.empty()) add("O", organization);
    add("CN", name);
    X509* issuer = certificate_ ? certificate_.get() : made.get();
    X509_set_issuer_name(made.get(), X509_get_subject_name(issuer));
    add_extension(issuer, made.get(), NID_basic_constraints, constraints);
    if (!names.empty()) add_extension(issuer, made.get(), NID_subject_alt_name, names);
    if (X509_sign(made.get(), key_.get(), EVP_sha256()) == 0) throw std::runtime_error("cannot sign");
    return made;
  }

  static void add_extension(X509* issuer, X509* subject, int kind, const std::string& value) {
    X509V3_CTX context;
    X509V3_set_ctx(&context, issuer, subject, nullptr, nullptr, 0);
    X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str());
    if (extension == nullptr) throw std::runtime_error("bad extension " + value);
    X509_add_ext(subject, extension, -1);
    X509_EXTENSION_free(extension);
  }

  CertificateAndKey issue(const std::string& name, const std::string& names, long valid_seconds,
                          const std::string& organization = "") const {
    const auto key = make_key();
    const auto certificate = make(name, key.get(), "CA:FALSE", names, -7200, valid_seconds, organization);
    return {to_pem(certificate.get()), written([&key](BIO* out) {
              PEM_write_bio_PrivateKey(out, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
            })};
  }

  Owned<EVP_PKEY> key_;
  Owned<X509> certificate_{nullptr, X509_free};
};

}  // namespace fairway::testing
