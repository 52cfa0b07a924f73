import { Id } from '../../src/record/id.ts'

/** An id as a record has it: plain ones in bytes, with others around them. */
export function idOf(text: string): Id {
  const bytes = Buffer.from(`{"id":"${text}"}`)
  return Id.plain(bytes, 7, bytes.length - 2) ?? Id.ofText(text)
}
