package schemas

// LinkKind is how a pull request names an issue.
type LinkKind string

// The kinds of links.
const (
	LinkCloses   LinkKind = "closes"   // after a closing keyword
	LinkMentions LinkKind = "mentions" // a tracker's key that is only named
)

// Link is an issue that a pull request names.
type Link struct {
	// Target is acme/api#12, or a tracker's key such as ENG-123.
	Target string   `json:"target"`
	Kind   LinkKind `json:"kind"`
}
