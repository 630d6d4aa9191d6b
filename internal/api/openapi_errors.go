package api

import (
	"net/http"
	"slices"
	"strconv"
)

// errorStatuses are the statuses, other than success, that a route can answer with: what its place in the table
// implies, and its own Errors.
func errorStatuses(r Route) []int {
	all := append([]int{500, 503}, r.Errors...)
	if r.Access != Public {
		all = append(all, 401, 403, 406, 429)
	}
	if r.Access == Member {
		all = append(all, 404)
	}
	if len(r.Query) > 0 || r.Method != "GET" {
		all = append(all, 400)
	}
	if r.In != nil {
		all = append(all, 413)
	}
	if r.Guarded {
		all = append(all, 412)
	}
	if r.Keyed && !r.Alone { // the parts of a batch have their own results
		all = append(all, 422)
	}
	if r.Method != "GET" && r.Access != Public {
		all = append(all, 507)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// examples has a message for every status that an error can have.
var examples = map[int]string{
	400: "The request is not valid. name: It is required.",
	401: "This request has no credentials. Send your API key as the user name of HTTP Basic authentication, with an empty password.",
	403: "Your role in this project, Collaborator, does not allow this.",
	404: "Issue 00000000-0000-4000-8000-000000000000 does not exist.",
	405: "The method PUT is not allowed on this path. Allowed: GET, HEAD, OPTIONS.",
	406: "Version '2' of the API is not supported. Supported MAJOR versions: 1.",
	409: "The project must keep an Admin.",
	412: "The record has changed since it was read.",
	413: "The body is larger than the 1048576 bytes that are accepted here.",
	416: "The range bytes=9000- lies beyond the end of the file.",
	422: "The Idempotency-Key was used with another body.",
	429: "This API key has reached a rate limit for all requests: 40 in 1 s are allowed. Try again after 2026-01-01T00:00:01Z.",
	500: "Something went wrong on our side. The team has been notified.",
	503: "The service cannot answer right now. Please try again.",
	507: "The service has no room left to store this.",
}

// errorResponses are the shared descriptions of errors, by status.
func errorResponses() Schema {
	all := Schema{}
	for status, message := range examples {
		name := strconv.Itoa(status)
		schema, example := "Error", Schema{"message": message}
		headers := Schema{"X-Request-Id": Schema{"$ref": "#/components/headers/X-Request-Id"}}
		switch status {
		case 400:
			example["errors"] = Schema{"name": "It is required."}
		case 401:
			headers["WWW-Authenticate"] = Schema{"$ref": "#/components/headers/WWW-Authenticate"}
		case 405:
			headers["Allow"] = Schema{"$ref": "#/components/headers/Allow"}
		case 429:
			schema = "RateLimitError"
			example["rate_limit"] = Schema{
				"request_type": "all", "interval": 1, "limit": 40, "remaining": 0, "reset": "2026-01-01T00:00:01+00:00",
			}
			headers["Retry-After"] = Schema{"$ref": "#/components/headers/Retry-After"}
		case 503:
			headers["Retry-After"] = Schema{"$ref": "#/components/headers/Retry-After"}
		}
		all[name] = Schema{
			"description": http.StatusText(status), "headers": headers,
			"content": Schema{"application/json": Schema{
				"schema": Schema{"$ref": "#/components/schemas/" + schema}, "example": example,
			}},
		}
	}
	return all
}

func headers() Schema {
	text := func(description string) Schema {
		return Schema{"description": description, "schema": Schema{"type": "string"}}
	}
	return Schema{
		"ETag": text(
			"The version of this answer. On a record, the part before the dot is what If-Match compares."),
		"X-Request-Id": text(
			"Names this request in the service's log. A plain one that the request carries is kept."),
		"WWW-Authenticate": text("How to authenticate."),
		"Allow":            text("The methods of this path."),
		"Retry-After": Schema{"description": "How many seconds to wait before trying again.", "schema": Schema{
			"type": "integer", "minimum": 1,
		}},
	}
}
