package server

// Audits: a report that somebody wrote is checked. It is a task like any other.

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/plumbresearch/plumb/front"
)

func (s *Server) auditRoutes() {
	huma.Register(s.api, route(http.MethodPost, "/api/v1/audits", "create-audit", "Have a report checked", http.StatusOK, 400, 401, 409, 415, 429), s.createAudit)
}

type auditAsk struct {
	Report    string        `json:"report" required:"true" minLength:"1" doc:"Markdown"`
	Name      string        `json:"name,omitempty" maxLength:"200" doc:"Default: its first heading"`
	Documents []documentAsk `json:"documents,omitempty" maxItems:"50" doc:"That the report may cite, beside those of your library; kept with the task alone"`
	Fetch     *bool         `json:"fetch,omitempty" doc:"Pages that the report cites may be fetched"`
	Strict    bool          `json:"strict,omitempty" doc:"The published report drops what no source supports"`
	BudgetUSD *float64      `json:"budget_usd,omitempty" minimum:"0" doc:"Dollars, at most"`
	Knobs
}

// maxDocuments is how many documents may come with a report.
const maxDocuments = 50

func (s *Server) createAudit(ctx context.Context, in *struct{ Body auditAsk }) (*created, error) {
	ask, err := in.Body.ask()
	if err != nil {
		return nil, s.explain(ctx, err)
	}
	run, err := tenant(ctx).Audit(ctx, ask)
	if err != nil {
		return nil, s.explain(ctx, err)
	}
	return newCreated(run, "Audit submitted"), nil
}

func (a auditAsk) ask() (front.AuditAsk, error) {
	out := front.AuditAsk{Name: strings.TrimSpace(a.Name), Draft: a.Report, USD: a.BudgetUSD, Fetch: a.Fetch, Strict: a.Strict}
	switch {
	case strings.TrimSpace(a.Report) == "":
		return out, wrong("report", "", "the report to check is required, as Markdown")
	case len(a.Name) > 200:
		return out, wrong("name", a.Name, "use at most 200 bytes")
	case len(a.Documents) > maxDocuments:
		return out, wrong("documents", fmt.Sprint(len(a.Documents)), fmt.Sprintf("send at most %d, add the others to the library", maxDocuments))
	case a.BudgetUSD != nil && *a.BudgetUSD < 0:
		return out, wrong("budget_usd", fmt.Sprint(*a.BudgetUSD), "use 0 or more")
	}
	if err := a.check(""); err != nil {
		return out, err
	}
	var err error
	if out.Model, err = a.model(); err != nil {
		return out, err
	}
	for i, d := range a.Documents {
		doc, err := d.document(fmt.Sprintf("documents[%d].", i))
		if err != nil {
			return out, err
		}
		out.Documents = append(out.Documents, doc)
	}
	return out, nil
}
