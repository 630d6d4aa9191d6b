// What somebody began to write and did not send, for as long as the tab lives.
export const drafts = new Map<string, string>()
