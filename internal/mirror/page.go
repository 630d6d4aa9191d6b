package mirror

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"

	"groundwork/internal/client"
	"groundwork/internal/follow"
)

// page is a page of any list.
type page struct {
	Data  []json.RawMessage `json:"data"`
	Total int64             `json:"total_count"`
	Next  *string           `json:"next_page_url"`
	clock string
}

// head is the uid of a record, and when it was changed.
func head(raw json.RawMessage) (uid, updated string, err error) {
	var r struct {
		UID       string `json:"uid"`
		UpdatedAt string `json:"updated_at"`
	}
	if json.Unmarshal(raw, &r) != nil || !follow.IsUID(r.UID) {
		return "", "", errors.New("The server lists a record without a uid that can be taken.")
	}
	return r.UID, r.UpdatedAt, nil
}

func readPage(ctx context.Context, c *client.Client, target string) (*page, error) {
	text, header, err := c.Get(ctx, target)
	if err != nil {
		return nil, err
	}
	p := &page{clock: header.Get("X-Clock")}
	if json.Unmarshal(text, p) != nil {
		return nil, fmt.Errorf("The server's answer to %s is no list.", pathOnly(target))
	}
	return p, nil
}

func pathOnly(target string) string {
	u, err := url.Parse(target)
	if err != nil {
		return "a request"
	}
	return u.Path
}

// pages reads a list by the addresses that the server gives.
func pages(ctx context.Context, c *client.Client, target string, each func(*page) error) error {
	for range mostPages {
		p, err := readPage(ctx, c, target)
		if err != nil {
			return err
		}
		if err := each(p); err != nil || p.Next == nil {
			return err
		}
		if *p.Next == target {
			break
		}
		target = *p.Next
	}
	return fmt.Errorf("The list %s of the server has no end.", pathOnly(target))
}

// whose says of a refusal what to do.
func whose(err error) error {
	if client.IsRefused(err, 401, 403) {
		return fmt.Errorf("The server does not take the key: %w", err)
	}
	return err
}
