// SPDX-License-Identifier: Apache-2.0

#include "cli/new/operator_files.h"

#include <algorithm>
#include <utility>

#include "CMakeLists.txt.tmpl.h"
#include "Dockerfile.tmpl.h"
#include "README.md.tmpl.h"
#include "ci.yaml.tmpl.h"
#include "clang-format.tmpl.h"
#include "cli/new/template.h"
#include "cli/new/view_declarations.h"
#include "conversions.yaml.tmpl.h"
#include "crd.yaml.tmpl.h"
#include "deployment.yaml.tmpl.h"
#include "dockerignore.tmpl.h"
#include "gitignore.tmpl.h"
#include "kustomization.yaml.tmpl.h"
#include "main.cc.tmpl.h"
#include "namespace.yaml.tmpl.h"
#include "rbac.yaml.tmpl.h"
#include "reconcile.cc.tmpl.h"
#include "reconcile.h.tmpl.h"
#include "reconcile_test.cc.tmpl.h"
#include "sample.yaml.tmpl.h"
#include "views.h.tmpl.h"
#include "webhook.cc.tmpl.h"
#include "webhook.h.tmpl.h"
#include "webhook_test.cc.tmpl.h"

namespace fairway::cli {

namespace {

TemplateValues values_of_version(const ProjectNames& names, const std::string& version) {
  return {.texts = {{"version", version},
                    {"view", view_heading(names, version)},
                    {"resource", resource_declaration(names, version)}},
          .facts = {{"newest", version == names.versions.back()}},
          .lists = {}};
}

TemplateValues values_of_project(const ProjectNames& names) {
  const std::string& newest = names.versions.back();
  const bool several = names.versions.size() > 1;
  TemplateValues values;
  values.texts = {{"name", names.name},
                  {"space", names.cpp_namespace},
                  {"group", names.group},
                  {"kind", names.kind},
                  {"class", names.cpp_class},
                  {"plural", names.plural},
                  {"singular", names.singular},
                  {"oldest", names.versions.front()},
                  {"newest", newest},
                  {"before", several ? names.versions[names.versions.size() - 2] : ""},
                  {"view", view_heading(names, newest)},
                  {"resource", resource_declaration(names, newest)}};
  values.facts = {{"several", several}};
  std::vector<TemplateValues> versions, same;
  for (std::size_t i = 0; i < names.versions.size(); ++i) {
    versions.push_back(values_of_version(names, names.versions[i]));
    // Only the last step changes a field.
    if (i + 2 < names.versions.size()) {
      same.push_back(versions.back());
      same.back().texts.emplace("next", names.versions[i + 1]);
    }
  }
  values.lists["newest_first"] = {versions.rbegin(), versions.rend()};
  versions.pop_back();
  values.lists["older"] = std::move(versions);
  values.lists["same"] = std::move(same);
  return values;
}

}  // namespace

Result<std::vector<ProjectFile>> operator_files(const ProjectNames& names) {
  std::vector<std::pair<std::string, const char*>> templates{
      {".clang-format", clang_format_tmpl},
      {".dockerignore", dockerignore_tmpl},
      {".github/workflows/ci.yaml", ci_yaml_tmpl},
      {".gitignore", gitignore_tmpl},
      {"CMakeLists.txt", CMakeLists_txt_tmpl},
      {"Dockerfile", Dockerfile_tmpl},
      {"README.md", README_md_tmpl},
      {"crd.yaml", crd_yaml_tmpl},
      {"deploy/deployment.yaml", deployment_yaml_tmpl},
      {"deploy/kustomization.yaml", kustomization_yaml_tmpl},
      {"deploy/namespace.yaml", namespace_yaml_tmpl},
      {"deploy/rbac.yaml", rbac_yaml_tmpl},
      {"samples/" + names.singular + ".yaml", sample_yaml_tmpl},
      {"src/main.cc", main_cc_tmpl},
      {"src/reconcile.cc", reconcile_cc_tmpl},
      {"src/reconcile.h", reconcile_h_tmpl},
      {"src/views.h", views_h_tmpl},
      {"src/webhook.cc", webhook_cc_tmpl},
      {"src/webhook.h", webhook_h_tmpl},
      {"tests/reconcile_test.cc", reconcile_test_cc_tmpl},
      {"tests/webhook_test.cc", webhook_test_cc_tmpl},
  };
  if (names.versions.size() > 1) templates.emplace_back("tests/conversions.yaml", conversions_yaml_tmpl);
  std::ranges::sort(templates);

  const TemplateValues values = values_of_project(names);
  std::vector<ProjectFile> files;
  files.reserve(templates.size());
  for (const auto& [path, text] : templates) {
    auto rendered = render_template(text, values);
    if (!rendered) return fail(rendered.error().within("making " + path));
    files.push_back({path, *std::move(rendered)});
  }
  return files;
}

}  // namespace fairway::cli
