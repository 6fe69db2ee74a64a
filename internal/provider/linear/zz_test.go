package linear_test

import "testing"

func TestZZ(t *testing.T) {
	for _, b := range []string{
		`{"type":"Comment","action":"create","data":{"id":"c1","body":7,"issueId":"i1"}}`,
		`{"type":"Comment","action":"create","data":{"id":"c1","body":"x","issueId":7}}`,
		`{"type":"Comment","action":"create","data":{"id":7,"body":"hi","issueId":"i1"}}`,
		`{"type":"Comment","action":"create","data":{"id":null,"body":"hi","issueId":"i1"}}`,
		`{"type":"Comment","action":"create","data":{"id":"c1","body":"hi","issueId":"i1","user":{"name":7}}}`,
		`{"type":"Comment","action":"create","data":{"id":"c1","body":"hi","issueId":"i1","issue":{"identifier":7}}}`,
		`{"type":"Comment","action":"create","data":{"id":"c1","body":"hi","issueId":"i1","issue":null,"user":{"name":null}},"url":null}`,
		`{"type":"Comment","action":"create","data":{"id":"c1","body":null,"issueId":"i1"},"url":7}`,
		`{"type":"Comment","action":7,"data":{"id":"c1","body":null,"issueId":"i1"}}`,
		`{"type":"Comment","action":"create","data":[]}`,
		`{"type":"Comment","action":"update","data":{"id":"c1","issueId":"i1"},"updatedFrom":null}`,
		`{"type":"Comment","action":"update","data":null}`,
	} {
		e, err := decoded(t, b)
		t.Logf("%s\n   %+v %v", b, e.Comment, err)
	}
}
