package fakeforge

import (
	"net/http"
	"strconv"
)

// Page cuts one page out of a list, by the query's page and a parameter of the
// forge's for its size. The next page is 0 after the last.
func Page[T any](r *http.Request, list []T, sizeName string) (page []T, next int) {
	number := max(1, atoi(r.URL.Query().Get("page")))
	size := atoi(r.URL.Query().Get(sizeName))
	if size <= 0 {
		size = 20
	}
	start := min((number-1)*size, len(list))
	end := min(start+size, len(list))
	if end < len(list) {
		next = number + 1
	}
	return list[start:end], next
}

func atoi(text string) int {
	number, _ := strconv.Atoi(text)
	return number
}
