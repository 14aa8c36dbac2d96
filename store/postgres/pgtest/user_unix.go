//go:build unix

package pgtest

import (
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// unprivileged makes a command run as another user if we are root, as whom PostgreSQL refuses to start; and in a group of
// its own, so that a signal to the tests leaves it the time to clean up.
func unprivileged() *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setpgid: true}
	if uid, gid, ok := other(); ok {
		attr.Credential = &syscall.Credential{Uid: uid, Gid: gid}
	}
	return attr
}

// give lets that user have the folder.
func give(dir string) error {
	uid, gid, ok := other()
	if !ok {
		return nil
	}
	return os.Chown(dir, int(uid), int(gid))
}

func other() (uid, gid uint32, ok bool) {
	if os.Getuid() != 0 {
		return 0, 0, false
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		id, err := strconv.ParseUint(u.Uid, 10, 32)
		if err != nil {
			continue
		}
		group, err := strconv.ParseUint(u.Gid, 10, 32)
		if err != nil {
			continue
		}
		return uint32(id), uint32(group), true
	}
	return 0, 0, false
}
