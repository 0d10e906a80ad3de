// SPDX-License-Identifier: Apache-2.0

#include "http/certificate.h"

#include <arpa/inet.h>
#include <openssl/bn.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <memory>

#include "base/text.h"
#include "http/internal/tls/pem.h"

namespace fairway::http {
namespace {

void free_bio(BIO* bio) {
  BIO_free_all(bio);
}

std::unexpected<Error> internal(std::string_view doing) {
  return fail(ErrorCode::internal, std::string(doing) + ": " + openssl_error());
}

/// Returns the text that a function writes into a BIO; "" if that fails.
template <class Write>
std::string written(Write write) {
  const Owned<BIO> out(BIO_new(BIO_s_mem()), free_bio);
  if (!out || !write(out.get())) return "";
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(out.get(), &bytes);
  return {bytes, static_cast<std::size_t>(size)};
}

std::string to_pem(X509* certificate) {
  return written([&](BIO* out) { return PEM_write_bio_X509(out, certificate) == 1; });
}

std::string to_pem(EVP_PKEY* key) {
  return written([&](BIO* out) {
    return PEM_write_bio_PKCS8PrivateKey(out, key, nullptr, nullptr, 0, nullptr, nullptr) == 1;
  });
}

Result<std::vector<Owned<X509>>> certificates_of(std::string_view pem, const std::string& origin) {
  auto certificates = parse_certificates(pem);
  if (!certificates) return fail(certificates.error().within(origin));
  return certificates;
}

bool is_address(const std::string& name) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  return inet_pton(AF_INET, name.c_str(), bytes.data()) == 1 ||
         inet_pton(AF_INET6, name.c_str(), bytes.data()) == 1;
}

bool set_time(ASN1_TIME* field, WallTime time) {
  return ASN1_TIME_set(field, std::chrono::system_clock::to_time_t(time)) != nullptr;
}

WallTime time_of(const ASN1_TIME* field) {
  tm parts{};
  if (ASN1_TIME_to_tm(field, &parts) != 1) return {};
  return std::chrono::system_clock::from_time_t(timegm(&parts));
}

bool add_extension(X509* issuer, X509* subject, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, subject, nullptr, nullptr, 0);
  const Owned<X509_EXTENSION> extension(X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()),
                                        X509_EXTENSION_free);
  return extension != nullptr && X509_add_ext(subject, extension.get(), -1) == 1;
}

bool add_to_subject(X509* certificate, const char* part, const std::string& name) {
  return X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), part, MBSTRING_UTF8,
                                    reinterpret_cast<const unsigned char*>(name.data()),
                                    static_cast<int>(name.size()), -1, 0) == 1;
}

/// A certificate with everything but issuer, extensions and signature.
Owned<X509> blank(EVP_PKEY* key, const std::string& common_name, const Validity& validity) {
  Owned<X509> made(X509_new(), X509_free);
  const Owned<BIGNUM> serial(BN_new(), BN_free);
  // RFC 5280: positive, at most 20 bytes; random, so that no two replicas give out the same.
  constexpr int serial_bits = 127;
  const bool done = made && serial && X509_set_version(made.get(), X509_VERSION_3) == 1 &&
                    BN_rand(serial.get(), serial_bits, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) == 1 &&
                    BN_to_ASN1_INTEGER(serial.get(), X509_get_serialNumber(made.get())) != nullptr &&
                    set_time(X509_getm_notBefore(made.get()), validity.from) &&
                    set_time(X509_getm_notAfter(made.get()), validity.until) &&
                    X509_set_pubkey(made.get(), key) == 1 && add_to_subject(made.get(), "CN", common_name);
  if (!done) made.reset();
  return made;
}

std::string hex(const unsigned char* bytes, std::size_t size) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < size; ++i) {
    text += digits[bytes[i] >> 4];
    text += digits[bytes[i] & 15];
  }
  return text;
}

std::string hex(const ASN1_STRING* text) {
  if (text == nullptr) return "";
  return hex(ASN1_STRING_get0_data(text), static_cast<std::size_t>(ASN1_STRING_length(text)));
}

std::string text_of(const X509_NAME* name) {
  return written([&](BIO* out) { return X509_NAME_print_ex(out, name, 0, XN_FLAG_RFC2253) >= 0; });
}

std::string text_of_address(const ASN1_OCTET_STRING* address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const int family = ASN1_STRING_length(address) == sizeof(in_addr) ? AF_INET : AF_INET6;
  if (family == AF_INET6 && ASN1_STRING_length(address) != sizeof(in6_addr)) return hex(address);
  return inet_ntop(family, ASN1_STRING_get0_data(address), text.data(), text.size()) != nullptr ? text.data()
                                                                                                : "";
}

std::vector<std::string> names_of(X509* certificate) {
  std::vector<std::string> names;
  const Owned<GENERAL_NAMES> list(
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)),
      GENERAL_NAMES_free);
  for (int i = 0; i < sk_GENERAL_NAME_num(list.get()); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(list.get(), i);
    if (name->type == GEN_DNS) {
      names.emplace_back(reinterpret_cast<const char*>(ASN1_STRING_get0_data(name->d.dNSName)),
                         static_cast<std::size_t>(ASN1_STRING_length(name->d.dNSName)));
    } else if (name->type == GEN_IPADD) {
      names.push_back(text_of_address(name->d.iPAddress));
    }
  }
  return names;
}

bool must_staple(X509* certificate) {
  constexpr long status_request = 5;  // RFC 6066
  const Owned<TLS_FEATURE> features(
      static_cast<TLS_FEATURE*>(X509_get_ext_d2i(certificate, NID_tlsfeature, nullptr, nullptr)),
      TLS_FEATURE_free);
  for (int i = 0; i < sk_ASN1_INTEGER_num(features.get()); ++i) {
    if (ASN1_INTEGER_get(sk_ASN1_INTEGER_value(features.get(), i)) == status_request) return true;
  }
  return false;
}

CertificateFacts facts_of(X509* certificate) {
  CertificateFacts facts;
  facts.subject = text_of(X509_get_subject_name(certificate));
  facts.issuer = text_of(X509_get_issuer_name(certificate));
  facts.serial = hex(X509_get0_serialNumber(certificate));
  facts.subject_key_id = hex(X509_get0_subject_key_id(certificate));
  facts.authority_key_id = hex(X509_get0_authority_key_id(certificate));
  facts.validity = {time_of(X509_get0_notBefore(certificate)), time_of(X509_get0_notAfter(certificate))};
  facts.names = names_of(certificate);
  facts.is_authority = X509_check_ca(certificate) == 1;
  // Without the extension all bits are set.
  facts.may_sign = (X509_get_key_usage(certificate) & X509v3_KU_DIGITAL_SIGNATURE) != 0;
  facts.must_staple = must_staple(certificate);
  return facts;
}

/// The extensions in which certificates of servers and clients differ.
struct Purpose {
  std::string usage;         ///< "serverAuth"
  std::string alternatives;  ///< names in OpenSSL's text form; empty: none
};

Result<KeyedCertificate> issue(const KeyedCertificate& authority, const std::string& common_name,
                               const std::vector<std::string>& organizations, const Validity& validity,
                               const Purpose& purpose, std::string_view given_key = {}) {
  constexpr std::string_view doing = "signing";
  if (auto checked = check_key(authority, "the certificate authority"); !checked)
    return fail(checked.error());
  const auto issuers = parse_certificates(authority.certificate);
  const auto issuer_key = parse_private_key(authority.key);
  if (!issuers || !issuer_key) return internal(doing);
  X509* issuer = issuers->front().get();
  Owned<EVP_PKEY> key(nullptr, EVP_PKEY_free);
  if (given_key.empty()) {
    key.reset(EVP_EC_gen("P-256"));
  } else {
    auto read = parse_private_key(given_key);
    if (!read) return fail(read.error().within("the key of the certificate"));
    key = *std::move(read);
  }
  if (!key) return internal(doing);
  const Owned<X509> made = blank(key.get(), common_name, validity);
  const auto add_organization = [&](const std::string& name) {
    return add_to_subject(made.get(), "O", name);
  };
  if (!made || !std::ranges::all_of(organizations, add_organization) ||
      X509_set_issuer_name(made.get(), X509_get_subject_name(issuer)) != 1 ||
      !add_extension(issuer, made.get(), NID_basic_constraints, "critical,CA:FALSE") ||
      !add_extension(issuer, made.get(), NID_key_usage, "critical,digitalSignature") ||
      !add_extension(issuer, made.get(), NID_ext_key_usage, purpose.usage) ||
      (!purpose.alternatives.empty() &&
       !add_extension(issuer, made.get(), NID_subject_alt_name, purpose.alternatives)) ||
      !add_extension(issuer, made.get(), NID_subject_key_identifier, "hash") ||
      !add_extension(issuer, made.get(), NID_authority_key_identifier, "keyid:always") ||
      X509_sign(made.get(), issuer_key->get(), EVP_sha256()) == 0) {
    return internal(doing);
  }
  return KeyedCertificate{to_pem(made.get()), to_pem(key.get())};
}

}  // namespace

Result<KeyedCertificate> make_authority(const std::string& name, const Validity& validity) {
  constexpr std::string_view doing = "making a certificate authority";
  const Owned<EVP_PKEY> key(EVP_EC_gen("P-256"), EVP_PKEY_free);
  std::array<unsigned char, 4> random{};
  if (!key || RAND_bytes(random.data(), static_cast<int>(random.size())) != 1) return internal(doing);
  const Owned<X509> made = blank(key.get(), name + " " + hex(random.data(), random.size()), validity);
  if (!made || X509_set_issuer_name(made.get(), X509_get_subject_name(made.get())) != 1 ||
      !add_extension(made.get(), made.get(), NID_basic_constraints, "critical,CA:TRUE,pathlen:0") ||
      !add_extension(made.get(), made.get(), NID_key_usage, "critical,keyCertSign") ||
      !add_extension(made.get(), made.get(), NID_subject_key_identifier, "hash") ||
      !add_extension(made.get(), made.get(), NID_authority_key_identifier, "keyid:always") ||
      X509_sign(made.get(), key.get(), EVP_sha256()) == 0) {
    return internal(doing);
  }
  return KeyedCertificate{to_pem(made.get()), to_pem(key.get())};
}

Result<KeyedCertificate> issue_certificate(const KeyedCertificate& authority, const std::string& common_name,
                                           const std::vector<std::string>& names, const Validity& validity) {
  constexpr std::string_view doing = "issuing a server's certificate";
  if (names.empty()) return fail(ErrorCode::invalid, std::string(doing) + ": it must be for some name");
  std::vector<std::string> alternatives;
  for (const std::string& name : names) {
    // The text below has a grammar of its own, which no name may speak.
    if (name.empty() || name.find_first_of(", \n\r\\;") != std::string::npos) {
      return fail(ErrorCode::invalid,
                  std::string(doing) + ": '" + printable(name, 100) + "' is no DNS name and no IP address");
    }
    alternatives.push_back((is_address(name) ? "IP:" : "DNS:") + name);
  }
  auto issued = issue(authority, common_name, {}, validity,
                      {.usage = "serverAuth", .alternatives = join(alternatives, ",")});
  if (!issued) return fail(issued.error().within(doing));
  return issued;
}

Result<KeyedCertificate> issue_client_certificate(const KeyedCertificate& authority,
                                                  const std::string& common_name,
                                                  const std::vector<std::string>& organizations,
                                                  const Validity& validity, std::string_view key) {
  constexpr std::string_view doing = "issuing a client's certificate";
  constexpr std::size_t longest = 64;  // RFC 5280, ub-common-name and ub-organization-name
  const auto check = [&](const std::string& name) { return !name.empty() && name.size() <= longest; };
  if (!check(common_name) || !std::ranges::all_of(organizations, check)) {
    return fail(ErrorCode::invalid, std::string(doing) + ": user and groups must have 1 to 64 bytes");
  }
  auto issued = issue(authority, common_name, organizations, validity, {.usage = "clientAuth"}, key);
  if (!issued) return fail(issued.error().within(doing));
  return issued;
}

Result<std::vector<CertificateFacts>> read_certificates(std::string_view pem, const std::string& origin) {
  const auto certificates = certificates_of(pem, origin);
  if (!certificates) return fail(certificates.error());
  std::vector<CertificateFacts> facts;
  facts.reserve(certificates->size());
  for (const auto& certificate : *certificates) facts.push_back(facts_of(certificate.get()));
  ERR_clear_error();
  return facts;
}

Result<std::string> certificates_alone(std::string_view pem, const std::string& origin) {
  const auto certificates = certificates_of(pem, origin);
  if (!certificates) return fail(certificates.error());
  std::string texts;
  for (const auto& certificate : *certificates) texts += to_pem(certificate.get());
  ERR_clear_error();
  return texts;
}

Result<void> check_key(const KeyedCertificate& pair, const std::string& origin) {
  const auto certificates = certificates_of(pair.certificate, origin);
  if (!certificates) return fail(certificates.error());
  const auto key = parse_private_key(pair.key);
  if (!key) return fail(key.error().within(origin));
  if (X509_check_private_key(certificates->front().get(), key->get()) == 1) return {};
  ERR_clear_error();
  return fail(ErrorCode::invalid, origin + ": the private key does not belong to the certificate");
}

Result<void> check_trust(std::string_view certificate, std::string_view authorities, const std::string& name,
                         WallTime at) {
  const auto chain = certificates_of(certificate, "the certificate");
  if (!chain) return fail(chain.error());
  const auto trusted = certificates_of(authorities, "the trusted authorities");
  if (!trusted) return fail(trusted.error());
  const Owned<X509_STORE> store(X509_STORE_new(), X509_STORE_free);
  const Owned<X509_STORE_CTX> context(X509_STORE_CTX_new(), X509_STORE_CTX_free);
  if (!store || !context) return internal("checking a certificate");
  for (const auto& authority : *trusted) X509_STORE_add_cert(store.get(), authority.get());
  if (X509_STORE_CTX_init(context.get(), store.get(), chain->front().get(), nullptr) != 1)
    return internal("checking a certificate");
  X509_STORE_CTX_set_default(context.get(), "ssl_server");
  X509_VERIFY_PARAM* terms = X509_STORE_CTX_get0_param(context.get());
  X509_VERIFY_PARAM_set_time(terms, std::chrono::system_clock::to_time_t(at));
  X509_VERIFY_PARAM_set_flags(terms, X509_V_FLAG_X509_STRICT);
  if (is_address(name)) {
    X509_VERIFY_PARAM_set1_ip_asc(terms, name.c_str());
  } else {
    X509_VERIFY_PARAM_set1_host(terms, name.data(), name.size());
  }
  if (X509_verify_cert(context.get()) == 1) return {};
  const int why = X509_STORE_CTX_get_error(context.get());
  ERR_clear_error();
  return fail(ErrorCode::invalid,
              std::string("the certificate is not trusted: ") + X509_verify_cert_error_string(why));
}

}  // namespace fairway::http
