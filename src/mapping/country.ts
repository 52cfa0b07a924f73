import { keyOf } from '../record/keys.ts'
import type { Members } from '../record/members.ts'
import { COUNTRIES, countryCode, countryName } from './country-names.ts'
import type { EventDraft } from './draft.ts'
import { memoize } from './memoize.ts'

const [CODE_NAME, NAME_NAME] = ['$geoip_country_code', '$geoip_country_name']
const [CODE, NAME] = [keyOf(CODE_NAME), keyOf(NAME_NAME)]

/** All codes and names as JSON in one buffer: an object that takes its values from one source is the fastest to write. */
const TEXTS = COUNTRIES.flat()
const SPELLINGS = Buffer.from(TEXTS.map((text) => JSON.stringify(text)).join(''))
const WHERE = new Map<string, Spelling>()
let end = 0
for (const text of TEXTS) {
  const start = end
  end += Buffer.byteLength(text) + 2
  WHERE.set(text, { text, start, end })
}

/** Gives events and persons both the code and the name of their country, where the source has one. What is there stays. */
export function completeCountry(draft: EventDraft): void {
  const { properties } = draft
  const [hasCode, hasName] = [properties.has(CODE), properties.has(NAME)]
  if (hasCode && !hasName) {
    const given = properties.text(CODE) ?? ''
    const name = nameOf(given)
    if (name && !draft.has(NAME_NAME)) draft.text(NAME_NAME, name.text)
    // The service's codes are two capital letters.
    if (name && isSmall(given)) draft.text(CODE_NAME, given.toUpperCase())
  } else if (hasName && !hasCode) {
    const code = codeOf(properties.text(NAME) ?? '')
    if (code && !draft.has(CODE_NAME)) draft.text(CODE_NAME, code.text)
  }
  if (draft.toSet.count > 0) completePerson(draft.toSet)
  if (draft.toSetOnce.count > 0) completePerson(draft.toSetOnce)
}

function completePerson(person: Members): void {
  const [hasCode, hasName] = [person.has(CODE), person.has(NAME)]
  if (hasCode === hasName) return
  const told = hasCode ? nameOf(person.text(CODE) ?? '') : codeOf(person.text(NAME) ?? '')
  if (told) person.put(hasCode ? NAME : CODE, SPELLINGS, told.start, told.end)
}

function isSmall(code: string): boolean {
  return code.charCodeAt(0) >= 0x61 || code.charCodeAt(1) >= 0x61
}

/** Memoized: countries are few and recur. Null where the table has none. */
const nameOf = memoize((code: string) => spelled(countryName(code)))
const codeOf = memoize((name: string) => spelled(countryCode(name)))

/** A code or a name, and where `SPELLINGS` has it as JSON. */
interface Spelling {
  readonly text: string
  readonly start: number
  readonly end: number
}

function spelled(text: string | undefined): Spelling | null {
  return text === undefined ? null : (WHERE.get(text) ?? null)
}
