package server

import "net/http"

// chatFailure is an error as OpenAI's clients know it.
type chatFailure struct {
	Error chatError `json:"error"`
}

type chatError struct {
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	Code    *string `json:"code"`
}

// chatErrors are the types and codes that clients tell errors apart by. An empty code is null on the wire.
var chatErrors = map[int][2]string{
	http.StatusUnauthorized:    {"authentication_error", "invalid_api_key"},
	http.StatusForbidden:       {"permission_error", ""},
	http.StatusNotFound:        {"invalid_request_error", "not_found"},
	http.StatusTooManyRequests: {"rate_limit_error", "rate_limit_exceeded"},
}

// openAIError is the body of an error under /v1/.
func openAIError(status int, sentence string) chatFailure {
	kind, ok := chatErrors[status]
	switch {
	case ok:
	case status >= http.StatusInternalServerError:
		kind = [2]string{"server_error", ""}
	default:
		kind = [2]string{"invalid_request_error", ""}
	}
	e := chatError{Message: sentence, Type: kind[0]}
	if kind[1] != "" {
		e.Code = &kind[1]
	}
	return chatFailure{Error: e}
}
