# SPDX-License-Identifier: Apache-2.0

# What kueue's Makefile makes before its tests: its definitions with their webhooks, and those of the jobs that it queues.
mkdir -p config/components/crd/_output
"$KUBECTL" kustomize config/components/crd >config/components/crd/_output/crds-with-webhooks.yaml

# copy MODULE FOLDER NAME: the definitions in a folder of a module that kueue requires, as dep-crds/NAME.
copy() {
  mkdir -p "dep-crds/$3"
  cp "$("$GO" list -m -f '{{.Dir}}' "$1")/$2"/* "dep-crds/$3/"
  chmod -R u+w "dep-crds/$3"
}
copy k8s.io/autoscaler/cluster-autoscaler/apis config/crd cluster-autoscaler
copy sigs.k8s.io/jobset config/components/crd/bases jobset-operator
copy github.com/kubeflow/training-operator manifests/base/crds training-operator-crds
# mpi-operator has this definition as well, newer.
rm "dep-crds/training-operator-crds/kubeflow.org_mpijobs.yaml"
copy github.com/kubeflow/trainer/v2 manifests/base/crds kf-trainer-crds
copy github.com/kubeflow/mpi-operator manifests/base mpi-operator
copy github.com/project-codeflare/appwrapper config/crd/bases appwrapper-crds
copy github.com/ray-project/kuberay/ray-operator config/crd/bases ray-operator-crds
copy github.com/kubeflow/spark-operator/v2 config/crd/bases spark-operator-crds
copy sigs.k8s.io/cluster-inventory-api config/crd/bases clusterprofile
