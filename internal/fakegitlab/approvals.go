package fakegitlab

import (
	"net/http"
	"slices"

	"pawl/internal/fakeforge"
)

func (s *Server) getApprovals(r *http.Request) fakeforge.Reply {
	_, mr := s.find(r)
	if mr == nil {
		return notFound("Not found")
	}
	return fakeforge.OK(s.renderApprovals(mr))
}

func (s *Server) renderApprovals(mr *request) map[string]any {
	by := []any{}
	for _, login := range mr.approvals {
		by = append(by, map[string]any{"user": s.user(login)})
	}
	return map[string]any{"user_has_approved": slices.Contains(mr.approvals, s.config.Login), "approved": len(by) > 0, "approved_by": by}
}

// postApprove compares the sha before it asks whether the account may.
func (s *Server) postApprove(r *http.Request) fakeforge.Reply {
	_, mr := s.find(r)
	if mr == nil {
		return notFound("Not found")
	}
	var wanted struct{ SHA string }
	if decode(r, &wanted) != nil {
		return fakeforge.Message(http.StatusBadRequest, "400 Bad request")
	}
	switch {
	case wanted.SHA != "" && wanted.SHA != mr.SHA:
		return fakeforge.Message(http.StatusConflict, "SHA does not match HEAD of source branch: "+mr.SHA)
	case s.powerless, slices.Contains(mr.approvals, s.config.Login), mr.State != "opened":
		return fakeforge.Message(http.StatusUnauthorized, "401 Unauthorized")
	}
	mr.approvals = append(mr.approvals, s.config.Login)
	s.record(Approved, mr, s.config.Login, mr.SHA)
	return fakeforge.Reply{Status: http.StatusCreated, Body: s.renderApprovals(mr)}
}
