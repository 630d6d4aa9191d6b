package web

import "slices"

// language is a choice in the profile: the tag of a language, and what its speakers call it.
type language struct {
	Code, Name string
	Chosen     bool
}

// spoken are the languages to choose from, by what their speakers call them.
var spoken = []language{
	{Code: "", Name: "Not said"},
	{Code: "cs", Name: "Čeština"},
	{Code: "da", Name: "Dansk"},
	{Code: "de", Name: "Deutsch"},
	{Code: "en", Name: "English"},
	{Code: "es", Name: "Español"},
	{Code: "fr", Name: "Français"},
	{Code: "hr", Name: "Hrvatski"},
	{Code: "it", Name: "Italiano"},
	{Code: "hu", Name: "Magyar"},
	{Code: "nl", Name: "Nederlands"},
	{Code: "no", Name: "Norsk"},
	{Code: "pl", Name: "Polski"},
	{Code: "pt", Name: "Português"},
	{Code: "ro", Name: "Română"},
	{Code: "fi", Name: "Suomi"},
	{Code: "sv", Name: "Svenska"},
	{Code: "vi", Name: "Tiếng Việt"},
	{Code: "tr", Name: "Türkçe"},
	{Code: "el", Name: "Ελληνικά"},
	{Code: "ru", Name: "Русский"},
	{Code: "uk", Name: "Українська"},
	{Code: "he", Name: "עברית"},
	{Code: "ar", Name: "العربية"},
	{Code: "hi", Name: "हिन्दी"},
	{Code: "th", Name: "ไทย"},
	{Code: "ko", Name: "한국어"},
	{Code: "zh", Name: "中文"},
	{Code: "ja", Name: "日本語"},
}

// languages are the choices, with the present one chosen; one that a program wrote and that is not among them is a
// choice too.
func languages(present string) []language {
	all := slices.Clone(spoken)
	at := slices.IndexFunc(all, func(l language) bool { return l.Code == present })
	if at < 0 {
		all, at = append(all, language{Code: present, Name: present}), len(all)
	}
	all[at].Chosen = true
	return all
}
