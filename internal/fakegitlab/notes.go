package fakegitlab

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"pawl/internal/fakeforge"
)

// Note is a comment, or what GitLab notes by itself.
type Note struct {
	ID        int64
	Author    string
	Body      string
	System    bool
	CreatedAt time.Time
}

func (s *Server) listNotes(r *http.Request) fakeforge.Reply {
	_, mr := s.find(r)
	if mr == nil {
		return notFound("Not found")
	}
	page, next := fakeforge.Page(r, mr.notes, "per_page")
	rendered := make([]any, 0, len(page))
	for _, note := range page {
		rendered = append(rendered, s.renderNote(note))
	}
	answer := fakeforge.OK(rendered)
	answer.Header = pageHeader(next)
	return answer
}

// pageHeader has an empty X-Next-Page after the last page.
func pageHeader(next int) http.Header {
	header := http.Header{"X-Next-Page": {""}}
	if next > 0 {
		header.Set("X-Next-Page", strconv.Itoa(next))
	}
	return header
}

func (s *Server) renderNote(note Note) map[string]any {
	return map[string]any{
		"id": note.ID, "body": note.Body, "author": s.user(note.Author), "system": note.System,
		"created_at": moment(note.CreatedAt), "updated_at": moment(note.CreatedAt),
	}
}

func (s *Server) postNote(r *http.Request) fakeforge.Reply {
	_, mr := s.find(r)
	if mr == nil {
		return notFound("Not found")
	}
	var wanted struct{ Body string }
	if decode(r, &wanted) != nil || wanted.Body == "" {
		return fakeforge.Message(http.StatusBadRequest, `400 Bad request - Note {:note=>["can't be blank"]}`)
	}
	note := s.note(mr, s.config.Login, wanted.Body)
	return fakeforge.Reply{Status: http.StatusCreated, Body: s.renderNote(note)}
}

func (s *Server) note(mr *request, by, body string) Note {
	s.record(NoteCreated, mr, by, body)
	note := Note{ID: s.ID(), Author: by, Body: body, CreatedAt: mr.UpdatedAt}
	mr.notes = append(mr.notes, note)
	for line := range strings.Lines(body) {
		if strings.TrimSpace(line) == "/close" && mr.State == "opened" {
			s.record(QuickAction, mr, by, "/close")
			s.close(mr, by)
		}
	}
	return note
}

func (s *Server) putNote(r *http.Request) fakeforge.Reply {
	mr, at := s.findNote(r)
	if mr == nil {
		return notFound("Note")
	}
	var wanted struct{ Body string }
	if decode(r, &wanted) != nil || wanted.Body == "" {
		return fakeforge.Message(http.StatusBadRequest, "400 Bad request")
	}
	if mr.notes[at].Body != wanted.Body {
		mr.notes[at].Body = wanted.Body
		s.record(NoteEdited, mr, s.config.Login, wanted.Body)
	}
	return fakeforge.OK(s.renderNote(mr.notes[at]))
}

func (s *Server) deleteNote(r *http.Request) fakeforge.Reply {
	mr, at := s.findNote(r)
	if mr == nil {
		return notFound("Note")
	}
	s.record(NoteDeleted, mr, s.config.Login, mr.notes[at].Body)
	mr.notes = slices.Delete(mr.notes, at, at+1)
	return fakeforge.Reply{Status: http.StatusNoContent}
}

func (s *Server) findNote(r *http.Request) (*request, int) {
	_, mr := s.find(r)
	id, err := strconv.ParseInt(r.PathValue("note"), 10, 64)
	if mr == nil || err != nil {
		return nil, 0
	}
	at := slices.IndexFunc(mr.notes, func(n Note) bool { return n.ID == id })
	if at < 0 {
		return nil, 0
	}
	return mr, at
}
