package media

import (
	"github.com/go-json-experiment/json"

	"groundwork/internal/api"
	"groundwork/internal/document"
	"groundwork/internal/job"
	"groundwork/internal/resource"
	"groundwork/internal/store"
	"groundwork/internal/upload"
)

// Photo is a picture from the site. What its file says of itself, and the smaller pictures, are null until the file was
// looked at in the background.
type Photo struct {
	document.Record
	Title       *string       `json:"title" write:"max=255"`
	URL         document.File `json:"url"`
	ContentType string        `json:"content_type"`
	Size        int64         `json:"size"`
	SHA256      string        `json:"sha256"`
	// Width and Height are those of the picture as it is to be seen.
	Width   *int64         `json:"width"`
	Height  *int64         `json:"height"`
	TakenAt *document.Time `json:"taken_at"`
	// TakenOffset is how many minutes the camera's clock was ahead of UTC. When it is null, TakenAt is what that clock
	// showed.
	TakenOffset *int64   `json:"taken_offset"`
	Latitude    *float64 `json:"latitude"`
	Longitude   *float64 `json:"longitude"`
	// DisplayURL is an upright JPEG that every browser shows; PreviewURL and ThumbnailURL are smaller ones.
	DisplayURL   document.File `json:"display_url"`
	PreviewURL   document.File `json:"preview_url"`
	ThumbnailURL document.File `json:"thumbnail_url"`
	// ImageError says why the file could not be read as a picture.
	ImageError *string `json:"image_error"`
}

var photos = &resource.Kind[Photo]{Number: 7, Plural: "photos", Name: "Photo", Check: checkPhoto}

// checkPhoto lets the files be saved under the photo's title.
func checkPhoto(tx *resource.Tx, old, now *Photo) error {
	if old == nil || text(old.Title) == text(now.Title) {
		return nil
	}
	for _, f := range []document.File{now.DisplayURL, now.PreviewURL, now.ThumbnailURL} {
		if f != "" && f != now.URL {
			if err := upload.Rename(tx.Tx, string(f), upload.PictureName(text(now.Title), pictureType)); err != nil {
				return err
			}
		}
	}
	return upload.Rename(tx.Tx, string(now.URL), upload.PictureName(text(now.Title), now.ContentType))
}

// newPhoto is the body that begins the upload of a photo.
type newPhoto struct {
	UID         string  `json:"uid" write:"uuid"`
	ContentType string  `json:"content_type" write:"required,one=image/png|image/jpeg|image/heic|image/heif"`
	Title       *string `json:"title" write:"max=255"`
}

func beginPhoto(c *api.Call, desk *upload.Desk) error {
	in, body, err := resource.Body[newPhoto](c)
	if err != nil {
		return err
	}
	return begin(c, desk, photos.Claim, body, upload.Upload{
		UID: in.UID, Kind: photos.Plural, Type: in.ContentType,
		Name: upload.PictureName(text(in.Title), in.ContentType),
	}, in)
}

// makePhoto makes the photo of an upload; its file is looked at later.
func makePhoto(c *api.Call, tx *store.Tx, u *upload.Upload) (store.ID, error) {
	var in newPhoto
	if err := json.Unmarshal(u.Detail, &in); err != nil {
		return 0, err
	}
	row, err := photos.Insert(resource.Within(c, tx), u.UID, &Photo{
		Title: in.Title, URL: document.File(u.Object), ContentType: u.Type, Size: u.Size, SHA256: u.SHA256,
	})
	if err == nil {
		_, err = c.Jobs.Enqueue(tx, developing, exposure{Project: tx.Project().UID, Photo: u.UID},
			job.Owner(c.Scope.Account().Payer()))
	}
	return row.ID, err
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
