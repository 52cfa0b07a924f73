import { isNullWord } from '../../record/nobody.ts'
import { textIn } from '../../record/text.ts'
import { formatInstant } from '../../record/time.ts'
import { compileTimeFormat } from '../../record/time-format.ts'
import { number } from '../../text/words.ts'
import { isClock } from '../profile/day-and-clock.ts'
import type { ValueKind } from '../profile/kind.ts'
import { lastName, placeOfColumn } from '../profile/member.ts'
import { says as saysOfNumbers } from '../profile/number-guess.ts'
import type { Profile } from '../profile/profiles-of.ts'
import { monthQuestion } from '../profile/time-guess.ts'
import { type Facts, isRole } from './draft-facts.ts'
import { isSecretMember, SECRET_QUESTION } from './secrets.ts'
import { comment, example, inComment, percentText, yamlKeyText } from './yaml-text.ts'

const LEFT_WIDTH = 38
/** A JSON column whose members are the event's properties themselves. */
const PROPERTIES = /^(?:event_?)?(?:props|properties|params|attributes|data)$/i

const ROLES = {
  event: "the event's name",
  distinct_id: 'the person',
  timestamp: "the event's time",
  uuid: "the event's id",
  anonymous_id: 'an anonymous id',
  groups: 'the key of a group',
} as const

/** What the mapping file says of a column, if anything, and what it was taken for. */
interface ColumnLine {
  readonly profile: Profile
  /** What follows the name: `{ type: number }`; undefined where nothing has to be said. */
  readonly says: string | undefined
  readonly questions: readonly string[]
}

/** Where the columns of roles go that no path can say, by their names. */
export type Places = ReadonlyMap<string, string | null>

/** Decides what `columns` says of each column of a table. */
export function columnLines(facts: Facts, places: Places): ColumnLine[] {
  return facts.profiles.map((profile) => {
    const { name } = profile.member
    const { says: own, questions: asked } = sayOf(profile, facts, places)
    const says = facts.people && !isRole(name, facts) ? ofPerson(name, own, facts) : own
    const whole = isRole(name, facts) || !ID.test(lastName(name)) ? [] : spoiltIdQuestions(profile.member)
    const questions = [
      ...asked,
      ...whole,
      ...nullQuestions(profile, facts),
      ...paddedQuestions(profile, facts),
    ]
    if (says === undefined || !facts.partial.has(name)) return { profile, says, questions }
    const text = `some files lack this column, so it stays text; with all of them alike it could be ${says}`
    return { profile, says: undefined, questions: [text] }
  })
}

/** What is said of a column that is a person's property. */
function ofPerson(name: string, says: string | undefined, facts: Facts): string {
  const names = facts.profiles.map(({ member }) => member.name)
  const to = yamlKeyText(`$set.${name.includes('.') ? placeOfColumn(name, names) : name}`)
  if (says === undefined) return to
  return says.startsWith('{ to: properties,')
    ? says.replace('properties', '$set')
    : says.replace(/^\{ /, `{ to: ${to}, `)
}

function sayOf(profile: Profile, facts: Facts, places: Places): Omit<ColumnLine, 'profile'> {
  const { member, kind } = profile
  const place = places.get(member.name)
  if (place === null) return { says: 'null', questions: openedQuestions(member.name, member.values.length) }
  if (!isRole(member.name, facts) && isSecretMember(profile)) {
    return { says: 'null', questions: [SECRET_QUESTION] }
  }
  if (place !== undefined) {
    const isTyped = place.startsWith('properties.') && (kind.kind === 'number' || kind.kind === 'boolean')
    const to = yamlKeyText(place)
    return {
      says: isTyped ? `{ to: ${to}, type: ${kind.kind} }` : to,
      questions: elementQuestions(member.name),
    }
  }
  if (facts.only && !facts.only.includes(member.name)) {
    return {
      says: 'null',
      questions: [`the preset ${facts.preset} reads no such column: left out; say where it goes to keep it`],
    }
  }
  const none = { says: undefined, questions: [] }
  if (isRole(member.name, facts)) return none
  const { count, example: odd } = kind.odd
  const shown = odd === undefined ? '' : `, as ${example(member.name, odd)}`
  const text = `${number(count)} of ${number(member.texts.length)} cells are not such a value${shown}: they stay text`
  const stay = count === 0 ? [] : [text]
  switch (kind.kind) {
    case 'number':
      return { says: '{ type: number }', questions: stay }
    case 'boolean':
      return { says: '{ type: boolean }', questions: stay }
    case 'JSON text': {
      const isFree = !facts.profiles.some((one) => one.member.name === 'properties')
      if (!PROPERTIES.test(member.name) || !isFree || facts.preset !== 'events')
        return { says: '{ type: json }', questions: stay }
      return {
        says: '{ to: properties, type: json }',
        questions: [
          ...stay,
          'its members become properties of the event; without "to: properties" they stay one object',
        ],
      }
    }
    case 'money':
      return { says: saysOfNumbers(kind.form), questions: stay }
    case 'text':
      return { says: undefined, questions: kind.ask === undefined ? [] : [`${kind.ask}. They stay text`] }
    case 'time': {
      if (isDays(profile)) return none
      const ask = timeQuestion(profile)
      if (ask !== undefined) return { says: undefined, questions: [ask] }
      return { says: timeSays(kind.time.formats), questions: stay }
    }
    default:
      return none
  }
}

/** What is asked about a column of an object or list whose members have columns of their own. */
function openedQuestions(name: string, filled: number): string[] {
  if (filled === 0 || !/^(?:\*\.)?properties\./.test(name)) return []
  return ['its members have columns of their own, which are kept: what is in this one alone is left out']
}

function elementQuestions(name: string): string[] {
  return /\.\d+$/.test(name)
    ? ['an element of a list, or a member whose name is a number: it becomes a member of an object']
    : []
}

/** True for a column that becomes times, in UTC. */
export function isTimeColumn(profile: Profile): boolean {
  return profile.kind.kind === 'time' && !isDays(profile) && timeQuestion(profile) === undefined
}

function timeSays(formats: readonly string[]): string {
  const [format] = formats
  return format === undefined ? '{ type: time }' : `{ type: time, format: ${JSON.stringify(format)} }`
}

/** What is asked about a column of times that stays text. */
function timeQuestion({ member, kind }: Profile): string | undefined {
  if (kind.kind !== 'time') return undefined
  const { isExcel, loss, order, formats } = kind.time
  if (isExcel) return excelQuestion({ member })
  if (loss !== undefined)
    return `${loss}, which UTC doesn't give back: they stay text; ${timeSays(formats)} makes times of them`
  if (order && !order.isSure)
    return `${order.why}: they stay text; ${timeSays(formats)} or ${timeSays([order.other])} makes times of them`
  const month = monthQuestion(kind.time)
  return month && `${month}. They stay text; ${timeSays(formats)} makes times of them`
}

/** The question about numbers under the name of a time. */
export function excelQuestion({ member: { texts } }: Pick<Profile, 'member'>): string {
  const [text = ''] = texts
  const instant = formatInstant(compileTimeFormat('excel')(text, undefined)!)
  return `${text} is ${instant.slice(0, 19).replace('T', ' ')} as Excel counts days (format: excel; excel-1904 counts from 1904), or only a number`
}

const ID = /(?:id|number|nummer|no|nr|key|code)$/i

/** What is asked about ids that a program changed: it made numbers with fractions of them, or with exponents, or formulas. */
export function spoiltIdQuestions({ name, texts }: Profile['member']): string[] {
  const [text = ''] = texts
  const rounded = texts.find((id) => /^\d(?:[.,]\d+)?E\+\d\d$/.test(id))
  if (rounded !== undefined)
    return [
      `${inComment(name)} has ${rounded}: a spreadsheet cut the last digits of such ids, and people who share the others become one. Take the file as it was exported, before a spreadsheet saved it?`,
    ]
  const wrapped = texts.find((id) => /^(?:ObjectId|UUID|Binary|NumberLong)\(.*\)$/.test(id))
  if (wrapped !== undefined)
    return [
      `${inComment(name)} has ${inComment(wrapped)}, as CSV of MongoDB writes it: your app sends the text in the brackets, which is another id. Cut the rest in the file, as sed -E 's/ObjectId\\(([0-9a-f]+)\\)/\\1/g' does?`,
    ]
  const formula = texts.find((id) => /^=".*"$/.test(id))
  if (formula !== undefined)
    return [
      `${inComment(name)} has ${inComment(formula)}, as exports for spreadsheets keep zeros: the id is the text in the quotes. Export it without = and quotes?`,
    ]
  if (texts.length === 0 || !texts.every((id) => /^\d+\.0$/.test(id))) return []
  const question = `all ${number(texts.length)} values of ${inComment(name)} end in .0, as ${text}: programs such as pandas write whole numbers so, and ${text} is another id than ${text.slice(0, -2)}. Is it so in your other data? Else export it as whole numbers or text`
  return [question]
}

/** Values of a type such as CHAR(10), which a database fills up with blanks. */
function paddedQuestions({ member }: Profile, facts: Facts): string[] {
  const texts = member.values.map((json) => textIn(json))
  const [first = ''] = texts
  const isPadded = new Set(member.texts).size > 1 && texts.some((text) => text.endsWith(' '))
  if (!isPadded || isRole(member.name, facts) || !texts.every(({ length }) => length === first.length))
    return []
  return [
    `all values are filled up with blanks to ${first.length} characters, and stay so: trim them in the export?`,
  ]
}

/** Words of programs for no value: of an id or a time they are as good as empty, of a property they stay text. */
function nullQuestions({ member }: Profile, facts: Facts): string[] {
  const words = member.values.map((json) => textIn(json)).filter(isNullWord)
  if (words.length === 0 || isRole(member.name, facts)) return []
  return [
    `${number(words.length)} of ${number(member.values.length)} cells are ${example(member.name, words[0])}: as a property it stays this text. Does it stand for no value? Then leave it empty in the export`,
  ]
}

/** What a column is to an event, after what its values are. */
function roleWords(name: string, { roles, preset }: Facts): string {
  if (preset !== 'events') return ''
  for (const [role, words] of Object.entries(ROLES)) {
    const casts = [roles[role as keyof typeof ROLES] ?? []].flat()
    if (casts.some(({ profile }) => profile.member.name === name)) return `, ${words}`
  }
  return ''
}

/** The section `columns`, all others as comments in it. */
export function columnSection(lines: readonly ColumnLine[], facts: Facts): string[] {
  const nameless = facts.nameless.flatMap((name) => {
    const text =
      name === ''
        ? 'a column without a name, like the index that pandas writes, is left out; name it in the file to keep it'
        : 'two columns have this name: both are left out; rename one in the file'
    return [`  ${yamlKeyText(name)}: null`, ...comment(text, '  ', '#   ? ')]
  })
  const all = lines.flatMap(({ profile, says, questions: asked }) => {
    const { member, kind } = profile
    const left = says === undefined ? `# ${inComment(member.name)}` : `${yamlKeyText(member.name)}: ${says}`
    const filled = percentText(member.values.length, facts.records).padStart(4)
    return [
      `  ${padded(left)}  # ${filled}  ${example(member.name, member.texts[0])}  ${kindWords(kind)}${roleWords(member.name, facts)}`,
      ...asked.flatMap((text) => comment(text, '  ', '#   ? ')),
    ]
  })
  const isActive = nameless.length > 0 || lines.some(({ says }) => says !== undefined)
  return [
    isActive ? 'columns:' : '# columns:',
    `  ${padded('# column')}  # filled, an example, what it was taken for`,
    ...nameless,
    ...all,
  ]
}

function padded(text: string): string {
  return text.padEnd(LEFT_WIDTH)
}

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

const DIGITS_OF_DAY = /^(?:19|20)\d{6}$/
/** The first time of day in a text, and its half of the day: an offset comes after it. */
const TIME_OF_DAY = /(?<!\d)(\d{1,2})(:\d\d(?::\d\d(?:[.,]\d+)?)?)(?:\s*([ap])\.?m)?/i

/** The question that times ask which are all midnight: the time of day is lost, or in a column of its own. */
export function midnightQuestion({ member }: Profile, profiles: readonly Profile[]): string | undefined {
  if (!member.texts.every(isMidnight)) return undefined
  const all = `all ${number(member.texts.length)} times are midnight`
  const clock = profiles.find(isClock)
  if (!clock) return `${all}: is the time of day in another column?`
  const name = inComment(clock.member.name)
  return `${all}: is the time of day in ${name}? "time: [${inComment(member.name)}, ${name}]" in the place of timestamp joins the two; without it every event stays at midnight`
}

function isMidnight(text: string): boolean {
  const match = TIME_OF_DAY.exec(text)
  if (match) {
    const [, hour, rest = '', half] = match
    return Number(hour) === (half?.toLowerCase() === 'a' ? 12 : 0) && !/[1-9]/.test(rest)
  }
  // Bare numbers of seconds or milliseconds have a time of day.
  return DIGITS_OF_DAY.test(text) || !/^-?\d+(?:\.\d+)?$/.test(text)
}

/** True for a member of days as ISO writes them, which stay text where they are no event's time. */
function isDays({ member }: Profile): boolean {
  return member.texts.every((text) => /^\d{4}-\d\d-\d\d$/.test(text))
}
