// Package rank puts things in order: words against texts (BM25), lists against
// lists (reciprocal-rank fusion), relevance against sameness (MMR), vectors
// against a vector, and how much a source's address and date speak for it.
//
// Everything is deterministic: equal scores are broken by the order of the
// input or by the id, never by chance.
package rank
