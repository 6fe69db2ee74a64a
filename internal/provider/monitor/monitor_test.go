package monitor_test

import (
	"bytes"
	"io/fs"
	"net/http"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"pawl/internal/provider/monitor"
	"pawl/internal/provider/webhook"
	"pawl/schemas"
)

func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text, err := fs.ReadFile(schemas.Files(), schemas.FileMonitor)
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource(schemas.FileMonitor, document); err != nil {
		t.Fatal(err)
	}
	made, err := compiler.Compile(schemas.FileMonitor)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func read(body string) (schemas.Event, error) {
	record, err := monitor.New().Seal(webhook.Delivery{Header: http.Header{}, Raw: []byte(body), Source: "own"})
	if err != nil {
		return schemas.Event{}, err
	}
	return monitor.New().Decode(record)
}

// TestShape_SchemaAndReaderAgree: what the schema takes is folded, and what it
// refuses for its ids or its types is refused.
func TestShape_SchemaAndReaderAgree(t *testing.T) {
	t.Parallel()
	held := schema(t)
	for _, test := range []struct {
		name, body   string
		valid, folds bool
		entity       schemas.EntityKey
	}{
		{"a component", `{"page":{"id":"shop"},"component":{"id":"api","status":"major_outage","updated_at":"2026-01-01T00:00:00.123Z"}}`, true, true, "monitor:shop/api"},
		{
			"a component and its change",
			`{"page":{"id":"shop"},"component":{"id":"api","name":"API","status":"DEGRADEDPERFORMANCE","updated_at":"2026-01-01T00:00:00Z"},"component_update":{"id":"u1","old_status":"operational"}}`,
			true, true, "monitor:shop/api",
		},
		{
			"an incident with a component",
			`{"page":{"id":"shop"},"incident":{"id":"i1","name":"Slow","status":"investigating","impact":"minor","updated_at":"2026-01-01T00:00:00Z","resolved_at":null,"components":[{"id":"api","status":"partial_outage"}],"incident_updates":[{"id":"n1","body":"We look."}]}}`,
			true, true, "monitor:shop!i1",
		},
		{"a maintenance", `{"page":{"id":"shop"},"maintenance":{"id":"m1","status":"scheduled","updated_at":"2026-01-01T00:00:00Z","scheduled_for":"2026-02-01T00:00:00Z"}}`, true, true, "monitor:shop!m1"},
		{"an odd word", `{"page":{"id":"shop"},"component":{"id":"api","status":"wobbly","updated_at":"2026-01-01T00:00:00Z"}}`, true, true, "monitor:shop/api"},
		{"no page", `{"component":{"id":"api","status":"operational","updated_at":"2026-01-01T00:00:00Z"}}`, false, false, ""},
		{"no id", `{"page":{"id":"shop"},"component":{"status":"operational","updated_at":"2026-01-01T00:00:00Z"}}`, false, false, ""},
		{"an id that can be in no key", `{"page":{"id":"shop"},"component":{"id":"a/b","status":"operational","updated_at":"2026-01-01T00:00:00Z"}}`, false, false, ""},
		{"a page that would be a comment", `{"page":{"id":"comment"},"component":{"id":"api","status":"operational","updated_at":"2026-01-01T00:00:00Z"}}`, false, false, ""},
		{"no status", `{"page":{"id":"shop"},"component":{"id":"api","updated_at":"2026-01-01T00:00:00Z"}}`, false, false, ""},
		{"an empty status", `{"page":{"id":"shop"},"component":{"id":"api","status":"","updated_at":"2026-01-01T00:00:00Z"}}`, false, false, ""},
		{"no time", `{"page":{"id":"shop"},"component":{"id":"api","status":"operational"}}`, false, false, ""},
		{"a time that is none", `{"page":{"id":"shop"},"component":{"id":"api","status":"operational","updated_at":"soon"}}`, false, false, ""},
		{"the time of the change alone", `{"page":{"id":"shop"},"component":{"id":"api","status":"operational"},"component_update":{"created_at":"2026-01-01T00:00:00Z"}}`, false, false, ""},
		{"an incident without a status", `{"page":{"id":"shop"},"incident":{"id":"i1","updated_at":"2026-01-01T00:00:00Z"}}`, false, false, ""},
		{"an incident without a time", `{"page":{"id":"shop"},"incident":{"id":"i1","status":"resolved"}}`, false, false, ""},
		{"a maintenance without a time", `{"page":{"id":"shop"},"maintenance":{"id":"m1","status":"scheduled"}}`, false, false, ""},
		{
			"a component beside an incident",
			`{"page":{"id":"shop"},"component":{"id":"api","status":"operational","updated_at":"2026-01-01T00:00:00Z"},"incident":{"id":"i1","status":"resolved","updated_at":"2026-01-01T00:00:00Z"}}`,
			false, false, "",
		},
		{"a change of no component", `{"page":{"id":"shop"},"component_update":{"component_id":"api","new_status":"operational","created_at":"2026-01-01T00:00:00Z"}}`, false, false, ""},
		{"a NUL in an id", `{"page":{"id":"shop"},"component":{"id":"a\u0000b","status":"operational","updated_at":"2026-01-01T00:00:00Z"}}`, false, false, ""},
		{"a status that is a number", `{"page":{"id":"shop"},"component":{"id":"api","status":3,"updated_at":"2026-01-01T00:00:00Z"}}`, false, false, ""},
	} {
		instance, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(test.body)))
		if err != nil {
			t.Fatal(err)
		}
		if err := held.Validate(instance); (err == nil) != test.valid {
			t.Errorf("%s: the schema says %v", test.name, err)
		}
		event, err := read(test.body)
		if folds := err == nil && event.Ignored == ""; folds != test.folds || folds && event.Entity != test.entity {
			t.Errorf("%s: %s %q, %v", test.name, event.Entity, event.Ignored, err)
		}
	}
}

// TestShape_WhatIsRead of the smallest bodies.
func TestShape_WhatIsRead(t *testing.T) {
	t.Parallel()
	down, err := read(`{"page":{"id":"shop"},"component":{"id":"api","status":"major_outage","updated_at":"2026-01-01T00:00:00.123Z"},"component_update":{"old_status":"operational"}}`)
	if err != nil || len(down.Components) != 1 || down.Components[0].Status != schemas.ComponentMajorOutage ||
		down.Components[0].Before.Value != schemas.ComponentOperational || down.Components[0].UpdatedAt.Value.Nanosecond() != 123_000_000 {
		t.Errorf("%+v, %v", down.Components, err)
	}
	planned, err := read(`{"page":{"id":"shop"},"maintenance":{"id":"m1","status":"scheduled","updated_at":"2026-01-01T00:00:00Z"}}`)
	if err != nil || planned.Incident == nil || !planned.Incident.Maintenance || planned.Incident.Status != schemas.IncidentScheduled {
		t.Errorf("%+v, %v", planned.Incident, err)
	}
}
