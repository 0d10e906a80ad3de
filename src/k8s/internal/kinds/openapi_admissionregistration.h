// SPDX-License-Identifier: Apache-2.0

// Members of io.k8s.api.admissionregistration.v1.*. Written by scripts/k8s/openapi-tables.py; do not edit.
#pragma once

#include "k8s/internal/kinds/openapi.h"
#include "k8s/internal/kinds/openapi_meta.h"

namespace fairway::k8s::openapi {

inline constexpr Member admissionregistration_service_reference_members[] = {
    {"name", Type::text}, {"namespace", Type::text}, {"path", Type::text}, {"port", Type::integer}};
inline constexpr Definition admissionregistration_service_reference{
    "io.k8s.api.admissionregistration.v1.ServiceReference", admissionregistration_service_reference_members};

inline constexpr Member admissionregistration_webhook_client_config_members[] = {
    {"caBundle", Type::text},
    {"service", Type::object, &admissionregistration_service_reference},
    {"url", Type::text}};
inline constexpr Definition admissionregistration_webhook_client_config{
    "io.k8s.api.admissionregistration.v1.WebhookClientConfig",
    admissionregistration_webhook_client_config_members};

inline constexpr Member rule_with_operations_members[] = {{"apiGroups", Type::text_list},
                                                          {"apiVersions", Type::text_list},
                                                          {"operations", Type::text_list},
                                                          {"resources", Type::text_list},
                                                          {"scope", Type::text}};
inline constexpr Definition rule_with_operations{"io.k8s.api.admissionregistration.v1.RuleWithOperations",
                                                 rule_with_operations_members};

inline constexpr Member mutating_webhook_members[] = {
    {"admissionReviewVersions", Type::text_list},
    {"clientConfig", Type::object, &admissionregistration_webhook_client_config},
    {"failurePolicy", Type::text},
    {"matchConditions", Type::object_list},
    {"matchPolicy", Type::text},
    {"name", Type::text},
    {"namespaceSelector", Type::object, &label_selector},
    {"objectSelector", Type::object, &label_selector},
    {"reinvocationPolicy", Type::text},
    {"rules", Type::object_list, &rule_with_operations},
    {"sideEffects", Type::text},
    {"timeoutSeconds", Type::integer}};
inline constexpr Definition mutating_webhook{"io.k8s.api.admissionregistration.v1.MutatingWebhook",
                                             mutating_webhook_members};

inline constexpr Member mutating_webhook_configuration_members[] = {
    {"apiVersion", Type::text},
    {"kind", Type::text},
    {"metadata", Type::object, &object_meta},
    {"webhooks", Type::object_list, &mutating_webhook}};
inline constexpr Definition mutating_webhook_configuration{
    "io.k8s.api.admissionregistration.v1.MutatingWebhookConfiguration",
    mutating_webhook_configuration_members};

inline constexpr Member validating_webhook_members[] = {
    {"admissionReviewVersions", Type::text_list},
    {"clientConfig", Type::object, &admissionregistration_webhook_client_config},
    {"failurePolicy", Type::text},
    {"matchConditions", Type::object_list},
    {"matchPolicy", Type::text},
    {"name", Type::text},
    {"namespaceSelector", Type::object, &label_selector},
    {"objectSelector", Type::object, &label_selector},
    {"rules", Type::object_list, &rule_with_operations},
    {"sideEffects", Type::text},
    {"timeoutSeconds", Type::integer}};
inline constexpr Definition validating_webhook{"io.k8s.api.admissionregistration.v1.ValidatingWebhook",
                                               validating_webhook_members};

inline constexpr Member validating_webhook_configuration_members[] = {
    {"apiVersion", Type::text},
    {"kind", Type::text},
    {"metadata", Type::object, &object_meta},
    {"webhooks", Type::object_list, &validating_webhook}};
inline constexpr Definition validating_webhook_configuration{
    "io.k8s.api.admissionregistration.v1.ValidatingWebhookConfiguration",
    validating_webhook_configuration_members};

inline constexpr const Definition* admissionregistration_definitions[] = {
    &mutating_webhook,
    &mutating_webhook_configuration,
    &rule_with_operations,
    &admissionregistration_service_reference,
    &validating_webhook,
    &validating_webhook_configuration,
    &admissionregistration_webhook_client_config};

}  // namespace fairway::k8s::openapi
