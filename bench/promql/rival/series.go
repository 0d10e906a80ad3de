// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/value"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb"
)

type line struct {
	Metric map[string]string    `json:"metric"`
	Points [][2]json.RawMessage `json:"points"`
}

type sample struct {
	series int
	time   int64
	value  float64
}

// parseValue reads a number, or "stale" for the value that says that a series has ended.
func parseValue(text string) (float64, error) {
	if text == "stale" {
		return math.Float64frombits(value.StaleNaN), nil
	}
	return strconv.ParseFloat(text, 64)
}

func readPoints(points [][2]json.RawMessage, series int, samples []sample) ([]sample, error) {
	for _, point := range points {
		var text string
		if err := json.Unmarshal(point[1], &text); err != nil {
			return nil, err
		}
		at, err := strconv.ParseInt(string(point[0]), 10, 64)
		if err != nil {
			return nil, err
		}
		number, err := parseValue(text)
		if err != nil {
			return nil, err
		}
		samples = append(samples, sample{series, at, number})
	}
	return samples, nil
}

// loadSeries reads a file of series into a new head. The head takes samples in the order of time.
func loadSeries(file string) (storage.Queryable, error) {
	in, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	var all []labels.Labels
	var samples []sample
	scanner := bufio.NewScanner(in)
	scanner.Buffer(nil, 64<<20)
	for scanner.Scan() {
		var one line
		if err := json.Unmarshal(scanner.Bytes(), &one); err != nil {
			return nil, fmt.Errorf("line %d: %w", len(all)+1, err)
		}
		if samples, err = readPoints(one.Points, len(all), samples); err != nil {
			return nil, fmt.Errorf("line %d: %w", len(all)+1, err)
		}
		all = append(all, labels.FromMap(one.Metric))
	}
	if err := scanner.Err(); err != nil {
		return nil, err
	}
	slices.SortStableFunc(samples, func(a, b sample) int { return int(a.time - b.time) })
	return fillHead(all, samples)
}

func fillHead(all []labels.Labels, samples []sample) (storage.Queryable, error) {
	folder, err := os.MkdirTemp("", "fairway-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	options := tsdb.DefaultHeadOptions()
	options.ChunkDirRoot = folder
	options.ChunkRange = 4 * time.Hour.Milliseconds()
	head, err := tsdb.NewHead(nil, nil, nil, nil, options, nil)
	if err != nil {
		return nil, err
	}
	if err := head.Init(math.MinInt64); err != nil {
		return nil, err
	}
	references := make([]storage.SeriesRef, len(all))
	for len(samples) > 0 {
		appender := head.Appender(context.Background())
		count := min(len(samples), 50_000)
		for _, one := range samples[:count] {
			reference, err := appender.Append(references[one.series], all[one.series], one.time, one.value)
			if err != nil {
				return nil, fmt.Errorf("%s at %d: %w", all[one.series], one.time, err)
			}
			references[one.series] = reference
		}
		if err := appender.Commit(); err != nil {
			return nil, err
		}
		samples = samples[count:]
	}
	return storage.QueryableFunc(func(from, to int64) (storage.Querier, error) {
		return tsdb.NewBlockQuerier(tsdb.NewRangeHead(head, from, to), from, to)
	}), nil
}
