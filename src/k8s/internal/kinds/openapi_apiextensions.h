// SPDX-License-Identifier: Apache-2.0

// Members of io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.*. Written by
// scripts/k8s/openapi-tables.py; do not edit.
#pragma once

#include "k8s/internal/kinds/openapi.h"
#include "k8s/internal/kinds/openapi_meta.h"

namespace fairway::k8s::openapi {

inline constexpr Member apiextensions_service_reference_members[] = {
    {"name", Type::text}, {"namespace", Type::text}, {"path", Type::text}, {"port", Type::integer}};
inline constexpr Definition apiextensions_service_reference{
    "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.ServiceReference",
    apiextensions_service_reference_members};

inline constexpr Member apiextensions_webhook_client_config_members[] = {
    {"caBundle", Type::text},
    {"service", Type::object, &apiextensions_service_reference},
    {"url", Type::text}};
inline constexpr Definition apiextensions_webhook_client_config{
    "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.WebhookClientConfig",
    apiextensions_webhook_client_config_members};

inline constexpr Member webhook_conversion_members[] = {
    {"clientConfig", Type::object, &apiextensions_webhook_client_config},
    {"conversionReviewVersions", Type::text_list}};
inline constexpr Definition webhook_conversion{
    "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.WebhookConversion", webhook_conversion_members};

inline constexpr Member custom_resource_conversion_members[] = {
    {"strategy", Type::text}, {"webhook", Type::object, &webhook_conversion}};
inline constexpr Definition custom_resource_conversion{
    "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceConversion",
    custom_resource_conversion_members};

inline constexpr Member custom_resource_definition_names_members[] = {
    {"categories", Type::text_list}, {"kind", Type::text},
    {"listKind", Type::text},        {"plural", Type::text},
    {"shortNames", Type::text_list}, {"singular", Type::text}};
inline constexpr Definition custom_resource_definition_names{
    "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionNames",
    custom_resource_definition_names_members};

inline constexpr Member custom_resource_validation_members[] = {{"openAPIV3Schema", Type::object}};
inline constexpr Definition custom_resource_validation{
    "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceValidation",
    custom_resource_validation_members};

inline constexpr Member custom_resource_subresources_members[] = {{"scale", Type::object},
                                                                  {"status", Type::object}};
inline constexpr Definition custom_resource_subresources{
    "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceSubresources",
    custom_resource_subresources_members};

inline constexpr Member custom_resource_definition_version_members[] = {
    {"additionalPrinterColumns", Type::object_list},
    {"deprecated", Type::flag},
    {"deprecationWarning", Type::text},
    {"name", Type::text},
    {"schema", Type::object, &custom_resource_validation},
    {"selectableFields", Type::object_list},
    {"served", Type::flag},
    {"storage", Type::flag},
    {"subresources", Type::object, &custom_resource_subresources}};
inline constexpr Definition custom_resource_definition_version{
    "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionVersion",
    custom_resource_definition_version_members};

inline constexpr Member custom_resource_definition_spec_members[] = {
    {"conversion", Type::object, &custom_resource_conversion},
    {"group", Type::text},
    {"names", Type::object, &custom_resource_definition_names},
    {"preserveUnknownFields", Type::flag},
    {"scope", Type::text},
    {"versions", Type::object_list, &custom_resource_definition_version}};
inline constexpr Definition custom_resource_definition_spec{
    "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionSpec",
    custom_resource_definition_spec_members};

inline constexpr Member custom_resource_definition_condition_members[] = {
    {"lastTransitionTime", Type::time},
    {"message", Type::text},
    {"observedGeneration", Type::integer},
    {"reason", Type::text},
    {"status", Type::text},
    {"type", Type::text}};
inline constexpr Definition custom_resource_definition_condition{
    "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionCondition",
    custom_resource_definition_condition_members};

inline constexpr Member custom_resource_definition_status_members[] = {
    {"acceptedNames", Type::object, &custom_resource_definition_names},
    {"conditions", Type::object_list, &custom_resource_definition_condition},
    {"observedGeneration", Type::integer},
    {"storedVersions", Type::text_list}};
inline constexpr Definition custom_resource_definition_status{
    "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionStatus",
    custom_resource_definition_status_members};

inline constexpr Member custom_resource_definition_members[] = {
    {"apiVersion", Type::text},
    {"kind", Type::text},
    {"metadata", Type::object, &object_meta},
    {"spec", Type::object, &custom_resource_definition_spec},
    {"status", Type::object, &custom_resource_definition_status}};
inline constexpr Definition custom_resource_definition{
    "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition",
    custom_resource_definition_members};

inline constexpr const Definition* apiextensions_definitions[] = {
    &custom_resource_conversion,           &custom_resource_definition,
    &custom_resource_definition_condition, &custom_resource_definition_names,
    &custom_resource_definition_spec,      &custom_resource_definition_status,
    &custom_resource_definition_version,   &custom_resource_subresources,
    &custom_resource_validation,           &apiextensions_service_reference,
    &apiextensions_webhook_client_config,  &webhook_conversion};

}  // namespace fairway::k8s::openapi
