// Package plumb is the vocabulary of a deep-research engine and the pure rules
// that lead a question to a checked report.
package plumb
