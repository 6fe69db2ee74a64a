package ingest

import (
	"crypto/rand"
	"encoding/hex"
	"strings"
)

// traceParent returns the traceparent of a record (W3C Trace Context): the
// request's, where it is valid, or a new one.
func traceParent(given string) string {
	if isTraceParent(given) {
		return given
	}
	var id [24]byte
	_, _ = rand.Read(id[:]) // never fails: crypto/rand ends the program instead
	return "00-" + hex.EncodeToString(id[:16]) + "-" + hex.EncodeToString(id[16:]) + "-01"
}

// Lengths in traceparent: version-trace id-parent id-flags.
const (
	traceParentLength = 55
	zeroTraceID       = "00000000000000000000000000000000"
	zeroParentID      = "0000000000000000"
)

// isTraceParent reports whether a text is a traceparent. A version to come may
// have more after the four parts.
func isTraceParent(text string) bool {
	if len(text) < traceParentLength {
		return false
	}
	version, traceID, parentID, flags := text[:2], text[3:35], text[36:52], text[53:55]
	if text[2] != '-' || text[35] != '-' || text[52] != '-' {
		return false
	}
	if !isLowerHex(version+traceID+parentID+flags) || version == "ff" || traceID == zeroTraceID || parentID == zeroParentID {
		return false
	}
	if len(text) > traceParentLength {
		return version != "00" && text[traceParentLength] == '-' && len(text) <= 2*traceParentLength
	}
	return true
}

func isLowerHex(text string) bool {
	return !strings.ContainsFunc(text, func(c rune) bool { return (c < '0' || c > '9') && (c < 'a' || c > 'f') })
}
