//go:build unix

// Process groups: a child and whatever it starts end together.
package extract

import (
	"os/exec"
	"syscall"
)

// ownGroup makes the child the leader of a process group, and cancellation
// kill the group.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// killGroup ends what the child left running. The group is usually gone by
// now, which is the error that is passed over.
func killGroup(cmd *exec.Cmd) {
	if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); err != nil {
		return
	}
}
