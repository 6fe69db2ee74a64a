package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Fault is one thing wrong in a rules file, and where. Line and Column count
// from 1, in characters.
type Fault struct {
	File    string
	Line    int
	Column  int
	Message string
}

// String returns the fault as editors and terminals understand it.
func (f Fault) String() string {
	return fmt.Sprintf("%s:%d:%d: %s", f.File, f.Line, f.Column, f.Message)
}

// FaultsError is returned by Parse: every fault of the file, in its order.
type FaultsError struct {
	Faults []Fault
}

// Error returns one line for each fault.
func (e *FaultsError) Error() string {
	lines := make([]string, len(e.Faults))
	for i, fault := range e.Faults {
		lines[i] = fault.String()
	}
	return strings.Join(lines, "\n")
}

// faults collects what is wrong while a file is read.
type faults struct {
	file string
	list []Fault
}

func (f *faults) add(at position, message string) {
	fault := Fault{File: f.file, Line: at.line, Column: at.column, Message: message}
	if !slices.Contains(f.list, fault) {
		f.list = append(f.list, fault)
	}
}

// err returns the faults in the order of the file, or nil.
func (f *faults) err() error {
	if len(f.list) == 0 {
		return nil
	}
	return &FaultsError{Faults: f.sorted()}
}

func (f *faults) sorted() []Fault {
	slices.SortStableFunc(f.list, func(a, b Fault) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return f.list
}
