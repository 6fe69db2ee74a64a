package schemas

import (
	"strconv"
	"time"
)

// transitionSource is the ce_source of every transition: the projector made it,
// whichever relay published it.
const transitionSource = "/pawl/projector"

// transitionType stands before a transition's kind in ce_type.
const transitionType = "pawl.transition."

// Headers returns the Kafka headers of the transition's record in their fixed
// order. Two publishings of one transition have the same headers: readers
// deduplicate by ce_id, and ce_time is when the cause was received.
func (t Transition) Headers() []Header {
	headers := make([]Header, 0, 9)
	headers = append(headers,
		Header{HeaderSpecVersion, SpecVersion},
		Header{HeaderID, string(t.ID)},
		Header{HeaderSource, transitionSource},
		Header{HeaderType, transitionType + string(t.Kind)},
		Header{HeaderSubject, t.Subject()},
	)
	if !t.Cause.ReceivedAt.IsZero() {
		headers = append(headers, Header{HeaderTime, t.Cause.ReceivedAt.UTC().Format(time.RFC3339Nano)})
	}
	headers = append(headers,
		Header{HeaderPartitionKey, string(t.PartitionKey())},
		Header{HeaderContentType, ContentTypeJSON},
	)
	if t.Cause.TraceParent != "" {
		headers = append(headers, Header{HeaderTraceParent, t.Cause.TraceParent})
	}
	return headers
}

// Subject names the transition's pull request as people do: acme/api#7. Where
// its name is not known it is the entity's key.
func (t Transition) Subject() string {
	if t.PullRequest == nil || t.PullRequest.Repository == "" {
		return string(t.Entity)
	}
	return t.PullRequest.Repository + "#" + strconv.FormatInt(t.PullRequest.Number, 10)
}
