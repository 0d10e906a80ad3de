// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"sigs.k8s.io/controller-runtime/pkg/conversion"

	capacityv1 "example.com/capacity/api/v1"
)

// ConvertTo makes the object of v1 out of this one.
func (older *Capacity) ConvertTo(hub conversion.Hub) error {
	newer := hub.(*capacityv1.Capacity)
	newer.ObjectMeta = older.ObjectMeta
	newer.Spec.Replicas = older.Spec.Size
	newer.Status.Conditions = older.Status.Conditions
	return nil
}

// ConvertFrom makes this object out of that of v1.
func (older *Capacity) ConvertFrom(hub conversion.Hub) error {
	newer := hub.(*capacityv1.Capacity)
	older.ObjectMeta = newer.ObjectMeta
	older.Spec.Size = newer.Spec.Replicas
	older.Status.Conditions = newer.Status.Conditions
	return nil
}
