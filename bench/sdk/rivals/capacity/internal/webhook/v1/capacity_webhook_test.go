// SPDX-License-Identifier: Apache-2.0

package v1

import (
	"context"
	"math/rand"
	"reflect"
	"strings"
	"testing"

	capacityv1 "example.com/capacity/api/v1"
	capacityv1alpha1 "example.com/capacity/api/v1alpha1"
)

func withReplicas(replicas int32) *capacityv1.Capacity {
	return &capacityv1.Capacity{Spec: capacityv1.CapacitySpec{Replicas: &replicas}}
}

func TestConverts(t *testing.T) {
	size := int32(3)
	var newer capacityv1.Capacity
	older := capacityv1alpha1.Capacity{Spec: capacityv1alpha1.CapacitySpec{Size: &size}}
	if err := older.ConvertTo(&newer); err != nil || newer.Spec.Replicas == nil || *newer.Spec.Replicas != 3 {
		t.Errorf("a size of 3 became %v, %v", newer.Spec.Replicas, err)
	}
	if err := older.ConvertFrom(withReplicas(5)); err != nil || older.Spec.Size == nil || *older.Spec.Size != 5 {
		t.Errorf("5 replicas became %v, %v", older.Spec.Size, err)
	}
}

func TestLosesNothingOnTheWayToAnotherVersionAndBack(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	for range 200 {
		before, after := capacityv1.Capacity{}, capacityv1.Capacity{}
		before.Name = strings.Repeat("a", random.Intn(20))
		if random.Intn(2) == 0 {
			before.Spec.Replicas = withReplicas(random.Int31n(10) + 1).Spec.Replicas
		}
		var between capacityv1alpha1.Capacity
		if err := between.ConvertFrom(&before); err != nil {
			t.Fatal(err)
		}
		if err := between.ConvertTo(&after); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(before, after) {
			t.Fatalf("%v became %v", before, after)
		}
	}
}

func TestFillsInOneReplica(t *testing.T) {
	for object, wanted := range map[*capacityv1.Capacity]int32{{}: 1, withReplicas(3): 3} {
		if err := (&CapacityDefaulter{}).Default(context.Background(), object); err != nil {
			t.Fatal(err)
		}
		if object.Spec.Replicas == nil || *object.Spec.Replicas != wanted {
			t.Errorf("%v instead of %d", object.Spec.Replicas, wanted)
		}
	}
}

func TestDeniesAnEvenNumberOfReplicas(t *testing.T) {
	validator := &CapacityValidator{}
	if _, err := validator.ValidateCreate(context.Background(), withReplicas(3)); err != nil {
		t.Error(err)
	}
	_, err := validator.ValidateCreate(context.Background(), withReplicas(4))
	if err == nil || err.Error() != "spec.replicas: 4 is even; a majority needs an odd number" {
		t.Errorf("4 replicas: %v", err)
	}
}
