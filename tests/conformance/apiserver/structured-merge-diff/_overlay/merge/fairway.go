// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"encoding/json"
	"errors"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/internal/bridge"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

type versionedSet struct {
	Set     json.RawMessage `json:"set"`
	Version string          `json:"version"`
	Applied bool            `json:"applied"`
}

func encodeOwners(managers fieldpath.ManagedFields) map[string]versionedSet {
	out := map[string]versionedSet{}
	for manager, owned := range managers {
		out[manager] = versionedSet{owned.Set().Encoded(), string(owned.APIVersion()), owned.Applied()}
	}
	return out
}

func decodeOwners(text json.RawMessage) fieldpath.ManagedFields {
	var owners map[string]versionedSet
	if err := json.Unmarshal(text, &owners); err != nil {
		panic(err)
	}
	out := fieldpath.ManagedFields{}
	for manager, owned := range owners {
		out[manager] = fieldpath.NewVersionedSet(
			fieldpath.Decoded(owned.Set), fieldpath.APIVersion(owned.Version), owned.Applied)
	}
	return out
}

// ask answers the questions back, which are conversions, until there is a reply.
func (s *Updater) ask(question map[string]any, live, next *typed.TypedValue) (bridge.Reply, *typed.TypedValue, error) {
	if s.IgnoredFields != nil && s.IgnoreFilter != nil {
		return nil, nil, errors.New("IgnoreFilter and IgnoreFilter may not both be set")
	}
	ignored := map[string]any{}
	for version, set := range s.IgnoredFields {
		if set != nil {
			ignored[string(version)] = fieldpath.EncodedFilter(fieldpath.NewExcludeSetFilter(set))
		}
	}
	for version, filter := range s.IgnoreFilter {
		if filter != nil {
			ignored[string(version)] = fieldpath.EncodedFilter(filter)
		}
	}
	session := bridge.Open()
	defer session.Close()
	question["ignored"] = ignored
	question["live"] = live.Encoded(session)
	question["next"] = next.Encoded(session)
	reply := session.Say(question)
	types := map[string]*typed.TypedValue{}
	remember := func(tv *typed.TypedValue) map[string]any {
		encoded := tv.Encoded(session)
		types[place(encoded)] = tv
		return encoded
	}
	remember(live)
	remember(next)
	for reply["convert"] != nil {
		var encoded map[string]any
		if err := json.Unmarshal(reply["convert"], &encoded); err != nil {
			panic(err)
		}
		value := types[place(encoded)].With(reply["convert"])
		converted, err := s.Converter.Convert(value, fieldpath.APIVersion(reply.Text("version")))
		if err != nil {
			reply = session.Say(map[string]any{
				"error": err.Error(), "missing": s.Converter.IsMissingVersionError(err)})
		} else {
			reply = session.Say(map[string]any{"typed": remember(converted)})
		}
	}
	var result *typed.TypedValue
	if reply["typed"] != nil {
		var encoded map[string]any
		if err := json.Unmarshal(reply["typed"], &encoded); err != nil {
			panic(err)
		}
		result = types[place(encoded)].With(reply["typed"])
	}
	return reply, result, reply.Err()
}

// place is the schema and the type of an encoded value.
func place(encoded map[string]any) string {
	text, err := json.Marshal([]any{encoded["schema"], encoded["type"]})
	if err != nil {
		panic(err)
	}
	// Through JSON once more: numbers and the order of keys.
	var again any
	if err := json.Unmarshal(text, &again); err != nil {
		panic(err)
	}
	text, _ = json.Marshal(again)
	return string(text)
}

func (s *Updater) Update(liveObject, newObject *typed.TypedValue, version fieldpath.APIVersion, managers fieldpath.ManagedFields, manager string) (*typed.TypedValue, fieldpath.ManagedFields, error) {
	reply, _, err := s.ask(map[string]any{
		"ask": "update", "version": version, "owners": encodeOwners(managers), "manager": manager,
	}, liveObject, newObject)
	if err != nil {
		return nil, fieldpath.ManagedFields{}, err
	}
	return newObject, decodeOwners(reply["owners"]), nil
}

func (s *Updater) Apply(liveObject, configObject *typed.TypedValue, version fieldpath.APIVersion, managers fieldpath.ManagedFields, manager string, force bool) (*typed.TypedValue, fieldpath.ManagedFields, error) {
	reply, result, err := s.ask(map[string]any{
		"ask": "apply", "version": version, "owners": encodeOwners(managers), "manager": manager, "force": force,
	}, liveObject, configObject)
	if err != nil {
		return nil, fieldpath.ManagedFields{}, err
	}
	if reply["conflicts"] != nil {
		var encoded []struct {
			Manager string          `json:"manager"`
			Path    json.RawMessage `json:"path"`
		}
		if err := json.Unmarshal(reply["conflicts"], &encoded); err != nil {
			panic(err)
		}
		conflicts := Conflicts{}
		for _, one := range encoded {
			conflicts = append(conflicts, Conflict{Manager: one.Manager, Path: fieldpath.DecodedPath(one.Path)})
		}
		return nil, fieldpath.ManagedFields{}, conflicts
	}
	managers = decodeOwners(reply["owners"])
	if reply["typed"] == nil {
		if s.returnInputOnNoop {
			return liveObject, managers, nil
		}
		return nil, managers, nil
	}
	return result, managers, nil
}
