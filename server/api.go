package server

import (
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// apiConfig is huma's, with errors as API clients know them and no links to schemas in the answers.
func apiConfig(version string) huma.Config {
	c := huma.DefaultConfig("Plumb", version)
	c.DocsPath = ""
	c.SchemasPath = ""
	c.CreateHooks = nil
	return c
}

func init() {
	huma.NewError = func(status int, msg string, errs ...error) huma.StatusError {
		var parts []string
		for _, e := range errs {
			if e != nil {
				parts = append(parts, e.Error())
			}
		}
		if status == 422 { // the framework's own validation
			status = 400
		}
		if len(parts) > 0 {
			msg = strings.Join(parts, "; ")
		}
		return &failure{status: status, Sentence: msg}
	}
}
