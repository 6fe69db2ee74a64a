// Package page reads what status pages send: their services share one outline, of
// which each has its own dialect. Each service is a package of its own, which names it
// and says what it sends; all that they share is here.
//
//	provider.go         what a service is, where its name is all that is its own
//	verify.go           the token in the path: most pages sign nothing
//	seal.go, routing.go delivery → record: the key, an id, and no capability URL
//	decode.go           record → event: which of the shapes it is
//	decode_component.go a component, alone or in an incident
//	decode_incident.go  an incident or a scheduled maintenance
//	word.go             words of statuses, and the newest update
//
// A body names a page, and what changed there:
//
//	page {id}
//	component {id, name, status, updated_at} + component_update {old_status, new_status, created_at}
//	incident | maintenance {id, name, status, impact, updated_at, components[], incident_updates[]}
//
// A page sends no id of a delivery. It is made of the body, so that a delivery that is
// sent twice has one id. A status in a word that is not known is unknown, whatever the
// page: UNDERMAINTENANCE and under_maintenance are one word, and what is none of ours
// is never operational.
package page
