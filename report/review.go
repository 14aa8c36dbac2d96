package report

import "context"

func (Extractive) Review(ctx context.Context, m Material, draft string) (Review, error) {
	return Review{Score: 1}, ctx.Err()
}
