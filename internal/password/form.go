package password

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/crypto/argon2"
)

// cost is what checking one password takes: about 40 ms and 19 MiB.
type cost struct {
	memory uint32 // KiB
	time   uint32
	lanes  uint8
}

var costNow = cost{memory: 19 * 1024, time: 2, lanes: 1}

const (
	saltBytes = 16
	hashBytes = 32
)

// kept is a password's hash in the PHC string format.
func kept(c cost, salt, sum []byte) string {
	encode := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, c.memory, c.time, c.lanes, encode(salt),
		encode(sum))
}

// decode takes a kept password apart.
func decode(encoded string) (c cost, salt, sum []byte, err error) {
	parts := strings.Split(encoded, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return c, nil, nil, errDamaged
	}
	if n, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &c.memory, &c.time, &c.lanes); n != 3 || err != nil {
		return c, nil, nil, errDamaged
	}
	// What costs much more than ours was not written by us.
	if c.memory > 1<<20 || c.time < 1 || c.time > 16 || c.lanes < 1 {
		return c, nil, nil, errDamaged
	}
	salt, saltErr := base64.RawStdEncoding.DecodeString(parts[4])
	sum, sumErr := base64.RawStdEncoding.DecodeString(parts[5])
	// The readers above pass over line breaks and what follows a number.
	if saltErr != nil || sumErr != nil || len(sum) < 16 || kept(c, salt, sum) != encoded {
		return c, nil, nil, errDamaged
	}
	return c, salt, sum, nil
}

var errDamaged = errors.New("the kept password of an account is damaged")
