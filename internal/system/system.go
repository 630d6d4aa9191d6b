// Package system owns what operating systems do differently and the service needs of each: locks of files, room on a
// disk, folders that are made durable, the errors of the network. It refuses everything that one system alone can do;
// the walls around the processes that read drawings are the business of the package drawing.
package system

import "errors"

// ErrLocked says that another process, or another open file of this one, holds a lock.
var ErrLocked = errors.New("it is locked by another process")

// Room is what a disk has, in bytes; Free is what this user may still write.
type Room struct{ Free, Size uint64 }
