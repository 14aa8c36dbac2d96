//go:build !unix

package pgtest

import "syscall"

func unprivileged() *syscall.SysProcAttr { return nil }

func give(string) error { return nil }
