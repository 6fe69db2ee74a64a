// Package page has what the readers of status pages share. No provider is here.
//
//	verify.go  the token in the path: most pages sign nothing
//	seal.go    ids of deliveries, parts that may be of a wrong type
//	word.go    words of statuses, and the newest update
//
// A page sends no id of a delivery. It is made of the body, so that a delivery
// that is sent twice has one id.
package page
