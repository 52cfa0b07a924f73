import type { ValueKind } from '../profile/kind.ts'
import type { Profile } from '../profile/member-profile.ts'

/** What a member was taken for, in words. */
export function kindWords(kind: ValueKind): string {
  switch (kind.kind) {
    case 'time':
      return `time, ${kind.time.words}${zoneWords(kind.time)}`
    case 'money':
      return kind.form.currency === undefined
        ? 'number'
        : `money in ${kind.form.currency}, whose sign is not kept`
    case 'text':
      return kind.odd.why === undefined ? 'text' : `text: ${kind.odd.why}`
    default:
      return kind.kind
  }
}

function zoneWords({ zoneless, of, words }: { zoneless: number; of: number; words: string }): string {
  if (/seconds/.test(words)) return ''
  return zoneless === 0 ? ', with its offset' : zoneless === of ? ', no zone' : ', some without a zone'
}

/** How often each of the commonest values occurs. */
export function commonestWords({ member }: Profile, most: number): Array<[text: string, count: number]> {
  const counts = new Map<string, number>()
  for (const text of member.texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a).slice(0, most)
}
