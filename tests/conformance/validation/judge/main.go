// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"log"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
	"sigs.k8s.io/yaml"
)

// test is one mutant and what Kubernetes says of it.
type test struct {
	Name     string  `json:"name"`
	Document string  `json:"document"`
	Old      string  `json:"old,omitempty"`
	UID      string  `json:"uid"`
	Causes   []cause `json:"causes"`
	Error    string  `json:"error,omitempty"`
}

// table reads the valid objects of a folder, by the names of their files.
func table(folder string) (names []string, objects map[string]any) {
	files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil || len(files) == 0 {
		log.Fatalf("%s has no objects (*.yaml): %v", folder, err)
	}
	slices.Sort(files)
	objects = map[string]any{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			log.Fatal(err)
		}
		var object any
		if err := yaml.Unmarshal(text, &object); err != nil {
			log.Fatalf("%s: %v", file, err)
		}
		name := filepath.Base(file)
		names = append(names, name)
		objects[name] = object
	}
	return names, objects
}

func text(object any) []byte {
	raw, err := json.Marshal(object)
	if err != nil {
		log.Fatal(err)
	}
	return raw
}

func main() {
	if len(os.Args) != 4 {
		log.Fatal("usage: validation FOLDER SEED COUNT")
	}
	seed, err := strconv.ParseInt(os.Args[2], 10, 64)
	if err != nil {
		log.Fatal(err)
	}
	count, err := strconv.Atoi(os.Args[3])
	if err != nil {
		log.Fatal(err)
	}
	// It tells of each error that is found twice.
	klog.SetLogger(logr.Discard())
	names, objects := table(os.Args[1])
	mutator := newMutator(rand.New(rand.NewSource(seed)), names, objects)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	// write prints a case, unless its document is none of the kind.
	write := func(name string, document, old []byte) bool {
		found, err := causes(judge(document, old))
		if errors.Is(err, errUnreadable) {
			return false
		}
		one := test{Name: name, Document: string(document), Old: string(old), UID: uid, Causes: found}
		if err != nil {
			one.Error = err.Error()
		}
		if err := encoder.Encode(one); err != nil {
			log.Fatal(err)
		}
		return true
	}
	// What an update begins with.
	kept := map[string]any{}
	for _, name := range names {
		document := text(objects[name])
		old, err := stored(document)
		if err != nil {
			log.Fatalf("%s: %v", name, err)
		}
		var object any
		if err := json.Unmarshal(old, &object); err != nil {
			log.Fatal(err)
		}
		kept[name] = object
		write(name, document, nil)
		write(name+", again", old, old)
	}
	for made := 0; made < count; {
		name := names[mutator.random.Intn(len(names))]
		object := objects[name]
		var old []byte
		if mutator.random.Intn(4) == 0 {
			object = kept[name]
			old = text(object)
		}
		mutant, how := mutator.mutate(object)
		if write(name+": "+how, text(mutant), old) {
			made++
		}
	}
}
