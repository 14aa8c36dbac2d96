//go:build !unix

// No processor limits: the parent's timeout remains.
package extract

func limitCPU(int64) error { return nil }
