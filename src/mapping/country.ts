import { ByteMemo } from '../record/byte-memo.ts'
import { type Key, keyOf } from '../record/keys.ts'
import type { Members } from '../record/members.ts'
import { spelledText } from '../record/text.ts'
import { COUNTRIES, countryCode, countryName } from './country-names.ts'
import { DerivedProperty } from './derived-property.ts'
import type { EventDraft } from './draft.ts'
import { type Spelling, spell } from './spelling.ts'

const [CODE_NAME, NAME_NAME] = ['$geoip_country_code', '$geoip_country_name']
const [CODE, NAME] = [keyOf(CODE_NAME), keyOf(NAME_NAME)]

const SPELLED = new Map(COUNTRIES.flat().map((text) => [text, spell(text)]))

/** Countries are few and recur. */
const REMEMBERED = { slots: 256, longest: 64 }

/** What the code of a country tells. */
interface CountryOfCode {
  readonly name: Spelling
  /** Undefined where the code is in capital letters, as the service's are. */
  readonly capital: string | undefined
}

/** Both are undefined where the table has none. */
const OF_CODE = new ByteMemo((bytes, start, end): CountryOfCode | undefined => {
  const code = spelledText(bytes, start, end)
  const name = spelled(countryName(code))
  return name && { name, capital: isSmall(code) ? code.toUpperCase() : undefined }
}, REMEMBERED)

const CODE_OF_NAME = new ByteMemo(
  (bytes, start, end) => spelled(countryCode(spelledText(bytes, start, end))),
  REMEMBERED,
)

/** Gives events and persons both the code and the name of their country, where the source has one. What is there stays. */
export class Countries {
  readonly #draft: EventDraft
  readonly #code: DerivedProperty
  readonly #name: DerivedProperty

  constructor(draft: EventDraft) {
    this.#draft = draft
    this.#code = new DerivedProperty(draft, CODE_NAME)
    this.#name = new DerivedProperty(draft, NAME_NAME)
  }

  complete(): void {
    const { properties, toSet, toSetOnce } = this.#draft
    const [hasCode, hasName] = [properties.has(CODE), properties.has(NAME)]
    if (hasCode && !hasName) {
      const country = recalled(properties, CODE, OF_CODE)
      if (country) this.#name.add(country.name)
      if (country?.capital) this.#draft.text(CODE_NAME, country.capital)
    } else if (hasName && !hasCode) {
      const code = recalled(properties, NAME, CODE_OF_NAME)
      if (code) this.#code.add(code)
    }
    if (toSet.count > 0) completePerson(toSet)
    if (toSetOnce.count > 0) completePerson(toSetOnce)
  }
}

function completePerson(person: Members): void {
  const [hasCode, hasName] = [person.has(CODE), person.has(NAME)]
  if (hasCode === hasName) return
  const told = hasCode ? recalled(person, CODE, OF_CODE)?.name : recalled(person, NAME, CODE_OF_NAME)
  if (told) person.put(hasCode ? NAME : CODE, told.bytes, told.start, told.end)
}

/** What a memo holds of a member's text; undefined where that is no string. */
function recalled<Result>(members: Members, key: Key, memo: ByteMemo<Result>): Result | undefined {
  const text = members.string(key)
  return text && memo.of(text.bytes, text.start, text.end)
}

function isSmall(code: string): boolean {
  return code.charCodeAt(0) >= 0x61 || code.charCodeAt(1) >= 0x61
}

function spelled(text: string | undefined): Spelling | undefined {
  return text === undefined ? undefined : SPELLED.get(text)
}
