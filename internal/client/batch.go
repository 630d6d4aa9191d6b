package client

import (
	"context"
	"encoding/json"
	"net/http"
)

// MostParts is how many requests a batch has.
const MostParts = 50

// Part is the answer to one request of a batch.
type Part struct {
	Status int
	Body   []byte
}

// Batch asks for several paths with one request, which counts once against rate limits. Where the server takes none, or
// has not answered a part, that is asked alone.
func (c *Client) Batch(ctx context.Context, paths []string) ([]Part, error) {
	if len(paths) > 1 {
		parts, err := c.batch(ctx, paths)
		if err != nil || parts != nil {
			return parts, err
		}
	}
	parts := make([]Part, len(paths))
	for i, path := range paths {
		if err := c.alone(ctx, path, &parts[i]); err != nil {
			return nil, err
		}
	}
	return parts, nil
}

// batch is nil where the server takes no batches.
func (c *Client) batch(ctx context.Context, paths []string) ([]Part, error) {
	type sub struct {
		Method string `json:"method"`
		Path   string `json:"path"`
	}
	subs := make([]sub, len(paths))
	for i, path := range paths {
		subs[i] = sub{http.MethodGet, path}
	}
	body, err := json.Marshal(subs)
	if err != nil {
		return nil, err
	}
	text, _, err := c.ask(ctx, http.MethodPost, "/batch", string(body), nil)
	if IsRefused(err, 400, 403, 404, 405, 413) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var page struct {
		Data []struct {
			Status int    `json:"status"`
			Code   int    `json:"status_code"`
			Body   string `json:"body"`
		} `json:"data"`
	}
	if json.Unmarshal(text, &page) != nil || len(page.Data) != len(paths) {
		return nil, nil
	}
	parts := make([]Part, len(paths))
	for i, p := range page.Data {
		parts[i] = Part{max(p.Status, p.Code), []byte(p.Body)}
		whole := parts[i].Status < 300 && json.Valid(parts[i].Body)
		if whole || parts[i].Status == http.StatusNotFound {
			continue
		}
		if err := c.alone(ctx, paths[i], &parts[i]); err != nil {
			return nil, err
		}
	}
	return parts, nil
}

func (c *Client) alone(ctx context.Context, path string, into *Part) error {
	text, _, err := c.Get(ctx, path)
	if IsRefused(err, http.StatusNotFound, http.StatusGone) {
		*into = Part{Status: http.StatusNotFound}
		return nil
	}
	*into = Part{http.StatusOK, text}
	return err
}
