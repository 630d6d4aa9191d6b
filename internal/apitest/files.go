package apitest

import "groundwork/internal/app"

// Importing is what App imports files with, for tests of packages that app stands on.
type Importing = app.Files

// FolderOptions are what App imports folders with.
type FolderOptions = app.FolderOptions

// FolderReport is what App says of a folder that it imported.
type FolderReport = app.FolderReport
