//go:build unix

package pgtest

import (
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// unprivileged makes a command run as another user if we are root, as whom PostgreSQL refuses to start.
func unprivileged() *syscall.SysProcAttr {
	uid, gid, ok := other()
	if !ok {
		return nil
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: gid}}
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
