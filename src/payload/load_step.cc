// SPDX-License-Identifier: Apache-2.0

#include <utility>

#include "payload/release_image.h"

namespace fairway::payload {

namespace {

/// `version="4.7.4" image="I"`, as Go's structured logs have it.
std::string named(std::string_view version, std::string_view image) {
  return "version=\"" + std::string(version) + "\" image=\"" + std::string(image) + "\"";
}

}  // namespace

std::string_view to_string(LoadStep step) {
  switch (step) {
    case LoadStep::retrieve_payload:
      return "RetrievePayload";
    case LoadStep::verify_payload_version:
      return "VerifyPayloadVersion";
    case LoadStep::load_payload:
      return "LoadPayload";
    case LoadStep::precondition_checks:
      return "PreconditionChecks";
    case LoadStep::payload_loaded:
      return "PayloadLoaded";
  }
  return "";
}

std::string failure_message(LoadStep step, std::string_view version, std::string_view image,
                            std::string_view failure) {
  const std::string of = named(version, image);
  if (step == LoadStep::precondition_checks)
    return "Preconditions failed for payload loaded " + of + ": " + std::string(failure);
  const char* doing = step == LoadStep::retrieve_payload         ? "Retrieving payload failed "
                      : step == LoadStep::verify_payload_version ? "Verifying payload failed "
                                                                 : "Loading payload failed ";
  return doing + of + " failure=" + std::string(failure);
}

std::string retrieving_message(std::string_view version, std::string_view image) {
  return "Retrieving and verifying payload " + named(version, image);
}

std::string loaded_message(std::string_view version, std::string_view image, std::string_view arch) {
  return "Payload loaded " + named(version, image) + " architecture=\"" +
         std::string(arch == "multi" ? "Multi" : arch) + "\"";
}

}  // namespace fairway::payload
