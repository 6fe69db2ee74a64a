// Package fakeforge is what the fakes of GitLab and Gitea share: calls that are
// counted, changes that are recorded, and faults that strike before or after a
// change. What a forge answers is the fake's own.
//
//	call ──▶ fault before? ──▶ apply ──▶ fault after? ──▶ answer
//	             └─▶ 5xx, drop, held         └─▶ 5xx, drop
//
// A fault that strikes after the change was applied is the unknown outcome that
// an actor must resolve by looking.
package fakeforge
