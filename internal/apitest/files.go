package apitest

import "groundwork/internal/app"

// Importing, FolderOptions and FolderReport are what App imports files with, for tests of packages that app stands on.
type (
	Importing     = app.Files
	FolderOptions = app.FolderOptions
	FolderReport  = app.FolderReport
)
