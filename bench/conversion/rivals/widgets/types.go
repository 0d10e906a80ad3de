// SPDX-License-Identifier: Apache-2.0

// Package widgets is what the rivals of bench/conversion share: the kind that they convert, and the server around them.
package widgets

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// What bench/conversion/main.cc makes, as an operator in Go would have it.

type Port struct {
	Name        string `json:"name,omitempty"`
	Port        int32  `json:"port,omitempty"`
	TargetPort  int32  `json:"targetPort,omitempty"`
	Protocol    string `json:"protocol,omitempty"`
	Description string `json:"description,omitempty"`
}

type Status struct {
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

type SpecBeta struct {
	Size     string            `json:"size,omitempty"`
	Replicas int32             `json:"replicas,omitempty"`
	Ports    []Port            `json:"ports,omitempty"`
	Settings map[string]string `json:"settings,omitempty"`
}

type Capacity struct {
	Size     string `json:"size,omitempty"`
	Replicas int32  `json:"replicas,omitempty"`
}

type Spec struct {
	Ports    []Port            `json:"ports,omitempty"`
	Settings map[string]string `json:"settings,omitempty"`
	Capacity Capacity          `json:"capacity,omitempty"`
}

type WidgetBeta struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              SpecBeta `json:"spec,omitempty"`
	Status            Status   `json:"status,omitempty"`
}

type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              Spec   `json:"spec,omitempty"`
	Status            Status `json:"status,omitempty"`
}

func copyPorts(in []Port) []Port { return append([]Port(nil), in...) }

func copySettings(in map[string]string) map[string]string {
	out := make(map[string]string, len(in))
	for k, v := range in {
		out[k] = v
	}
	return out
}

func (s Status) copy() Status {
	return Status{Conditions: append([]metav1.Condition(nil), s.Conditions...)}
}

func (w *WidgetBeta) DeepCopyObject() runtime.Object {
	out := &WidgetBeta{TypeMeta: w.TypeMeta, Spec: w.Spec, Status: w.Status.copy()}
	w.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	out.Spec.Ports, out.Spec.Settings = copyPorts(w.Spec.Ports), copySettings(w.Spec.Settings)
	return out
}

func (w *Widget) DeepCopyObject() runtime.Object {
	out := &Widget{TypeMeta: w.TypeMeta, Spec: w.Spec, Status: w.Status.copy()}
	w.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	out.Spec.Ports, out.Spec.Settings = copyPorts(w.Spec.Ports), copySettings(w.Spec.Settings)
	return out
}

func (w *WidgetBeta) ToHub(hub *Widget) {
	hub.ObjectMeta = w.ObjectMeta
	hub.Spec = Spec{Ports: w.Spec.Ports, Settings: w.Spec.Settings,
		Capacity: Capacity{Size: w.Spec.Size, Replicas: w.Spec.Replicas}}
	hub.Status = w.Status
}

func (w *WidgetBeta) FromHub(hub *Widget) {
	w.ObjectMeta = hub.ObjectMeta
	w.Spec = SpecBeta{Ports: hub.Spec.Ports, Settings: hub.Spec.Settings,
		Size: hub.Spec.Capacity.Size, Replicas: hub.Spec.Capacity.Replicas}
	w.Status = hub.Status
}

// Group is that of the kind Widget.
const Group = "widgets.example.com"
