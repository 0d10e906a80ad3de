// SPDX-License-Identifier: Apache-2.0

// Package v1 has the webhooks of Capacity: defaults and validation.
package v1

import (
	"context"
	"fmt"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	capacityv1 "example.com/capacity/api/v1"
)

// SetupCapacityWebhookWithManager adds the webhooks to a manager.
func SetupCapacityWebhookWithManager(manager ctrl.Manager) error {
	return ctrl.NewWebhookManagedBy(manager, &capacityv1.Capacity{}).
		WithDefaulter(&CapacityDefaulter{}).
		WithValidator(&CapacityValidator{}).
		Complete()
}

// +kubebuilder:webhook:path=/mutate-capacity-example-com-v1-capacity,mutating=true,failurePolicy=fail,sideEffects=None,groups=capacity.example.com,resources=capacities,verbs=create;update,versions=v1,name=mcapacity-v1.kb.io,admissionReviewVersions=v1
// +kubebuilder:webhook:path=/validate-capacity-example-com-v1-capacity,mutating=false,failurePolicy=fail,sideEffects=None,groups=capacity.example.com,resources=capacities,verbs=create;update,versions=v1,name=vcapacity-v1.kb.io,admissionReviewVersions=v1

// CapacityDefaulter fills in what is absent.
type CapacityDefaulter struct{}

// Default fills in one replica.
func (*CapacityDefaulter) Default(_ context.Context, object *capacityv1.Capacity) error {
	if object.Spec.Replicas == nil {
		one := int32(1)
		object.Spec.Replicas = &one
	}
	return nil
}

// CapacityValidator checks what a schema cannot say.
type CapacityValidator struct{}

func validate(object *capacityv1.Capacity) error {
	if replicas := object.Spec.Replicas; replicas != nil && *replicas%2 == 0 {
		return fmt.Errorf("spec.replicas: %d is even; a majority needs an odd number", *replicas)
	}
	return nil
}

// ValidateCreate checks a new object.
func (*CapacityValidator) ValidateCreate(_ context.Context, object *capacityv1.Capacity) (admission.Warnings, error) {
	return nil, validate(object)
}

// ValidateUpdate checks a changed object.
func (*CapacityValidator) ValidateUpdate(_ context.Context, _, object *capacityv1.Capacity) (admission.Warnings, error) {
	return nil, validate(object)
}

// ValidateDelete allows every deletion.
func (*CapacityValidator) ValidateDelete(context.Context, *capacityv1.Capacity) (admission.Warnings, error) {
	return nil, nil
}
