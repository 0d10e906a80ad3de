// SPDX-License-Identifier: Apache-2.0

// Package bridge asks Fairway's library, through the program in $FAIRWAY_BRIDGE.
package bridge

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"

	"sigs.k8s.io/structured-merge-diff/v6/value"
)

type program struct {
	in   *bufio.Writer
	out  *bufio.Reader
	sent map[any]int
}

var (
	lock sync.Mutex
	idle []*program
)

// Session is the use of one program, until Close: what asks back may need another one meanwhile.
type Session struct{ *program }

// Open takes an idle program, or starts one.
func Open() Session {
	lock.Lock()
	defer lock.Unlock()
	if n := len(idle); n > 0 {
		p := idle[n-1]
		idle = idle[:n-1]
		return Session{p}
	}
	command := exec.Command(os.Getenv("FAIRWAY_BRIDGE"))
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	if err != nil {
		panic(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		panic(err)
	}
	if err := command.Start(); err != nil {
		panic(err)
	}
	return Session{&program{bufio.NewWriter(in), bufio.NewReaderSize(out, 1<<20), map[any]int{}}}
}

func (s Session) Close() {
	lock.Lock()
	defer lock.Unlock()
	idle = append(idle, s.program)
}

// Known is the number of something that the program knows from then on, and whether it does already.
func (s Session) Known(thing any) (int, bool) {
	id, ok := s.sent[thing]
	if !ok {
		id = len(s.sent)
		s.sent[thing] = id
	}
	return id, ok
}

// Say sends one line, and returns the next one that the program says.
func (s Session) Say(what map[string]any) Reply {
	line, err := json.Marshal(what)
	if err != nil {
		panic(err)
	}
	s.in.Write(line)
	s.in.WriteByte('\n')
	s.in.Flush()
	text, err := s.out.ReadBytes('\n')
	if err != nil {
		panic(fmt.Errorf("the bridge is gone after %s: %v", line, err))
	}
	reply := Reply{}
	if err := json.Unmarshal(text, &reply); err != nil {
		panic(err)
	}
	return reply
}

type Reply map[string]json.RawMessage

func (r Reply) Err() error {
	if r["error"] == nil {
		return nil
	}
	return errors.New(r.Text("error"))
}

func (r Reply) Text(key string) string {
	var text string
	if err := json.Unmarshal(r[key], &text); err != nil {
		panic(err)
	}
	return text
}

// Ask is one question without questions back.
func Ask(what map[string]any) (Reply, error) {
	s := Open()
	defer s.Close()
	reply := s.Say(what)
	return reply, reply.Err()
}

// MustAsk is Ask for what cannot fail.
func MustAsk(what map[string]any) Reply {
	reply, err := Ask(what)
	if err != nil {
		panic(err)
	}
	return reply
}

// Encode writes a value. Floats stay floats.
func Encode(v value.Value) json.RawMessage {
	var out bytes.Buffer
	encode(&out, v)
	return out.Bytes()
}

func encode(out *bytes.Buffer, v value.Value) {
	switch {
	case v == nil || v.IsNull():
		out.WriteString("null")
	case v.IsMap():
		out.WriteByte('{')
		first := true
		v.AsMap().Iterate(func(key string, member value.Value) bool {
			if !first {
				out.WriteByte(',')
			}
			first = false
			name, _ := json.Marshal(key)
			out.Write(name)
			out.WriteByte(':')
			encode(out, member)
			return true
		})
		out.WriteByte('}')
	case v.IsList():
		out.WriteByte('[')
		list := v.AsList()
		for i := 0; i < list.Length(); i++ {
			if i > 0 {
				out.WriteByte(',')
			}
			encode(out, list.At(i))
		}
		out.WriteByte(']')
	case v.IsFloat():
		text := strconv.FormatFloat(v.AsFloat(), 'g', -1, 64)
		if !strings.ContainsAny(text, ".e") {
			text += ".0"
		}
		out.WriteString(text)
	default:
		text, err := json.Marshal(v.Unstructured())
		if err != nil {
			panic(err)
		}
		out.Write(text)
	}
}

// Decode reads a value with numbers as YAML has them.
func Decode(text json.RawMessage) value.Value {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		panic(err)
	}
	return value.NewValueInterface(numbers(v))
}

func numbers(v any) any {
	switch t := v.(type) {
	case map[string]any:
		for key := range t {
			t[key] = numbers(t[key])
		}
	case []any:
		for i := range t {
			t[i] = numbers(t[i])
		}
	case json.Number:
		if i, err := strconv.Atoi(t.String()); err == nil {
			return i
		}
		f, err := t.Float64()
		if err != nil {
			panic(err)
		}
		return f
	}
	return v
}
