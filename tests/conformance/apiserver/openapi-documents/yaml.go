// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed"
	"encoding/json"
	"math/rand/v2"
	"os"
	"strings"

	"github.com/google/gnostic-models/compiler"
	"go.yaml.in/yaml/v3"
)

//go:embed texts.json
var textsJSON []byte

// texts are those that YAML may read as something else than a text.
var texts = func() (read []string) {
	must(json.Unmarshal(textsJSON, &read))
	return read
}()

var numbers = []string{"0", "1", "-1", "2.0", "0.5", "-0.5", "1e-7", "1e+21", "9223372036854775807", "18446744073709551615", "123456.789"}

func randomText(random *rand.Rand) string {
	if random.IntN(2) == 0 {
		return texts[random.IntN(len(texts))]
	}
	alphabet := []string{" ", " ", ":", "#", "-", "a", "b", "0", "1", ".", "'", "\"", "\\", "\n", "\n", "\t", "[", "}", ",", "?", "!",
		"é", "🙂", "_", "e", "+"}
	if random.IntN(3) == 0 {
		// What is nearly a number or a time.
		alphabet = strings.Split("0 1 2 7 - + . _ : e E x b o T Z", " ")
	}
	var text strings.Builder
	for range 1 + random.IntN(7) {
		text.WriteString(alphabet[random.IntN(len(alphabet))])
	}
	return text.String()
}

func scalar(tag, value string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: value}
}

func quoted(text string) string {
	bytes, _ := json.Marshal(text)
	return string(bytes)
}

// node returns a random value as JSON, and as gnostic has read it.
func node(random *rand.Rand, depth int) (string, *yaml.Node) {
	kind := random.IntN(8)
	if depth <= 0 && kind < 4 {
		kind += 4
	}
	switch {
	case kind < 2:
		object := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		var members []string
		seen := map[string]bool{}
		for range random.IntN(4) {
			key := randomText(random)
			if seen[key] {
				continue
			}
			seen[key] = true
			member, value := node(random, depth-1)
			members = append(members, quoted(key)+":"+member)
			object.Content = append(object.Content, scalar("!!str", key), value)
		}
		return "{" + strings.Join(members, ",") + "}", object
	case kind < 4:
		list := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		var items []string
		for range random.IntN(4) {
			item, value := node(random, depth-1)
			items = append(items, item)
			list.Content = append(list.Content, value)
		}
		return "[" + strings.Join(items, ",") + "]", list
	case kind == 4:
		number := numbers[random.IntN(len(numbers))]
		tag := "!!int"
		if strings.ContainsAny(number, ".e") {
			tag = "!!float"
		}
		return number, scalar(tag, number)
	case kind == 5:
		word := []string{"true", "false", "null"}[random.IntN(3)]
		tag := "!!bool"
		if word == "null" {
			tag = "!!null"
		}
		return word, scalar(tag, word)
	}
	text := randomText(random)
	return quoted(text), scalar("!!str", text)
}

// writeYAML writes each of the texts, and then random values.
func writeYAML(random *rand.Rand, count int) {
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	write := func(value string, read *yaml.Node) {
		if err := encoder.Encode(map[string]any{"value": json.RawMessage(value), "yaml": string(compiler.Marshal(read))}); err != nil {
			panic(err)
		}
	}
	for _, text := range texts {
		write(quoted(text), scalar("!!str", text))
	}
	for range count {
		write(node(random, 3))
	}
}
