// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"strconv"

	"github.com/prometheus/prometheus/promql"
)

type answer struct {
	Status    string   `json:"status"`
	Data      *data    `json:"data,omitempty"`
	ErrorType string   `json:"errorType,omitempty"`
	Error     string   `json:"error,omitempty"`
	Warnings  []string `json:"warnings,omitempty"`
	Infos     []string `json:"infos,omitempty"`
}

type data struct {
	ResultType string `json:"resultType"`
	Result     any    `json:"result"`
}

type oneSeries struct {
	Metric map[string]string `json:"metric"`
	Value  any               `json:"value,omitempty"`
	Values any               `json:"values,omitempty"`
}

func failure(kind string, err error) answer {
	return answer{Status: "error", ErrorType: kind, Error: err.Error()}
}

func number(value float64) string { return strconv.FormatFloat(value, 'f', -1, 64) }

func point(milliseconds int64, text string) [2]any {
	return [2]any{float64(milliseconds) / 1000, text}
}

func points(floats []promql.FPoint) [][2]any {
	result := make([][2]any, 0, len(floats))
	for _, one := range floats {
		result = append(result, point(one.T, number(one.F)))
	}
	return result
}

// success is the answer of the HTTP API. A query that could not be executed is a failure.
func success(result *promql.Result, query string) answer {
	if result.Err != nil {
		kind := "execution"
		var timeout promql.ErrQueryTimeout
		if errors.As(result.Err, &timeout) {
			kind = "timeout"
		}
		return failure(kind, result.Err)
	}
	warnings, infos := result.Warnings.AsStrings(query, 0, 0)
	out := answer{Status: "success", Warnings: warnings, Infos: infos}
	switch value := result.Value.(type) {
	case promql.Scalar:
		out.Data = &data{"scalar", point(value.T, number(value.V))}
	case promql.String:
		out.Data = &data{"string", point(value.T, value.V)}
	case promql.Vector:
		all := make([]oneSeries, 0, len(value))
		for _, one := range value {
			all = append(all, oneSeries{Metric: one.Metric.Map(), Value: point(one.T, number(one.F))})
		}
		out.Data = &data{"vector", all}
	case promql.Matrix:
		all := make([]oneSeries, 0, len(value))
		for _, one := range value {
			all = append(all, oneSeries{Metric: one.Metric.Map(), Values: points(one.Floats)})
		}
		out.Data = &data{"matrix", all}
	}
	return out
}
