package links

import "strings"

// Names of providers whose references differ.
const (
	github = "github"
	gitlab = "gitlab"
)

// reference returns the issue that a word refers to: #12, acme/api#12, GitHub's
// GH-12, and GitLab's api#12 of the same group.
func (r *reader) reference(word string) (target string, ok bool) {
	if r.in.Provider == github && hasFoldPrefix(word, "GH-") {
		return r.issue(r.in.Repository, word[len("GH-"):])
	}
	path, rest, found := strings.Cut(word, "#")
	if !found {
		return "", false
	}
	switch {
	case path == "":
		path = r.in.Repository
	case r.in.Provider == gitlab && !strings.Contains(path, "/"):
		path = groupOf(r.in.Repository) + path
	}
	return r.issue(path, rest)
}

// groupOf returns a project's group with its slash.
func groupOf(repository string) string {
	return repository[:strings.LastIndexByte(repository, '/')+1]
}

// issue returns the name of an issue whose number begins a text.
func (r *reader) issue(repository, text string) (target string, ok bool) {
	digits := run(text, digit)
	if digits == 0 || digits > maxDigits || text[0] == '0' || !endsNumber(text[digits:]) || !r.isRepository(repository) {
		return "", false
	}
	if strings.EqualFold(repository, r.in.Repository) {
		repository = r.in.Repository
	}
	return repository + "#" + text[:digits], true
}

// endsNumber reports whether a number may stand before a text: #12. and #12), but
// neither #12th nor #12.5.
func endsNumber(rest string) bool { return rest == "" || proseBorders.mayFollow(rest) }

// isRepository reports whether a text can be the full name of a repository:
// owner and name, or with GitLab any number of groups.
func (r *reader) isRepository(path string) bool {
	if len(path) > maxWord {
		return false
	}
	parts := 0
	for part := range strings.SplitSeq(path, "/") {
		parts++
		if part == "" || part == "." || part == ".." || run(part, inName) != len(part) {
			return false
		}
	}
	return parts == 2 || parts > 2 && r.in.Provider == gitlab
}

// maxParts bounds the path of an address.
const maxParts = 24

// readAddress reads the address of an issue. Of this instance, it is a
// reference: /acme/api/issues/12, /pull/12, GitLab's /-/issues/12. Of another
// host, it can be a tracker's page of a key: Jira's /browse/ENG-123, Linear's
// and YouTrack's /issue/ENG-123. Keys elsewhere in addresses are none.
func (r *reader) readAddress(address string) {
	_, rest, _ := strings.Cut(address, "://")
	if end := strings.IndexAny(rest, "?#"); end >= 0 {
		rest = rest[:end]
	}
	host, path, _ := strings.Cut(rest, "/")
	parts := strings.SplitN(path, "/", maxParts)
	if target, ok := r.page(host, parts); ok {
		if r.after == nothing {
			return
		}
		r.close(target)
		return
	}
	closed := false
	for i := 1; i < len(parts); i++ {
		key := strings.TrimRight(parts[i], ".:!,'*_~")
		if (parts[i-1] != "browse" && parts[i-1] != "issue") || !r.keys.isKey(key) {
			continue
		}
		if r.after != nothing {
			r.close(strings.ToUpper(key))
			closed = true
			break
		}
		r.add(strings.ToUpper(key), Mentions)
	}
	if !closed {
		r.after = nothing
	}
}

// page returns the issue whose page of this instance has a path.
func (r *reader) page(host string, parts []string) (target string, ok bool) {
	if r.in.Instance == "" || !strings.EqualFold(host, r.in.Instance) {
		return "", false
	}
	for i := len(parts) - 2; i >= 2; i-- {
		if !isPage(parts[i]) {
			continue
		}
		repository := strings.TrimSuffix(strings.Join(parts[:i], "/"), "/-")
		if target, ok := r.issue(repository, parts[i+1]); ok {
			return target, true
		}
	}
	return "", false
}

// isPage reports whether a part of a path stands before the number of an issue
// or of a pull request.
func isPage(part string) bool {
	switch part {
	case "issues", "pull", "pulls", "work_items", "pull-requests":
		return true
	}
	return false
}
