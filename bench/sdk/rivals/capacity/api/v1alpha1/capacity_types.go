// SPDX-License-Identifier: Apache-2.0

// Package v1alpha1 has Capacity in its first version.
package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// CapacitySpec is what is asked for.
type CapacitySpec struct {
	// Number of replicas, an odd one; 1 where it is absent.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10
	Size *int32 `json:"size,omitempty"`
}

// CapacityStatus is what has come of it.
type CapacityStatus struct {
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name=Size,type=integer,JSONPath=`.spec.size`
// +kubebuilder:printcolumn:name=Ready,type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=`.metadata.creationTimestamp`

// Capacity asks for replicas.
type Capacity struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// +optional
	Spec CapacitySpec `json:"spec,omitzero"`
	// +optional
	Status CapacityStatus `json:"status,omitzero"`
}

// +kubebuilder:object:root=true

// CapacityList is a list of them.
type CapacityList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitzero"`
	Items           []Capacity `json:"items"`
}

func init() {
	SchemeBuilder.Register(func(scheme *runtime.Scheme) error {
		scheme.AddKnownTypes(SchemeGroupVersion, &Capacity{}, &CapacityList{})
		return nil
	})
}
