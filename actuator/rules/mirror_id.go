package rules

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"strings"

	"pawl/schemas"
)

// A mirror under an issue has an id that we make before we ask for it (Linear's
// CommentCreateInput.id, a UUID v4): a second try cannot make a second comment. The
// id shows by itself that we made it, since Linear keeps no hidden text: its first
// ten bytes are a hash of what it mirrors, its last six a hash of these. So the echo
// of a mirror is known without a look at a table, also where it comes before the
// answer to the call that made it. By chance another's id looks so once in 2^48.

// checkLength is how many bytes of the id vouch for the others.
const checkLength = 6

// mirrorID returns the id of the mirror of a comment under an issue.
func mirrorID(comment schemas.EntityKey, instance, issue string) string {
	sum := sha256.Sum256([]byte("pawl mirror\x00" + string(comment) + "\x00" + instance + "\x00" + issue))
	id := sum[:16]
	id[6] = id[6]&0x0f | 0x40 // version 4 (RFC 9562, section 5.4)
	id[8] = id[8]&0x3f | 0x80 // variant (section 4.1)
	copy(id[16-checkLength:], checkOf(id[:16-checkLength]))
	text := hex.EncodeToString(id)
	return strings.Join([]string{text[:8], text[8:12], text[12:16], text[16:20], text[20:]}, "-")
}

func checkOf(head []byte) []byte {
	sum := sha256.Sum256(append([]byte("pawl mirror id\x00"), head...))
	return sum[:checkLength]
}

// isMirrorID reports whether mirrorID makes such ids.
func isMirrorID(text string) bool {
	id, err := hex.DecodeString(strings.ReplaceAll(text, "-", ""))
	if err != nil || len(id) != 16 || len(text) != 36 {
		return false
	}
	return subtle.ConstantTimeCompare(id[16-checkLength:], checkOf(id[:16-checkLength])) == 1
}
