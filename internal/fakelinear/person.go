package fakelinear

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"pawl/internal/fakeforge"
)

// What people do in Linear's own pages. Each is told as what a key does is.

// Comment writes a comment, and returns its id.
func (s *Server) Comment(identifier, by, body string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := newID()
	s.create(identifier, id, by, body)
	return id
}

// Edit changes the text of a comment.
func (s *Server) Edit(id, by, body string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.edit(s.findComment(id), by, body)
}

// Remove deletes a comment.
func (s *Server) Remove(id, by string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remove(s.findComment(id), by)
}

func (s *Server) create(identifier, id, by, body string) {
	at := s.Record(fakeforge.Effect{Kind: Created, By: by, Detail: id})
	made := Comment{ID: id, Issue: identifier, Author: by, Body: body, CreatedAt: at, UpdatedAt: at}
	s.comments = append(s.comments, made)
	s.tell("create", made, at, nil)
}

func (s *Server) edit(place int, by, body string) {
	at := s.Record(fakeforge.Effect{Kind: Updated, By: by, Detail: s.comments[place].ID})
	before := s.comments[place]
	s.comments[place].Body, s.comments[place].UpdatedAt = body, at
	s.tell("update", s.comments[place], at, &before)
}

func (s *Server) remove(place int, by string) {
	gone := s.comments[place]
	at := s.Record(fakeforge.Effect{Kind: Deleted, By: by, Detail: gone.ID})
	s.comments = slices.Delete(s.comments, place, place+1)
	s.tell("remove", gone, at, nil)
}

// tell writes the body of a webhook as Linear does: a removal has the old time of
// the text, and no address.
func (s *Server) tell(action string, c Comment, at time.Time, before *Comment) {
	if s.config.Tell == nil {
		return
	}
	stamp := func(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z") }
	body := map[string]any{
		"action": action, "type": "Comment", "createdAt": stamp(at), "webhookTimestamp": time.Now().UnixMilli(),
		"data": map[string]any{
			"id": c.ID, "body": c.Body, "createdAt": stamp(c.CreatedAt), "updatedAt": stamp(c.UpdatedAt),
			"issueId": s.issues[c.Issue], "issue": map[string]any{"id": s.issues[c.Issue], "title": "An issue", "identifier": c.Issue},
			"user": map[string]any{"id": "user-" + c.Author, "name": c.Author},
		},
	}
	if action != "remove" {
		body["url"] = fmt.Sprintf("https://linear.app/acme/issue/%s/an-issue#comment-%.8s", c.Issue, c.ID)
	}
	if before != nil {
		body["updatedFrom"] = map[string]any{"updatedAt": stamp(before.UpdatedAt), "body": before.Body}
	}
	text, err := json.Marshal(body)
	if err != nil {
		panic(err) // unreachable: maps of texts
	}
	s.config.Tell(text)
}

func (s *Server) findIssue(id string) *issue {
	for identifier, held := range s.issues {
		if held == id || identifier == id {
			return &issue{held, identifier}
		}
	}
	return nil
}

func (s *Server) findComment(id string) int {
	return slices.IndexFunc(s.comments, func(c Comment) bool { return c.ID == id })
}

func (s *Server) shown(place int) *comment {
	c := s.comments[place]
	return &comment{c, s.findIssue(c.Issue)}
}

// newID is a UUID of version 4.
func newID() string {
	var id [16]byte
	_, _ = rand.Read(id[:]) // it never fails
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}
