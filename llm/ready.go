package llm

import "context"

// Ready asks a model for one word: a wrong key, an unknown model, a server that is not there or an empty account shows.
func Ready(ctx context.Context, m Model) error {
	_, err := m.Complete(ctx, &Request{Messages: []Message{{From: User, Text: "Answer with the one word: ready"}}, Output: 16})
	return err
}
