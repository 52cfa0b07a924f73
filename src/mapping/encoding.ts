/** What the text of an input can be written in, as `encoding` of a mapping file names it. */
export const ENCODINGS = [
  'utf-8',
  'utf-16le',
  'utf-16be',
  'windows-1252',
  'iso-8859-1',
  'iso-8859-15',
] as const

export type Encoding = (typeof ENCODINGS)[number]
